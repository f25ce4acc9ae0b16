/** What reading printed text needs: a network that finds lines, one that reads them, and the letters that it knows. */
import type { ModelUse } from '../../protocol.ts'

/** Runs a network's only input; NCHW floats. */
export interface TextNetwork {
  readonly model: ModelUse
  run(
    input: Float32Array,
    dims: readonly number[],
  ): Promise<{ readonly data: Float32Array; readonly dims: readonly number[] }>
}

export interface TextNetworks {
  /** In: 1×3×h×w BGR, both sides multiples of 32. Out: 1×1×h×w, the probability that a pixel lies in the core of a line. */
  readonly detector: TextNetwork
  /** In: 1×3×48×w BGR, x / 127.5 − 1. Out: 1×steps×classes probabilities; class 0 is "no character". */
  readonly recogniser: TextNetwork
  /** The character of each class. */
  readonly alphabet: readonly string[]
}

/** Lines of the alphabet's file → characters by class: "no character" first, the blank last. */
export function parseAlphabet(text: string): readonly string[] {
  return ['', ...text.replace(/\n$/, '').split('\n'), ' ']
}
