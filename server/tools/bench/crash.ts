/**
 * `npm run bench:crash`: runs an installed kiosk and central service and kills them with SIGKILL at random moments of
 * capture, verification, sealing, upload and acknowledgement, while a relying service continues proofing. At the end it
 * counts everything: at the kiosk with the kiosk's own store, at the central service as head office sees it.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startChaosProxy } from './crash/chaos-proxy.ts'
import { CONFIG_FILE } from '../../config/config.ts'
import { createKeys, type Keys } from '../demo/server-process.ts'
import { defaultSpecimen } from '../demo/specimens.ts'
import { createApplicant, PHASES, type Book, type Phase } from './crash/applicant.ts'
import { inspectCentralService, type CentralFindings } from './crash/inspect-central-service.ts'
import { inspectKiosk, type KioskFindings } from './crash/inspect-kiosk.ts'
import { mountDisk, type Disk } from './crash/disk.ts'
import { FAULTS, inflict } from './crash/faults.ts'
import { freePort, manage, runCommand, type ManagedProcess } from './crash/processes.ts'
import { seeded, type Random } from './crash/random.ts'
import { endBench } from './labelled-data.ts'
import { startPostgres } from './postgres.ts'

const HELP = `bench-crash: kills a kiosk and a central service at random times and counts the proofs

  --kills N      number of kills                                                 (default 100)
  --centre KIND  postgres: a real PostgreSQL of this machine; pglite: embedded     (default postgres, if installed)
  --seed N       seed of the random times                                        (default 1)
  --faults       before every second kill also one of: the line to the central service is cut, loses answers, hangs half-open,
                 trickles, plays requests again out of order; the kiosk's disk is full, is read-only (the disk as root)
  --keep         keeps the folders
  --json         one JSON object at the end
  --help         this text

Exit status 0 if every proof is stored exactly once and complete, the audit log is valid and every archive verifies; else 1.

Example: npm run bench:crash -- --kills 20 --faults
`

/** The processes that may be killed in each phase. The moment is drawn evenly over the phase. */
const VICTIMS: Readonly<Record<Phase | 'acknowledgement' | 'start', readonly ('kiosk' | 'centre')[]>> = {
  capture: ['kiosk'],
  verification: ['kiosk'],
  sealing: ['kiosk'],
  upload: ['kiosk', 'centre'],
  acknowledgement: ['kiosk', 'centre'],
  start: ['kiosk', 'centre'],
}
type KillPhase = keyof typeof VICTIMS
/** Maximum duration of a phase on two busy cores, in milliseconds; a kill after the phase's end hits the next phase. */
const MAX_MS: Readonly<Record<KillPhase, number>> = {
  capture: 120,
  verification: 900,
  sealing: 120,
  upload: 250,
  acknowledgement: 600,
  start: 1_500,
}
const APPLICANTS = 2
const DRAIN_MS = 300_000
const NO_LIMIT = 1_000_000

interface CrashBench {
  readonly kills: number
  readonly lost: number
  readonly duplicated: number
  readonly half: number
  readonly changed: number
  readonly unverified: number
  readonly auditFindings: number
  readonly proofs: number
  readonly abandoned: number
  readonly killsByPhase: Readonly<Record<string, number>>
  readonly killsOf: Readonly<Record<string, number>>
  readonly faults: Readonly<Record<string, number>>
  readonly centre: string
  readonly openAlarms: readonly string[]
  readonly seed: number
  readonly seconds: number
  readonly findings: readonly string[]
}

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      kills: { type: 'string', default: '100' },
      centre: { type: 'string', default: 'postgres' },
      seed: { type: 'string', default: '1' },
      faults: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const result = await bench({
    kills: Number(values.kills),
    seed: Number(values.seed),
    centre: values.centre === 'pglite' ? 'pglite' : 'postgres',
    faults: values.faults,
    keep: values.keep,
  })
  process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : inWords(result))
  return endBench(result.proofs, isGood(result))
}

interface Options {
  readonly kills: number
  readonly seed: number
  readonly centre: 'postgres' | 'pglite'
  readonly faults: boolean
  readonly keep: boolean
}

async function bench({ kills, seed, centre: wanted, faults, keep }: Options): Promise<CrashBench> {
  const begun = Date.now()
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-bench-crash-'))
  const postgres = wanted === 'postgres' ? await startPostgres() : null
  const disk = faults ? mountDisk(folder) : null
  const kioskDir = join(disk?.folder ?? folder, 'kiosk')
  const centralDir = join(folder, 'centre')
  const env = postgres ? { DATABASE_URL: postgres.url } : { DATABASE_URL: '' }
  const kioskPort = await freePort()
  const centralPort = await freePort()
  const kiosk = manage('kiosk', kioskPort, [
    'start',
    '--data',
    kioskDir,
    '--port',
    String(kioskPort),
    '--no-window',
  ])
  const centralArgs = ['central', 'start', '--data', centralDir, '--port', String(centralPort)]
  const central = manage('centre', centralPort, centralArgs, env)
  const proxy = await startChaosProxy({ port: centralPort })
  try {
    const setting = { kiosk, central, kioskDir, centralDir, env, line: faults ? proxy.url : central.url }
    const { keys, consumerKey } = await setUp(setting)
    const book: Book = { proofs: new Map(), changed: [], abandoned: 0 }
    const random = seeded(seed)
    const faultCounts: Record<string, number> = {}
    const possible = FAULTS.filter((fault) => disk !== null || !fault.startsWith('disk'))
    const disturb = async (): Promise<void> => {
      if (!faults || random.next() < 0.5) return
      const fault = random.pick(possible)
      faultCounts[fault] = (faultCounts[fault] ?? 0) + 1
      // No disk fault is drawn without a disk, so its value is not used.
      await inflict(fault, { proxy, disk: disk as Disk, kiosk }, random)
    }
    const counts = await killAndProof({ kiosk, central, keys, book, kills, random, disturb })
    await settle(kiosk, central, kioskDir)
    const jwks: unknown = await (await fetch(`${kiosk.url}/.well-known/jwks.json`)).json()
    await kiosk.stop()
    const atKiosk = inspectKiosk(kioskDir)
    const atCentralService = await inspectCentralService(central.url, consumerKey, jwks)
    await central.stop()
    return judge(atKiosk, atCentralService, book, {
      ...counts,
      faults: faultCounts,
      kills,
      centre: postgres ? 'PostgreSQL' : 'PGlite',
      seed,
      seconds: Math.round((Date.now() - begun) / 1000),
    })
  } catch (error) {
    process.stderr.write(`kiosk:\n${kiosk.logTail()}\ncentre:\n${central.logTail()}\n`)
    throw error
  } finally {
    await kiosk.kill()
    await central.kill()
    await proxy.close()
    disk?.remove()
    await postgres?.stop()
    if (!keep) rmSync(folder, { recursive: true, force: true })
    else process.stderr.write(`left in ${folder}\n`)
  }
}

async function setUp(place: {
  kiosk: ManagedProcess
  central: ManagedProcess
  kioskDir: string
  centralDir: string
  env: NodeJS.ProcessEnv
  /** The address of the central service that the kiosk is given. */
  line: string
}): Promise<{ keys: Keys; consumerKey: string }> {
  const { kiosk, central, kioskDir, centralDir, env, line } = place
  mkdirSync(kioskDir, { recursive: true, mode: 0o700 })
  writeFileSync(
    join(kioskDir, CONFIG_FILE),
    JSON.stringify({
      rateLimits: { relyingServicePerMinute: NO_LIMIT, userAgentPerMinute: NO_LIMIT },
      vision: { packs: 'core' },
      sync: {
        pollSeconds: 1,
        timeoutMs: 2_000,
        chunkBytes: 65_536,
        freeze: { backlog: NO_LIMIT, freeMegabytes: 0 },
      },
    }),
    // A disk that becomes read-only loses unflushed data.
    { flush: true },
  )
  const runCentral = (...args: string[]): Promise<string> =>
    runCommand(['central', ...args, '--data', centralDir, '--json'], env)
  await runCentral('tenants', 'create', 'bench', '--test-proofs')
  const { code } = JSON.parse(await runCentral('enrol-code', '--tenant', 'bench', '--name', 'bench')) as {
    code: string
  }
  const scopes = ['proofs:read', 'fleet:read'].flatMap((scope) => ['--scope', scope])
  const consumer = JSON.parse(
    await runCentral('consumers', 'create', '--tenant', 'bench', '--name', 'bench', ...scopes),
  ) as { key: string }
  await central.start()
  await kiosk.start()
  // Adds the keys while the kiosk runs, as an operator does.
  const keys = await createKeys(kioskDir, 'crash-bench')
  await runCommand(['sync', 'enrol', '--url', line, '--code', code, '--data', kioskDir])
  return { keys, consumerKey: consumer.key }
}

/** Proofs and kills until there are enough kills; then the applicants end. */
async function killAndProof(scene: {
  kiosk: ManagedProcess
  central: ManagedProcess
  keys: Keys
  book: Book
  kills: number
  random: Random
  /** Starts another fault for a while. */
  disturb: () => Promise<void>
}): Promise<Pick<CrashBench, 'killsByPhase' | 'killsOf'>> {
  const { kiosk, central, keys, book, kills, random, disturb } = scene
  const waiting = new Map<Phase, () => void>()
  const entered = (phase: Phase): void => {
    waiting.get(phase)?.()
    waiting.delete(phase)
  }
  const applicants = Array.from({ length: APPLICANTS }, () =>
    createApplicant(kiosk.url, keys, defaultSpecimen(), book, entered),
  )
  const running = Promise.all(applicants.map((applicant) => applicant.run()))
  // A failing applicant ends the bench later; its rejection must be handled until then.
  let failed: unknown = null
  running.catch((error: unknown) => {
    failed = error
  })
  const killsByPhase: Record<string, number> = {}
  const killsOf: Record<string, number> = {}
  for (let kill = 1; kill <= kills && failed === null; kill++) {
    await disturb()
    const phase = random.pick<KillPhase>([...PHASES, 'acknowledgement', 'start'])
    const victim = random.pick(VICTIMS[phase]) === 'kiosk' ? kiosk : central
    const delayMs = random.next() * MAX_MS[phase]
    if (phase !== 'start') {
      const awaited = phase === 'acknowledgement' ? 'upload' : phase
      await Promise.race([new Promise<void>((resolve) => waiting.set(awaited, resolve)), wait(30_000)])
      await wait(delayMs)
      await victim.kill()
    } else {
      // Kills it while it restarts after a kill: recovery must survive a crash during recovery.
      await victim.kill()
      const starting = victim.start()
      await wait(delayMs)
      await victim.kill()
      await starting
    }
    killsByPhase[phase] = (killsByPhase[phase] ?? 0) + 1
    killsOf[victim.name] = (killsOf[victim.name] ?? 0) + 1
    await wait(random.next() * 100)
    await victim.start()
    if (kill % 10 === 0) {
      process.stderr.write(`${kill} kills, ${book.proofs.size} proofs, ${book.abandoned} given up\n`)
    }
  }
  for (const applicant of applicants) applicant.stop()
  await running
  return { killsByPhase, killsOf }
}

/** Waits without further kills until every sealed proof has reached the central service. */
async function settle(kiosk: ManagedProcess, central: ManagedProcess, kioskDir: string): Promise<void> {
  if (!kiosk.isUp()) await kiosk.start()
  if (!central.isUp()) await central.start()
  const until = Date.now() + DRAIN_MS
  for (;;) {
    const status = JSON.parse(await runCommand(['sync', 'status', '--data', kioskDir, '--json'])) as {
      backlog: number
    }
    if (status.backlog === 0) return
    if (Date.now() > until)
      throw new Error(`${status.backlog} proofs did not reach the central service in ${DRAIN_MS} ms`)
    await wait(500)
  }
}

function judge(
  kiosk: KioskFindings,
  central: CentralFindings,
  book: Book,
  rest: Pick<CrashBench, 'kills' | 'killsByPhase' | 'killsOf' | 'faults' | 'centre' | 'seed' | 'seconds'>,
): CrashBench {
  const lostAtCentralService = kiosk.sealed.filter(
    ({ proofId, sha256 }) => central.proofs.get(proofId) !== sha256,
  )
  const sealedHashes = new Set(kiosk.sealed.map(({ sha256 }) => sha256))
  const lostAtKiosk = [...book.proofs].filter(([, sha256]) => !sealedHashes.has(sha256))
  const known = new Set(kiosk.sealed.map(({ proofId }) => proofId))
  const made = [...central.proofs.keys()].filter((proofId) => !known.has(proofId))
  const duplicated = [
    ...kiosk.duplicated,
    ...central.duplicated,
    ...made.map((id) => `proof ${id} was never sealed`),
  ]
  const lost = [
    ...lostAtCentralService.map(({ proofId }) => `proof ${proofId} is not at the central service`),
    ...lostAtKiosk.map(([id]) => `the proof handed out for ${id} is not known to the kiosk`),
  ]
  return {
    ...rest,
    lost: lost.length,
    duplicated: duplicated.length,
    half: kiosk.half.length,
    changed: book.changed.length,
    unverified: central.unverified.length,
    auditFindings: kiosk.auditFindings.length,
    proofs: kiosk.sealed.length,
    abandoned: book.abandoned,
    openAlarms: central.alarms,
    findings: [...lost, ...duplicated, ...kiosk.half, ...kiosk.auditFindings, ...central.unverified].slice(
      0,
      50,
    ),
  }
}

function isGood(result: CrashBench): boolean {
  const { lost, duplicated, half, changed, unverified, auditFindings } = result
  return lost + duplicated + half + changed + unverified + auditFindings === 0
}

function inWords(result: CrashBench): string {
  const { kills, proofs, lost, duplicated, half, seconds, centre } = result
  const head = `${kills} kills in ${seconds} s (${centre}): ${proofs} proofs, ${lost} lost, ${duplicated} twice, ${half} half`
  return `${[head, ...result.findings].join('\n')}\n`
}
