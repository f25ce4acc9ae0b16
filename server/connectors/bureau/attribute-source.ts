/** HTTP client of a source of attributes that speaks our protocol; README.md in this folder specifies it. Answers are untrusted. */
import { z } from 'zod'
import { CLAIM_FIELDS, type ClaimField, type ClaimRecord } from '../../proofing/claim-source.ts'
import { comparesOnlySent, FIELD_MATCHES } from '../../proofing/issuer-answer.ts'
import { createSourceOpener, type ComparingSource } from '../service/comparing-source.ts'
import { MALFORMED } from '../service/json-answer.ts'

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

interface Said {
  readonly kind: 'answered'
  readonly records: readonly ClaimRecord[]
}
export type AttributeSource = ComparingSource<ClaimField, Said>

export const openAttributeSource = createSourceOpener<ClaimField, Said>({
  path: '/claim-comparisons',
  type: 'claim-request',
  // An answer to another question, or about a value that was not sent, is malformed.
  read: (json, { requestId, values }) => {
    const { data } = Answer.safeParse(json)
    if (data?.requestId !== requestId) return MALFORMED
    const isHonest = data.records.every(({ matches }) => comparesOnlySent(matches, values))
    return isHonest ? { kind: 'answered', records: data.records } : MALFORMED
  },
})
