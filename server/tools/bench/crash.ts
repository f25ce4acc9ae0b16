/**
 * `npm run bench:crash`: runs an installed kiosk and central service and kills them with SIGKILL at random moments of
 * capture, verification, sealing, upload and acknowledgement, while a relying service continues proofing. At the end it
 * counts everything: at the kiosk with the kiosk's own store, at the central service as head office sees it.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Keys } from '../demo/server-process.ts'
import { defaultSpecimen } from '../demo/specimens.ts'
import { createApplicant, createBook, PHASES, type Book, type Phase } from './crash/applicant.ts'
import { countEverything, countFindings, listFindings, type FindingCounts } from './crash/count-everything.ts'
import type { Disk } from './crash/disk.ts'
import { FAULTS, inflict } from './crash/faults.ts'
import { withInstallation } from './crash/installation.ts'
import type { ManagedProcess } from './crash/processes.ts'
import { seeded, type Random } from './crash/random.ts'
import { endBench } from './labelled-data.ts'

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

interface CrashBench extends FindingCounts {
  readonly kills: number
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

async function bench({ kills, seed, centre, faults, keep }: Options): Promise<CrashBench> {
  const begun = Date.now()
  return withInstallation(
    { name: 'bench-crash', centre, isDisturbed: faults, keep },
    async (installation) => {
      const { kiosk, central, proxy, disk, keys } = installation
      const book = createBook()
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
      const { findings, proofs, alarms } = await countEverything(installation, book)
      return {
        ...counts,
        ...countFindings(findings),
        proofs,
        abandoned: book.abandoned,
        openAlarms: alarms,
        findings: listFindings(findings),
        faults: faultCounts,
        kills,
        centre: installation.database,
        seed,
        seconds: Math.round((Date.now() - begun) / 1000),
      }
    },
  )
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
    createApplicant({ url: kiosk.url, keys, specimens: [defaultSpecimen()], book, entered }),
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

function isGood(result: CrashBench): boolean {
  const { lost, duplicated, half, changed, unverified, auditFindings } = result
  return lost + duplicated + half + changed + unverified + auditFindings === 0
}

function inWords(result: CrashBench): string {
  const { kills, proofs, lost, duplicated, half, seconds, centre } = result
  const head = `${kills} kills in ${seconds} s (${centre}): ${proofs} proofs, ${lost} lost, ${duplicated} twice, ${half} half`
  return `${[head, ...result.findings].join('\n')}\n`
}
