/** HTTP client of an issuing source that speaks our protocol; README.md in this folder specifies it. Answers are untrusted. */
import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import {
  comparesOnlySent,
  FIELD_MATCHES,
  ISSUER_FIELDS,
  RECORD_STATES,
  type IssuerField,
} from '../../proofing/issuer-answer.ts'
import { listNeededFields } from '../../proofing/issuer-question.ts'
import { MALFORMED } from '../service/json-answer.ts'
import { openSignedService, type SignedSettings } from '../service/signed-service.ts'
import type { IssuerOutcome, IssuerQuestion, IssuingSource } from './issuing-source.ts'

const Answer = z.object({
  requestId: z.string(),
  record: z.enum(RECORD_STATES),
  matches: z.partialRecord(z.enum(ISSUER_FIELDS), z.enum(FIELD_MATCHES)).default({}),
})

interface GenericSourceSettings extends SignedSettings {
  readonly id: string
  readonly askAgainMinutes: readonly number[]
  readonly covers: readonly {
    readonly documentTypes: readonly string[]
    readonly countries: readonly string[]
  }[]
  readonly sends: readonly IssuerField[]
  readonly needs?: readonly IssuerField[]
}

/** Throws `configuration_invalid` with the field. @param section such as `connectors.issuers.0` */
export function openGenericSource(
  settings: GenericSourceSettings,
  section: string,
  clock: Clock,
): IssuingSource {
  const service = openSignedService(settings, section, clock)
  return {
    id: settings.id,
    connector: 'issuer',
    askAgainMinutes: settings.askAgainMinutes,
    findCoverage: ({ idDocumentType, issuingCountry = '' }) =>
      settings.covers.some(
        ({ documentTypes, countries }) =>
          documentTypes.includes(idDocumentType) && countries.includes(issuingCountry),
      )
        ? {
            isComplete: true,
            needs: [...new Set([...listNeededFields(idDocumentType), ...(settings.needs ?? [])])],
            takes: settings.sends,
          }
        : null,
    ask: (question) =>
      service.ask('/document-comparisons', 'issuer-request', question, (json) => toOutcome(json, question)),
    health: () => service.health(),
    close: () => service.close(),
  }
}

function toOutcome(json: unknown, { requestId, values }: IssuerQuestion): IssuerOutcome {
  const { data } = Answer.safeParse(json)
  // An answer to another question, or about a value that was not sent, is malformed.
  if (data?.requestId !== requestId) return MALFORMED
  return comparesOnlySent(data.matches, values)
    ? { kind: 'answered', record: data.record, matches: data.matches }
    : MALFORMED
}
