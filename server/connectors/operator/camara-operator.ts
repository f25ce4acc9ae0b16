/**
 * HTTP client of a mobile operator that offers CAMARA's APIs KYC Match and SIM Swap; README.md in this folder names the versions.
 * Answers are untrusted.
 */
import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import type { CallTrouble } from '../../proofing/disclosure.ts'
import {
  FIELD_ANSWERS,
  OPERATOR_FIELDS,
  type AnswerPart,
  type FieldAnswers,
  type NoRecord,
  type OperatorField,
} from '../../proofing/phone-ownership.ts'
import { checkServiceSettings } from '../service/check-settings.ts'
import {
  openHttpService,
  type Called,
  type ServiceOutcome,
  type ServiceSettings,
} from '../service/http-service.ts'
import { readJsonAnswer } from '../service/json-answer.ts'
import { parseJson } from '../service/limited-body.ts'
import { createServiceHealth, withStatus } from '../service/service-health.ts'
import type { MobileOperator } from './operator.ts'

/** An answer has twenty short members at most; an operator may add others. */
const MAX_ANSWER_BYTES = 16 * 1024

const FieldAnswer = z.enum(FIELD_ANSWERS)
const MatchAnswer = z.object({
  idDocumentMatch: FieldAnswer.optional(),
  nameMatch: FieldAnswer.optional(),
  givenNameMatch: FieldAnswer.optional(),
  middleNamesMatch: FieldAnswer.optional(),
  familyNameMatch: FieldAnswer.optional(),
  birthdateMatch: FieldAnswer.optional(),
})
const SwapAnswer = z.object({ swapped: z.boolean() })
const ErrorAnswer = z.object({ code: z.string() })

/** Answers of an operator that works, by CAMARA's code: this number, or this document, is none that it can compare. */
const NO_RECORD: Readonly<Record<string, NoRecord>> = {
  IDENTIFIER_NOT_FOUND: 'number-unknown',
  SERVICE_NOT_APPLICABLE: 'number-not-served',
  'KNOW_YOUR_CUSTOMER.ID_DOCUMENT_REQUIRED': 'document-number-required',
}
const DOCUMENT_DIFFERS = 'KNOW_YOUR_CUSTOMER.ID_DOCUMENT_MISMATCH'

export interface CamaraSettings extends ServiceSettings {
  readonly matchPath: string
  readonly simSwapPath: string
  /** Hours within which a changed SIM counts as recent. */
  readonly simSwapHours: number
  readonly sends: readonly OperatorField[]
  readonly askAgainMinutes: readonly number[]
}

/** Throws `configuration_invalid` with the field. */
export function openCamaraOperator(settings: CamaraSettings, clock: Clock): MobileOperator {
  checkServiceSettings('connectors.operator', settings)
  const service = openHttpService(settings)
  const health = createServiceHealth(clock, 'the last question was not answered')

  const post = (path: string, body: object, correlator: string): Promise<Called<ServiceOutcome>> =>
    service.call({
      method: 'POST',
      path,
      accept: 'application/json',
      headers: { 'x-correlator': correlator },
      body: { type: 'application/json', content: JSON.stringify(body) },
      maxAnswerBytes: MAX_ANSWER_BYTES,
      mayRepeat: true,
    })
  return {
    sends: settings.sends,
    askAgainMinutes: settings.askAgainMinutes,
    ask: async ({ phoneNumber, values }, requestId) => {
      const [match, swap] = await Promise.all([
        post(`${settings.matchPath}/match`, { phoneNumber, ...values }, requestId),
        post(`${settings.simSwapPath}/check`, { phoneNumber, maxAge: settings.simSwapHours }, requestId),
      ])
      const person = readMatch(match, Object.keys(values))
      const simSwapped = readSwap(swap)
      const fault = [person, simSwapped].find((part) => part.kind === 'unanswered')
      health.note(fault ? withStatus(fault.trouble, fault.httpStatus) : null)
      const answer = { person, simSwapped }
      return {
        answer,
        calls: [
          { api: 'kyc-match', trouble: readTrouble(person), ...match.effort },
          { api: 'sim-swap', trouble: readTrouble(simSwapped), ...swap.effort },
        ],
      }
    },
    health: health.read,
    close: () => void service.close(),
  }
}

function readMatch(outcome: ServiceOutcome, asked: readonly string[]): AnswerPart<FieldAnswers> {
  const code = readErrorCode(outcome)
  if (code === DOCUMENT_DIFFERS) return { kind: 'answered', answer: { idDocument: 'false' } }
  return readPart(outcome, code, (json) => {
    const answer = MatchAnswer.safeParse(json).data
    if (!answer) return null
    const answers = OPERATOR_FIELDS.flatMap((field) => {
      const match = answer[`${field}Match`]
      return match === undefined ? [] : [[field, match] as const]
    })
    // An answer about a value that was not sent is not about this question.
    return answers.every(([field]) => asked.includes(field)) ? Object.fromEntries(answers) : null
  })
}

const readTrouble = (part: AnswerPart<unknown>): CallTrouble | null =>
  part.kind === 'unanswered' ? part.trouble : null

const readSwap = (outcome: ServiceOutcome): AnswerPart<boolean> =>
  readPart(outcome, readErrorCode(outcome), (json) => SwapAnswer.safeParse(json).data?.swapped ?? null)

/** Null for a success, and for an error without a code. */
function readErrorCode(outcome: ServiceOutcome): string | null {
  if (outcome.kind !== 'answered' || ![403, 404, 422].includes(outcome.status)) return null
  return ErrorAnswer.safeParse(parseJson(outcome.bytes)).data?.code ?? null
}

/** @param read returns null for an answer that does not fit the protocol */
function readPart<T>(
  outcome: ServiceOutcome,
  code: string | null,
  read: (json: unknown) => T | null,
): AnswerPart<T> {
  const trouble = code === null ? undefined : NO_RECORD[code]
  if (trouble !== undefined) return { kind: 'no-record', trouble }
  const answered = readJsonAnswer(outcome)
  if (answered.kind === 'unavailable') {
    const { reason, httpStatus } = answered
    return { kind: 'unanswered', trouble: reason, ...(httpStatus === undefined ? {} : { httpStatus }) }
  }
  const answer = read(answered.json)
  return answer === null ? { kind: 'unanswered', trouble: 'malformed' } : { kind: 'answered', answer }
}
