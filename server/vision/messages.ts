/** What client and worker say to each other over the process channel. Types only; images and templates are the only personal data in them. */
import type { ErrorCode, SafeDetails } from '../errors.ts'
import type { PieceOfBytes } from './large-bytes.ts'
import type { Pack } from './manifest.ts'
import type { ImageFault, VisionCall, VisionCalls } from './protocol.ts'

/** Given to the worker as JSON in its first argument. */
export interface WorkerConfig {
  readonly modelsDir: string
  readonly packs: readonly Pack[]
  /** Another list of models than the product's own, for tests. */
  readonly manifestPath?: string
}

export type Request = {
  [K in VisionCall]: { readonly id: number; readonly call: K; readonly input: VisionCalls[K]['input'] }
}[VisionCall]

/** A request, and before it the pieces of what is large in it. */
export type ToWorker = Request | PieceOfBytes

export type Reply =
  | {
      readonly kind: 'ready'
      readonly packs: readonly string[]
      readonly models: number
      readonly built: number
      /** Ids of models whose file is not the manifest's. */
      readonly refused: readonly string[]
    }
  | { readonly kind: 'boot_failed'; readonly code: ErrorCode; readonly details: SafeDetails }
  | { readonly kind: 'value'; readonly id: number; readonly value: unknown; readonly residentBytes: number }
  | {
      readonly kind: 'fault'
      readonly id: number
      readonly fault: ImageFault
      readonly residentBytes: number
    }
  /** Models without which the call cannot be answered were refused. */
  | {
      readonly kind: 'refused'
      readonly id: number
      readonly models: readonly string[]
      readonly residentBytes: number
    }
  /** Our machine broke: the kind of error and the place in our code, never its message (it may quote the input). */
  | {
      readonly kind: 'error'
      readonly id: number
      readonly errorName: string
      readonly at: string
      readonly residentBytes: number
    }
