/** HTTP client of a register of addresses that speaks our protocol; README.md in this folder specifies it. Answers are untrusted. */
import { z } from 'zod'
import {
  ADDRESS_RECORDS,
  REGISTER_FIELDS,
  type AddressAnswer,
  type RegisterField,
} from '../../proofing/address-register.ts'
import { comparesOnlySent, FIELD_MATCHES } from '../../proofing/issuer-answer.ts'
import { createSourceOpener, type ComparingSource } from '../service/comparing-source.ts'
import { MALFORMED } from '../service/json-answer.ts'

const Answer = z.object({
  requestId: z.string(),
  record: z.enum(ADDRESS_RECORDS),
  matches: z.partialRecord(z.enum(REGISTER_FIELDS), z.enum(FIELD_MATCHES)).default({}),
})

type Said = { readonly kind: 'answered' } & Pick<AddressAnswer, 'record' | 'matches'>
export type AddressSource = ComparingSource<RegisterField, Said>

export const openAddressSource = createSourceOpener<RegisterField, Said>({
  path: '/address-comparisons',
  type: 'address-request',
  // An answer to another question, or about a value that was not sent, is malformed.
  read: (json, { requestId, values }) => {
    const { data } = Answer.safeParse(json)
    if (data?.requestId !== requestId || !comparesOnlySent(data.matches, values)) return MALFORMED
    return { kind: 'answered', record: data.record, matches: data.matches }
  },
})
