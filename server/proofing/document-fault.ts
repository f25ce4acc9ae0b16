/**
 * Maps indicators, codes and fields of a document to one fault, by the first matching row of
 * resources/document-faults.json. Used by kiosk, API and counter. A fault may name a field, never its value.
 */
import type { EvidenceStatus } from './types.ts'
import { PAGE_FIELDS, type PageFieldName } from './visual-zone/page-facts.ts'

export const DOCUMENT_FAULTS = [
  'DOCUMENT_NONE',
  'DOCUMENT_SEVERAL',
  'DOCUMENT_MIRRORED',
  'DOCUMENT_OTHER',
  'DOCUMENT_SIDE',
  'DOCUMENT_CUT',
  'DOCUMENT_DARK',
  'DOCUMENT_GLARE',
  'DOCUMENT_TILTED',
  'DOCUMENT_NEAR',
  'DOCUMENT_FAR',
  'DOCUMENT_BLUR',
  'DOCUMENT_FIELD',
  'DOCUMENT_LINES',
  'DOCUMENT_BARS',
  'DOCUMENT_ENDED',
  'DOCUMENT_DIFFERS',
  'DOCUMENT_SPECIMEN',
  'DOCUMENT_DOUBTED',
  'DOCUMENT_NOT_TAKEN',
  'DOCUMENT_UNCLEAR',
] as const
type DocumentFaultCode = (typeof DOCUMENT_FAULTS)[number]

/**
 * Only for the relying service and officers: the applicant must not learn which check detected a forgery (NIST SP
 * 800-63A-4, "data washing").
 */
export const STAFF_FAULTS = [
  'DOCUMENT_DIFFERS',
  'DOCUMENT_DOUBTED',
] as const satisfies readonly DocumentFaultCode[]
export type PersonFaultCode = Exclude<DocumentFaultCode, (typeof STAFF_FAULTS)[number]>

/** The picture does not show all that has to be read, or not clearly enough. */
const UNREADABLE: readonly DocumentFaultCode[] = [
  'DOCUMENT_CUT',
  'DOCUMENT_DARK',
  'DOCUMENT_GLARE',
  'DOCUMENT_TILTED',
  'DOCUMENT_NEAR',
  'DOCUMENT_FAR',
  'DOCUMENT_BLUR',
  'DOCUMENT_FIELD',
  'DOCUMENT_LINES',
  'DOCUMENT_BARS',
  'DOCUMENT_UNCLEAR',
]

/** A document that expired, differs or was doubted in the hand was read well. */
export const isHardToRead = (fault: DocumentFault | null): boolean =>
  fault !== null && UNREADABLE.includes(fault.code)

/** Default if no row of the table matches. */
const OTHERWISE: PersonFaultCode = 'DOCUMENT_UNCLEAR'

export interface FaultRule {
  readonly fault: DocumentFaultCode
  /** Alternatives: an error code, an indicator, or a check with a final `*` for FAILED, WARNING and UNVERIFIED. */
  readonly when: readonly string[]
  /** Restricts the row to errors with this `field`, for codes that cover several faults. */
  readonly field?: string | undefined
  /** The fault names the field of the first error with one of these codes; without one the row does not match. */
  readonly names?: readonly string[] | undefined
  /** The applicant may be told although the document is INVALID, and can act on it. */
  readonly evenWhenInvalid?: boolean | undefined
}

export interface DocumentFault<Code extends DocumentFaultCode = DocumentFaultCode> {
  readonly code: Code
  /** Null if the fault names no field. */
  readonly field: PageFieldName | null
}

/** Facts about a verified document. */
export interface FaultyEvidence {
  readonly status: EvidenceStatus
  readonly errors?: readonly { readonly code: string; readonly field?: string }[] | undefined
  readonly blockingIndicators?: readonly string[] | undefined
  readonly warningIndicators?: readonly string[] | undefined
}

/** Fault for officers and the relying service. Null if there is none or verification is not finished. */
export function chooseFault(evidence: FaultyEvidence, rules: readonly FaultRule[]): DocumentFault | null {
  if (evidence.status !== 'NOT_VERIFIED' && evidence.status !== 'INVALID') return null
  for (const rule of rules) {
    if (!applies(rule, evidence)) continue
    const field = findFaultyField(rule, evidence)
    if (rule.names === undefined || field !== null) return { code: rule.fault, field }
  }
  return { code: OTHERWISE, field: null }
}

/** Fault for the applicant. Also null if the applicant must not be told. */
export function faultForPerson(
  evidence: FaultyEvidence,
  rules: readonly FaultRule[],
): DocumentFault<PersonFaultCode> | null {
  if (evidence.status === 'INVALID' && !isPlainFact(evidence, rules)) return null
  const fault = chooseFault(
    evidence,
    rules.filter((rule) => isForPerson(rule.fault)),
  )
  return fault && isForPerson(fault.code) ? { code: fault.code, field: fault.field } : null
}

function isForPerson(code: DocumentFaultCode): code is PersonFaultCode {
  return !STAFF_FAULTS.some((staff) => staff === code)
}

/** True if everything against an INVALID document is a plain fact that the applicant may know and act on. */
export function isPlainFact(evidence: FaultyEvidence, rules: readonly FaultRule[]): boolean {
  const { blockingIndicators = [] } = evidence
  const plain = new Set(rules.filter(({ evenWhenInvalid }) => evenWhenInvalid).flatMap(({ when }) => when))
  return (
    blockingIndicators.length > 0 &&
    blockingIndicators.every((indicator) => listRuleNames(indicator).some((name) => plain.has(name))) &&
    // A failure that does not invalidate is a warning, possibly one that the applicant must not know.
    !rules.some((rule) => !isForPerson(rule.fault) && applies(rule, evidence))
  )
}

function applies({ when, field }: FaultRule, evidence: FaultyEvidence): boolean {
  const { errors = [], blockingIndicators = [], warningIndicators = [] } = evidence
  if (field !== undefined) return errors.some((error) => when.includes(error.code) && error.field === field)
  const raised = [...blockingIndicators, ...warningIndicators].flatMap(listRuleNames)
  return [...raised, ...errors.map(({ code }) => code)].some((name) => when.includes(name))
}

function findFaultyField({ names = [] }: FaultRule, { errors = [] }: FaultyEvidence): PageFieldName | null {
  const named = errors.filter(({ code }) => names.includes(code))
  return named.flatMap(({ field }) => PAGE_FIELDS.find((known) => known === field) ?? []).at(0) ?? null
}

const RAISED = /^(.*_)(FAILED|WARNING|UNVERIFIED)$/

/** The indicator itself, and its check with `*`. */
function listRuleNames(indicator: string): string[] {
  const check = RAISED.exec(indicator)?.[1]
  return check ? [indicator, `${check}*`] : [indicator]
}
