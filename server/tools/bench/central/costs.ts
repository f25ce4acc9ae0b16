/**
 * Processor time, WAL and transactions of one instance and its PostgreSQL for each proof, by part. The parts run one after
 * the other over the same proofs, so that the time of a shared process belongs to one part. The processor time of the
 * simulated kiosks, in this process, is separate.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Client } from 'pg'
import { readCpuMs, watchDescendantsCpu, type DescendantsCpu } from '../worker-process.ts'
import type { PreparedProof, SimulatedKiosk } from './simulated-kiosk.ts'

/**
 * `receive`: announcement and packet. `store`: everything from the end of the upload to the receipt. `feed`: head office
 * lists the proofs in pages of 100. `archive`: head office fetches each archive.
 */
export const PARTS = ['receive', 'store', 'feed', 'archive'] as const
export type Part = (typeof PARTS)[number]

/** Costs of one proof. */
export interface Cost {
  /** Milliseconds of processor time of the instance's own process. */
  readonly instanceMs: number
  /** Processor time of the processes that verify archives. */
  readonly verifierMs: number
  /** Processor time of all processes of PostgreSQL. */
  readonly databaseMs: number
  /** Processor time of the simulated kiosks and the head office. */
  readonly generatorMs: number
  readonly walBytes: number
  /** Pages in the WAL that PostgreSQL writes whole, at their first change after a checkpoint. */
  readonly walFullPages: number
  readonly commits: number
  /** Transactions that changed something. */
  readonly writes: number
}

export type Costs = Readonly<Record<Part, Cost>> & {
  readonly storedBefore: number
  readonly proofs: number
  /** Bytes of the row of a proof in the table. */
  readonly rowBytes: number
}

/** Commits that a session counted reach the statistics within this time (PostgreSQL's PGSTAT_MIN_INTERVAL is one second). */
const STATISTICS_MS = 1_300

export interface Measured {
  readonly instancePid: number
  readonly postgresPid: number
  readonly client: Client
  readonly kiosks: readonly SimulatedKiosk[]
  /** Proofs of each kiosk. */
  readonly prepared: readonly (readonly PreparedProof[])[]
  /** Fetches the pages of the feed behind this proof, or from the start, and returns the ids of the proofs. */
  listFeed(after: string | null): Promise<readonly string[]>
  fetchArchive(proofId: string): Promise<void>
}

export async function measureCosts(measured: Measured): Promise<Omit<Costs, 'storedBefore'>> {
  const { client, kiosks, prepared } = measured
  const proofs = prepared.flat()
  const inParallel = (work: (kiosk: SimulatedKiosk, proof: PreparedProof) => Promise<void>) => async () => {
    await Promise.all(
      kiosks.map(async (kiosk, index) => {
        for (const proof of prepared[index]) await work(kiosk, proof)
      }),
    )
  }
  const { rows } = await client.query<{ proof_id: string }>(
    'SELECT proof_id FROM proofs ORDER BY feed_position DESC, proof_id DESC LIMIT 1',
  )
  const after = rows[0]?.proof_id ?? null
  let listed: readonly string[] = []
  const parts: Readonly<Record<Part, () => Promise<void>>> = {
    receive: inParallel((kiosk, proof) => kiosk.upload(proof)),
    store: inParallel((kiosk, proof) => kiosk.complete(proof)),
    feed: async () => {
      listed = await measured.listFeed(after)
    },
    archive: async () => {
      for (const proofId of listed) await measured.fetchArchive(proofId)
    },
  }
  const costs = {} as Record<Part, Cost>
  const [verifiers, backends] = [measured.instancePid, measured.postgresPid].map(watchDescendantsCpu)
  const read = (): Promise<Cost> => readAll(measured, verifiers, backends)
  try {
    for (const part of PARTS) costs[part] = await measurePart(read, parts[part], proofs.length)
  } finally {
    verifiers.stop()
    backends.stop()
  }
  if (listed.length !== proofs.length) {
    throw new Error(`the feed listed ${listed.length} of ${proofs.length} proofs`)
  }
  const [size] = (
    await client.query<{ bytes: string }>(
      'SELECT avg(pg_column_size(p.*)) AS bytes FROM proofs p WHERE proof_id = ANY ($1::uuid[])',
      [proofs.map(({ announcement }) => announcement.proofId)],
    )
  ).rows
  return { ...costs, proofs: proofs.length, rowBytes: Number(size.bytes) }
}

async function measurePart(
  read: () => Promise<Cost>,
  work: () => Promise<void>,
  proofs: number,
): Promise<Cost> {
  const before = await read()
  await work()
  const after = await read()
  return combine(after, before, (now, earlier) => (now - earlier) / proofs)
}

async function readAll(
  { instancePid, postgresPid, client }: Measured,
  verifiers: DescendantsCpu,
  backends: DescendantsCpu,
): Promise<Cost> {
  await wait(STATISTICS_MS)
  const { rows } = await client.query<Record<'wal' | 'full_pages' | 'commits' | 'writes', string>>(
    `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS wal,
       (SELECT wal_fpi FROM pg_stat_wal) AS full_pages,
       (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()) AS commits,
       pg_snapshot_xmax(pg_current_snapshot())::text AS writes`,
  )
  const [{ wal, full_pages: fullPages, commits, writes }] = rows
  const { user, system } = process.cpuUsage()
  return {
    instanceMs: readCpuMs(instancePid) ?? NaN,
    verifierMs: verifiers.readMs(),
    databaseMs: (readCpuMs(postgresPid) ?? NaN) + backends.readMs(),
    generatorMs: (user + system) / 1000,
    walBytes: Number(wal),
    walFullPages: Number(fullPages),
    commits: Number(commits),
    writes: Number(writes),
  }
}

/** One line for each part, and their sum. */
export function describeCosts(costs: Costs): string[] {
  const total = PARTS.map((part) => costs[part]).reduce((sum, cost) => combine(sum, cost, (a, b) => a + b))
  const rows = [...PARTS.map((part) => [part, costs[part]] as const), ['all', total] as const].map(
    ([name, cost]) => {
      const [instance, verifier, database, generator] = [
        cost.instanceMs,
        cost.verifierMs,
        cost.databaseMs,
        cost.generatorMs,
      ].map((ms) => ms.toFixed(1))
      return (
        `  ${name.padEnd(8)} instance ${instance} ms, verifier ${verifier} ms, PostgreSQL ${database} ms, kiosks ${generator} ms; ` +
        `WAL ${Math.round(cost.walBytes)} bytes (${cost.walFullPages.toFixed(1)} whole pages), ` +
        `${cost.commits.toFixed(1)} commits, ${cost.writes.toFixed(1)} that write`
      )
    },
  )
  return [
    `${costs.storedBefore} stored, processor time for each of ${costs.proofs} proofs (row of ${Math.round(costs.rowBytes)} bytes):`,
    ...rows,
  ]
}

function combine(one: Cost, other: Cost, compute: (a: number, b: number) => number): Cost {
  return {
    instanceMs: compute(one.instanceMs, other.instanceMs),
    verifierMs: compute(one.verifierMs, other.verifierMs),
    databaseMs: compute(one.databaseMs, other.databaseMs),
    generatorMs: compute(one.generatorMs, other.generatorMs),
    walBytes: compute(one.walBytes, other.walBytes),
    walFullPages: compute(one.walFullPages, other.walFullPages),
    commits: compute(one.commits, other.commits),
    writes: compute(one.writes, other.writes),
  }
}
