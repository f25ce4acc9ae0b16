/** Networks and alphabet for reading printed text. */
import type { ModelUse } from '../../protocol.ts'

/** A network with one input; NCHW floats. */
export interface TextNetwork {
  readonly model: ModelUse
  run(
    input: Float32Array,
    dims: readonly number[],
  ): Promise<{ readonly data: Float32Array; readonly dims: readonly number[] }>
}

export interface TextNetworks {
  /**
   * Input: 1×3×h×w BGR, both sides multiples of 32. Output: 1×1×h×w, probability that a pixel belongs to a line's core.
   */
  readonly detector: TextNetwork
  /** In: 1×3×48×w BGR, x / 127.5 − 1. Out: 1×steps×classes probabilities; class 0 is "no character". */
  readonly recogniser: TextNetwork
  /** Character of each class. */
  readonly alphabet: readonly string[]
}

/** Converts the lines of the alphabet's file to characters by class: "no character" first, the space last. */
export function parseAlphabet(text: string): readonly string[] {
  return ['', ...text.replace(/\n$/, '').split('\n'), ' ']
}
