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
  requireHttps,
  demandHttpsFor,
  HTTP_ADDRESS,
  isLoopbackAddress,
  isPlainHttp,
} from '../outgoing/service-address.ts'
import { TrustedProxies } from '../listen-address.ts'
import { LIVENESS_GRADES } from '../proofing/liveness/types.ts'
import { CONSENT_TYPES, LEVELS, LIVENESS_TYPES, SECURITY_LEVELS } from '../proofing/types.ts'
import {
  AntifraudConfig,
  DocumentStatusConnector,
  EnvironmentConfig,
  FraudRegisterConnector,
} from './antifraud.ts'
import { CamerasConfig } from './cameras.ts'
import { ReadersConfig } from './readers.ts'
import { EVEN_WITH_PROBLEMS } from './even-with-problems.ts'
import { EnginesConfig } from './engines.ts'
import { CardOwnershipConfig } from './card-ownership.ts'
import { AddressRegistersConfig } from './address-registers.ts'
import { BureausConfig } from './bureaus.ts'
import { describeIssue } from './issue-words.ts'
import { IssuerAuConnector } from './issuer-au.ts'
import { IssuerUsConnector } from './issuer-us.ts'
import { IssuersConfig } from './issuers.ts'
import { MetricsConfig } from './metrics.ts'
import { OperatorConnector } from './operator.ts'
import { listFileProblems } from './named-files.ts'
import { lacksProxy, LISTENERS, Listeners, MainHost } from './listeners.ts'
import { QuotasConfig } from './quotas.ts'
import { SmsConnector } from './sms.ts'
import { SmtpConnector } from './smtp.ts'
import { VoiceConnector } from './voice.ts'
import { BrandName, CounterConfig, KioskConfig } from './screens.ts'
import { Sharing } from './sharing.ts'
import { checkAddressAndCredentials, serviceOptions, serviceSchema } from './service-options.ts'
import { ShellConfig } from './shell.ts'
import { UNNAMED_TENANT } from './tenant-name.ts'
import { textLike } from './text-forms.ts'

const MIB = 1024 * 1024

const Options = z.strictObject({
  host: MainHost,
  port: z.int().min(0).max(65535).default(8717).describe('Port; 0 takes a free one'),
  allowedHosts: z.array(z.string()).default([]).describe('Further host names of the server'),
  allowedOrigins: z.array(z.string()).default([]).describe('Further web origins that may call the server'),
  trustedProxies: TrustedProxies,
  listeners: Listeners,
  tenant: z
    .strictObject({
      id: textLike(/^[a-z0-9-]{1,40}$/, 'must be 1 to 40 small letters, digits and hyphens'),
      name: z.string().min(1).max(100),
      mode: z.enum(['test', 'production']),
      policy: z.string().min(1),
      features: z
        .strictObject({
          adjudication: z.boolean().default(true),
          antifraud: z.boolean().default(true),
          mobileOtp: z.boolean().default(true),
          emailOtp: z.boolean().default(true),
          landlineOtp: z.boolean().default(true),
          idClaim: z.boolean().default(true),
          trustedIdClaim: z.boolean().default(true),
          pauseResume: z.boolean().default(false),
          issuerVerification: z.boolean().default(false),
        })
        .prefault({})
        .describe('Features of this tenant; a disabled one answers 403'),
      requiredConsents: z
        .partialRecord(z.enum(EVIDENCE_KINDS), z.array(z.enum(CONSENT_TYPES)))
        .default({})
        .describe('Consents that a kind of evidence requires in addition to those of the API'),
      sharing: Sharing,
      userAgentKeys: z
        .enum(['allowed', 'refused'])
        .default('allowed')
        .describe(
          'refused: user-agent keys are refused, so applications of end users need user-agent tokens',
        ),
      userAgentTokens: z
        .strictObject({
          seconds: z.int().min(30).default(900).describe('Default lifetime in seconds'),
          mostSeconds: z
            .int()
            .min(30)
            .max(86_400)
            .default(3_600)
            .describe('Maximum lifetime in seconds that a request may name'),
          perIdentity: z
            .int()
            .min(1)
            .max(50)
            .default(5)
            .describe('Maximum number of valid tokens per identity; a further one invalidates the oldest'),
        })
        .refine(({ seconds, mostSeconds }) => !(seconds > mostSeconds), {
          path: ['seconds'],
          message: 'must not be more than mostSeconds',
          ...EVEN_WITH_PROBLEMS,
        })
        .prefault({})
        .describe('User-agent tokens, each bound to one identity'),
      adjudication: z
        .strictObject({
          service: z
            .strictObject({
              application: z
                .string()
                .min(1)
                .max(100)
                .refine((name) => !isReservedName(name), 'is a name of the appliance itself')
                .describe('Application whose back-end key decides as this service, never as staff'),
            })
            .optional(),
        })
        .prefault({})
        .describe('Outside service that gets webhooks, inspects and decides'),
      hideClaimData: z.boolean().default(false).describe('GET claim returns only id, time and type'),
    })
    .prefault({ id: 'default', name: UNNAMED_TENANT, mode: 'test', policy: 'default' })
    .describe('test accepts specimen documents; an identity keeps the mode of its creation'),
  kek: z
    .strictObject({ source: z.enum(['key-file', 'shell', 'pkcs11']) })
    .default({ source: 'key-file' })
    .describe('Source of the master key; no other source is tried'),
  pkcs11: z
    .strictObject({
      library: z.string().min(1).describe("Path of the token's PKCS#11 library"),
      tokenLabel: z.string().min(1),
      pinFile: z.string().min(1).describe('File with the PIN, relative to the data folder, mode 0600'),
      kekLabel: z.string().default('counterproof-kek'),
      plugin: z.string().min(1).optional().describe('Folder of the plug-in (default: plugins/pkcs11)'),
    })
    .optional()
    .describe('The token that holds the master key or the signing keys'),
  signing: z
    .strictObject({
      source: z.enum(['key-file', 'pkcs11']).default('key-file').describe('Storage of new signing keys'),
      timestamp: z
        .strictObject({
          ...serviceOptions(10_000),
          allowHttp: z
            .boolean()
            .default(false)
            .describe('Permits http://; the answer is signed, and the request contains only a hash'),
          required: z.boolean().default(false).describe('Refuses to seal a proof without a time stamp'),
        })
        .refine(({ url, allowHttp }) => allowHttp || !isPlainHttp(url), {
          path: ['url'],
          error: 'plain http is refused; use https, or set allowHttp',
          ...EVEN_WITH_PROBLEMS,
        })
        .refine(
          ({ url, tokenFile, oauth }) =>
            (tokenFile === undefined && oauth === undefined) || !isPlainHttp(url) || isLoopbackAddress(url),
          {
            path: ['url'],
            error: 'plain http would send the bearer token readable over the network; use https',
            ...EVEN_WITH_PROBLEMS,
          },
        )
        .superRefine(checkAddressAndCredentials, EVEN_WITH_PROBLEMS)
        .optional()
        .describe('Time-stamping authority (RFC 3161)'),
    })
    .prefault({}),
  proof: z
    .strictObject({ videos: z.boolean().default(false).describe('Stores videos in the archive') })
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
        .describe(
          'Bytes of all bodies in transfer; a body is in memory two to three times while it is stored',
        ),
      applicationBudgetBytes: z
        .int()
        .default(96 * MIB)
        .describe('Bytes of the bodies of one application and its capture sessions'),
      idleSeconds: z
        .number()
        .positive()
        .default(10)
        .describe('Time in which a body above 64 KiB must deliver 64 KiB more; otherwise it ends with 408'),
    })
    .refine(
      ({ maxFileBytes, applicationBudgetBytes }) => !(applicationBudgetBytes < 3 * maxFileBytes + 17 * MIB),
      {
        path: ['applicationBudgetBytes'],
        error: 'must hold the largest body: three times uploads.maxFileBytes and 17 MiB',
        ...EVEN_WITH_PROBLEMS,
      },
    )
    .refine(
      ({ serverBudgetBytes, applicationBudgetBytes }) => !(serverBudgetBytes < applicationBudgetBytes),
      {
        path: ['serverBudgetBytes'],
        error: 'must not be less than uploads.applicationBudgetBytes',
        ...EVEN_WITH_PROBLEMS,
      },
    )
    .prefault({}),
  quotas: QuotasConfig,
  retention: z
    .strictObject({
      proofRepeatHours: z
        .number()
        .min(0)
        .default(24)
        .describe('Hours in which GET proof repeats the archive'),
      afterProof: z
        .enum(['erase', 'keep'])
        .default('erase')
        .describe('Action after that time, and with sync only when the central service has the proof'),
      abandonedHours: z
        .number()
        .min(0)
        .default(168)
        .describe('Hours without any event after which an open identity is erased; 0: never'),
    })
    .prefault({}),
  sync: z
    .strictObject({
      pollSeconds: z
        .number()
        .min(1)
        .default(60)
        .describe('Seconds between two contacts with the central service if no proof waits'),
      timeoutMs: z.int().min(100).default(30_000).describe('Time limit of a request'),
      chunkBytes: z
        .int()
        .min(1024)
        .max(4 * 1024 * 1024)
        .default(256 * 1024),
      bytesPerSecond: z
        .int()
        .min(0)
        .default(0)
        .describe('Maximum rate of what is sent and of files that are downloaded; 0: no limit'),
      caFile: z
        .string()
        .optional()
        .describe("PEM file of the central service's certificate authority, if it is not a public one"),
      freeze: z
        .strictObject({
          backlog: z.int().min(1).default(500).describe('Number of proofs that wait for the central service'),
          ageHours: z.number().positive().default(168).describe('Age of the oldest waiting proof in hours'),
          parked: z.int().min(1).default(10).describe('Number of proofs that the central service refused'),
          freeMegabytes: z.int().min(0).default(500).describe('Free bytes on the disk'),
          clockUncertaintyMinutes: z.number().positive().default(1440),
        })
        .prefault({})
        .describe('Limits beyond which new proofings are refused, so that no proof is lost'),
    })
    .prefault({})
    .describe(
      'Sync; in force once the kiosk has joined a central service. The limits of disk and clock are always in force',
    ),
  updates: z
    .strictObject({
      enabled: z
        .boolean()
        .default(false)
        .describe('The central service may update this machine; only with the root updater of the package'),
      hours: z
        .strictObject({ from: z.int().min(0).max(23), to: z.int().min(0).max(24) })
        .refine(({ from, to }) => from !== to, {
          error: 'from and to must differ; 0 to 24 is the whole day',
          ...EVEN_WITH_PROBLEMS,
        })
        .default({ from: 1, to: 5 })
        .describe('Hours of the local time in which an installation may begin; also over midnight'),
    })
    .prefault({})
    .describe('Updates by the central service'),
  backup: z
    .strictObject({
      folder: z.string().min(1).describe('Folder of the backups, on another disk than the data folder'),
      keysFolder: z
        .string()
        .min(1)
        .describe('Folder of the newest keys of the identities; no older copy is kept'),
      everyHours: z.number().positive().default(24),
      keep: z.int().min(1).default(14).describe('Number of backups to keep'),
    })
    .refine(({ folder, keysFolder }) => !folder || folder !== keysFolder, {
      error: 'folder and keysFolder must differ',
      ...EVEN_WITH_PROBLEMS,
    })
    .optional()
    .describe('Automatic backups'),
  lifetimes: z
    .strictObject({
      transactionHours: z.number().positive().default(72),
      atExpiry: z
        .enum(['end-open', 'erase', 'keep'])
        .default('end-open')
        .describe(
          'Action at the end of a transaction that is not paused; end-open: open evidence ends, and the identity can ' +
            'only be sealed',
        ),
      documentSessionSeconds: z.number().positive().default(600),
      portraitSessionSeconds: z.number().positive().default(90),
      adjudicationHours: z.number().positive().default(48),
      trustedClaimMinutes: z.number().positive().default(10),
    })
    .prefault({})
    .describe('Time limits'),
  otp: z
    .strictObject({
      digits: z
        .int()
        .min(4)
        .max(12)
        .default(6)
        .describe('Number of digits; at least 10 for strict assurance profiles'),
      minutes: z.number().positive().max(60).default(10),
      attempts: z.int().min(1).default(5),
      perHour: z
        .int()
        .min(1)
        .default(3)
        .describe('Maximum number of codes sent per hour, per identity and per number'),
    })
    .prefault({}),
  liveness: z
    .strictObject({
      type: z.enum(LIVENESS_TYPES).default('LIVENESS_ACTIVE'),
      securityLevel: z.enum(SECURITY_LEVELS).default('MEDIUM'),
      emptySceneFile: z
        .string()
        .min(1)
        .optional()
        .describe('Picture of the fixed camera without a person, relative to the data folder'),
      cameraMoves: z
        .boolean()
        .optional()
        .describe(
          'True: the camera is carried about, so a scene that moves says nothing. Unset: false for kiosk and counter, true for other applications',
        ),
      recordingsDir: z
        .string()
        .min(1)
        .optional()
        .describe(
          'Folder for recordings of portrait sessions, not encrypted, for an evaluation (docs/evaluate.md); only in test mode. Relative to the data folder',
        ),
    })
    .prefault({})
    .describe('Defaults for a capture session that names none'),
  antifraud: AntifraudConfig,
  environment: EnvironmentConfig,
  cameras: CamerasConfig,
  readers: ReadersConfig,
  brand: BrandName,
  kiosk: KioskConfig,
  shell: ShellConfig,
  counter: CounterConfig,
  connectors: z
    .strictObject({
      sms: SmsConnector.optional().describe('SMS carrier: an HTTP gateway, or an SMPP centre'),
      smtp: SmtpConnector.optional().describe('Mail server that sends passcodes by e-mail'),
      voice: VoiceConnector.optional().describe('Gateway that calls landlines and tells passcodes'),
      operator: OperatorConnector.optional().describe(
        'Mobile operator that says whose phone number it is; asked only with the consent MOBILE',
      ),
      biometrics: serviceSchema({
        ...serviceOptions(10_000),
        callbackSecretFile: z.string().describe('File with the secret of its callbacks, whsec_…'),
        livenessTypes: z
          .array(z.enum(LIVENESS_TYPES))
          .min(1)
          .default([...LIVENESS_TYPES])
          .describe(
            'Liveness types of /v1 sessions that it carries out; the appliance carries out the others, and those of kiosk ' +
              'and counter',
          ),
        livenessStops: z
          .array(z.enum(LIVENESS_GRADES))
          .default([])
          .describe(
            'Attacks that an independent evaluation showed its liveness check to stop. Proofs state them, and policies ' +
              'require them: name only what a report says',
          ),
        publicUrl: HTTP_ADDRESS.describe('Address at which it reaches this server'),
      })
        .superRefine(demandHttpsFor('publicUrl'), EVEN_WITH_PROBLEMS)
        .optional()
        .describe('External biometric server for liveness sessions'),
      adjudication: z
        .strictObject({
          callbackSecretFile: z.string().describe('File with the secret of its answers, whsec_…'),
          publicUrl: HTTP_ADDRESS.describe('Address at which it reaches this server'),
          allowHttp: ALLOW_HTTP,
        })
        .superRefine(demandHttpsFor('publicUrl'), EVEN_WITH_PROBLEMS)
        .optional()
        .describe('Adjudication service that answers by signed callbacks'),
      documentStatus: DocumentStatusConnector.optional(),
      fraudRegister: FraudRegisterConnector.optional(),
      issuers: IssuersConfig,
      issuerAu: IssuerAuConnector.optional(),
      issuerUs: IssuerUsConnector.optional(),
      bureaus: BureausConfig,
      addressRegisters: AddressRegistersConfig,
      cardOwnership: CardOwnershipConfig.optional(),
      oidc: z
        .strictObject({
          publicUrl: HTTP_ADDRESS.optional().describe(
            'Address at which browsers reach this server (default: the address of the socket)',
          ),
          allowHttp: ALLOW_HTTP,
          timeoutMs: z.int().min(100).default(10_000).describe('Time limit of a call to a provider'),
          providers: z
            .array(
              z.strictObject({
                id: textLike(
                  /^[A-Za-z0-9_.-]{1,64}$/,
                  'must be 1 to 64 letters, digits, dots, hyphens and underscores',
                ),
                name: z.string().min(1).max(80).optional().describe('Name for people (default: the id)'),
                issuer: HTTP_ADDRESS,
                clientId: z.string().min(1),
                clientSecretFile: z
                  .string()
                  .optional()
                  .describe('File with the client secret, relative to the data folder'),
                scope: z.string().default('openid profile'),
                acrValues: z
                  .string()
                  .optional()
                  .describe('Required acr values; a login with another one is not verified'),
                prompt: z
                  .string()
                  .default('login')
                  .describe('Prompt parameter; login ignores an existing session at the provider'),
                claims: z
                  .record(z.string(), z.unknown())
                  .optional()
                  .describe('Claims parameter, to request verified_claims'),
                sendLoginHint: z
                  .boolean()
                  .default(false)
                  .describe("Sends userIdentifier as login hint in the provider's URL"),
                score: z.enum(LEVELS).default('LEVEL2').describe('Score of a verified claim'),
                allowedPostAuthRedirects: z.array(HTTP_ADDRESS).default([]),
              }),
            )
            .default([]),
        })
        .superRefine(
          requireHttps(({ publicUrl, providers }) => [
            ...(publicUrl === undefined ? [] : [{ path: ['publicUrl'], address: publicUrl }]),
            ...listReadable(providers).flatMap(([{ issuer, allowedPostAuthRedirects }, index]) => [
              { path: ['providers', index, 'issuer'], address: issuer },
              ...listReadable(allowedPostAuthRedirects).map(([address, at]) => ({
                path: ['providers', index, 'allowedPostAuthRedirects', at],
                address,
              })),
            ]),
          ]),
          EVEN_WITH_PROBLEMS,
        )
        .prefault({}),
    })
    .prefault({})
    .describe('Outside services; a check that needs a missing one is reported as unverified'),
  webhooks: z
    .strictObject({
      allowHttp: z.boolean().default(false).describe('Permits http://, for a receiver in the same building'),
      allowPrivateAddresses: z
        .boolean()
        .default(false)
        .describe('Permits addresses of this machine and of private networks'),
      timeoutSeconds: z.number().min(1).max(30).default(20).describe('Time limit of a delivery'),
      caFile: z
        .string()
        .min(1)
        .optional()
        .describe("PEM file of the receivers' certificate authority, if it is not a public one"),
    })
    .prefault({})
    .describe('Delivery of webhooks'),
  http: z
    .strictObject({
      headersTimeoutMs: z.int().min(100).default(10_000),
      requestTimeoutMs: z.int().min(100).default(120_000),
      maxConnections: z.int().min(1).default(1_000),
    })
    .prefault({})
    .describe('Time limits for the sending of a request'),
  vision: z
    .strictObject({
      packs: z
        .enum(['core', 'all'])
        .default('all')
        .describe('Model packs; all includes the extended pack if it is installed'),
      callTimeoutMs: z.int().min(1000).default(60_000),
      sandbox: z
        .enum(['auto', 'required', 'off'])
        .default('auto')
        .describe(
          'Sandbox of the processes that decode pictures and read chips; required refuses a start without it',
        ),
    })
    .prefault({}),
  engines: EnginesConfig,
  metrics: MetricsConfig,
  traces: serviceSchema(serviceOptions(10_000))
    .optional()
    .describe(
      'Collector of OpenTelemetry that gets the traces of proofings by OTLP/HTTP; absent: none are made',
    ),
  logLevel: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
})

/** The members with their places; none of a value that is no array of objects or texts. */
const listReadable = <T>(members: readonly T[]): readonly (readonly [T, number])[] =>
  Array.isArray(members) ? members.flatMap((member: T, at) => (member ? [[member, at] as const] : [])) : []

const FileSchema = LISTENERS.reduce(
  (schema, name) =>
    schema.refine((options) => !lacksProxy(options, name), {
      path: ['listeners', name, 'proxyTerminatesTls'],
      error: 'needs the address of the reverse proxy in trustedProxies, which is empty',
      ...EVEN_WITH_PROBLEMS,
    }),
  Options,
)
  .refine(({ liveness, tenant }) => liveness?.recordingsDir === undefined || tenant?.mode === 'test', {
    path: ['liveness', 'recordingsDir'],
    error: 'stores faces without encryption, so it is only allowed while tenant.mode is test',
    ...EVEN_WITH_PROBLEMS,
  })
  .refine(({ listeners, counter }) => listeners?.counter === undefined || counter?.enabled !== false, {
    path: ['listeners', 'counter'],
    error: 'would carry the counter, which counter.enabled switches off. Remove one of the two',
    ...EVEN_WITH_PROBLEMS,
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
export function getDefaultDataDir(env: NodeJS.ProcessEnv = process.env): string {
  const base = env.XDG_DATA_HOME ?? join(env.HOME ?? homedir(), '.local', 'share')
  return join(base, 'counterproof')
}

/** Throws `configuration_invalid` with one problem per field. */
export function loadConfig(overrides: ConfigOverrides = {}): Config {
  const dataDir = resolve(overrides.dataDir ?? getDefaultDataDir())
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
  try {
    // The next start may have no overrides, so the file must be valid by itself.
    checkConfig({ ...file, ...given }, dataDir, CONFIG_FILE)
    return checkConfig(merged, dataDir, CONFIG_FILE)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code, details, problems, cause } = error
    // A start checks the files of a valid configuration.
    throw new AppError(code, details, { problems: [...problems, ...listFileProblems(file, dataDir)], cause })
  }
}

/** @param file origin of the values, for messages. Throws `configuration_invalid` with one problem per field. */
export function checkConfig(value: unknown, dataDir: string, file: string): Config {
  const parsed = FileSchema.safeParse(value, { error: describeIssue })
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

const ConfigObject = z.record(z.string(), z.unknown())

/** Returns an empty object if there is no file. Throws `configuration_invalid`. */
export function readConfigFile(path: string): Record<string, unknown> {
  if (!existsSync(path)) return {}
  try {
    return ConfigObject.parse(JSON.parse(readOwnFile(path, 'settings').toString('utf8')))
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
