/** Options of the mobile operator. */
import { z } from 'zod'
import { OPERATOR_FIELDS, statesName } from '../proofing/phone-ownership.ts'
import { ASK_AGAIN_MINUTES, serviceSchema, serviceOptions } from './service-options.ts'
import { textLike } from './text-forms.ts'

const ApiPath = textLike(/^\/[\w./-]{1,100}$/, 'must be a path that begins with /')

export const OperatorConnector = serviceSchema({
  name: z.string().min(1).max(100).optional().describe('Name for people, which the consent states'),
  ...serviceOptions(10_000),
  matchPath: ApiPath.default('/kyc-match/v0.3').describe('KYC Match, after the url'),
  simSwapPath: ApiPath.default('/sim-swap/v2').describe('SIM Swap, after the url'),
  simSwapHours: z
    .int()
    .min(1)
    .max(2400)
    .default(240)
    .describe('Hours within which a changed SIM counts as recent'),
  sends: z
    .array(z.enum(OPERATOR_FIELDS))
    .refine(statesName, { error: 'must include name, or givenName and familyName' })
    .default(['givenName', 'familyName', 'birthdate'])
    .describe('The only values that are sent to the operator, beside the phone number'),
  askAgainMinutes: ASK_AGAIN_MINUTES,
})
