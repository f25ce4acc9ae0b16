/** What the measurement of a document needs from outside: engines and a clock. Nothing here is measured or judged. */
import type { ModelUse } from '../protocol.ts'
import type { FaceDetector } from '../faces/detect.ts'
import type { NetworkProposer } from './outline/network.ts'

/** One text line in, class probabilities over its length out: a CTC network (class 0 is "no character"). */
export interface LineRecogniser {
  readonly model: ModelUse
  /**
   * `line` is Float32Array(32 · widthPx), rows top to bottom, dark negative, light positive, −1.5…1.5;
   * capitals about 21 pixels high, in the middle. `widthPx` is a multiple of 4.
   */
  run(line: Float32Array, widthPx: number): Promise<Recognition>
}

/** Float32Array(steps · classes) of natural logarithms; one step covers widthPx / steps pixels. */
export interface Recognition {
  readonly logProbabilities: Float32Array
  readonly steps: number
  readonly classes: number
}

export interface DocumentTools {
  /** Each is one witness; the first reads, the others confirm. */
  readonly recognisers: readonly LineRecogniser[]
  readonly detectFaces: FaceDetector
  /** Absent: the outline is found by the picture's edges alone. */
  readonly locator?: NetworkProposer | null
  /** Tesseract's `mrz` model, one more witness, when the extended pack is installed. */
  readonly mrzTraineddata?: { readonly path: string; readonly model: ModelUse } | null
  now(): number
}

/** Classes 1 to 37 of the recognisers, in this order. */
export const CLASS_CHARACTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ<'
