/** HTTP client of an issuing source that speaks our protocol; README.md in this folder specifies it. Answers are untrusted. */
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { FlattenedSign } from 'jose'
import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import {
  FIELD_MATCHES,
  ISSUER_FIELDS,
  RECORD_STATES,
  type IssuerField,
} from '../../proofing/issuer-answer.ts'
import { checkServiceSettings, unusableSetting } from '../service/check-settings.ts'
import { openHttpService, type ServiceOutcome, type ServiceSettings } from '../service/http-service.ts'
import { MALFORMED, readJsonAnswer } from '../service/json-answer.ts'
import { createServiceHealth, withStatus } from '../service/service-health.ts'
import type { IssuerOutcome, IssuerQuestion, IssuingSource } from './issuing-source.ts'

/** An answer names eleven fields; a source may add members. */
const MAX_ANSWER_BYTES = 16 * 1024

const Answer = z.object({
  requestId: z.string(),
  record: z.enum(RECORD_STATES),
  matches: z.partialRecord(z.enum(ISSUER_FIELDS), z.enum(FIELD_MATCHES)).default({}),
})

export interface GenericSourceSettings extends ServiceSettings {
  readonly id: string
  readonly askAgainMinutes: readonly number[]
  readonly covers: readonly {
    readonly documentTypes: readonly string[]
    readonly countries: readonly string[]
  }[]
  readonly sends: readonly IssuerField[]
  /** PEM of the key (P-256) that signs the requests. */
  readonly signingKey: string
  readonly keyId: string
}

/** Throws `configuration_invalid` with the field. @param section such as `connectors.issuers.0` */
export function openGenericSource(
  settings: GenericSourceSettings,
  section: string,
  clock: Clock,
): IssuingSource {
  checkServiceSettings(section, settings)
  const key = readSigningKey(settings.signingKey, section)
  const service = openHttpService(settings)
  const health = createServiceHealth(clock, 'the last question was not answered')
  return {
    id: settings.id,
    sends: settings.sends,
    askAgainMinutes: settings.askAgainMinutes,
    covers: ({ documentType, issuingCountry }) =>
      settings.covers.some(
        ({ documentTypes, countries }) =>
          documentTypes.includes(documentType) && countries.includes(issuingCountry),
      ),
    ask: async (question) => {
      const body = Buffer.from(JSON.stringify(question))
      const answer = await service.call({
        method: 'POST',
        path: '/document-comparisons',
        accept: 'application/json',
        headers: {
          'idempotency-key': question.requestId,
          'request-signature': await sign(body, key, settings.keyId, clock.now()),
        },
        body: { type: 'application/json', content: body },
        maxAnswerBytes: MAX_ANSWER_BYTES,
        mayRepeat: true,
      })
      const outcome = toOutcome(answer, question)
      health.note(outcome.kind === 'answered' ? null : withStatus(outcome.reason, outcome.httpStatus))
      return { ...outcome, effort: answer.effort }
    },
    health: health.read,
    close: () => void service.close(),
  }
}

function readSigningKey(pem: string, section: string): KeyObject {
  const field = `${section}.signingKeyFile`
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch {
    throw unusableSetting(field, 'must hold a private key in PEM')
  }
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw unusableSetting(field, 'must hold a key of the curve P-256')
  return key
}

/** JWS with detached payload (RFC 7515, appendix F): the body is the payload. */
async function sign(body: Uint8Array, key: KeyObject, kid: string, at: Date): Promise<string> {
  const jws = await new FlattenedSign(body)
    .setProtectedHeader({ alg: 'ES256', kid, typ: 'issuer-request', iat: Math.floor(at.getTime() / 1000) })
    .sign(key)
  return `${jws.protected}..${jws.signature}`
}

function toOutcome(outcome: ServiceOutcome, { requestId, values }: IssuerQuestion): IssuerOutcome {
  const answer = readJsonAnswer(outcome)
  if (answer.kind === 'unavailable') return answer
  const { data } = Answer.safeParse(answer.json)
  // An answer to another question, or about a value that was not sent, is malformed.
  if (data?.requestId !== requestId) return MALFORMED
  const isHonest = Object.entries(data.matches).every(
    ([field, match]) => Object.hasOwn(values, field) || match === 'NOT_COMPARED',
  )
  return isHonest ? { kind: 'answered', record: data.record, matches: data.matches } : MALFORMED
}
