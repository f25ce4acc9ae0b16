/**
 * Message types between client and worker on the process channel. Images and templates are the only personal data in
 * them.
 */
import type { ErrorCode, SafeDetails } from '../errors.ts'
import type { EngineMounts } from './engines/engine-manifest.ts'
import type { EngineCall, EngineReply } from './engines/http-protocol.ts'
import type { PieceOfBytes } from './large-bytes.ts'
import type { Pack } from './manifest.ts'
import type { ImageFault, VisionCall, VisionCalls } from './protocol.ts'

/** Passed to the worker as JSON in its first argument. */
export interface WorkerConfig {
  readonly modelsDir: string
  readonly packs: readonly Pack[]
  /** The worker opens the models of these calls only and refuses the other calls. Default: every call. */
  readonly calls?: readonly VisionCall[]
  /** Replaces the product's manifest in tests. */
  readonly manifestPath?: string
  /** Engines in place of ours. */
  readonly engines?: EngineMounts
  /** Added to the niceness of the server. */
  readonly nicerBy: number
}

export type Request = {
  [K in VisionCall]: { readonly id: number; readonly call: K; readonly input: VisionCalls[K]['input'] }
}[VisionCall]

/** The answer of an engine's service, which only the server can reach. */
export interface ServiceAnswer {
  readonly kind: 'answer'
  readonly ask: number
  readonly reply: EngineReply
}

/** A request, a chunk of its large data before it, or an answer that its work waits for. */
export type ToWorker = Request | PieceOfBytes | ServiceAnswer

export type Reply =
  | {
      readonly kind: 'ready'
      readonly packs: readonly string[]
      readonly models: number
      readonly built: number
      /** Ids of models whose file does not match the manifest. */
      readonly refused: readonly string[]
      /** The engines in place of ours: id and version. */
      readonly mounted: readonly string[]
    }
  /** The work on a request needs the service of an engine. */
  | {
      readonly kind: 'ask'
      readonly ask: number
      readonly engine: keyof EngineMounts
      readonly call: EngineCall
    }
  | { readonly kind: 'boot_failed'; readonly code: ErrorCode; readonly details: SafeDetails }
  | { readonly kind: 'value'; readonly id: number; readonly value: unknown; readonly residentBytes: number }
  | {
      readonly kind: 'fault'
      readonly id: number
      readonly fault: ImageFault
      readonly residentBytes: number
    }
  /** Models that the call needs were refused. */
  | {
      readonly kind: 'refused'
      readonly id: number
      readonly models: readonly string[]
      readonly residentBytes: number
    }
  /** An internal error: its type and code location, never its message, which may quote the input. */
  | {
      readonly kind: 'error'
      readonly id: number
      readonly errorName: string
      readonly at: string
      readonly residentBytes: number
    }
