/**
 * Read → check → freeze: flags override the environment, which overrides `central.json` in the data folder.
 * Every problem is reported together, by field, before anything starts. Secrets come only from files and the
 * environment, never from flags.
 */
import { createPublicKey, type KeyObject } from 'node:crypto'
import { existsSync } from 'node:fs'
import { availableParallelism, homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import { readOwnFile, UnsafeFileError } from '../files/own-files.ts'
import { isLoopbackHost, TrustedProxies } from '../listen-address.ts'
import type { DatabaseConfig } from './db/open.ts'
import { ALLOW_HTTP, demandHttpsFor, HTTP_ADDRESS } from '../outgoing/service-address.ts'
import { SANDBOX_SETTINGS } from '../sandbox/isolation.ts'
import { HeadOfficeOptionsSchema } from './head-office/options.ts'
import { StaffOptionsSchema, type StaffOidc } from './head-office/staff/options.ts'

export const CONFIG_FILE = 'central.json'
const MASTER_KEY_FILE = join('keys', 'centre.key')

const FileSchema = z
  .strictObject({
    host: z.string().min(1).default('127.0.0.1').describe('Address to listen on'),
    port: z.int().min(0).max(65535).default(8727).describe('Port; 0 takes a free one'),
    tls: z
      .strictObject({ certificateFile: z.string().min(1), keyFile: z.string().min(1) })
      .optional()
      .describe('PEM files, relative to the data folder; without them a reverse proxy must terminate TLS'),
    trustedProxies: TrustedProxies.describe(
      'CENTRE_TRUSTED_PROXIES, separated by commas; only their X-Forwarded-For is used',
    ),
    database: z
      .strictObject({
        url: z
          .string()
          .regex(/^postgres(ql)?:\/\//)
          .optional()
          .describe(
            'DATABASE_URL; without it PostgreSQL runs inside this process (PGlite), for one instance',
          ),
        listenUrl: z
          .string()
          .regex(/^postgres(ql)?:\/\//)
          .optional()
          .describe(
            'DATABASE_LISTEN_URL; address of PostgreSQL itself, if a pooler with pools of transactions answers at url',
          ),
        connections: z
          .int()
          .min(2)
          .max(500)
          .default(10)
          .describe('Maximum number of connections of this instance'),
      })
      .prefault({}),
    masterKeyFile: z
      .string()
      .min(1)
      .default(MASTER_KEY_FILE)
      .describe('CENTRE_KEY_FILE; the same key for every instance, mode 0600'),
    storage: z
      .discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('database') }),
        z
          .strictObject({
            kind: z.literal('s3'),
            endpoint: HTTP_ADDRESS.describe('Address of the storage service, without the bucket'),
            allowHttp: ALLOW_HTTP,
            bucket: z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/),
            region: z.string().min(1).default('us-east-1'),
            prefix: z
              .string()
              .regex(/^[A-Za-z0-9_-]{0,100}$/)
              .default('counterproof'),
            accessKeyId: z.string().min(1).describe('Access key id (or AWS_ACCESS_KEY_ID)'),
            secretAccessKeyFile: z
              .string()
              .min(1)
              .optional()
              .describe('File with the secret access key (or AWS_SECRET_ACCESS_KEY)'),
            timeoutMs: z.int().min(100).default(60_000).describe('Time limit of a request'),
          })
          .superRefine(demandHttpsFor('endpoint')),
      ])
      .default({ kind: 'database' })
      .describe('Storage of packets; they stay encrypted in both cases'),
    gapGraceSeconds: z
      .number()
      .min(0)
      .default(600)
      .describe('Time until a missing sequence number raises an alarm'),
    offlineAfterHours: z
      .number()
      .positive()
      .default(24)
      .describe('Time without contact until a kiosk raises an alarm'),
    clockToleranceSeconds: z
      .number()
      .positive()
      .default(300)
      .describe('Tolerated difference between the clocks of a kiosk and of the central service'),
    abandonedUploadDays: z
      .number()
      .positive()
      .default(14)
      .describe('Time after which an unfinished upload is dropped'),
    retention: z
      .strictObject({
        days: z
          .int()
          .min(1)
          .max(36_500)
          .optional()
          .describe(
            'Days from the storage of a proof until its deletion, for tenants without a rule; absent: kept',
          ),
        accessLogMonths: z
          .int()
          .min(1)
          .max(1200)
          .optional()
          .describe('Months that the access log keeps a month after its end; absent: kept without end'),
        deliveryDays: z
          .int()
          .min(1)
          .max(3650)
          .default(30)
          .describe('Days that the webhook deliveries of a month are kept after its end'),
      })
      .prefault({}),
    maxPacketBytes: z
      .int()
      .min(1024)
      .max(512 * 1024 * 1024)
      .default(512 * 1024 * 1024)
      .describe('Maximum size of a packet, which is decrypted in memory'),
    unfinishedUploads: z
      .int()
      .min(1)
      .default(8)
      .describe('Maximum number of unfinished uploads of a kiosk; a new one replaces an idle one'),
    unfinishedBytes: z
      .int()
      .min(1024)
      .default(2 * 1024 * 1024 * 1024)
      .describe('Maximum bytes of the packets of these uploads'),
    verifications: z
      .int()
      .min(1)
      .max(64)
      .default(() => Math.min(64, Math.max(2, availableParallelism())))
      .describe(
        'Number of packets that are verified at the same time; absent: one for each core, two at least',
      ),
    verificationSandbox: z
      .enum(SANDBOX_SETTINGS)
      .default('auto')
      .describe('Sandbox of the processes that verify archives; required refuses a start without it'),
    http: z
      .strictObject({
        headersTimeoutMs: z.int().min(100).default(10_000),
        requestTimeoutMs: z
          .int()
          .min(100)
          .default(300_000)
          .describe('Time limit of a request body; a chunk of 256 KiB at 1 kB/s takes this time'),
        maxConnections: z.int().min(1).default(2_000),
        leaveSeconds: z
          .number()
          .min(0)
          .max(60)
          .default(0)
          .describe(
            'CENTRE_LEAVE_SECONDS; time after SIGTERM in which /healthcheck answers 503 and requests are still served',
          ),
      })
      .prefault({}),
    releaseKeys: z
      .array(z.string().min(1))
      .max(20)
      .default([])
      .describe(
        'PEM files of the public keys that sign releases for kiosks; without one no release is taken',
      ),
    headOffice: HeadOfficeOptionsSchema.prefault({}),
    staff: StaffOptionsSchema.prefault({}),
    logLevel: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  })
  .refine(({ host, tls, trustedProxies }) => isLoopbackHost(host) || tls || trustedProxies.length > 0, {
    path: ['tls'],
    message:
      'this address can be reached from a network, and without TLS keys and proofs cross it in clear. Set tls, or name the reverse proxy that brings TLS in trustedProxies',
  })
  .refine(({ unfinishedBytes, maxPacketBytes }) => unfinishedBytes >= maxPacketBytes, {
    path: ['unfinishedBytes'],
    message: 'must not be less than maxPacketBytes: a kiosk could not send its largest proof',
  })

type FileConfig = z.infer<typeof FileSchema>
type S3FileConfig = Extract<FileConfig['storage'], { kind: 's3' }>

export type StorageConfig =
  | { readonly kind: 'database' }
  | (Omit<S3FileConfig, 'secretAccessKeyFile' | 'allowHttp'> & { readonly secretAccessKey: string })

export type CentralConfig = Readonly<Omit<FileConfig, 'database' | 'storage' | 'staff' | 'releaseKeys'>> & {
  readonly dataDir: string
  readonly releaseKeys: readonly KeyObject[]
  readonly database: DatabaseConfig
  readonly storage: StorageConfig
  readonly staff: { readonly oidc: StaffOidc | null }
}

interface CentralOverrides {
  readonly dataDir?: string
  readonly port?: number
  readonly host?: string
  readonly logLevel?: CentralConfig['logLevel']
}

export function getDefaultDataDir(env: NodeJS.ProcessEnv = process.env): string {
  const base = env.XDG_DATA_HOME ?? join(env.HOME ?? homedir(), '.local', 'share')
  return env.CENTRE_DATA ?? join(base, 'counterproof-central')
}

/** Throws `configuration_invalid` with one problem per field. */
export function loadCentralConfig(
  overrides: CentralOverrides = {},
  env: NodeJS.ProcessEnv = process.env,
): CentralConfig {
  const dataDir = resolve(overrides.dataDir ?? getDefaultDataDir(env))
  const file = readConfigFile(join(dataDir, CONFIG_FILE))
  const { host, port, logLevel } = overrides
  const flags = withoutUndefined({ host, port, logLevel })
  const parsed = FileSchema.safeParse({ ...file, ...fromEnvironment(env, file), ...flags })
  if (!parsed.success) throw invalid(parsed.error.issues.map((issue) => toProblem(issue, file)))
  const { database, storage, staff, releaseKeys, ...rest } = parsed.data
  return Object.freeze({
    ...rest,
    dataDir,
    masterKeyFile: resolve(dataDir, rest.masterKeyFile),
    database: chooseDatabase(database, dataDir),
    storage: storage.kind === 'database' ? storage : withSecret(storage, dataDir, env),
    staff: { oidc: staff.oidc ? withClientSecret(staff.oidc, dataDir) : null },
    releaseKeys: releaseKeys.map((name, at) => readReleaseKey(resolve(dataDir, name), `releaseKeys.${at}`)),
  })
}

function chooseDatabase(
  { url, listenUrl, connections }: FileConfig['database'],
  dataDir: string,
): DatabaseConfig {
  return url === undefined ? { kind: 'embedded', dataDir } : { kind: 'postgres', url, listenUrl, connections }
}

function fromEnvironment(env: NodeJS.ProcessEnv, file: Record<string, unknown>): Record<string, unknown> {
  const s3 = object(file.storage).kind === 's3' ? object(file.storage) : null
  const accessKeyId = env.AWS_ACCESS_KEY_ID
  const leaveSeconds = env.CENTRE_LEAVE_SECONDS
  const metricsToken = env.CENTRE_METRICS_TOKEN
  const addresses = withoutUndefined({
    url: env.DATABASE_URL || undefined,
    listenUrl: env.DATABASE_LISTEN_URL || undefined,
  })
  return withoutUndefined({
    host: env.CENTRE_HOST,
    trustedProxies: env.CENTRE_TRUSTED_PROXIES?.split(',').map((proxy) => proxy.trim()),
    port: env.CENTRE_PORT === undefined ? undefined : Number(env.CENTRE_PORT),
    masterKeyFile: env.CENTRE_KEY_FILE,
    logLevel: env.CENTRE_LOG_LEVEL,
    database: Object.keys(addresses).length > 0 ? { ...object(file.database), ...addresses } : undefined,
    storage: s3 && accessKeyId ? { accessKeyId, ...s3 } : undefined,
    http: leaveSeconds ? { ...object(file.http), leaveSeconds: Number(leaveSeconds) } : undefined,
    headOffice: metricsToken ? { ...object(file.headOffice), metricsToken } : undefined,
  })
}

function withSecret(storage: S3FileConfig, dataDir: string, env: NodeJS.ProcessEnv): StorageConfig {
  const { secretAccessKeyFile, ...rest } = storage
  const secretAccessKey =
    secretAccessKeyFile === undefined
      ? env.AWS_SECRET_ACCESS_KEY
      : readSecret(resolve(dataDir, secretAccessKeyFile), 'storage.secretAccessKeyFile')
  if (secretAccessKey) return { ...rest, secretAccessKey }
  const field = 'storage.secretAccessKeyFile'
  throw invalid([
    {
      code: 'unusable',
      field,
      message: 'the file is missing or empty, and AWS_SECRET_ACCESS_KEY is not set',
    },
  ])
}

function withClientSecret(
  { clientSecretFile, allowHttp: _allowHttp, ...rest }: NonNullable<FileConfig['staff']['oidc']>,
  dataDir: string,
): StaffOidc {
  if (clientSecretFile === undefined) return { ...rest, clientSecret: null }
  const field = 'staff.oidc.clientSecretFile'
  const clientSecret = readSecret(resolve(dataDir, clientSecretFile), field)
  if (clientSecret) return { ...rest, clientSecret }
  throw invalid([{ code: 'unusable', field, message: 'the file is missing or empty' }])
}

function readReleaseKey(path: string, field: string): KeyObject {
  try {
    const key = createPublicKey(readOwnFile(path, 'public'))
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch (cause) {
    if (cause instanceof UnsafeFileError) throw unsafe(field, cause)
  }
  throw invalid([
    { code: 'unusable', field, message: 'the file is missing, or holds no Ed25519 public key in PEM' },
  ])
}

/** Empty: there is no such file. */
function readSecret(path: string, field: string): string {
  try {
    return readOwnFile(path, 'secret').toString('utf8').trim()
  } catch (cause) {
    if (cause instanceof UnsafeFileError) throw unsafe(field, cause)
    return ''
  }
}

function readConfigFile(path: string): Record<string, unknown> {
  if (!existsSync(path)) return {}
  try {
    const parsed: unknown = JSON.parse(readOwnFile(path, 'settings').toString('utf8'))
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return object(parsed)
  } catch (cause) {
    if (cause instanceof UnsafeFileError) throw unsafe(CONFIG_FILE, cause)
  }
  throw invalid([{ code: 'not_json', field: CONFIG_FILE, message: 'the file is not a JSON object' }])
}

const DATABASE_VARIABLES: Readonly<Record<string, string>> = {
  'database.url': 'DATABASE_URL',
  'database.listenUrl': 'DATABASE_LISTEN_URL',
}

/** Names the source of a value and never its content: the address of a database contains a password. */
function toProblem(issue: z.core.$ZodIssue, file: Record<string, unknown>) {
  const field = issue.path.join('.') || CONFIG_FILE
  const variable = DATABASE_VARIABLES[field]
  const message = variable === undefined ? issue.message : 'an address postgres://… is expected'
  const isFromFile = object(file.database)[field.replace('database.', '')] !== undefined
  return { code: issue.code ?? 'invalid', field: isFromFile ? field : (variable ?? field), message }
}

function unsafe(field: string, { path, message }: UnsafeFileError): AppError {
  return invalid([{ code: 'unsafe_file', field, message: `${path}: ${message}` }])
}

function invalid(problems: readonly { code: string; field: string; message: string }[]): AppError {
  return new AppError('configuration_invalid', { file: CONFIG_FILE }, { problems })
}

function object(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
}

function withoutUndefined(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))
}
