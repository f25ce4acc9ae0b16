/**
 * Read → check → freeze. A config file in the data folder may change what is listed here; every problem is reported at
 * once, by field, before anything starts.
 */
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { AppError } from '../errors.ts'

const FileSchema = z.strictObject({
  host: z.string().default('127.0.0.1').describe('Address to listen on'),
  port: z.int().min(0).max(65535).default(8717).describe('0 takes a free port'),
  allowedHosts: z.array(z.string()).default([]).describe('Further Host names the server answers to'),
  allowedOrigins: z.array(z.string()).default([]).describe('Further web origins that may call it'),
  tenant: z
    .strictObject({
      id: z.string().regex(/^[a-z0-9-]{1,40}$/),
      name: z.string().min(1).max(100),
      mode: z.enum(['test', 'production']),
      policy: z.string().min(1),
    })
    .default({ id: 'default', name: 'First run', mode: 'test', policy: 'default' })
    .describe('test mode accepts specimen documents and says so everywhere'),
  kek: z
    .strictObject({ source: z.enum(['key-file', 'shell']) })
    .default({ source: 'key-file' })
    .describe('Where the master key comes from; no other source is ever tried'),
  rateLimits: z
    .strictObject({
      relyingServicePerMinute: z.int().min(1).default(600),
      userAgentPerMinute: z.int().min(1).default(120),
    })
    .prefault({}),
  uploads: z
    .strictObject({
      maxFileBytes: z
        .int()
        .min(1024)
        .default(20 * 1024 * 1024),
    })
    .prefault({}),
  retention: z
    .strictObject({ proofRepeatHours: z.number().min(0).default(24) })
    .prefault({})
    .describe('How long GET proof repeats the archive'),
  vision: z
    .strictObject({
      packs: z.enum(['core', 'all']).default('all').describe('all: the extended pack too, where installed'),
      callTimeoutMs: z.int().min(1000).default(60_000),
    })
    .prefault({}),
  logLevel: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
})

export type Config = Readonly<z.infer<typeof FileSchema>> & { readonly dataDir: string }

export interface ConfigOverrides {
  readonly dataDir?: string
  readonly port?: number
  readonly host?: string
  readonly packs?: 'core' | 'all'
  readonly logLevel?: Config['logLevel']
}

export const CONFIG_FILE = 'config.json'

/** Where the data lives unless --data says otherwise. */
export function defaultDataDir(env: NodeJS.ProcessEnv = process.env): string {
  const base = env.XDG_DATA_HOME ?? join(env.HOME ?? homedir(), '.local', 'share')
  return join(base, 'counterproof')
}

/** Throws `configuration_invalid` with one problem per field. */
export function loadConfig(overrides: ConfigOverrides = {}): Config {
  const dataDir = resolve(overrides.dataDir ?? defaultDataDir())
  const { port, host, packs, logLevel } = overrides
  const file = readConfigFile(join(dataDir, CONFIG_FILE))
  const given = Object.fromEntries(
    Object.entries({ port, host, logLevel }).filter(([, value]) => value !== undefined),
  )
  const merged = { ...file, ...given, ...(packs ? { vision: { ...object(file.vision), packs } } : {}) }
  const parsed = FileSchema.safeParse(merged)
  if (!parsed.success) {
    throw new AppError(
      'configuration_invalid',
      { file: CONFIG_FILE },
      {
        problems: parsed.error.issues.map((issue) => ({
          code: issue.code,
          field: issue.path.join('.') || CONFIG_FILE,
          message: issue.message,
        })),
      },
    )
  }
  return Object.freeze({ ...parsed.data, dataDir })
}

function readConfigFile(path: string): Record<string, unknown> {
  if (!existsSync(path)) return {}
  try {
    return object(JSON.parse(readFileSync(path, 'utf8')))
  } catch (cause) {
    throw new AppError(
      'configuration_invalid',
      { file: CONFIG_FILE },
      {
        cause,
        problems: [{ code: 'not_json', field: CONFIG_FILE, message: 'the file is not a JSON object' }],
      },
    )
  }
}

function object(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
}
