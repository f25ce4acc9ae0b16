/** The configuration of the sign-in of staff, the same for the appliance and the central service, as schemas. */
import { z } from 'zod'
import { ALLOW_HTTP, HTTP_ADDRESS } from '../outgoing/service-address.ts'

/** A claim, or the path to a claim inside of claims: `groups`, `["realm_access","roles"]`. */
const ClaimPath = z.union([z.string().min(1).max(200), z.array(z.string().min(1).max(200)).min(1).max(5)])

/** Members of the schema; `demandHttpsFor` judges `issuer` and `address`. */
export const STAFF_OIDC_MEMBERS = {
  address: HTTP_ADDRESS.refine(isBareAddress, 'no query, no fragment and no password may be in it')
    .describe('Address of this server as the browsers of staff open it, without the page')
    .transform((address) => address.replace(/\/+$/, '')),
  issuer: HTTP_ADDRESS.describe('Issuer of the provider; its metadata is below it'),
  allowHttp: ALLOW_HTTP,
  clientId: z.string().min(1).max(200),
  clientSecretFile: z
    .string()
    .min(1)
    .optional()
    .describe('File with the secret of the client; absent: a public client, protected only by PKCE'),
  scope: z
    .string()
    .default('openid profile')
    .refine((scope) => scope.split(' ').includes('openid'), 'must include openid'),
  nameClaim: ClaimPath.default('name').describe('Claim with the name that colleagues see'),
  rolesClaim: ClaimPath.default('groups').describe('Claim with a text or a list of texts'),
  timeoutMs: z.int().min(100).max(60_000).default(10_000).describe('Time limit of a call to the provider'),
}

export const ClaimValue = z.string().min(1).max(200).describe('Value of the claim with the roles')

/** The settings with the secret read. */
export interface StaffProvider {
  readonly address: string
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string | null
  readonly scope: string
  readonly nameClaim: string | readonly string[]
  readonly rolesClaim: string | readonly string[]
  readonly timeoutMs: number
}

function isBareAddress(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { search, hash, username, password } = new URL(address)
  return [search, hash, username, password].every((part) => part === '')
}
