/**
 * The check of the values read: the applicant confirms them, corrects them by typing, or repeats the
 * document. A correction is the applicant's own statement beside the evidence, whose values never change.
 */
import type { z } from 'zod'
import { AppError, fieldProblem } from '../../errors.ts'
import { ALPHA_2 } from '../../proofing/country-codes.ts'
import type { PersonalAttributes } from '../../proofing/evidence.ts'
import type { Submitted } from '../../proofing/submitted.ts'
import { findLine } from '../check-fields.ts'
import type { CheckAnswer, CheckFieldName } from '../contract/visit.ts'
import { requireStep, change, requireIdentity, type Turn } from '../kit.ts'
import { findStep, type Known } from '../known.ts'

export type Checked = z.output<typeof CheckAnswer>

export async function answerCheck(turn: Turn, { corrections }: Checked): Promise<void> {
  const known = await requireStep(turn, 'check')
  const { kit, session, caller } = turn
  const typed = Object.entries(corrections) as [CheckFieldName, string][]
  const refused = typed.find(([name]) => !known.fields.some((field) => field.name === name && field.editable))
  if (refused) throw fieldProblem('not_allowed', `corrections.${refused[0]}`, 'cannot be put right by typing')
  const attributes = toAttributes(corrections)
  const identityId = requireIdentity(turn)
  if (Object.keys(attributes).length > 0) {
    await kit.deps.workflows.submitAttributes(caller, identityId, attributes)
  }
  const { address } = corrections
  if (address !== undefined) {
    await kit.deps.workflows.submitAddress(caller, identityId, { fullAddress: address.trim() })
  }
  kit.record.tryEnded(session, 'check', typed.length === 0 ? 'GOOD' : 'CHECK_TYPED')
  change(turn, { checkedId: session.facts.document.current?.evidenceId ?? null })
}

/** Repeats the document from its first picture. Throws `transition_refused` when no try is left. */
export async function retakeDocument(turn: Turn): Promise<void> {
  const known = await requireStep(turn, 'check')
  const { kit, session } = turn
  const { document } = session.facts
  const most = findStep(known, 'document')?.maxSubmissions ?? 1
  if (most - document.spent - 1 <= 0) throw new AppError('transition_refused', { reason: 'no_try_left' })
  kit.record.tryEnded(session, 'check', 'CHECK_RETAKEN')
  change(turn, { document: { ...document, current: null, spent: document.spent + 1, misses: 0 } })
}

/** Returns the picture of a line. Throws `not_found` if there is none. */
export async function cutCrop(turn: Turn, field: CheckFieldName) {
  const known: Known = await requireStep(turn, 'check')
  const { kit, caller, session } = turn
  const { workflows } = kit.deps
  const evidenceId = session.facts.document.current?.evidenceId
  if (evidenceId === undefined || !known.fields.some(({ name, hasCrop }) => name === field && hasCrop)) {
    throw new AppError('not_found', { resource: 'crop' })
  }
  const identityId = requireIdentity(turn)
  const line = findLine(field, await workflows.readLines(caller, identityId, evidenceId))
  if (line === null) throw new AppError('not_found', { resource: 'crop' })
  return workflows.cutReadLine(caller, identityId, evidenceId, line)
}

const SEXES: readonly string[] = ['M', 'F', 'X']

/** Throws `validation_failed` with the name of the field, never with its value. */
function toAttributes(corrections: Checked['corrections']): Submitted<PersonalAttributes> {
  const { name, givenNames, familyName, birthDate, nationality, sex } = corrections
  if (birthDate !== undefined && !isDate(birthDate)) throw wrong('birthDate', 'must be a date, yyyy-MM-dd')
  if (nationality !== undefined && !ALPHA_2.has(nationality)) {
    throw wrong('nationality', 'must be a country, ISO 3166-1 alpha-3')
  }
  if (sex !== undefined && !SEXES.includes(sex)) throw wrong('sex', 'must be M, F or X')
  const value = (text: string) => ({ value: text.trim() })
  return {
    ...(name === undefined ? {} : { fullname: value(name) }),
    ...(givenNames === undefined ? {} : { givenNames: givenNames.trim().split(/\s+/).map(value) }),
    ...(familyName === undefined ? {} : { surname: value(familyName) }),
    ...(birthDate === undefined ? {} : { dateOfBirth: value(birthDate) }),
    ...(nationality === undefined ? {} : { nationality: value(nationality) }),
    ...(sex === undefined ? {} : { gender: value(sex) }),
  }
}

const wrong = (field: CheckFieldName, message: string): AppError =>
  fieldProblem('invalid', `corrections.${field}`, message)

/**
 * True for an existing calendar day. An applicant who does not know the day of birth leaves the line
 * unchanged.
 */
function isDate(text: string): boolean {
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : null
  return date !== null && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}
