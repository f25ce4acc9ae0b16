/** A network in onnxruntime, run on the thread that opened it. Floats in, floats out. */
import { Tensor } from 'onnxruntime-node'
import { openSession, type SessionMemory } from './open-session.ts'

/** One output of a network. */
export interface Output {
  readonly data: Float32Array
  readonly dims: readonly number[]
}

export type Outputs = Readonly<Record<string, Output>>

export interface Network {
  /** Outputs in the network's own order. */
  readonly outputNames: readonly string[]
  /**
   * Runs a network with a single input, NCHW. The caller must not reuse `input`: it may be transferred to another thread.
   */
  run(input: Float32Array, dims: readonly number[]): Promise<Outputs>
  /** Frees the network's memory. `run` must not be called afterwards. */
  close(): Promise<void>
}

/** `run` throws TypeError if an output is not of floats. */
export async function openNetwork(bytes: Buffer, memory: SessionMemory): Promise<Network> {
  const session = await openSession(bytes, memory)
  const [inputName] = session.inputNames
  return {
    outputNames: session.outputNames,
    async run(input, dims) {
      const results = await session.run({ [inputName]: new Tensor('float32', input, dims) })
      const outputs: Record<string, Output> = {}
      for (const [name, { data, dims: shape }] of Object.entries(results)) {
        if (!(data instanceof Float32Array)) throw new TypeError(`${name} is not of floats`)
        outputs[name] = { data, dims: shape }
      }
      return outputs
    },
    close: () => session.release(),
  }
}
