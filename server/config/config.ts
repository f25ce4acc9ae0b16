/**
 * Reads, checks and freezes the configuration. The file in the data folder may change the options below; all problems are
 * reported together by field before anything starts.
 */
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import { readOwnFile, UnsafeFileError } from '../files/own-files.ts'
import { IN_OUR_FOLDER, writeFileWhole } from '../files/write-file.ts'
import { isReservedName } from '../proofing/applications.ts'
import { EVIDENCE_KINDS } from '../proofing/evidence.ts'
import {
  ALLOW_HTTP,
  demandHttps,
  demandHttpsFor,
  HTTP_ADDRESS,
  isLoopbackAddress,
} from '../outgoing/service-address.ts'
import { TrustedProxies } from '../listen-address.ts'
import { CONSENT_TYPES, LEVELS, LIVENESS_TYPES, SECURITY_LEVELS } from '../proofing/types.ts'
import { AntifraudConfig, DocumentStatusConnector, EnvironmentConfig } from './antifraud.ts'
import { CamerasConfig } from './cameras.ts'
import { lacksProxy, LISTENERS, Listeners, MainHost } from './listeners.ts'
import { QuotasConfig } from './quotas.ts'
import { BrandName, CounterConfig, KioskConfig } from './screens.ts'
import { Sharing } from './sharing.ts'
import { ShellConfig } from './shell.ts'
import { UNNAMED_TENANT } from './tenant-name.ts'

const MIB = 1024 * 1024

const Options = z.strictObject({
  host: MainHost,
  port: z.int().min(0).max(65535).default(8717).describe('0 takes a free port'),
  allowedHosts: z.array(z.string()).default([]).describe('Further Host names the server answers to'),
  allowedOrigins: z.array(z.string()).default([]).describe('Further web origins that may call it'),
  trustedProxies: TrustedProxies,
  listeners: Listeners,
  tenant: z
    .strictObject({
      id: z.string().regex(/^[a-z0-9-]{1,40}$/),
      name: z.string().min(1).max(100),
      mode: z.enum(['test', 'production']),
      policy: z.string().min(1),
      features: z
        .strictObject({
          adjudication: z.boolean().default(true),
          antifraud: z.boolean().default(true),
          mobileOtp: z.boolean().default(true),
          idClaim: z.boolean().default(true),
          trustedIdClaim: z.boolean().default(true),
          pauseResume: z.boolean().default(false),
        })
        .prefault({})
        .describe('What this tenant may use; what is off answers 403'),
      requiredConsents: z
        .partialRecord(z.enum(EVIDENCE_KINDS), z.array(z.enum(CONSENT_TYPES)))
        .default({})
        .describe('Consents demanded per kind of evidence beyond those of the API'),
      sharing: Sharing,
      userAgentKeys: z
        .enum(['allowed', 'refused'])
        .default('allowed')
        .describe('refused: applications in the hands of people call with user-agent tokens alone'),
      userAgentTokens: z
        .strictObject({
          seconds: z.int().min(30).default(900).describe('lifetime where the request names none'),
          mostSeconds: z.int().min(30).max(86_400).default(3_600).describe('longest that a request may name'),
          perIdentity: z.int().min(1).max(50).default(5).describe('beyond it the oldest ends'),
        })
        .refine(({ seconds, mostSeconds }) => seconds <= mostSeconds, {
          path: ['seconds'],
          message: 'must not be more than mostSeconds',
        })
        .prefault({})
        .describe('Tokens that are bound to one identity'),
      adjudication: z
        .strictObject({
          service: z
            .strictObject({
              application: z
                .string()
                .min(1)
                .max(100)
                .refine((name) => !isReservedName(name), 'is a name of the appliance itself')
                .describe('whoever holds its back-end key decides as this service, never as staff'),
            })
            .optional(),
        })
        .prefault({})
        .describe('A service outside that is told by webhooks, looks and decides'),
      hideClaimData: z.boolean().default(false).describe('GET claim shows id, time and type only'),
    })
    .prefault({ id: 'default', name: UNNAMED_TENANT, mode: 'test', policy: 'default' })
    .describe('test mode accepts specimen documents; an identity keeps the mode that it was made in'),
  kek: z
    .strictObject({ source: z.enum(['key-file', 'shell', 'pkcs11']) })
    .default({ source: 'key-file' })
    .describe('Where the master key comes from; no other source is ever tried'),
  pkcs11: z
    .strictObject({
      library: z.string().min(1).describe("path of the token's PKCS#11 library"),
      tokenLabel: z.string().min(1),
      pinFile: z.string().min(1).describe('file with the PIN, relative to the data folder, mode 0600'),
      kekLabel: z.string().default('counterproof-kek'),
      plugin: z.string().min(1).optional().describe('folder of the plug-in; else plugins/pkcs11'),
    })
    .optional()
    .describe('The token that holds the master key or the signing keys'),
  signing: z
    .strictObject({
      source: z.enum(['key-file', 'pkcs11']).default('key-file').describe('of keys made from now on'),
      timestamp: z
        .strictObject({
          url: HTTP_ADDRESS,
          allowHttp: z
            .boolean()
            .default(false)
            .describe('permits http://: an answer is signed and a request holds only a hash'),
          tokenFile: z.string().optional().describe('file with a bearer token'),
          timeoutMs: z.int().min(100).default(10_000),
          required: z.boolean().default(false).describe('no proof is sealed without its token'),
        })
        .refine(({ url, allowHttp }) => allowHttp || url.startsWith('https:'), {
          path: ['url'],
          error: 'plain http is refused; use https, or set allowHttp',
        })
        .refine(
          ({ url, tokenFile }) =>
            tokenFile === undefined || url.startsWith('https:') || isLoopbackAddress(url),
          {
            path: ['url'],
            error: 'plain http would send the bearer token readable over the network; use https',
          },
        )
        .optional()
        .describe('Time-stamping authority (RFC 3161)'),
    })
    .prefault({}),
  proof: z
    .strictObject({ videos: z.boolean().default(false).describe('videos go into the archive') })
    .prefault({}),
  rateLimits: z
    .strictObject({
      relyingServicePerMinute: z.int().min(1).default(600),
      userAgentPerMinute: z.int().min(1).default(120),
      otpPerMinute: z.int().min(1).default(10).describe('Submissions of one-time passcodes of one identity'),
    })
    .prefault({}),
  uploads: z
    .strictObject({
      maxFileBytes: z
        .int()
        .min(1024)
        .default(20 * MIB),
      serverBudgetBytes: z
        .int()
        .default(160 * MIB)
        .describe('of all bodies under way; a body is in memory two to three times while it is stored'),
      applicationBudgetBytes: z
        .int()
        .default(96 * MIB)
        .describe('of the bodies of one application, and of its capture sessions'),
      idleSeconds: z
        .number()
        .positive()
        .default(10)
        .describe('in which a body beyond 64 KiB delivers at least 64 KiB more, or ends with 408'),
    })
    .refine(
      ({ maxFileBytes, applicationBudgetBytes }) => applicationBudgetBytes >= 3 * maxFileBytes + 17 * MIB,
      {
        path: ['applicationBudgetBytes'],
        error: 'must hold the largest body: three times uploads.maxFileBytes and 17 MiB',
      },
    )
    .refine(({ serverBudgetBytes, applicationBudgetBytes }) => serverBudgetBytes >= applicationBudgetBytes, {
      path: ['serverBudgetBytes'],
      error: 'must not be less than uploads.applicationBudgetBytes',
    })
    .prefault({}),
  quotas: QuotasConfig,
  retention: z
    .strictObject({
      proofRepeatHours: z.number().min(0).default(24).describe('How long GET proof repeats the archive'),
      afterProof: z
        .enum(['erase', 'keep'])
        .default('erase')
        .describe('what happens then, once the central service has the proof too where sync is on'),
      abandonedHours: z
        .number()
        .min(0)
        .default(168)
        .describe('an open identity that nothing happens to is erased; 0: never'),
    })
    .prefault({}),
  sync: z
    .strictObject({
      pollSeconds: z
        .number()
        .min(1)
        .default(60)
        .describe('how often the central service is asked when nothing is to be sent'),
      timeoutMs: z.int().min(100).default(30_000).describe('for each request'),
      chunkBytes: z
        .int()
        .min(1024)
        .max(4 * 1024 * 1024)
        .default(256 * 1024),
      bytesPerSecond: z.int().min(0).default(0).describe('cap on what is sent; 0: none'),
      caFile: z
        .string()
        .optional()
        .describe("PEM of the central service's TLS certificate authority, if no public one"),
      freeze: z
        .strictObject({
          backlog: z.int().min(1).default(500).describe('proofs that wait for the central service'),
          ageHours: z.number().positive().default(168).describe('of the oldest of them'),
          parked: z.int().min(1).default(10).describe('proofs that the central service has refused'),
          freeMegabytes: z.int().min(0).default(500).describe('left on the disk'),
          clockUncertaintyMinutes: z.number().positive().default(1440),
        })
        .prefault({})
        .describe('Beyond these, new proofings are refused before anything can be lost'),
    })
    .prefault({})
    .describe(
      'In force once the kiosk has joined a central service; the limits of the disk and the clock always',
    ),
  backup: z
    .strictObject({
      folder: z.string().min(1).describe('another disk than that of the data folder'),
      keysFolder: z
        .string()
        .min(1)
        .describe('where the newest keys of the identities go, no older generations kept'),
      everyHours: z.number().positive().default(24),
      keep: z.int().min(1).default(14).describe('generations'),
    })
    .refine(({ folder, keysFolder }) => folder !== keysFolder, 'folder and keysFolder must differ')
    .optional()
    .describe('Backups that the appliance makes by itself'),
  lifetimes: z
    .strictObject({
      transactionHours: z.number().positive().default(72),
      atExpiry: z
        .enum(['end-open', 'erase', 'keep'])
        .default('end-open')
        .describe(
          'what then becomes of a transaction that is not paused; end-open: what is awaited ends, and it can only be sealed',
        ),
      documentSessionSeconds: z.number().positive().default(600),
      portraitSessionSeconds: z.number().positive().default(90),
      adjudicationHours: z.number().positive().default(48),
      trustedClaimMinutes: z.number().positive().default(10),
    })
    .prefault({})
    .describe('After which time something ends by the clock'),
  otp: z
    .strictObject({
      digits: z.int().min(4).max(12).default(6).describe('at least 10 for strict assurance profiles'),
      minutes: z.number().positive().max(60).default(10),
      attempts: z.int().min(1).default(5),
      perHour: z
        .int()
        .min(1)
        .default(3)
        .describe('codes sent per identity and hour, and per number and hour'),
    })
    .prefault({}),
  liveness: z
    .strictObject({
      type: z.enum(LIVENESS_TYPES).default('LIVENESS_PASSIVE_VIDEO'),
      securityLevel: z.enum(SECURITY_LEVELS).default('MEDIUM'),
      emptySceneFile: z
        .string()
        .min(1)
        .optional()
        .describe("the fixed camera's picture with nobody before it, relative to the data folder"),
    })
    .prefault({})
    .describe('Used where a capture session names none'),
  antifraud: AntifraudConfig,
  environment: EnvironmentConfig,
  cameras: CamerasConfig,
  brand: BrandName,
  kiosk: KioskConfig,
  shell: ShellConfig,
  counter: CounterConfig,
  connectors: z
    .strictObject({
      sms: z
        .strictObject({
          url: HTTP_ADDRESS,
          allowHttp: ALLOW_HTTP,
          tokenFile: z.string().optional().describe('file with the bearer token'),
          timeoutMs: z.int().min(100).default(10_000),
        })
        .superRefine(demandHttpsFor('url'))
        .optional()
        .describe('HTTP gateway of an SMS carrier'),
      biometrics: z
        .strictObject({
          url: HTTP_ADDRESS,
          allowHttp: ALLOW_HTTP,
          tokenFile: z.string().optional().describe('file with the bearer token'),
          callbackSecretFile: z.string().describe('file with the secret of its callbacks, whsec_…'),
          timeoutMs: z.int().min(100).default(10_000).describe('for each call'),
          livenessTypes: z
            .array(z.enum(LIVENESS_TYPES))
            .min(1)
            .default([...LIVENESS_TYPES])
            .describe(
              'what is left to it of sessions that /v1 opens; all others, and those of kiosk and counter, are carried out here',
            ),
          publicUrl: HTTP_ADDRESS.describe('where it reaches this server'),
        })
        .superRefine(demandHttpsFor('url', 'publicUrl'))
        .optional()
        .describe('External biometric server for liveness sessions'),
      adjudication: z
        .strictObject({
          callbackSecretFile: z.string().describe('file with the secret of its answers, whsec_…'),
          publicUrl: HTTP_ADDRESS.describe('where it reaches this server'),
          allowHttp: ALLOW_HTTP,
        })
        .superRefine(demandHttpsFor('publicUrl'))
        .optional()
        .describe('Adjudication service that answers by signed callbacks'),
      documentStatus: DocumentStatusConnector.optional(),
      oidc: z
        .strictObject({
          publicUrl: HTTP_ADDRESS.optional().describe(
            'Address under which browsers reach this server; else that of the socket',
          ),
          allowHttp: ALLOW_HTTP,
          timeoutMs: z.int().min(100).default(10_000).describe('for each call to a provider'),
          providers: z
            .array(
              z.strictObject({
                id: z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/),
                name: z.string().min(1).max(80).optional().describe('as people know it; else its id'),
                issuer: HTTP_ADDRESS,
                clientId: z.string().min(1),
                clientSecretFile: z.string().optional().describe('relative to the data folder'),
                scope: z.string().default('openid profile'),
                acrValues: z.string().optional().describe('demanded: another level is not verified'),
                prompt: z.string().default('login').describe('login: no session of somebody else counts'),
                claims: z
                  .record(z.string(), z.unknown())
                  .optional()
                  .describe('sent as the claims parameter, to ask for verified_claims'),
                sendLoginHint: z.boolean().default(false).describe("userIdentifier in the provider's URL"),
                score: z.enum(LEVELS).default('LEVEL2').describe('what a verified claim of it is worth'),
                allowedPostAuthRedirects: z.array(HTTP_ADDRESS).default([]),
              }),
            )
            .default([]),
        })
        .superRefine(
          demandHttps(({ publicUrl, providers }) => [
            ...(publicUrl === undefined ? [] : [{ path: ['publicUrl'], address: publicUrl }]),
            ...providers.flatMap(({ issuer, allowedPostAuthRedirects }, index) => [
              { path: ['providers', index, 'issuer'], address: issuer },
              ...allowedPostAuthRedirects.map((address, at) => ({
                path: ['providers', index, 'allowedPostAuthRedirects', at],
                address,
              })),
            ]),
          ]),
        )
        .prefault({}),
    })
    .prefault({})
    .describe('Services outside the appliance; what is not configured is reported as unverified'),
  webhooks: z
    .strictObject({
      allowHttp: z.boolean().default(false).describe('plain http, for a head office in the same house'),
      allowPrivateAddresses: z
        .boolean()
        .default(false)
        .describe('addresses of this machine and of private networks'),
      timeoutSeconds: z.number().min(1).max(30).default(20).describe('until an answer has to be there'),
      caFile: z
        .string()
        .min(1)
        .optional()
        .describe("PEM of the receivers' TLS certificate authority, if no public one"),
    })
    .prefault({})
    .describe('Where events may be told to'),
  http: z
    .strictObject({
      headersTimeoutMs: z.int().min(100).default(10_000),
      requestTimeoutMs: z.int().min(100).default(120_000),
      maxConnections: z.int().min(1).default(1_000),
    })
    .prefault({})
    .describe('How long a caller may take to send'),
  vision: z
    .strictObject({
      packs: z.enum(['core', 'all']).default('all').describe('all: the extended pack too, where installed'),
      callTimeoutMs: z.int().min(1000).default(60_000),
      sandbox: z
        .enum(['auto', 'required', 'off'])
        .default('auto')
        .describe('of the processes that decode pictures; required: no start without'),
    })
    .prefault({}),
  logLevel: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
})

/** Rules about several options also run if another option is wrong, so that all problems are listed together. */
const evenWithProblems = { when: () => true }

const FileSchema = LISTENERS.reduce(
  (schema, name) =>
    schema.refine((options) => !lacksProxy(options, name), {
      path: ['listeners', name, 'proxyTerminatesTls'],
      error: 'needs the address of the reverse proxy in trustedProxies, which is empty',
      ...evenWithProblems,
    }),
  Options,
).refine(({ listeners, counter }) => listeners?.counter === undefined || counter?.enabled !== false, {
  path: ['listeners', 'counter'],
  error: 'would carry the counter, which counter.enabled switches off. Remove one of the two',
  ...evenWithProblems,
})

export type Config = Readonly<z.infer<typeof FileSchema>> & { readonly dataDir: string }

interface ConfigOverrides {
  readonly dataDir?: string
  readonly port?: number
  readonly packs?: 'core' | 'all'
  readonly kioskWindow?: Config['kiosk']['window']
  readonly logLevel?: Config['logLevel']
}

export const CONFIG_FILE = 'config.json'

/** Default data folder unless --data is given. */
export function defaultDataDir(env: NodeJS.ProcessEnv = process.env): string {
  const base = env.XDG_DATA_HOME ?? join(env.HOME ?? homedir(), '.local', 'share')
  return join(base, 'counterproof')
}

/** Throws `configuration_invalid` with one problem per field. */
export function loadConfig(overrides: ConfigOverrides = {}): Config {
  const dataDir = resolve(overrides.dataDir ?? defaultDataDir())
  const { port, packs, kioskWindow, logLevel } = overrides
  const file = readConfigFile(join(dataDir, CONFIG_FILE))
  const given = Object.fromEntries(
    Object.entries({ port, logLevel }).filter(([, value]) => value !== undefined),
  )
  const merged = {
    ...file,
    ...given,
    ...(packs ? { vision: { ...object(file.vision), packs } } : {}),
    ...(kioskWindow ? { kiosk: { ...object(file.kiosk), window: kioskWindow } } : {}),
  }
  // The next start may have no overrides, so the file must be valid by itself.
  checkConfig({ ...file, ...given }, dataDir, CONFIG_FILE)
  return checkConfig(merged, dataDir, CONFIG_FILE)
}

/** @param file origin of the values, for messages. Throws `configuration_invalid` with one problem per field. */
export function checkConfig(value: unknown, dataDir: string, file: string): Config {
  const parsed = FileSchema.safeParse(value)
  if (!parsed.success) {
    throw new AppError(
      'configuration_invalid',
      { file },
      {
        problems: parsed.error.issues.map((issue) => ({
          code: issue.code,
          field: issue.path.join('.') || file,
          message: issue.message,
        })),
      },
    )
  }
  return Object.freeze({ ...parsed.data, dataDir })
}

/**
 * Changes config.json atomically after checking it like the next start would. Throws `configuration_invalid` and keeps
 * the old file then.
 */
export function changeConfigFile(
  dataDir: string,
  change: (file: Record<string, unknown>) => Record<string, unknown>,
): void {
  const path = join(dataDir, CONFIG_FILE)
  const changed = change(readConfigFile(path))
  checkConfig(changed, dataDir, CONFIG_FILE)
  writeFileWhole(path, `${JSON.stringify(changed, null, 2)}\n`, IN_OUR_FOLDER)
}

/** Returns an empty object if there is no file. Throws `configuration_invalid`. */
export function readConfigFile(path: string): Record<string, unknown> {
  if (!existsSync(path)) return {}
  try {
    return object(JSON.parse(readOwnFile(path, 'settings').toString('utf8')))
  } catch (cause) {
    const problem =
      cause instanceof UnsafeFileError
        ? { code: 'unsafe_file', field: CONFIG_FILE, message: `${cause.path}: ${cause.message}` }
        : { code: 'not_json', field: CONFIG_FILE, message: 'the file is not a JSON object' }
    throw new AppError('configuration_invalid', { file: CONFIG_FILE }, { cause, problems: [problem] })
  }
}

function object(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
}
