/** Opens a network in onnxruntime with the product's settings: one thread, logging only errors. */
import { InferenceSession } from 'onnxruntime-node'

export interface SessionMemory {
  /** Keeps memory between runs; with inputs of many sizes it accumulates memory for each. */
  readonly enableCpuMemArena: boolean
  /** Plans memory for each input size. Default true. */
  readonly enableMemPattern?: boolean
}

/** Throws if the bytes are not a supported network. */
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
