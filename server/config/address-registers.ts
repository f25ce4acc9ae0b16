/** Options of the registers of addresses. */
import { z } from 'zod'
import { REGISTER_FIELDS, statesAddress } from '../proofing/address-register.ts'
import { EVEN_WITH_PROBLEMS } from './even-with-problems.ts'
import { ASK_AGAIN_MINUTES, haveOwnIds, serviceSchema, signedSourceOptions } from './service-options.ts'
import { COUNTRY } from './text-forms.ts'

const RegisterOptions = serviceSchema({
  ...signedSourceOptions(),
  countries: z
    .array(COUNTRY)
    .min(1)
    .describe('Countries whose addresses the register keeps, in three letters'),
  sends: z
    .array(z.enum(REGISTER_FIELDS))
    .refine(statesAddress, {
      error:
        'must include address, or streetLine1 with postcode or city: without them no address can be found',
    })
    .refine((fields) => fields.includes('surname') === fields.includes('givenNames'), {
      error: 'must include surname and givenNames, or neither: part of a name identifies no resident',
    })
    .describe('The only values that are sent to the register'),
  authoritative: z
    .boolean()
    .default(false)
    .describe('A register of residents that the law makes the reference: it can refute an address'),
  askAgainMinutes: ASK_AGAIN_MINUTES,
})

export const AddressRegistersConfig = z
  .array(RegisterOptions)
  .max(20)
  .refine(haveOwnIds, { error: 'each register must have an id of its own', ...EVEN_WITH_PROBLEMS })
  .default([])
  .describe('Registers of addresses for ADDRESS_EXISTENCE and ADDRESS_SOURCE')
