/** Options of the verification of US driving licences. */
import { z } from 'zod'
import { listNeededFields } from '../proofing/issuer-question.ts'
import { UNITED_STATES_FIELDS } from '../proofing/issuing-sources.ts'
import { ASK_AGAIN_MINUTES, serviceSchema, serviceOptions } from './service-options.ts'
import { textLike } from './text-forms.ts'

/** Forms of the protocol: SOAP as described by AAMVA, and its successor in JSON. */
const PROTOCOLS = ['soap-1.2', 'soap-1.1', 'json'] as const

const NEEDED = listNeededFields('DRIVING_LICENSE')

export const IssuerUsConnector = serviceSchema({
  name: z.string().min(1).max(100).describe('Name for people'),
  ...serviceOptions(15_000),
  protocol: z.enum(PROTOCOLS).default('soap-1.2'),
  originatorId: textLike(/^[A-Za-z0-9]{1,20}$/, 'must be 1 to 20 letters and digits').describe(
    'Code by which the service knows the organisation that asks',
  ),
  governmentUser: z
    .boolean()
    .default(false)
    .describe('The tenant is a government user: some jurisdictions answer no other'),
  sends: z
    .array(z.enum(UNITED_STATES_FIELDS))
    .refine((fields) => NEEDED.every((field) => fields.some((one) => one === field)), {
      error: `must include ${NEEDED.join(', ')}: without them no record can be compared`,
    })
    .default(['documentNumber', 'surname', 'givenName', 'dateOfBirth'])
    .describe('The only values that are sent, beside the state and the kind of the document'),
  askAgainMinutes: ASK_AGAIN_MINUTES,
}).describe(
  'Verification of US driving licences and identity cards; asked only with tenant.features.issuerVerification',
)
