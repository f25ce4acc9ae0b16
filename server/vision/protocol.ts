/**
 * Interface of the vision worker: requests and measurements, never verdicts. Images are encoded bytes (JPEG, PNG, WebP);
 * the worker decodes them and applies the EXIF orientation first, so all coordinates are pixels of the upright image from
 * its top left corner. Lengths are pixels, ratios 0–1, angles degrees, luminance 0–255, unless the name says otherwise.
 */
import type {
  CroppedPortrait,
  DocumentMeasurement,
  FrameMeasurement,
  MrzReading,
} from './measured/document.ts'
import type {
  ComparisonMeasure,
  EngineFailure,
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

/** A capability of the worker, with the model files it needs. */
export interface CapabilityHealth {
  readonly name: string
  /** DOWN: a file differs from the manifest, so no model of its role is used. */
  readonly state: 'UP' | 'DOWN' | 'NOT_INSTALLED'
  /** Ids. */
  readonly models: readonly string[]
  readonly refused: readonly string[]
  /** Why its mounted engine gives no answer. */
  readonly trouble?: EngineFailure['trouble']
}

export interface VisionHealth {
  readonly packs: readonly ('core' | 'extended')[]
  readonly models: readonly (ModelUse & { readonly role: string })[]
  readonly capabilities: readonly CapabilityHealth[]
  /** The engines in use; null: nothing detects attacks. */
  readonly engines: { readonly faceMatching: ModelUse; readonly attackDetection: ModelUse | null }
  readonly residentBytes: number
}

/** Why an image could not be measured at all. The sender is told. */
export type ImageFault =
  | 'not_an_image'
  | 'unsupported_format'
  | 'type_mismatch'
  | 'too_many_pixels'
  /** Rendering would take more time or memory than any scan or photograph. */
  | 'too_complex'
  | 'damaged'

/** Places that measureDocument found on the same picture. */
export interface SideHints {
  readonly quad: Quad | null
  readonly rotationDeg: QuarterTurn | null
  readonly portrait: Box | null
  readonly mrz: Pick<MrzReading, 'band' | 'lines' | 'format'> | null
}

/** Readings of a side besides its MRZ and portrait. */
export interface SideReading {
  readonly barcode: BarcodeMeasurement
  readonly page: PageText
  readonly authenticity: AuthenticityMeasurement
}

/** Bytes after this length are not part of the picture and must not be stored. */
export interface PictureLength {
  readonly byteLength: number
}

/** Input and output of every call. */
export interface VisionCalls {
  /** JPEG pictures of the first two pages. */
  rasterisePdf: { input: { pdf: Uint8Array; declaredType?: string }; output: readonly Uint8Array[] }
  /** The same for a TIFF file. */
  rasteriseTiff: { input: { tiff: Uint8Array; declaredType?: string }; output: readonly Uint8Array[] }
  /** The portrait of a chip, JPEG or JPEG 2000, as JPEG without metadata. */
  decodeChipPortrait: { input: { image: Uint8Array }; output: Uint8Array }
  /** The same picture as JPEG. */
  decodeHeif: { input: { heif: Uint8Array; declaredType?: string }; output: Uint8Array }
  /**
   * Decodes the whole picture, so that a truncated file is rejected immediately. `undecoded` only checks the container.
   */
  inspectImage: {
    input: { image: Uint8Array; declaredType?: string; undecoded?: boolean }
    output: ImageInfo & PictureLength
  }
  /**
   * `frames`: further pictures of the same side, taken in quick succession and combined per character. `readsNext`:
   * `readSide` of the same picture follows, so its longest part starts early. `mirrored`: measures a mirrored copy.
   */
  measureDocument: {
    input: { image: Uint8Array; frames?: readonly Uint8Array[]; readsNext?: boolean; mirrored?: boolean }
    output: DocumentMeasurement
  }
  /** Live guidance; reads no text. */
  assessFrame: { input: { image: Uint8Array }; output: FrameMeasurement }
  readBarcode: { input: { image: Uint8Array }; output: BarcodeMeasurement }
  /** Quad and rotation from measureDocument; without them the whole picture counts as the page. */
  readVisualZone: {
    input: { image: Uint8Array; quad: Quad | null; rotationDeg: QuarterTurn | null }
    output: PageText
  }
  /** Reads lines again with the model of one language; returns them unchanged if the model is not installed. */
  readLinesAgain: {
    input: Pick<PageText, 'lines' | 'widthPx' | 'heightPx'> & {
      image: Uint8Array
      frame: Quad
      /** ISO 639-3 code. */
      language: string
    }
    output: { lines: readonly PageLine[]; models: readonly ModelUse[] }
  }
  /** Reads a single letter that the line recognisers missed: see read-cell. Null if none is certain. */
  readCell: {
    input: { image: Uint8Array; frame: Quad; row: Box; cell: Box }
    output: { character: string; confidence: number } | null
  }
  measureAuthenticity: { input: SideHints & { image: Uint8Array }; output: AuthenticityMeasurement }
  /** Barcode, page and authenticity in one call: decodes the picture once and reads text in parallel. */
  readSide: { input: SideHints & { image: Uint8Array }; output: SideReading }
  measurePortrait: { input: { image: Uint8Array }; output: PortraitMeasurement }
  /** `frames`: further pictures of the probe, taken in quick succession, fused to one template. */
  compareFaces: {
    input: { probe: Uint8Array; frames?: readonly Uint8Array[]; reference: Uint8Array }
    output: FaceComparison
  }
  /** The largest face with hair and shoulders as a separate picture; null if there is none. */
  cropPortrait: { input: { image: Uint8Array }; output: CroppedPortrait | null }
  /** A part of a page, rectified, as JPEG. `box` is in shares of the page whose corners are `frame`. */
  cutLine: {
    input: { image: Uint8Array; frame: Quad; box: Box }
    output: { jpeg: Uint8Array; widthPx: number; heightPx: number }
  }
  /** One frame of a live stream. `last`: points of the previous frame. */
  trackFace: {
    input: { image: Uint8Array; last: Float32Array | null }
    output: FaceFrame & PictureLength
  }
  /**
   * At the end of a session: a straight view, views in which the head moved or approached, stills that may become the
   * portrait, and the camera's empty scene if there is one. All from one camera in one size.
   */
  measureLiveness: {
    input: {
      reference: TrackedPicture
      targets: readonly TrackedPicture[]
      portraits: readonly TrackedPicture[]
      emptyScene?: Uint8Array
      /** True if the camera is carried about, so that the scene moves before it. */
      cameraMoves?: boolean
    }
    output: LivenessMeasurement
  }
  /** The template is biometric data: encrypt it immediately. Null if no picture shows a usable face. */
  makeTemplate: {
    input: { images: readonly Uint8Array[] }
    output: { template: Uint8Array | null; models: readonly ModelUse[]; failure?: EngineFailure }
  }
  /** Null for a candidate of another engine. */
  compareTemplates: {
    input: { probe: Uint8Array; candidates: readonly Uint8Array[] }
    output: {
      scores: readonly (number | null)[]
      measure: ComparisonMeasure
      operatingPoint: OperatingPoint
      failure?: EngineFailure
    }
  }
  health: { input: Record<string, never>; output: VisionHealth }
}
export type VisionCall = keyof VisionCalls

/** Number of worker restarts since the server started, by cause. */
export interface WorkerRestarts {
  /** The process died or was killed. */
  readonly crashed: number
  /** A call exceeded its time limit. */
  readonly hung: number
  /** The process exceeded its memory limit. */
  readonly grown: number
}

/** Whether a compromised decoder could reach keys, data or the network. */
export interface WorkerIsolation {
  readonly by: 'bubblewrap' | null
  /** Why there is no sandbox; null if there is one. */
  readonly gap: 'OFF' | 'NOT_SUPPORTED' | 'NOT_INSTALLED' | 'REFUSED' | null
}

/**
 * Client interface for the server: one method per call. Rejects with ImageFaultError or AppError('vision_unavailable').
 */
export type Vision = {
  [K in VisionCall]: (input: VisionCalls[K]['input']) => Promise<VisionCalls[K]['output']>
} & {
  /** Available even if the worker does not answer. */
  restarts(): WorkerRestarts
  /** Determined when the worker started for the first time. */
  isolation(): WorkerIsolation
  close(): Promise<void>
}

/** Thrown by a call whose image is faulty. Concerns the upload, not the appliance. */
export class ImageFaultError extends Error {
  override readonly name = 'ImageFaultError'
  readonly fault: ImageFault
  constructor(fault: ImageFault) {
    super(fault)
    this.fault = fault
  }
}
