/** `staff` of central.json: the OpenID provider of staff, and the roles that its claims give. */
import { z } from 'zod'
import { EVEN_WITH_PROBLEMS } from '../../../config/even-with-problems.ts'
import { STAFF_OIDC_MEMBERS } from '../../../openid/staff-settings.ts'
import { demandHttpsFor } from '../../../outgoing/service-address.ts'
import { RoleRow } from './roles.ts'

const MAX_ROWS = 500

export const StaffOptionsSchema = z.strictObject({
  oidc: z
    .strictObject({
      ...STAFF_OIDC_MEMBERS,
      sessionMinutes: z
        .int()
        .min(5)
        .max(1440)
        .default(480)
        .describe('After this time the person signs in again'),
      idleMinutes: z
        .int()
        .min(1)
        .max(1440)
        .default(30)
        .describe('After this time without a touch or key the person signs in again'),
      roles: z.array(RoleRow).min(1).max(MAX_ROWS).describe('Claim value, role and tenants'),
    })
    .superRefine(demandHttpsFor('issuer', 'address'), EVEN_WITH_PROBLEMS)
    .optional(),
})

/** `clientSecret` null: a public client. */
export type StaffOidc = Omit<
  NonNullable<z.output<typeof StaffOptionsSchema>['oidc']>,
  'clientSecretFile' | 'allowHttp'
> & { readonly clientSecret: string | null }
