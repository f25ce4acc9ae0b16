/** Input and output of the actions of `sync`. */
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Store } from '../store/open.ts'

export interface Call {
  readonly store: Store
  readonly config: Config
  readonly clock: Clock
  readonly values: {
    readonly url?: string
    readonly code?: string
    readonly name?: string
    readonly out?: string
    readonly to?: string
    readonly 'last-sequence'?: string
    readonly force: boolean
    readonly 'insecure-http': boolean
  }
  /** The argument after the name of the action. */
  readonly argument: string | undefined
}

/** The output, as JSON or in words. */
export interface Shown {
  readonly json: object
  readonly words: string
}
