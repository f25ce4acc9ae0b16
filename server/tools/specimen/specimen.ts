/**
 * `npm run specimen`: makes a specimen passport (page, photograph, truth) from any face image; `specimen heads` renders
 * resources/specimens again from its recipes. Prints only the places of files, never the content of a face or a page.
 */
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildSpecimens } from './build-specimens.ts'
import { openFaceTools } from './find-face.ts'
import { centreCrop, cropPortrait, portraitCrop } from './passport/portrait.ts'
import type { FaceBox } from './passport/portrait.ts'
import { DOCUMENT_FILES, writeSpecimenDocument } from './passport/specimen-document.ts'
import { DETECTION_THRESHOLD } from '../../vision/faces/detect.ts'
import { decodeImage } from '../../vision/image.ts'
import type { Raster } from '../../vision/raster.ts'
import { ImageFaultError } from '../../vision/protocol.ts'

const HELP = `Usage: npm run specimen -- --face IMAGE --out DIR [OPTIONS]
       npm run specimen -- heads [--only ID,ID] [--shots NAME,NAME] [--json]

Renders a specimen passport around a face: passport-page.png, passport-photo.jpg and truth.json in DIR.
The issuer is UTO, the page bears the word SPECIMEN, and every name, number and date is invented from the seed.

  --face IMAGE    JPEG, PNG or WebP; the largest face becomes the portrait
  --out DIR       folder of the files; created when missing. Files of the same names are replaced. Only your user can read
                  them, because they show the face
  --seed N        whole number from 0 (default 1); the same seed gives the same holder and photograph
  --json          prints one JSON object
  --help          prints this text

heads             renders the committed specimen persons again (some minutes each)

Example: npm run specimen -- --face portrait.jpg --out my-specimen --seed 7
`
const say = (text: string): void => void process.stderr.write(`${text}\n`)

const FAULTS = {
  not_an_image: 'is no image',
  unsupported_format: 'is of a format that is not taken (JPEG, PNG and WebP are)',
  type_mismatch: 'is not of the type its name says',
  too_many_pixels: 'has too many pixels',
  too_complex: 'takes too much time or memory to draw',
  damaged: 'is damaged or cut off',
} as const

interface Crop {
  readonly crop: FaceBox
  readonly face: 'found' | 'not_found' | 'no_detector'
}

async function cropFor(raster: Raster): Promise<Crop> {
  const { width, height } = raster
  let tools
  try {
    tools = await openFaceTools()
  } catch (error) {
    say(
      `No face detector (${error instanceof Error ? error.message : 'unknown reason'}): the middle of the picture is used.`,
    )
    return { crop: centreCrop(width, height), face: 'no_detector' }
  }
  const faces = await tools.detectFaces(raster)
  const face = faces.find(({ score }) => score >= DETECTION_THRESHOLD)
  if (face) return { crop: portraitCrop(face.box, width, height), face: 'found' }
  say('No face was found: the middle of the picture is used, and the passport will not match anybody.')
  return { crop: centreCrop(width, height), face: 'not_found' }
}

async function decode(path: string): Promise<{ bytes: Buffer; raster: Raster } | null> {
  let bytes: Buffer
  try {
    bytes = await readFile(path)
  } catch {
    say(`${path} cannot be read.`)
    return null
  }
  try {
    return { bytes, raster: (await decodeImage(bytes)).raster }
  } catch (error) {
    if (!(error instanceof ImageFaultError)) throw error
    say(`${path} ${FAULTS[error.fault]}.`)
    return null
  }
}

async function renderPassport(facePath: string, out: string, seed: number, json: boolean): Promise<number> {
  const image = await decode(facePath)
  if (!image) return 1
  const { crop, face } = await cropFor(image.raster)
  const truth = await writeSpecimenDocument(await cropPortrait(image.bytes, crop), out, { seed })
  const files = Object.fromEntries(
    Object.entries(DOCUMENT_FILES).map(([name, file]) => [name, join(out, file)]),
  )
  for (const file of Object.values(files)) say(file)
  if (json) {
    const { characterPitchPx } = truth.photo
    process.stdout.write(`${JSON.stringify({ seed, face, files, characterPitchPx })}\n`)
  }
  return 0
}

async function renderHeads(
  only: string | undefined,
  shots: string | undefined,
  json: boolean,
): Promise<number> {
  const persons = await buildSpecimens({
    ...(only !== undefined && { only: only.split(',') }),
    ...(shots !== undefined && { shots: shots.split(',') }),
    report: say,
  })
  if (json) process.stdout.write(`${JSON.stringify({ persons })}\n`)
  return 0
}

/** 0: done; 1: the picture is unsuitable; 2: wrong usage. */
export async function run(argv: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      face: { type: 'string' },
      out: { type: 'string' },
      seed: { type: 'string', default: '1' },
      only: { type: 'string' },
      shots: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  if (positionals.length === 1 && positionals[0] === 'heads')
    return renderHeads(values.only, values.shots, values.json)
  const wrong =
    positionals.length > 0
      ? `There is no '${positionals[0]}' here.`
      : values.face === undefined || values.out === undefined
        ? 'Both --face and --out are needed.'
        : !/^\d{1,9}$/.test(values.seed)
          ? '--seed takes a whole number from 0 to 999999999.'
          : null
  if (wrong !== null || values.face === undefined || values.out === undefined) {
    process.stderr.write(`${wrong}\n${HELP}`)
    return 2
  }
  return renderPassport(resolve(values.face), resolve(values.out), Number(values.seed), values.json)
}
