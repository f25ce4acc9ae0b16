/**
 * A vision whose images say themselves what they show, so that a test of the whole server decides what was seen.
 * The real worker has tests of its own; everything above it runs for real here.
 */
import type { MrzContents } from '../../../server/proofing/mrz/build.ts'
import { buildTd3 } from '../../../server/proofing/mrz/build.ts'
import { detectFormat } from '../../../server/proofing/mrz/detect.ts'
import { ImageFaultError } from '../../../server/vision/protocol.ts'
import { compareScripted, templateOf } from './scripted-templates.ts'
import type {
  BarcodeSymbol,
  CroppedPortrait,
  DocumentFraming,
  DocumentMeasurement,
  FaceFrame,
  FaceMeasurement,
  ImageInfo,
  ImageQuality,
  LivenessMeasurement,
  ModelUse,
  MrzBand,
  MrzReading,
  OperatingPoint,
  PageLine,
  PageText,
  PortraitMeasurement,
  TrackedFace,
  Vision,
  VisionCalls,
  MrzGeometry,
} from '../../../server/vision/protocol.ts'

/**
 * `face: null`: no face in the picture. `lines: null`: no readable MRZ; `band` if one was seen anyway.
 * `barcode`: its text, null for an unreadable one.
 */
export type Scene =
  | {
      readonly shows: 'document'
      readonly lines: readonly string[] | null
      readonly face: string | null
      readonly doubtful?: boolean
      /** Its zone is read as a mirror shows the picture. */
      readonly mirrored?: boolean
      readonly quality?: Partial<ImageQuality>
      readonly band?: Partial<MrzGeometry> & { readonly characterPitchPx?: number }
      readonly barcode?: string | null
      /** The printed text, line by line. */
      readonly page?: readonly string[]
    }
  | {
      readonly shows: 'person'
      readonly face: string | null
      /** Deviations of the face in a live picture from straight, good and alone. */
      readonly live?: Partial<Omit<TrackedFace, 'points'>>
      /** Heights of other faces over this one's. */
      readonly others?: readonly number[]
      /** It is a picture of a picture. */
      readonly isFlat?: boolean
      /** Makes two pictures of the same two pictures. */
      readonly noise?: number
    }
  | { readonly shows: 'garbage' }

type PersonScene = Extract<Scene, { shows: 'person' }>
type DocumentScene = Extract<Scene, { shows: 'document' }>

export const HOLDER: MrzContents = {
  documentCode: 'P',
  issuingState: 'UTO',
  documentNumber: 'L898902C3',
  nationality: 'UTO',
  birthDate: '740812',
  sex: 'F',
  expiryDate: '291231',
  surname: 'ERIKSSON',
  givenNames: ['ANNA', 'MARIA'],
}

/** The print of the holder's passport, line by line: names are verified only if the print has them beside the MRZ. */
export const HOLDER_PAGE = [
  'UTOPIA PASSPORT',
  'Surname',
  'ERIKSSON',
  'Given names',
  'ANNA MARIA',
  'Passport No.',
  'L898902C3',
  'Nationality',
  'UTOPIAN',
  'Sex',
  'F',
  'Date of birth',
  '12 AUG 1974',
  'Date of expiry',
  '31 DEC 2029',
]

export function aPassport(holder: Partial<MrzContents> = {}, face: string | null = 'A'): Uint8Array {
  return picture({ shows: 'document', lines: buildTd3({ ...HOLDER, ...holder }), face })
}

export function picture(scene: Scene): Uint8Array {
  return Buffer.from(JSON.stringify(scene))
}

const MODEL: ModelUse = { id: 'scripted', version: '1', sha256: '0'.repeat(64) }
const IMAGE: ImageInfo = { format: 'jpeg', widthPx: 1600, heightPx: 1200, exifOrientation: 1 }
const BOX = { x: 0, y: 0, width: 400, height: 500 }
const OPERATING_POINT: OperatingPoint = {
  id: 'scripted',
  measure: 'cosine-similarity',
  threshold: 0.5,
  fmr: 0.001,
  fnmr: 0.01,
  source: 'scripted',
}

function sceneOf(image: Uint8Array): Scene {
  const scene = JSON.parse(Buffer.from(image).toString('utf8')) as Scene
  if (scene.shows === 'garbage') throw new ImageFaultError('damaged')
  return scene
}

function faceOf(name: string): FaceMeasurement {
  const point = { x: name.length, y: 0 }
  return {
    box: BOX,
    detectionScore: 0.99,
    landmarks: { rightEye: point, leftEye: point, nose: point, mouth: point },
    interEyePx: 120,
    mesh: null,
    luminanceMean: 120,
    clippedShare: 0,
    sharpness: 1,
    appearance: null,
  }
}

const LIT = { r: 0.4, g: 0.3, b: 0.25 }
const LIVE_FACE: Omit<TrackedFace, 'points'> = {
  confidence: 0.99,
  box: { x: 600, y: 350, width: 400, height: 500 },
  headWidthPx: 400,
  interEyePx: 180,
  leftDeg: 0,
  upDeg: 0,
  rollDeg: 0,
  eyeOpenness: 0.3,
  mouthOpenness: 0,
  appearance: {
    luminanceMean: 120,
    clippedShare: 0,
    sharpness: 1,
    illuminationUniformity: 0.9,
    backgroundUniformity: 0.9,
    occludedShare: 0,
  },
  pad: 0.95,
  skin: LIT,
  forehead: LIT,
  surround: LIT,
  edges: LIT,
}
const MESH_NUMBERS = 468 * 3

function personIn(image: Uint8Array): PersonScene {
  const scene = sceneOf(image)
  return scene.shows === 'person' ? scene : { shows: 'person', face: null }
}

function trackedIn(image: Uint8Array): FaceFrame {
  const { face, live, others = [] } = personIn(image)
  return {
    image: IMAGE,
    face: face === null ? null : { points: new Float32Array(MESH_NUMBERS), ...LIVE_FACE, ...live },
    others,
    models: [MODEL],
    elapsedMs: 1,
  }
}

function livenessOf({
  reference,
  targets,
  portraits,
}: VisionCalls['measureLiveness']['input']): LivenessMeasurement {
  const { face, isFlat = false } = personIn(reference.image)
  const others = [...targets, ...portraits]
  const areSame = others.every(({ image }) => personIn(image).face === face)
  return {
    depth: {
      depth: isFlat ? 0.02 : 0.85,
      explainedShare: isFlat ? 0.03 : 0.7,
      residualPx: 0.6,
      views: targets.length,
      points: 250,
      approach: 0.6,
    },
    continuity: {
      measure: 'cosine-similarity',
      worst: areSame ? 0.9 : 0.1,
      compared: others.length,
      thresholds: { decision: 0.8, review: 0.7 },
    },
    portraitsByQuality: portraits.map((_, index) => index),
    sceneChange: null,
    screen: { sceneMoved: 0, frontEdge: 0 },
    models: [MODEL],
    elapsedMs: 1,
  }
}

function cropOf(image: Uint8Array): CroppedPortrait | null {
  const { face } = personIn(image)
  if (face === null) return null
  const jpeg = picture({ shows: 'person', face })
  return { jpeg, widthPx: 400, heightPx: 500, box: BOX, detectionScore: 0.99 }
}

function portraitOf(image: Uint8Array): PortraitMeasurement {
  const scene = sceneOf(image)
  const faces = scene.shows === 'person' && scene.face !== null ? [faceOf(scene.face)] : []
  return { image: IMAGE, faces, pad: null, models: [MODEL], elapsedMs: 1 }
}

function readingOf(lines: readonly string[], doubtful: boolean): MrzReading {
  const confidence = lines.map((line) => [...line].map(() => 0.99))
  const corner = { x: 0, y: 0 }
  return {
    format: detectFormat(lines) ?? 'TD3',
    lines,
    rawLines: lines,
    repaired: [],
    characterConfidence: confidence,
    recogniserReadings: [{ model: MODEL, lines, confidence }],
    recognisersAgree: !doubtful,
    marginNats: 9,
    rotationDeg: 0,
    isWhole: true,
    frame: 0,
    band: [corner, corner, corner, corner],
    characterPitchPx: 20,
  }
}

function bandOf({ characterPitchPx = 20, ...geometry }: NonNullable<DocumentScene['band']> = {}): MrzBand {
  const corner = { x: 0, y: 0 }
  return {
    quad: [corner, corner, corner, corner],
    characterPitchPx,
    geometry: { turnDeg: 0, widthShare: 0.8, isCut: false, ...geometry },
  }
}

const GOOD_QUALITY = {
  luminanceMean: 140,
  clippedShare: 0.01,
  glareShare: 0,
  portraitGlareShare: 0,
  edgeWidthPx: 2.5,
}

/** Place of the MRZ, as the worker reports it without an outline. */
function framingOf({ lines, band: shown }: DocumentScene): DocumentFraming | null {
  if (!lines && !shown) return null
  const { characterPitchPx, geometry } = bandOf(shown)
  return {
    by: 'zone',
    tiltDeg: geometry.turnDeg,
    resolutionDpi: characterPitchPx * 10,
    spanShare: geometry.widthShare / 0.885,
    missingShare: geometry.isCut ? 0.1 : 0,
  }
}

function documentOf(image: Uint8Array, mirrored = false): DocumentMeasurement {
  const scene = sceneOf(image)
  const asSent: DocumentScene =
    scene.shows === 'document' ? scene : { shows: 'document', lines: null, face: null }
  const isReadable = (asSent.mirrored ?? false) === mirrored
  const shown: DocumentScene = isReadable ? asSent : { ...asSent, lines: null }
  return {
    image: IMAGE,
    quality: { ...GOOD_QUALITY, framing: framingOf(shown), ...shown.quality },
    outline: null,
    rotationDeg: shown.lines ? 0 : null,
    mrzBand: shown.lines || shown.band ? bandOf(shown.band) : null,
    mrz: shown.lines ? readingOf(shown.lines, shown.doubtful === true) : null,
    portrait: shown.face
      ? {
          jpeg: picture({ shows: 'person', face: shown.face }),
          widthPx: 400,
          heightPx: 500,
          box: BOX,
          detectionScore: 0.99,
        }
      : null,
    models: [MODEL],
    elapsedMs: 1,
  }
}

export function symbol(text: string | null): BarcodeSymbol {
  return { format: 'PDF417', text, bytes: text === null ? null : Buffer.from(text), decoder: 'zxing-cpp' }
}

/** Each letter takes a hundredth of the page's width, each line a twentieth of its height. */
function pageOf(texts: readonly string[]): PageText {
  const [wide, high] = [0.01, 0.03]
  const lines = texts.map((text, row): PageLine => {
    const y = 0.05 + row * 0.05
    const words = [...text.matchAll(/\S+/g)].map(({ 0: word, index }) => ({
      text: word,
      confidence: 0.95,
      box: { x: 0.3 + index * wide, y, width: word.length * wide, height: high },
    }))
    return { words, box: { x: 0.3, y, width: text.length * wide, height: high } }
  })
  return { lines, widthPx: 1000, heightPx: 630, uprightTurnDeg: 0, models: [MODEL], elapsedMs: 1 }
}

/** A PDF whose pages are these pictures. */
export function pages(...scenes: readonly Scene[]): Uint8Array {
  return Buffer.from(PDF_MARK + JSON.stringify(scenes))
}

const PDF_MARK = '%PDF-'

/** DG2 holds JPEG pictures only. */
const JPEG_START = Buffer.from('ffd8ff', 'hex')

/** A portrait as a chip stores it. */
export function chipPicture(scene: Scene): Uint8Array {
  return Buffer.concat([JPEG_START, picture(scene)])
}

export function scriptedVision(): Vision {
  return {
    rasterisePdf: async ({ pdf }) => {
      const scenes = JSON.parse(Buffer.from(pdf).toString('utf8').slice(PDF_MARK.length)) as Scene[]
      return scenes.map((scene) => picture(scene))
    },
    decodeChipPortrait: async ({ image }) => {
      // `readsBehind` has cut the start off.
      const isWhole = Buffer.from(image).indexOf(JPEG_START) === 0
      const decoded = isWhole ? image.subarray(JPEG_START.length) : image
      sceneOf(decoded)
      return decoded
    },
    decodeHeif: async () => {
      throw new ImageFaultError('damaged')
    },
    rasteriseTiff: async () => {
      throw new ImageFaultError('damaged')
    },
    inspectImage: async ({ image, undecoded }) => {
      if (!undecoded) sceneOf(image)
      return { ...IMAGE, byteLength: image.byteLength }
    },
    measureDocument: async ({ image, mirrored }) => documentOf(image, mirrored),
    readBarcode: async ({ image }) => {
      const scene = sceneOf(image)
      const barcode = scene.shows === 'document' ? scene.barcode : undefined
      return { symbols: barcode === undefined ? [] : [symbol(barcode)] }
    },
    assessFrame: async ({ image }) => {
      const { outline, quality } = documentOf(image)
      const seenBy = outline && ('edges' as const)
      return { image: IMAGE, outline, seenBy, quality, pixelPx: 1, elapsedMs: 1 }
    },
    readVisualZone: async ({ image }) => {
      const scene = sceneOf(image)
      return pageOf(scene.shows === 'document' ? (scene.page ?? []) : [])
    },
    readLinesAgain: async ({ lines }) => ({ lines, models: [] }),
    readCell: async () => null,
    measureAuthenticity: async () => ({ signals: [], models: [], elapsedMs: 1 }),
    // Calls the other methods through `this`, so that a test that replaces one replaces it here.
    async readSide(this: Vision, { image, ...hints }) {
      return {
        barcode: await this.readBarcode({ image }),
        page: await this.readVisualZone({ image, quad: hints.quad, rotationDeg: hints.rotationDeg }),
        authenticity: await this.measureAuthenticity({ image, ...hints }),
      }
    },
    measurePortrait: async ({ image }) => portraitOf(image),
    compareFaces: async ({ probe, reference }) => {
      const [a, b] = [sceneOf(probe), sceneOf(reference)]
      const same = a.shows === 'person' && b.shows === 'person' && a.face === b.face
      const score = same ? 0.9 : 0.1
      return {
        probe: portraitOf(probe),
        probesUsed: 1,
        reference: portraitOf(reference),
        comparison: {
          engine: MODEL,
          score,
          operatingPoint: OPERATING_POINT,
          atOrBeyondThreshold: score >= OPERATING_POINT.threshold,
          scores: [{ model: MODEL, measure: 'cosine-similarity', value: score }],
        },
        detailCorrelation: 0.3,
        elapsedMs: 1,
      }
    },
    cropPortrait: async ({ image }) => cropOf(image),
    cutLine: async ({ box }) => ({
      jpeg: picture({ shows: 'person', face: `line at ${box.y.toFixed(2)}` }),
      widthPx: 400,
      heightPx: 40,
    }),
    trackFace: async ({ image }) => ({ ...trackedIn(image), byteLength: image.byteLength }),
    measureLiveness: async (input) => livenessOf(input),
    makeTemplate: async ({ images }) => {
      const face = images.map((image) => sceneOf(image)).find((scene) => scene.shows === 'person')?.face
      return { template: face ? templateOf(face) : null, models: [MODEL] }
    },
    compareTemplates: async (input) => compareScripted(input, OPERATING_POINT),
    health: async () => ({
      packs: ['core'],
      models: [],
      capabilities: [],
      engines: { faceMatching: MODEL, attackDetection: null },
      residentBytes: 1,
    }),
    restarts: () => ({ crashed: 0, hung: 0, grown: 0 }),
    isolation: () => ({ by: null, gap: 'OFF' }),
    close: async () => undefined,
  }
}
