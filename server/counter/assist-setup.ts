/** What a proofing at the counter asks for: consents, the level that is called confirmed, the checklist of documents. */
import { loadAttendedRules } from '../config/attended.ts'
import type { AttendedRules } from '../proofing/attendance.ts'
import { promiseOf, type RetentionPromise } from '../proofing/retention.ts'
import type { ConsentType, LivenessType } from '../proofing/types.ts'
import type { CounterDeps } from './deps.ts'

export interface AssistSetup {
  readonly required: readonly ConsentType[]
  readonly optional: readonly ConsentType[]
  readonly organisation: string
  readonly retention: RetentionPromise
  /** `LOA…`: the lowest level that is called confirmed. */
  readonly confirmedFrom: string
  readonly attended: AttendedRules
  /** Asked for where the person wants no colours, or cannot turn the head. */
  readonly withoutColours: LivenessType
  readonly withoutTurning: LivenessType
}

/** What staff type for a person is held against the issuer's record (GIV), and stands beside what was read (ATTRIBUTES). */
const OF_TYPING: readonly ConsentType[] = ['ATTRIBUTES', 'GIV']
const OF_CAPTURE: readonly ConsentType[] = ['ID_DOCUMENT', 'PORTRAIT']

/** The same as at the kiosk, and what typing needs beside it. */
export function assistSetup({
  journey,
  brand,
  config,
}: Pick<CounterDeps, 'journey' | 'brand' | 'config'>): AssistSetup {
  const consent = journey?.steps.find((step) => step.kind === 'consent')
  const portrait = journey?.steps.find((step) => step.kind === 'portrait')
  const required = consent?.required ?? OF_CAPTURE
  const optional = [...new Set([...(consent?.optional ?? []), ...OF_TYPING])]
  const { tenant } = config
  return {
    required,
    optional: optional.filter((type) => !required.includes(type)),
    organisation: journey?.organisation ?? brand?.name ?? tenant.name,
    retention: promiseOf(config.retention),
    confirmedFrom: journey?.confirmedFrom ?? 'LOA1',
    attended: loadAttendedRules(),
    withoutColours: portrait?.withoutColours ?? 'LIVENESS_PASSIVE',
    withoutTurning: portrait?.withoutTurning ?? 'LIVENESS_PASSIVE',
  }
}
