/** What a session is played over: the appliance's own HTTP, or its rules and its worker's measurements in this process. */
import type { ColourSet, LivenessRecord } from '../../../proofing/liveness/types.ts'
import type { LivenessType } from '../../../proofing/types.ts'
import type { Screen } from '../../specimen/liveness/subject.ts'

/** Faults that are put into the protocol itself; over HTTP alone. */
export type Tampering = 'NONE' | 'SWAPPED_FRAMES' | 'SAME_SESSION_AGAIN' | 'OTHER_SESSION_AGAIN'

export interface Verdict {
  /** BIOMETRIC_LIVENESS_CHALLENGE_OK (of the type without a challenge: BIOMETRIC_LIVENESS_OK). */
  readonly isLive: boolean
  /** Status of the evidence; what the rules alone say where nothing is decided over HTTP. */
  readonly status: string
  /** Codes and reasons, for a histogram. */
  readonly reasons: readonly string[]
  /** Numbers beside their limits, as the appliance states them. */
  readonly measured: Readonly<Record<string, number | string>>
  /** In this process alone: over HTTP it is sealed. */
  readonly record: LivenessRecord | null
  /** From the last picture to the verdict. */
  readonly elapsedMs: number
}

/** One session. */
export interface Channel {
  begin(): Promise<Screen | null>
  /** Null: the session is over. `atMs`: since it began, by the appliance's clock. */
  frame(picture: Buffer, atMs: number): Promise<Screen | null>
  verdict(): Promise<Verdict>
}

export interface Opening {
  readonly type: LivenessType
  readonly tampering: Tampering
  /** What is drawn by chance where the product asks the operating system. */
  readonly random: () => number
  /** What the client says it paints. */
  readonly colourSet: ColourSet
}

export interface Channels {
  open(opening: Opening): Promise<Channel>
  /** Numbers, tickets and seals are looked at. */
  readonly hasProtocol: boolean
  /** The models that are in use. */
  readonly models: readonly string[]
  close(): Promise<void>
}
