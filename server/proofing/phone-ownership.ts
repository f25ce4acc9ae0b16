/**
 * Decides whose phone number it is: what the mobile operator is asked about the verified person, and what its answer means.
 * The number is verified only if the operator confirmed the person and reports no recent change of the SIM.
 */
import type { CallTrouble, ValueName } from './disclosure.ts'
import type { Evidence, EvidenceContent, NamedValue } from './evidence.ts'
import { findOutcome, type CheckOutcome, type CheckRule, type Finding } from './judge.ts'
import type { Measured } from './measures.ts'
import type { SourceReason, Unasked } from './source-reply.ts'

/** Values that an operator may be asked to compare, under CAMARA's names. */
export const OPERATOR_FIELDS = [
  'idDocument',
  'name',
  'givenName',
  'middleNames',
  'familyName',
  'birthdate',
] as const
export type OperatorField = (typeof OPERATOR_FIELDS)[number]

export const FIELD_ANSWERS = ['true', 'false', 'not_available'] as const
export type FieldAnswers = Readonly<Partial<Record<OperatorField, (typeof FIELD_ANSWERS)[number]>>>

const DISCLOSED: Readonly<Record<OperatorField, readonly ValueName[]>> = {
  idDocument: ['documentNumber'],
  name: ['givenName', 'middleNames', 'surname'],
  givenName: ['givenName', 'middleNames'],
  middleNames: ['middleNames'],
  familyName: ['surname'],
  birthdate: ['dateOfBirth'],
}

/** Names of the values that a question with these fields discloses. */
export function listDisclosed(fields: readonly OperatorField[]): readonly ValueName[] {
  return [...new Set(['phoneNumber' as const, ...fields.flatMap((field) => DISCLOSED[field])])]
}

/** Only a whole name confirms a person. */
export const statesName = (fields: readonly string[]): boolean =>
  fields.includes('name') || (fields.includes('givenName') && fields.includes('familyName'))

export interface OperatorQuestion {
  /** E.164. */
  readonly phoneNumber: string
  readonly values: Readonly<Partial<Record<OperatorField, string>>>
}

/** `no-record`: the operator works, and has nothing that it can compare. Another trouble may pass. */
export type AnswerPart<T> =
  | { readonly kind: 'answered'; readonly answer: T }
  | { readonly kind: 'no-record'; readonly trouble: NoRecord }
  | { readonly kind: 'unanswered'; readonly trouble: CallTrouble; readonly httpStatus?: number }

export type NoRecord = 'number-unknown' | 'number-not-served' | 'document-number-required'

export interface OperatorAnswer {
  readonly person: AnswerPart<FieldAnswers>
  /** True: the SIM was changed within the period that was asked about. */
  readonly simSwapped: AnswerPart<boolean>
}

/** Shows that the applicant reads messages to the number; its ownership builds on that. */
export const CODE_ENTERED = 'MOBILE_OTP'
export const OWNERSHIP_RULES: Readonly<Record<string, CheckRule>> = {
  [CODE_ENTERED]: { mandatory: true, onFailure: 'withhold' },
  // A contract may be in the name of a relative or an employer.
  MOBILE_OWNERSHIP: { mandatory: false, onFailure: 'warn' },
  // A stranger with a new SIM may have read the code.
  MOBILE_SIM_SWAP: { mandatory: false, onFailure: 'withhold' },
}

/**
 * Null if the evidence has no verified name. An unverified value is never sent: the operator would confirm what no
 * document shows.
 */
export function buildOperatorQuestion(
  phoneNumber: string,
  { document, trustedClaim }: EvidenceContent,
  sends: readonly OperatorField[],
): OperatorQuestion | null {
  const person = document?.personalAttributes ?? trustedClaim?.shared?.personalAttributes
  const given = (person?.givenNames ?? []).map(readVerified)
  const names = given.includes(undefined) ? [] : given.filter((name) => name !== undefined)
  const [first, ...others] = names
  const familyName = readVerified(person?.surname)
  const whole = readVerified(person?.fullname) ?? joinNames(names, familyName)
  const known: Readonly<Record<OperatorField, string | undefined>> = {
    idDocument: document?.idDocumentNumber,
    name: whole,
    givenName: sends.includes('middleNames') ? first : names.join(' '),
    middleNames: others.join(' '),
    familyName,
    birthdate: readVerified(person?.dateOfBirth),
  }
  const values = Object.fromEntries(
    Object.entries(known).filter(([field, value]) => value && sends.includes(field as OperatorField)),
  )
  return statesName(Object.keys(values)) ? { phoneNumber, values } : null
}

const readVerified = (value: NamedValue | undefined): string | undefined =>
  value?.verified === true ? value.value : undefined

const joinNames = (given: readonly string[], family: string | undefined): string | undefined =>
  given.length > 0 && family !== undefined ? [...given, family].join(' ') : undefined

/** The question to the operator and its answer. */
export interface AskedOwnership {
  readonly question: OperatorQuestion
  readonly answer: OperatorAnswer
}

export function judgeOwnership(asked: AskedOwnership | Unasked): readonly Finding[] {
  if ('unasked' in asked)
    return [
      { check: 'MOBILE_OWNERSHIP', outcome: 'inconclusive', reason: asked.unasked },
      { check: 'MOBILE_SIM_SWAP', outcome: 'inconclusive', reason: asked.unasked },
    ]
  const { question, answer } = asked
  const { person, simSwapped } = answer
  return [
    person.kind === 'answered'
      ? judgePerson(question, person.answer)
      : unanswered('MOBILE_OWNERSHIP', person.trouble),
    simSwapped.kind === 'answered'
      ? { check: 'MOBILE_SIM_SWAP', outcome: simSwapped.answer ? 'failed' : 'passed' }
      : unanswered('MOBILE_SIM_SWAP', simSwapped.trouble),
  ]
}

const unanswered = (check: string, sourceTrouble: CallTrouble | NoRecord): Finding => ({
  check,
  outcome: 'inconclusive',
  reason: isNoRecord(sourceTrouble) ? NO_RECORD_REASONS[sourceTrouble] : 'ANSWER',
  measured: { sourceTrouble },
})

const NO_RECORD_REASONS: Readonly<Record<NoRecord, SourceReason>> = {
  'number-unknown': 'RECORD',
  'number-not-served': 'COVERAGE',
  'document-number-required': 'VALUES',
}

const isNoRecord = (trouble: string): trouble is NoRecord => Object.hasOwn(NO_RECORD_REASONS, trouble)

function judgePerson(question: OperatorQuestion, answers: FieldAnswers): Finding {
  const outcome = comparePerson(question, answers)
  return {
    check: 'MOBILE_OWNERSHIP',
    outcome,
    ...(outcome === 'inconclusive' ? { reason: 'RECORD' } : {}),
    measured: describeAnswers(answers),
  }
}

/** Middle names decide nothing: records often lack them or shorten them. */
function comparePerson({ values }: OperatorQuestion, answers: FieldAnswers): CheckOutcome {
  const deciding = OPERATOR_FIELDS.filter((field) => field !== 'middleNames')
  if (deciding.some((field) => answers[field] === 'false')) return 'failed'
  const agreeing = deciding.filter((field) => answers[field] === 'true')
  const isBorn = values.birthdate === undefined || agreeing.includes('birthdate')
  return statesName(agreeing) && isBorn ? 'passed' : 'inconclusive'
}

function describeAnswers(answers: FieldAnswers): Measured {
  const list = (wanted: (typeof FIELD_ANSWERS)[number]) =>
    OPERATOR_FIELDS.filter((field) => answers[field] === wanted).join(' ')
  const [operatorAgrees, operatorDiffers] = [list('true'), list('false')]
  return {
    ...(operatorAgrees === '' ? {} : { operatorAgrees }),
    ...(operatorDiffers === '' ? {} : { operatorDiffers }),
  }
}

/** True if a part was not answered because of a trouble that may pass. */
export const isUnanswered = ({ person, simSwapped }: OperatorAnswer): boolean =>
  person.kind === 'unanswered' || simSwapped.kind === 'unanswered'

/** @param silent number of questions in succession without an answer */
export function noteSilence(
  { operatorSilent: _, ...content }: EvidenceContent,
  silent: number,
): EvidenceContent {
  return silent === 0 ? content : { ...content, operatorSilent: silent }
}

/** The only ground on which a number is verified (spec "Contact details (mobile)"). */
export const isOwnershipShown = (findings: readonly Finding[]): boolean =>
  ['MOBILE_OWNERSHIP', 'MOBILE_SIM_SWAP'].every((check) =>
    findings.some((finding) => finding.check === check && finding.outcome === 'passed'),
  )

/** True if the number is confirmed by a code, and the operator was not yet asked about the person whom this evidence names. */
export function isOwnershipOutdated(
  { family, evaluation, matchedReferenceId }: Pick<Evidence, 'family' | 'evaluation' | 'matchedReferenceId'>,
  nameReference: Pick<Evidence, 'id'> | null,
): boolean {
  return (
    family === 'CONTACT' &&
    findOutcome(evaluation, CODE_ENTERED) === 'passed' &&
    matchedReferenceId !== (nameReference?.id ?? null)
  )
}
