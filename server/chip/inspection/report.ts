/** The report of an inspection: a verdict and a named reason for each step (BSI TR-03135-1 v2.5, 5.6 and table 5.1). */
import type { AtrInfo } from '../files/atr-info.ts'
import type { Dg11 } from '../files/dg11.ts'
import type { Dg12 } from '../files/dg12.ts'
import type { ChipImage } from '../files/values.ts'
import type { FaultReason, Verdict } from '../outcome.ts'
import type { PassiveReport } from '../passive/passive-authentication.ts'
import type { FileProgress } from '../read-file.ts'
import type { PaceInfo } from '../security-infos.ts'
import type { MrzFault } from './mrz-rules.ts'

/** The steps in the order of the procedure. */
export const STEPS = [
  'lengths', // EF.ATR/INFO
  'card_access', // EF.CardAccess
  'application', // the eMRTD application is selected
  'access', // PACE, BAC, or a chip without access control
  'card_security', // EF.CardSecurity, whose signature passive authentication judges
  'contents', // EF.COM
  'security_object', // EF.SOD
  'dg14',
  'chip_authentication',
  'dg15',
  'active_authentication',
  'dg1',
  'dg2',
  'dg7',
  'dg11',
  'dg12',
  'passive_authentication',
  'mapping_authentication', // chip authentication mapping of PACE
  'security_infos', // EF.CardAccess is that of the signed files
  'printed_mrz', // DG1 is the MRZ that the document shows
] as const
export type StepName = (typeof STEPS)[number]

export type StepReason =
  | FaultReason
  | MrzFault
  | 'file_missing' // the chip has no such file
  | 'access_denied' // the file needs rights that this terminal does not have
  | 'not_listed' // neither EF.SOD nor EF.COM names the group
  | 'not_offered' // the chip does not announce the protocol
  | 'access_key_missing' // the caller gave no key of the kind that the chip needs
  | 'access_key_blocked' // the chip counts wrong keys, or accepts no further one for now: no other key is tried
  | 'steps_before_failed' // the session ended before this step
  | 'passive_authentication_failed' // the report of passive authentication names its reasons
  | 'passive_authentication_undetermined'
  | 'key_not_authentic' // the chip proved a key that no successful passive authentication covers
  | 'key_revoked' // a defect list says that the key of this series is known to others
  | 'security_infos_differ'
  | 'security_infos_unsigned' // no signed file repeats EF.CardAccess
  | 'mrz_differs'
  | 'mrz_not_given'

export interface Step {
  readonly name: StepName
  readonly verdict: Verdict
  /** Null for a success. */
  readonly reason: StepReason | null
  /** Null unless the chip answered with this status word. */
  readonly statusWord: number | null
}

export type CloneProtocol = 'chip_authentication' | 'active_authentication' | 'mapping_authentication'

export interface CloneProtection {
  /** One success suffices (TR-03135-1 v2.5, 5.6.4.1), unless another protocol failed. */
  readonly verdict: Verdict
  /** The protocol that proves that the chip is no copy; null unless the verdict is successful. */
  readonly protocol: CloneProtocol | null
}

export interface ChipData {
  /** Lines of the MRZ in DG1. */
  readonly mrz: readonly string[] | null
  /** Encoded; decoding is the task of another process. */
  readonly portraits: readonly ChipImage[]
  readonly signatures: readonly ChipImage[]
  readonly person: Dg11 | null
  readonly document: Dg12 | null
}

export interface AccessFacts {
  readonly protocol: 'pace' | 'bac' | 'none'
  /** Null unless the protocol is PACE. */
  readonly pace: PaceInfo | null
  readonly key: 'mrz' | 'can' | null
  /** Keys that the chip refused before. */
  readonly refusedKeys: number
}

export interface Inspection {
  /**
   * Failed if one step failed, else aborted if one was aborted, else undetermined if one is. A step that is not supported does not
   * decide; the steps without which there is no document cannot be of that kind.
   */
  readonly verdict: Verdict
  /** One entry for each step that was reached or that the chip does not support. */
  readonly steps: readonly Step[]
  readonly cloneProtection: CloneProtection
  /** A group is here only if it was read whole. Use it only if the verdict of passive authentication is successful. */
  readonly data: ChipData
  readonly access: AccessFacts | null
  readonly lengths: AtrInfo | null
  readonly passive: PassiveReport | null
  /** The report on EF.CardSecurity; null if the chip has none. */
  readonly cardSecurity: PassiveReport | null
  /** Number of the data group → file, of every group that was read. */
  readonly dataGroups: ReadonlyMap<number, Uint8Array>
  readonly sod: Uint8Array | null
  /** EF.CardSecurity, which holds the key of chip authentication mapping. */
  readonly cardSecurityFile: Uint8Array | null
  readonly com: Uint8Array | null
  /** The files as far as they were read, to continue after a lost chip without reading them again. */
  readonly progress: ReadonlyMap<number, FileProgress>
}
