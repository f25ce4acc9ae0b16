/** Options of a service outside that a connector calls by HTTP, and the reading of their secrets: the same for every connector. */
import { z } from 'zod'
import type { ServiceSettings } from '../connectors/service/http-service.ts'
import { ALLOW_HTTP, requireHttps, HTTP_ADDRESS } from '../outgoing/service-address.ts'
import { EVEN_WITH_PROBLEMS } from './even-with-problems.ts'
import { readSecretFile } from './secret-file.ts'
import { NAME } from './text-forms.ts'

const OAuthOptions = z
  .strictObject({
    tokenUrl: HTTP_ADDRESS.describe('Token endpoint of the authorization server'),
    clientId: z.string().min(1).max(200),
    clientSecretFile: z
      .string()
      .min(1)
      .optional()
      .describe('File with the client secret; without it clientCertificate identifies this appliance'),
    scope: z.string().min(1).max(1000).optional(),
  })
  .describe('Requests access tokens by OAuth 2.0 client credentials, in place of tokenFile')

/** Members of the section of a service, for `serviceSchema`. */
export const serviceOptions = (timeoutMs: number, maxTimeoutMs = 60_000) => ({
  url: HTTP_ADDRESS,
  allowHttp: ALLOW_HTTP,
  tokenFile: z.string().optional().describe('File with the bearer token'),
  oauth: OAuthOptions.optional(),
  clientCertificate: z
    .strictObject({
      certificateFile: z.string().min(1).describe('PEM file of the certificate and its chain'),
      keyFile: z.string().min(1).describe('PEM file of the private key'),
    })
    .optional()
    .describe('Certificate that this appliance shows (mutual TLS)'),
  caFile: z
    .string()
    .optional()
    .describe("PEM file of the service's certificate authority, if it is not a public one"),
  timeoutMs: z.int().min(100).max(maxTimeoutMs).default(timeoutMs).describe('Time limit of a call'),
})

/** Pauses before a question that was not answered is put again, while the identity is open. */
export const ASK_AGAIN_MINUTES = z
  .array(z.number().positive().max(10_080))
  .max(20)
  .refine((pauses) => pauses.every((pause, index) => index === 0 || pause >= pauses[index - 1]), {
    error: 'each pause must be at least as long as the one before',
  })
  .default([1, 5, 15, 60, 240])
  .describe('Minutes before each further try of a question that was not answered')

/** Members of a service that speaks one of our signed protocols (`connectors/service/signed-service.ts`). */
export const signedServiceOptions = (timeoutMs: number, maxTimeoutMs?: number) => ({
  name: z.string().min(1).max(100).describe('Name for people'),
  ...serviceOptions(timeoutMs, maxTimeoutMs),
  signingKeyFile: z.string().min(1).describe('PEM file of the key (P-256) that signs the requests'),
  keyId: z.string().min(1).max(100).describe('Name of this key at the service'),
})

/** Members of a source that speaks one of our signed protocols and is one of several. */
export const signedSourceOptions = () => ({
  id: NAME,
  ...signedServiceOptions(10_000),
})

/** True if no two sources have the same id. */
export const haveOwnIds = (sources: readonly { readonly id: string }[]): boolean =>
  sources.every(({ id }, at) => sources.findIndex((other) => other.id === id) === at || !id)

type ServiceShape = ReturnType<typeof serviceOptions>
type ServiceOptions = z.infer<z.ZodObject<ServiceShape>>

const demandHttpsOfService = requireHttps<ServiceOptions>(({ url, oauth }) => [
  { path: ['url'], address: url },
  ...(oauth ? [{ path: ['oauth', 'tokenUrl'], address: oauth.tokenUrl }] : []),
])

/** Section of a service that a connector calls: `serviceOptions` and its own members. Refuses plain http and two ways of identifying this appliance. */
export function serviceSchema<Shape extends ServiceShape>(shape: Shape) {
  const check = (options: unknown, ctx: unknown): void =>
    checkService(options as ServiceOptions, ctx as z.core.$RefinementCtx<ServiceOptions>)
  return z.strictObject(shape).superRefine(check, EVEN_WITH_PROBLEMS)
}

function checkService(options: ServiceOptions, ctx: z.core.$RefinementCtx<ServiceOptions>): void {
  demandHttpsOfService(options, ctx)
  checkAddressAndCredentials(options, ctx)
}

/** Each member may be of a wrong type, which the schema reports. */
export function checkAddressAndCredentials(
  { url, tokenFile, oauth, clientCertificate }: ServiceOptions,
  ctx: z.core.$RefinementCtx<ServiceOptions>,
): void {
  const refuse = (path: string[], message: string): void =>
    ctx.addIssue({ code: 'custom', path, message, input: undefined })
  if (URL.canParse(url)) {
    const { username, password, search, hash } = new URL(url)
    if (username || password) refuse(['url'], 'must not carry a name or password: use tokenFile')
    if (search || hash) refuse(['url'], 'must be an address without query or fragment')
  }
  if (oauth && tokenFile !== undefined)
    refuse(['tokenFile'], 'is not used beside oauth. Remove one of the two')
  if (oauth && oauth.clientSecretFile === undefined && !clientCertificate)
    refuse(['oauth', 'clientSecretFile'], 'is needed, or clientCertificate')
}

/** Throws `configuration_invalid` with the field of a file that cannot be used. @param section such as `connectors.sms` */
export function readServiceSettings(
  { url, tokenFile, oauth, clientCertificate, caFile, timeoutMs }: ServiceOptions,
  dataDir: string,
  section: string,
): ServiceSettings {
  const read = (file: string | undefined, name: string, kind: 'secret' | 'public' = 'secret') =>
    file === undefined ? null : readSecretFile(dataDir, file, `${section}.${name}`, kind)
  return {
    url,
    token: read(tokenFile, 'tokenFile'),
    authorities: read(caFile, 'caFile', 'public'),
    timeoutMs,
    ...(oauth && {
      oauth: {
        tokenUrl: oauth.tokenUrl,
        clientId: oauth.clientId,
        clientSecret: read(oauth.clientSecretFile, 'oauth.clientSecretFile'),
        scope: oauth.scope ?? null,
      },
    }),
    ...(clientCertificate && {
      clientCertificate: readClientCertificate(clientCertificate, dataDir, section),
    }),
  }
}

/** Null: none is configured. Throws as `readServiceSettings` does. */
export function readClientCertificate(
  named: ServiceOptions['clientCertificate'],
  dataDir: string,
  section: string,
): { readonly certificate: string; readonly key: string } | null {
  if (!named) return null
  const field = (name: keyof typeof named) => `${section}.clientCertificate.${name}`
  return {
    certificate: readSecretFile(dataDir, named.certificateFile, field('certificateFile'), 'public'),
    key: readSecretFile(dataDir, named.keyFile, field('keyFile')),
  }
}
