/** Printed pages with a machine-readable zone of any lines, and frames of them as from a hand-held camera. */
import sharp from 'sharp'
import { seeded } from '../../server/tools/bench/crash/random.ts'
import { latticePath, textPath } from '../../server/tools/specimen/passport/text.ts'

const [WIDTH, HEIGHT] = [1000, 630]
/** Pitch of the MRZ's characters, in pixels. */
const PITCH = 20
const LINE_DISTANCE = 42

/** PNG of a TD1-sized card with the lines at its lower edge. */
export async function mrzPage(lines: readonly string[]): Promise<Buffer> {
  const longest = Math.max(...lines.map((line) => line.length))
  const pitch = Math.min(PITCH * 1.45, (WIDTH - 120) / longest)
  const mrz = lines.map((line, i) =>
    latticePath(line, 'ocrb', 60, HEIGHT - 50 - (lines.length - 1 - i) * LINE_DISTANCE * (pitch / 22), pitch),
  )
  const words = ['SPECIMEN', 'Utopia', 'not valid'].map((word, i) =>
    textPath(word, 'bold', 60, 90 + 70 * i, 34),
  )
  const paths = [...mrz, ...words].map((d) => `<path d="${d}" fill="#15151c"/>`).join('')
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"><rect width="100%" height="100%" fill="#e9ece4"/>${paths}</svg>`
  return sharp(Buffer.from(svg)).flatten({ background: '#ffffff' }).png().toBuffer()
}

/** A bright spot over the MRZ at `spot` (0 left edge, 1 right edge), noise and a poor JPEG. */
export async function poorFrame(page: Buffer, spot: number, seed: number): Promise<Buffer> {
  const { data, info } = await sharp(page).resize(620).blur(0.6).raw().toBuffer({ resolveWithObject: true })
  const random = seeded(seed)
  for (let y = 0, i = 0; y < info.height; y++)
    for (let x = 0; x < info.width; x++)
      for (let c = 0; c < info.channels; c++, i++) {
        const distance = Math.abs(x / info.width - spot) / 0.02
        const veil = y > info.height * 0.72 ? 0.985 * Math.exp(-(distance ** 4)) : 0
        const value = data[i] + (250 - data[i]) * veil + 26 * (random.next() - 0.5)
        data[i] = Math.max(0, Math.min(255, value))
      }
  const { width, height, channels } = info
  return sharp(data, { raw: { width, height, channels } }).jpeg({ quality: 60 }).toBuffer()
}
