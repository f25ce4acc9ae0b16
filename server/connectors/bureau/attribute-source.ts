/** HTTP client of a source of attributes that speaks our protocol; README.md in this folder specifies it. Answers are untrusted. */
import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import {
  CLAIM_FIELDS,
  type ClaimField,
  type ClaimQuestionContent,
  type ClaimRecord,
} from '../../proofing/claim-source.ts'
import { comparesOnlySent, FIELD_MATCHES } from '../../proofing/issuer-answer.ts'
import type { Called } from '../service/http-service.ts'
import { MALFORMED, type Unavailable } from '../service/json-answer.ts'
import type { ServiceHealth } from '../service/service-health.ts'
import { openSignedService, type SignedSettings } from '../service/signed-service.ts'

/** A bureau joins records of dozens of lenders, of which two are needed. */
const MAX_RECORDS = 50

const Answer = z.object({
  requestId: z.string(),
  records: z
    .array(
      z.object({
        origin: z.string().regex(/^[A-Za-z0-9._-]{1,64}$/),
        record: z.enum(['FOUND', 'NOT_FOUND']),
        matches: z.partialRecord(z.enum(CLAIM_FIELDS), z.enum(FIELD_MATCHES)).default({}),
      }),
    )
    .max(MAX_RECORDS),
})

interface AttributeSourceSettings extends SignedSettings {
  readonly id: string
  readonly countries: readonly string[]
  readonly sends: readonly ClaimField[]
  readonly authoritative: boolean
  /** Pauses before an unanswered question is put again, in minutes. */
  readonly askAgainMinutes: readonly number[]
}

interface ClaimQuestion extends ClaimQuestionContent {
  /** UUID: the same for all tries of one question. */
  readonly requestId: string
}

type ClaimOutcome = { readonly kind: 'answered'; readonly records: readonly ClaimRecord[] } | Unavailable

export interface AttributeSource extends Pick<
  AttributeSourceSettings,
  'id' | 'countries' | 'sends' | 'authoritative' | 'askAgainMinutes'
> {
  /** Never rejects: a failure is an outcome. */
  ask(question: ClaimQuestion): Promise<Called<ClaimOutcome>>
  health(): ServiceHealth
  /** Aborts calls in progress with `unavailable`. */
  close(): void
}

/** Throws `configuration_invalid` with the field. @param section such as `connectors.bureaus.0` */
export function openAttributeSource(
  settings: AttributeSourceSettings,
  section: string,
  clock: Clock,
): AttributeSource {
  const service = openSignedService(settings, section, clock)
  const { id, countries, sends, authoritative, askAgainMinutes } = settings
  return {
    id,
    countries,
    sends,
    authoritative,
    askAgainMinutes,
    ask: (question) =>
      service.ask('/claim-comparisons', 'claim-request', question, (json) => readRecords(json, question)),
    health: () => service.health(),
    close: () => service.close(),
  }
}

/** An answer to another question, or about a value that was not sent, is malformed. */
function readRecords(json: unknown, { requestId, values }: ClaimQuestion): ClaimOutcome {
  const { data } = Answer.safeParse(json)
  if (data?.requestId !== requestId) return MALFORMED
  const isHonest = data.records.every(({ matches }) => comparesOnlySent(matches, values))
  return isHonest ? { kind: 'answered', records: data.records } : MALFORMED
}
