/** Opens a network in onnxruntime as this product runs all of them: on one thread, and silent below errors. */
import { InferenceSession } from 'onnxruntime-node'

export interface SessionMemory {
  /** Keeps memory between runs; of inputs of many sizes it keeps some for each. */
  readonly enableCpuMemArena: boolean
  /** Plans memory for each size of input. Default true. */
  readonly enableMemPattern?: boolean
}

/** Throws where the bytes are no network that the runtime knows. */
export function openSession(network: Buffer, memory: SessionMemory): Promise<InferenceSession> {
  return InferenceSession.create(network, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    logSeverityLevel: 3, // errors only
    ...memory,
  })
}
