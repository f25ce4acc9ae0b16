/** Dependencies of the document measurement: recognisers and a clock. */
import type { ModelUse } from '../protocol.ts'
import type { FaceDetector } from '../faces/detect.ts'
import type { NetworkProposer } from './outline/network.ts'

/** CTC network: one text line in, class probabilities per step out (class 0 is "no character"). */
export interface LineRecogniser {
  readonly model: ModelUse
  /**
   * `line`: Float32Array(32 · widthPx), rows top to bottom, dark negative, light positive, −1.5…1.5; capitals about 21
   * pixels high, centred. `widthPx` is a multiple of 4.
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
  /** The first recogniser makes the reading; the others confirm it. */
  readonly recognisers: readonly LineRecogniser[]
  readonly detectFaces: FaceDetector
  /** Absent: the outline is found from edges only. */
  readonly locator?: NetworkProposer | null
  /** Tesseract's `mrz` model, an additional recogniser if the extended pack is installed. */
  readonly mrzTraineddata?: { readonly path: string; readonly model: ModelUse } | null
  now(): number
}

/** Classes 1 to 37 of the recognisers, in this order. */
export const CLASS_CHARACTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ<'
