/**
 * Soak of the central service: many kiosks deliver at a steady pace to two instances while one instance after the other
 * is killed and PostgreSQL restarts twice. Counts the proofs that the feed then lacks or has twice, and watches the memory
 * of the instance that is not killed in the second half.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { median } from '../../../vision/documents/percentiles.ts'
import type { ManagedProcess } from '../crash/processes.ts'
import type { Postgres } from '../postgres.ts'
import { readResidentBytes } from '../worker-process.ts'
import type { SimulatedKiosk } from './simulated-kiosk.ts'

export interface SoakSettings {
  readonly minutes: number
  readonly bytes: number
  /** Each kiosk begins a proof this often, if the one before has its receipt. */
  readonly everySeconds: number
  readonly killEverySeconds: number
}

export interface SoakedMemory {
  readonly seconds: number
  readonly instanceMb: number
}

export interface SoakResult {
  readonly minutes: number
  readonly sent: ReadonlySet<string>
  readonly killed: number
  readonly databaseCrashes: number
  readonly databaseRestarts: number
  /** Milliseconds from the announcement to the receipt, kills included. */
  readonly p50: number
  readonly p99: number
  readonly longestMs: number
  /** Measured at the first instance, since its last start. */
  readonly memory: readonly SoakedMemory[]
  /** Median of the last quarter over the median of the second quarter, since a process grows until it is warm. */
  readonly memoryGrowth: number | null
}

const SAMPLE_MS = 10_000
const MB = 1024 * 1024

export async function soak(
  postgres: Postgres,
  instances: readonly [ManagedProcess, ManagedProcess],
  kiosks: readonly SimulatedKiosk[],
  settings: SoakSettings,
): Promise<SoakResult> {
  const [first, second] = instances
  const totalMs = settings.minutes * 60_000
  const begun = performance.now()
  const elapsed = (): number => performance.now() - begun
  const isOver = (): boolean => elapsed() >= totalMs
  const until = async (ms: number): Promise<void> => void (await wait(Math.max(0, ms - elapsed())))
  const sent = new Set<string>()
  const times: number[] = []
  const memory: SoakedMemory[] = []
  const counted = { killed: 0, crashes: 0, restarts: 0 }

  const deliver = async (kiosk: SimulatedKiosk, index: number): Promise<void> => {
    const paceMs = settings.everySeconds * 1000
    // The kiosks begin one after the other within one pace.
    for (let due = (paceMs * index) / kiosks.length; due < totalMs; due = Math.max(due + paceMs, elapsed())) {
      await until(due)
      const [proof] = await kiosk.prepare(1, settings.bytes)
      times.push(await kiosk.send(proof))
      sent.add(proof.announcement.proofId)
    }
  }
  const kill = async (): Promise<void> => {
    for (
      let due = settings.killEverySeconds * 1000, n = 0;
      due < totalMs;
      due += settings.killEverySeconds * 1000, n++
    ) {
      await until(due)
      const victim = due < totalMs / 2 && n % 2 === 1 ? first : second
      await victim.kill()
      counted.killed++
      // An instance that starts while PostgreSQL is away waits for it.
      await victim.start()
      if (victim === first) memory.length = 0
      process.stderr.write(
        `${Math.round(elapsed() / 1000)} s: ${victim.name} was killed and is back, ${sent.size} proofs\n`,
      )
    }
  }
  const disturbDatabase = async (): Promise<void> => {
    await until(totalMs / 3)
    await postgres.crash()
    await postgres.start()
    counted.crashes++
    await until((totalMs * 2) / 3)
    await postgres.restart()
    counted.restarts++
  }
  const watch = async (): Promise<void> => {
    while (!isOver()) {
      const pid = first.readPid()
      const bytes = pid === null ? null : readResidentBytes(pid)
      if (first.isUp() && bytes !== null)
        memory.push({ seconds: Math.round(elapsed() / 1000), instanceMb: Math.round(bytes / MB) })
      await wait(SAMPLE_MS)
    }
  }
  await Promise.all([...kiosks.map(deliver), kill(), disturbDatabase(), watch()])
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number): number => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? NaN)
  return {
    minutes: settings.minutes,
    sent,
    killed: counted.killed,
    databaseCrashes: counted.crashes,
    databaseRestarts: counted.restarts,
    p50: at(0.5),
    p99: at(0.99),
    longestMs: at(1),
    memory,
    memoryGrowth: computeGrowth(memory.map(({ instanceMb }) => instanceMb)),
  }
}

/** Null for fewer than eight samples. */
export function computeGrowth(samples: readonly number[]): number | null {
  const quarter = Math.floor(samples.length / 4)
  if (quarter < 2) return null
  return median(samples.slice(-quarter)) / median(samples.slice(quarter, 2 * quarter))
}

export function describeSoak(result: SoakResult): string {
  const { minutes, sent, killed, databaseCrashes, databaseRestarts, p50, p99, longestMs, memory } = result
  const [from, to] = [memory.at(0), memory.at(-1)]
  const growth =
    result.memoryGrowth === null ? 'too short to tell' : `${result.memoryGrowth.toFixed(2)} times`
  return (
    `${minutes} minutes, ${sent.size} proofs, ${killed} kills, PostgreSQL crashed ${databaseCrashes} and restarted ${databaseRestarts} times: ` +
    `p50 ${p50} ms, p99 ${p99} ms, longest ${longestMs} ms\n` +
    `memory of the instance that lived longest: ${from?.instanceMb} MB at ${from?.seconds} s, ${to?.instanceMb} MB at ${to?.seconds} s; ` +
    `last quarter over second quarter ${growth}`
  )
}
