/** The pictures that the kit sends: a specimen person that shows no real human, and a generated page. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const SPECIMENS = join(import.meta.dirname, '..', 'resources', 'specimens')

export interface Pictures {
  readonly passport: Blob
  readonly portrait: Blob
  /** The face of a person who is not the holder of the passport. */
  readonly impostor: Blob
  readonly png: Blob
  readonly pdf: Blob
  readonly damaged: Blob
  readonly notAPicture: Blob
}

interface SpecimenIndex {
  readonly persons: readonly {
    readonly passportPhoto: string
    readonly portrait: string
    readonly live: string
    readonly passportPage: string
  }[]
}

export function loadPictures(folder = SPECIMENS): Pictures {
  const read = (file: string): Buffer<ArrayBuffer> => Buffer.from(readFileSync(join(folder, file)))
  const { persons } = JSON.parse(read('index.json').toString('utf8')) as SpecimenIndex
  const [person, other] = persons
  const passport = read(person.passportPhoto)
  const live = read(person.live)
  return {
    passport: picture(passport, 'image/jpeg'),
    portrait: picture(live, 'image/jpeg'),
    impostor: picture(read(other.live), 'image/jpeg'),
    png: picture(read(person.passportPage), 'image/png'),
    pdf: picture(buildPdf(live), 'application/pdf'),
    damaged: picture(passport.subarray(0, passport.length >> 1), 'image/jpeg'),
    notAPicture: picture(Buffer.from('this is no picture'), 'image/jpeg'),
  }
}

function picture(bytes: Buffer<ArrayBuffer>, type: string): Blob {
  return new File([bytes], `picture.${type.split('/')[1]}`, { type })
}

/** One A6 page that shows this JPEG (ISO 32000-1, section 7.5: header, objects, cross-reference table, trailer). */
function buildPdf(jpeg: Buffer): Buffer<ArrayBuffer> {
  const { width, height } = sizeOfJpeg(jpeg)
  const drawing = 'q 298 0 0 420 0 0 cm /P Do Q'
  const objects: readonly (readonly (string | Buffer)[])[] = [
    ['<</Type/Catalog/Pages 2 0 R>>'],
    ['<</Type/Pages/Kids[3 0 R]/Count 1>>'],
    ['<</Type/Page/Parent 2 0 R/MediaBox[0 0 298 420]/Contents 4 0 R/Resources<</XObject<</P 5 0 R>>>>>>'],
    [`<</Length ${drawing.length}>>stream\n${drawing}\nendstream`],
    [
      `<</Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceRGB/BitsPerComponent 8`,
      `/Filter/DCTDecode/Length ${jpeg.length}>>stream\n`,
      jpeg,
      '\nendstream',
    ],
  ]
  const chunks: Buffer[] = [Buffer.from('%PDF-1.4\n')]
  const length = (): number => chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  const offsets = objects.map((content, index) => {
    const offset = length()
    const whole = [`${index + 1} 0 obj\n`, ...content, '\nendobj\n']
    chunks.push(...whole.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)))
    return offset
  })
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const count = objects.length + 1
  const end = `xref\n0 ${count}\n0000000000 65535 f \n${table}trailer<</Size ${count}/Root 1 0 R>>\nstartxref\n${length()}\n%%EOF\n`
  return Buffer.concat([...chunks, Buffer.from(end)])
}

/** Reads the frame header (ITU-T T.81, marker SOF0 to SOF2). */
function sizeOfJpeg(jpeg: Buffer): { width: number; height: number } {
  let at = 2
  while (at < jpeg.length) {
    const marker = jpeg.readUInt16BE(at)
    if (marker >= 0xffc0 && marker <= 0xffc2)
      return { height: jpeg.readUInt16BE(at + 5), width: jpeg.readUInt16BE(at + 7) }
    at += 2 + jpeg.readUInt16BE(at + 2)
  }
  throw new Error('the specimen is no JPEG')
}
