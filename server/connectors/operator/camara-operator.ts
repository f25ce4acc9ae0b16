/**
 * HTTP client of a mobile operator that offers CAMARA's APIs KYC Match and SIM Swap; README.md in this folder names the versions.
 * Answers are untrusted.
 */
import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import {
  FIELD_ANSWERS,
  OPERATOR_FIELDS,
  type FieldAnswers,
  type OperatorAnswer,
  type OperatorField,
} from '../../proofing/phone-ownership.ts'
import { checkServiceSettings } from '../service/check-settings.ts'
import { openHttpService, type ServiceOutcome, type ServiceSettings } from '../service/http-service.ts'
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
const NO_RECORD: Readonly<Record<string, string>> = {
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
}

type Part<T> =
  | { readonly kind: 'answered'; readonly answer: T }
  | {
      readonly kind: 'unanswered'
      readonly trouble: string
      readonly httpStatus?: number
      readonly isFault: boolean
    }

/** Throws `configuration_invalid` with the field. */
export function openCamaraOperator(settings: CamaraSettings, clock: Clock): MobileOperator {
  checkServiceSettings('connectors.operator', settings)
  const service = openHttpService(settings)
  const health = createServiceHealth(clock, 'the last question was not answered')

  const post = (path: string, body: object, correlator: string): Promise<ServiceOutcome> =>
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
    ask: async ({ phoneNumber, values }, requestId) => {
      const [match, swap] = await Promise.all([
        post(`${settings.matchPath}/match`, { phoneNumber, ...values }, requestId),
        post(`${settings.simSwapPath}/check`, { phoneNumber, maxAge: settings.simSwapHours }, requestId),
      ])
      const person = readMatch(match, Object.keys(values))
      const simSwapped = readSwap(swap)
      const fault = [person, simSwapped].find((part) => part.kind === 'unanswered' && part.isFault)
      health.note(fault?.kind === 'unanswered' ? withStatus(fault.trouble, fault.httpStatus) : null)
      return { person, simSwapped } satisfies OperatorAnswer
    },
    health: health.read,
    close: () => void service.close(),
  }
}

function readMatch(outcome: ServiceOutcome, asked: readonly string[]): Part<FieldAnswers> {
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

const readSwap = (outcome: ServiceOutcome): Part<boolean> =>
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
): Part<T> {
  const trouble = code === null ? undefined : NO_RECORD[code]
  if (trouble !== undefined) return { kind: 'unanswered', trouble, isFault: false }
  const answered = readJsonAnswer(outcome)
  if (answered.kind === 'unavailable') {
    const { reason, ...status } = answered
    const { httpStatus } = status
    return {
      kind: 'unanswered',
      trouble: reason,
      ...(httpStatus === undefined ? {} : { httpStatus }),
      isFault: true,
    }
  }
  const answer = read(answered.json)
  return answer === null
    ? { kind: 'unanswered', trouble: 'malformed', isFault: true }
    : { kind: 'answered', answer }
}
