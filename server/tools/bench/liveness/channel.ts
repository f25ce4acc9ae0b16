/** Plays a session either over the appliance's HTTP or with its rules and the worker's measurements in this process. */
import type { ColourSet, LivenessRecord } from '../../../proofing/liveness/types.ts'
import type { LivenessType } from '../../../proofing/types.ts'
import type { Screen } from '../../specimen/liveness/subject.ts'

/** Faults in the protocol itself; only over HTTP. */
export type Tampering = 'NONE' | 'SWAPPED_FRAMES' | 'SAME_SESSION_AGAIN' | 'OTHER_SESSION_AGAIN'

export interface Verdict {
  /** BIOMETRIC_LIVENESS_CHALLENGE_OK, or BIOMETRIC_LIVENESS_OK for the type without a challenge. */
  readonly isLive: boolean
  /** Status of the evidence; in this process, the result of the rules alone. */
  readonly status: string
  /** Codes and reasons, for a histogram. */
  readonly reasons: readonly string[]
  /** Measured numbers with their limits, as the appliance states them. */
  readonly measured: Readonly<Record<string, number | string>>
  /** Only in this process; over HTTP the record is sealed. */
  readonly record: LivenessRecord | null
  /** Time from the last picture to the verdict. */
  readonly elapsedMs: number
}

/** One session. */
export interface Channel {
  begin(): Promise<Screen | null>
  /** Null: the session is over. `atMs`: time since its beginning, by the appliance's clock. */
  frame(picture: Buffer, atMs: number): Promise<Screen | null>
  verdict(): Promise<Verdict>
}

export interface Opening {
  readonly type: LivenessType
  readonly tampering: Tampering
  /** Random source in place of the operating system's. */
  readonly random: () => number
  /** The colours that the client claims to paint. */
  readonly colourSet: ColourSet
}

export interface Channels {
  open(opening: Opening): Promise<Channel>
  /** Numbers, tickets and seals are checked. */
  readonly hasProtocol: boolean
  /** The models in use. */
  readonly models: readonly string[]
  close(): Promise<void>
}
