/**
 * What the server may ask the vision worker and what it gets back: measurements, never verdicts.
 * Images travel as encoded bytes (JPEG, PNG, WebP); the worker decodes them and applies the EXIF orientation first,
 * so all coordinates are pixels of the upright image from its top left corner. Lengths are pixels, ratios 0–1,
 * angles degrees, luminance 0–255, unless the name says otherwise.
 */
import type {
  CroppedPortrait,
  DocumentMeasurement,
  FrameMeasurement,
  MrzReading,
} from './measured/document.ts'
import type {
  ComparisonMeasure,
  FaceComparison,
  OperatingPoint,
  PortraitMeasurement,
} from './measured/face.ts'
import type { FaceFrame, LivenessMeasurement, TrackedPicture } from './measured/liveness.ts'
import type { Box, ImageInfo, ModelUse, Quad, QuarterTurn } from './measured/picture.ts'
import type { AuthenticityMeasurement, BarcodeMeasurement, PageLine, PageText } from './measured/side.ts'

export type * from './measured/document.ts'
export type * from './measured/face.ts'
export type * from './measured/liveness.ts'
export type * from './measured/picture.ts'
export * from './measured/side.ts'
export * from './template-bytes.ts'

/** An ability of the worker, by the files of the models that it needs. */
export interface CapabilityHealth {
  readonly name: string
  /** DOWN: a file is not the one of the manifest, and no model of its role is used. */
  readonly state: 'UP' | 'DOWN' | 'NOT_INSTALLED'
  /** Ids. */
  readonly models: readonly string[]
  readonly refused: readonly string[]
}

export interface VisionHealth {
  readonly packs: readonly ('core' | 'extended')[]
  readonly models: readonly (ModelUse & { readonly role: string })[]
  readonly capabilities: readonly CapabilityHealth[]
  readonly residentBytes: number
}

/** Why an image could not be measured at all: the sender's fault, told to him. */
export type ImageFault =
  | 'not_an_image'
  | 'unsupported_format'
  | 'type_mismatch'
  | 'too_many_pixels'
  /** It would take more time or memory to draw than a scan or a photograph ever does. */
  | 'too_complex'
  | 'damaged'

/** Where to look, as measureDocument found it on the same picture. */
export interface SideHints {
  readonly quad: Quad | null
  readonly rotationDeg: QuarterTurn | null
  readonly portrait: Box | null
  readonly zone: Pick<MrzReading, 'band' | 'lines' | 'format'> | null
}

/** What a side shows beside its zone and its portrait. */
export interface SideReading {
  readonly barcode: BarcodeMeasurement
  readonly page: PageText
  readonly authenticity: AuthenticityMeasurement
}

/** What lies behind these bytes is not of the picture, and is not to be kept. */
export interface PictureLength {
  readonly byteLength: number
}

/** Every call: what goes in and what comes out. */
export interface VisionCalls {
  /** JPEG pictures of the first two pages. */
  rasterisePdf: { input: { pdf: Uint8Array; declaredType?: string }; output: readonly Uint8Array[] }
  /** The same of a TIFF file. */
  rasteriseTiff: { input: { tiff: Uint8Array; declaredType?: string }; output: readonly Uint8Array[] }
  /** The same picture as JPEG. */
  decodeHeif: { input: { heif: Uint8Array; declaredType?: string }; output: Uint8Array }
  /**
   * Decoded to its end, so that a file that was cut off is refused at once, unless `undecoded`: then only the container is
   * walked.
   */
  inspectImage: {
    input: { image: Uint8Array; declaredType?: string; undecoded?: boolean }
    output: ImageInfo & PictureLength
  }
  /**
   * `frames`: further pictures of the same side, moments apart; their readings are voted character by character.
   * `readsNext`: `readSide` of the same picture follows at once, so its longest part is begun.
   * `mirrored`: the picture is measured as a mirror shows it.
   */
  measureDocument: {
    input: { image: Uint8Array; frames?: readonly Uint8Array[]; readsNext?: boolean; mirrored?: boolean }
    output: DocumentMeasurement
  }
  /** For live guidance: no text is read. */
  assessFrame: { input: { image: Uint8Array }; output: FrameMeasurement }
  readBarcode: { input: { image: Uint8Array }; output: BarcodeMeasurement }
  /** Quad and turn as measureDocument found them; without them the whole picture is taken for the page. */
  readVisualZone: {
    input: { image: Uint8Array; quad: Quad | null; rotationDeg: QuarterTurn | null }
    output: PageText
  }
  /** Lines of a page that was read, once more with the model of a language; as they were where it is not installed. */
  readLinesAgain: {
    input: Pick<PageText, 'lines' | 'widthPx' | 'heightPx'> & {
      image: Uint8Array
      frame: Quad
      /** As ISO 639-3 has it. */
      language: string
    }
    output: { lines: readonly PageLine[]; models: readonly ModelUse[] }
  }
  /** One letter of a page that the readers of lines overlooked: see read-cell. Null where none is read for certain. */
  readCell: {
    input: { image: Uint8Array; frame: Quad; row: Box; cell: Box }
    output: { character: string; confidence: number } | null
  }
  measureAuthenticity: { input: SideHints & { image: Uint8Array }; output: AuthenticityMeasurement }
  /** Barcode, page and authenticity at once: the picture is decoded once, and text is read beside the rest. */
  readSide: { input: SideHints & { image: Uint8Array }; output: SideReading }
  measurePortrait: { input: { image: Uint8Array }; output: PortraitMeasurement }
  /** `frames`: further pictures of the probe, moments apart, fused into one template. */
  compareFaces: {
    input: { probe: Uint8Array; frames?: readonly Uint8Array[]; reference: Uint8Array }
    output: FaceComparison
  }
  /** The largest face with hair and shoulders, as a picture of its own; null where there is none. */
  cropPortrait: { input: { image: Uint8Array }; output: CroppedPortrait | null }
  /** A part of a page as a straight picture of its own: `box` in shares of the page that lies at `frame`. JPEG. */
  cutLine: {
    input: { image: Uint8Array; frame: Quad; box: Box }
    output: { jpeg: Uint8Array; widthPx: number; heightPx: number }
  }
  /** One picture of a live stream. `last`: the points of the picture before it. */
  trackFace: {
    input: { image: Uint8Array; last: Float32Array | null }
    output: FaceFrame & PictureLength
  }
  /**
   * At the end of a session: a straight view, views in which the head moved or came nearer, stills that may become the
   * portrait, and the camera's picture of the empty scene where there is one. All of one camera and size.
   */
  measureLiveness: {
    input: {
      reference: TrackedPicture
      targets: readonly TrackedPicture[]
      portraits: readonly TrackedPicture[]
      emptyScene?: Uint8Array
    }
    output: LivenessMeasurement
  }
  /** Biometric data: to be sealed at once. Null where no picture shows a usable face. */
  makeTemplate: {
    input: { images: readonly Uint8Array[] }
    output: { template: Uint8Array | null; models: readonly ModelUse[] }
  }
  /** Null for a candidate made by other models. */
  compareTemplates: {
    input: { probe: Uint8Array; candidates: readonly Uint8Array[] }
    output: {
      scores: readonly (number | null)[]
      measure: ComparisonMeasure
      operatingPoint: OperatingPoint
    }
  }
  health: { input: Record<string, never>; output: VisionHealth }
}
export type VisionCall = keyof VisionCalls

/** Workers that were replaced since the server started, by what ended them. */
export interface WorkerRestarts {
  /** It died or was killed from outside. */
  readonly crashed: number
  /** A call ran over its time limit. */
  readonly hung: number
  /** It had grown beyond its memory ceiling. */
  readonly grown: number
}

/** Whether a decoder that a picture has taken over could reach keys, data or the network. */
export interface WorkerIsolation {
  readonly by: 'bubblewrap' | null
  /** Why by nothing; null where there is a sandbox. */
  readonly gap: 'OFF' | 'NOT_SUPPORTED' | 'NOT_INSTALLED' | 'REFUSED' | null
}

/** What the rest of the server holds: one method per call. Rejects with ImageFaultError or AppError('vision_unavailable'). */
export type Vision = {
  [K in VisionCall]: (input: VisionCalls[K]['input']) => Promise<VisionCalls[K]['output']>
} & {
  /** Known also while the worker does not answer. */
  restarts(): WorkerRestarts
  /** Settled when the worker was started for the first time. */
  isolation(): WorkerIsolation
  close(): Promise<void>
}

/** Thrown by a call whose image is at fault. A value about the upload, not about our machine. */
export class ImageFaultError extends Error {
  override readonly name = 'ImageFaultError'
  readonly fault: ImageFault
  constructor(fault: ImageFault) {
    super(fault)
    this.fault = fault
  }
}
