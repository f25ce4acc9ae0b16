/** `npm run doctor`: examines this machine and the installation, with or without a running appliance. Needs no key and repairs nothing. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { DATABASE } from '../files/database-files.ts'
import { getDefaultDataDir, loadConfig, type Config } from '../config/config.ts'
import { loadTenantPolicies } from '../config/policies.ts'
import { diagnose, type Settings, type Sources } from '../doctor/diagnose.ts'
import type { Health } from '../doctor/facts.ts'
import type { SigningCertificate } from '../doctor/measure-certificates.ts'
import type { CheckState, DoctorReport, Finding } from '../doctor/report.ts'
import type Database from 'better-sqlite3'
import { AppError } from '../errors.ts'
import { openChipReaders } from '../open-connectors.ts'
import { addProblemsOfNamedFiles, addSettingProblems } from '../setting-problems.ts'
import { hasTable, readDatabaseFile } from '../store/database-reader.ts'
import { isJoined } from '../store/enrolment.ts'
import { createMeta } from '../store/meta.ts'
import { explainStorageFault } from '../store/storage-faults.ts'
import { getTimeNow } from '../time/trusted-time.ts'
import { systemClock } from '../clock.ts'
import { readLastSync } from '../workflows/health/last-sync.ts'
import { findLastPort } from '../store/last-port.ts'
import { findServer } from '../store/lock.ts'
import { printResult } from './appliance.ts'
import { SILENT } from './readers.ts'
import { refuseMore, UsageError } from './usage.ts'

const HELP = `Examines this machine and the installation of the appliance, and says what to do.

  npm run doctor -- [--data DIR] [--json]

  --data DIR  the appliance's data folder (default: ~/.local/share/counterproof)
  --json      prints the report as one JSON object
  --help      prints this help

Checks configuration, appliance, permissions, keys, database, models (by hash), disk, clock, cameras, reader, network (the services of
config.json), certificates, sandbox, speech, printer and power. Each check is OK, WARNING, WRONG, or NOT CHECKED with the reason.
Run it as the user of the appliance, beside the running appliance or without it. It needs no key and repairs nothing.
Exit status: 0 no WARNING and nothing WRONG, 1 at least one WARNING, 2 at least one WRONG, or wrong use.

Example: npm run doctor -- --json
`

/** The health report answers within a second; a busy machine takes longer. */
const HEALTH_MS = 5_000
const READERS_MS = 10_000
const STATUS: Readonly<Record<CheckState, number>> = { OK: 0, NOT_CHECKED: 0, WARNING: 1, WRONG: 2 }

export async function run(argv: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: argv,
    allowPositionals: true,
    options: {
      data: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  refuseMore(positionals)
  const dataDir = resolve(values.data ?? getDefaultDataDir())
  requireFolder(dataDir)
  const report = await diagnose(readSources(dataDir))
  printResult(values.json, report, formatReport(report))
  return STATUS[report.state]
}

/** A mistyped folder must not look like a healthy one. */
function requireFolder(dataDir: string): void {
  if (existsSync(dataDir)) return
  throw new UsageError(
    `There is no data folder ${dataDir}. Name it with --data, or start the appliance once.`,
  )
}

function readSources(dataDir: string): Sources {
  return {
    dataDir,
    readSettings: () => readSettings(dataDir),
    readHealth: (config) => readHealth(dataDir, config),
    readReaders,
    listSigningCertificates: () => listSigningCertificates(dataDir),
    readTime: () =>
      readDatabase(dataDir, (db) => ({
        statement: getTimeNow(systemClock, { meta: createMeta(db), events: { lastAt: () => null } }),
        wall: new Date(),
      })),
    readSync: () =>
      readDatabase(dataDir, (db) =>
        readLastSync({ meta: createMeta(db) }, hasTable(db, 'enrolment') && isJoined(db)),
      ),
    env: process.env,
    now: () => new Date(),
  }
}

/** Lists all problems that a start would list. */
function readSettings(dataDir: string): Settings {
  let config: Config | null = null
  try {
    config = loadConfig({ dataDir })
    const policies = loadTenantPolicies(config)
    const none = new AppError('configuration_invalid', {}, { problems: [] })
    return { config, problems: toProblems(addSettingProblems(none, { config, policies })) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { config, problems: toProblems(config ? error : addProblemsOfNamedFiles(error, dataDir)) }
  }
}

function toProblems(error: unknown): Settings['problems'] {
  if (!(error instanceof AppError)) throw error
  const { details, problems } = error
  if (problems.length === 0 && Object.keys(details).length > 0)
    return [{ field: 'config.json', message: error.sentence ?? JSON.stringify(details) }]
  return problems.map(({ field, message }) => ({ field: field ?? 'config.json', message }))
}

const HealthReport = z.object({
  version: z.string().max(100),
  components: z.record(
    z.string().max(100),
    z.object({
      status: z.enum(['UP', 'DEGRADED', 'DOWN']),
      detail: z.string().max(2_000).optional(),
      standing: z.enum(['NOT_SET_UP', 'NOT_KNOWN']).optional(),
    }),
  ),
})

/** Null: no server runs on this folder. Throws if one runs and does not answer. */
async function readHealth(dataDir: string, config: Config | null): Promise<Health | null> {
  if (findServer(dataDir) === null) return null
  const port = findLastPort(dataDir) ?? config?.port
  if (port === undefined) return null
  const host = config?.host === '::1' ? '[::1]' : '127.0.0.1'
  const answer = await fetch(`http://${host}:${port}/healthcheck`, {
    signal: AbortSignal.timeout(HEALTH_MS),
    redirect: 'error',
  })
  return HealthReport.parse(await answer.json())
}

async function readReaders(config: Config) {
  if (!config.readers.enabled) return null
  const readers = await openChipReaders(config, SILENT)
  try {
    return await readers.state(READERS_MS)
  } finally {
    await readers.close()
  }
}

/** Null: there is no database with tables, or it is damaged; the check of the database says which. */
function readDatabase<T>(dataDir: string, read: (db: Database.Database) => T): T | null {
  const path = join(dataDir, DATABASE)
  if (!existsSync(path)) return null
  try {
    return readDatabaseFile(path, (db) => (hasTable(db, 'meta') ? read(db) : null))
  } catch (error) {
    if (explainStorageFault(error) === null) throw error
    return null
  }
}

/** Certificates are public, so they need no master key. */
function listSigningCertificates(dataDir: string): readonly SigningCertificate[] {
  const read = (db: Database.Database) => {
    if (!hasTable(db, 'signing_keys')) return []
    return db
      .prepare<[], SigningCertificate>(
        `SELECT kid, certificate_chain AS chain FROM signing_keys
         WHERE certificate_chain IS NOT NULL AND retired_at IS NULL AND revoked_at IS NULL`,
      )
      .all()
  }
  return readDatabase(dataDir, read) ?? []
}

const WORDS: Readonly<Record<CheckState, string>> = {
  OK: 'OK',
  NOT_CHECKED: 'NOT CHECKED',
  WARNING: 'WARNING',
  WRONG: 'WRONG',
}
const NAME_WIDTH = 15
const STATE_WIDTH = 13

function formatReport({ checks }: DoctorReport): string {
  const lines = checks.flatMap(({ check, findings }) =>
    findings.flatMap((finding, index) => formatFinding(index === 0 ? check : '', finding)),
  )
  const counts = (['WRONG', 'WARNING', 'NOT_CHECKED', 'OK'] as const).map(
    (state) => `${checks.filter((check) => check.state === state).length} ${WORDS[state]}`,
  )
  return `${lines.join('\n')}\n\n${checks.length} checks: ${counts.join(', ')}\n`
}

function formatFinding(check: string, { state, what, cost, remedy }: Finding): readonly string[] {
  const indent = ' '.repeat(NAME_WIDTH + STATE_WIDTH)
  return [
    `${check.padEnd(NAME_WIDTH)}${WORDS[state].padEnd(STATE_WIDTH)}${what}`,
    ...(cost === null ? [] : [`${indent}Cost: ${cost}`]),
    ...(remedy === null ? [] : [`${indent}Do: ${remedy}`]),
  ]
}
