/** The settings of a proofing at the counter: consents, the confirmed level, the checklist of documents. */
import { loadAddressFormats } from '../config/address-formats.ts'
import { loadAttendedRules } from '../config/attended.ts'
import type { AttendedRules } from '../proofing/attendance.ts'
import { listConsentTypes } from '../proofing/consent-needs.ts'
import { listDisclosures } from '../proofing/consent-disclosures.ts'
import type { Disclosures } from '../proofing/disclosure.ts'
import type { EvidenceKind } from '../proofing/evidence.ts'
import { BUILT_IN } from '../proofing/applications.ts'
import type { RetentionPromise } from '../proofing/retention.ts'
import { promiseRetention } from '../workflows/retention/apply-retention.ts'
import type { OtherWay } from '../kiosk/contract/journey.ts'
import type { ConsentType, LivenessType } from '../proofing/types.ts'
import type { CounterDeps } from './deps.ts'
import { organisationName } from './organisation.ts'

export interface AssistSetup {
  readonly required: readonly ConsentType[]
  readonly optional: readonly ConsentType[]
  readonly disclosures: Disclosures
  /** Null: no organisation is configured on this machine. */
  readonly organisation: string | null
  readonly retention: RetentionPromise
  /** `LOA…`: the lowest level that is called confirmed. */
  readonly confirmedFrom: string
  readonly attended: AttendedRules
  /** Used when the applicant wants no colours, or cannot turn the head. OFFICER: the officer's statement counts. */
  readonly withoutColours: OtherWay
  readonly withoutTurning: OtherWay
}

/**
 * Sessions by which an officer takes a face, the easiest first: they ask for no turn and show no colours. The first that
 * this machine can judge is used.
 */
export const OFFICERS_TYPES: readonly LivenessType[] = ['LIVENESS_PASSIVE', 'LIVENESS_PASSIVE_VIDEO']

/**
 * The evidence that the steps at the counter produce. They send no message, so that consent is not requested. GIV and ADDRESS are,
 * if the tenant has issuers and registers of addresses asked.
 */
const PRODUCED: readonly EvidenceKind[] = ['IDDOCUMENT', 'IDDOCUMENT_TEXT', 'PORTRAIT', 'ATTRIBUTES']
const OF_CAPTURE: readonly ConsentType[] = ['ID_DOCUMENT', 'PORTRAIT']

type SetupDeps = Pick<CounterDeps, 'journey' | 'brand' | 'config' | 'store' | 'clock'>

/** Requests the consents of the kiosk's journey that the steps at the counter use, and those for typing. */
export function assistSetup(deps: SetupDeps): AssistSetup {
  const attended = loadAttendedRules()
  // The journey and the brand may change while the server runs.
  const now = (): Omit<AssistSetup, 'attended'> => setupNow(deps)
  return {
    attended,
    get required() {
      return now().required
    },
    get optional() {
      return now().optional
    },
    get disclosures() {
      return now().disclosures
    },
    get organisation() {
      return now().organisation
    },
    get retention() {
      return now().retention
    },
    get confirmedFrom() {
      return now().confirmedFrom
    },
    get withoutColours() {
      return now().withoutColours
    },
    get withoutTurning() {
      return now().withoutTurning
    },
  }
}

function setupNow(deps: SetupDeps): Omit<AssistSetup, 'attended'> {
  const { journey, config } = deps
  const consent = journey?.steps.find((step) => step.kind === 'consent')
  const portrait = journey?.steps.find((step) => step.kind === 'portrait')
  const { tenant } = config
  const disclosures = listDisclosures(config, loadAddressFormats())
  const ofIssuers = disclosures.GIV ? (['GIV'] as const) : []
  const ofRegisters = disclosures.ADDRESS ? (['ADDRESS'] as const) : []
  const produced = listConsentTypes(PRODUCED, tenant.requiredConsents)
  const used = [...new Set([...produced, ...ofIssuers, ...ofRegisters])]
  const asked = (consent?.required ?? OF_CAPTURE).filter((type) => used.includes(type))
  const required = asked.length > 0 ? asked : OF_CAPTURE
  return {
    required,
    optional: used.filter((type) => !required.includes(type)),
    disclosures,
    organisation: organisationName(deps),
    retention: promiseRetention(deps, BUILT_IN.COUNTER),
    confirmedFrom: journey?.confirmedFrom ?? 'LOA1',
    withoutColours: portrait?.withoutColours ?? 'OFFICER',
    withoutTurning: portrait?.withoutTurning ?? 'OFFICER',
  }
}
