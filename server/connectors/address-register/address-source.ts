/** HTTP client of a register of addresses that speaks our protocol; README.md in this folder specifies it. Answers are untrusted. */
import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import {
  ADDRESS_RECORDS,
  REGISTER_FIELDS,
  type AddressAnswer,
  type AddressQuestionContent,
  type RegisterField,
} from '../../proofing/address-register.ts'
import { comparesOnlySent, FIELD_MATCHES } from '../../proofing/issuer-answer.ts'
import type { Called } from '../service/http-service.ts'
import { MALFORMED, type Unavailable } from '../service/json-answer.ts'
import type { ServiceHealth } from '../service/service-health.ts'
import { openSignedService, type SignedSettings } from '../service/signed-service.ts'

const Answer = z.object({
  requestId: z.string(),
  record: z.enum(ADDRESS_RECORDS),
  matches: z.partialRecord(z.enum(REGISTER_FIELDS), z.enum(FIELD_MATCHES)).default({}),
})

interface AddressSourceSettings extends SignedSettings {
  readonly id: string
  readonly countries: readonly string[]
  readonly sends: readonly RegisterField[]
  readonly authoritative: boolean
  /** Pauses before an unanswered question is put again, in minutes. */
  readonly askAgainMinutes: readonly number[]
}

interface AddressQuestion extends AddressQuestionContent {
  /** UUID: the same for all tries of one question. */
  readonly requestId: string
}

type AddressOutcome =
  ({ readonly kind: 'answered' } & Pick<AddressAnswer, 'record' | 'matches'>) | Unavailable

export interface AddressSource extends Pick<
  AddressSourceSettings,
  'id' | 'countries' | 'sends' | 'authoritative' | 'askAgainMinutes'
> {
  /** Never rejects: a failure is an outcome. */
  ask(question: AddressQuestion): Promise<Called<AddressOutcome>>
  health(): ServiceHealth
  /** Aborts calls in progress with `unavailable`. */
  close(): void
}

/** Throws `configuration_invalid` with the field. @param section such as `connectors.addressRegisters.0` */
export function openAddressSource(
  settings: AddressSourceSettings,
  section: string,
  clock: Clock,
): AddressSource {
  const service = openSignedService(settings, section, clock)
  const { id, countries, sends, authoritative, askAgainMinutes } = settings
  return {
    id,
    countries,
    sends,
    authoritative,
    askAgainMinutes,
    ask: (question) =>
      service.ask('/address-comparisons', 'address-request', question, (json) => readAnswer(json, question)),
    health: () => service.health(),
    close: () => service.close(),
  }
}

/** An answer to another question, or about a value that was not sent, is malformed. */
function readAnswer(json: unknown, { requestId, values }: AddressQuestion): AddressOutcome {
  const { data } = Answer.safeParse(json)
  if (data?.requestId !== requestId) return MALFORMED
  return comparesOnlySent(data.matches, values)
    ? { kind: 'answered', record: data.record, matches: data.matches }
    : MALFORMED
}
