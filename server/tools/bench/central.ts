/**
 * `npm run bench:central`: measures how many proofs per second the central service takes from 20 kiosks, with one and
 * with two instances on one real PostgreSQL, with few and with many stored proofs, what each proof costs by part, and the
 * losses when an instance is killed and PostgreSQL crashes midway. Kiosks, central service and database share the cores
 * of this machine.
 */
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { createKeySigner, generateSigningKeyPem, type Signer } from '../../proof/sign.ts'
import {
  checkCapacity,
  computeCapacity,
  describeCapacity,
  type Capacity,
  type CapacityCheck,
} from './central/capacity.ts'
import { openCoreLimit } from './central/core-limit.ts'
import { describeCosts, measureCosts, type Costs } from './central/costs.ts'
import { describeDrill, runDrill, type DrillResult } from './central/drill.ts'
import { startObjectStorage } from './central/object-storage.ts'
import { describeSoak, soak, type SoakResult, type SoakSettings } from './central/soak.ts'
import { enrolSimulatedKiosk, type PreparedProof, type SimulatedKiosk } from './central/simulated-kiosk.ts'
import { inspectCentralService } from './crash/inspect-central-service.ts'
import { freePort, manage, runCommand, type ManagedProcess } from './crash/processes.ts'
import { UsageError } from '../../commands/usage.ts'
import { endBench } from './labelled-data.ts'
import { startPostgres, type Postgres } from './postgres.ts'

const HELP = `bench-central: sends proofs of many kiosks to one central service

  --kiosks N     number of kiosks at the same time                   (default 20)
  --proofs N     number of proofs per measurement                    (default 400)
  --bytes N      bytes of pictures in each proof                     (default 200000)
  --stored LIST  proofs stored before a measurement                  (default 1000,10000,100000)
  --storage KIND database or s3, where packets are stored            (default database)
  --only costs   processor time, WAL and commits by part, without the proofs per second
  --only capacity  kiosks per core and bytes per kiosk, from the costs with the first number of --stored; and, as root, the proofs
                 per second of instances that may use a share of a core each: two points, a predicted one, and two instances
  --only soak    two instances for a long time: one is killed every two minutes (with little time four times in all), PostgreSQL
                 crashes once and restarts once; --proofs and --stored do not count, and --kiosks is 50 if not given
  --only drill   base backup and archived log, loss of PostgreSQL, recovery, and the comparison of all --proofs archives
  --minutes N    length of the soak                                  (default 60)
  --every N      seconds from one proof of a kiosk to its next in the soak  (default 30)
  --json         one JSON object at the end
  --help         this text

Needs PostgreSQL on this machine (/usr/lib/postgresql). Times are milliseconds from the announcement to the receipt.
Costs are for each proof: receive (announcement and packet), store (verification and storage), feed (head office lists it)
and archive (head office fetches it), by process. Verification is the work of the verifier.
Exit status 1 if a proof is lost or stored twice, or if memory grew by more than a tenth in the soak.

Example: npm run bench:central -- --kiosks 5 --proofs 100
         npm run bench:central -- --only soak --minutes 60
`
const TENANT = 'bench'
/** Stored proofs that only fill the tables have packets as small as possible. */
const FILLER_BYTES = 2_000
const FILL_AT_ONCE = 5_000
const PORTION = 500

interface Measurement {
  readonly instances: number
  readonly storedBefore: number
  readonly proofs: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
}

interface CentralBench {
  readonly kiosks: number
  readonly bytes: number
  readonly storage: Options['storage']
  readonly costs: readonly Costs[]
  readonly measurements: readonly Measurement[]
  /** Null without `--only capacity`. */
  readonly capacity: (Capacity & { readonly check: CapacityCheck | null }) | null
  /** Null with `--only`. */
  readonly chaos: (Measurement & { readonly instanceKilled: number; readonly databaseCrashed: number }) | null
  readonly lost: number
  readonly duplicated: number
  readonly unverified: number
  readonly cores: number
  readonly processor: string
}

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      kiosks: { type: 'string' },
      proofs: { type: 'string', default: '400' },
      bytes: { type: 'string', default: '200000' },
      stored: { type: 'string', default: '1000,10000,100000' },
      storage: { type: 'string', default: 'database' },
      only: { type: 'string' },
      minutes: { type: 'string', default: '60' },
      every: { type: 'string', default: '30' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const { storage, only } = values
  if (storage !== 'database' && storage !== 's3') throw new UsageError('--storage is database or s3')
  if (only !== undefined && only !== 'costs' && only !== 'capacity' && only !== 'soak' && only !== 'drill')
    throw new UsageError('--only is costs, capacity, soak or drill')
  const postgres = await startPostgres({ archivesLog: only === 'drill' })
  if (!postgres) {
    process.stderr.write('PostgreSQL is not installed (Debian: apt install postgresql)\n')
    return endBench(0)
  }
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-bench-central-'))
  mkdirSync(join(folder, 'objects'))
  const objects = await startObjectStorage(join(folder, 'objects'))
  const env = {
    DATABASE_URL: postgres.url,
    CENTRE_KEY_FILE: join(folder, 'centre.key'),
    ...(storage === 's3' ? { AWS_ACCESS_KEY_ID: 'bench', AWS_SECRET_ACCESS_KEY: 'bench' } : {}),
  }
  const settings = {
    // All archives are fetched again at the end, as fast as possible.
    headOffice: { callsPerMinute: 1_000_000 },
    // To measure the parts one after the other, a kiosk uploads all of its proofs before it completes the first.
    unfinishedUploads: 1000,
    ...(storage === 's3'
      ? {
          storage: {
            kind: 's3',
            endpoint: objects.endpoint,
            bucket: 'bench',
            region: 'bench',
            allowHttp: true,
          },
        }
      : {}),
  }
  const instances = [
    await instance('first', folder, env, settings),
    await instance('second', folder, env, settings),
  ] as const
  try {
    if (only === 'soak') {
      const minutes = Number(values.minutes)
      const soaked = await soakService(postgres, instances, env, folder, Number(values.kiosks ?? 50), {
        minutes,
        bytes: Number(values.bytes),
        everySeconds: Number(values.every),
        killEverySeconds: Math.min(120, minutes * 12),
      })
      const { sent, ...told } = soaked
      const words = `${describeSoak(soaked)}\n${soaked.lost} lost, ${soaked.duplicated} twice, ${soaked.unverified} not verified\n`
      process.stdout.write(values.json ? `${JSON.stringify({ ...told, proofs: sent.size })}\n` : words)
      const isFlat = (soaked.memoryGrowth ?? 1) <= MAX_GROWTH
      return endBench(sent.size, soaked.lost + soaked.duplicated + soaked.unverified === 0 && isFlat)
    }
    if (only === 'drill') {
      const drilled = await drillService(postgres, instances, env, folder, {
        kiosks: Number(values.kiosks ?? 20),
        proofs: Number(values.proofs),
        bytes: Number(values.bytes),
      })
      process.stdout.write(values.json ? `${JSON.stringify(drilled)}\n` : `${describeDrill(drilled)}\n`)
      return endBench(drilled.archives, drilled.problems === 0 && drilled.asListed === drilled.archives)
    }
    const result = await bench(postgres, instances, env, folder, {
      kiosks: Number(values.kiosks ?? 20),
      proofs: Number(values.proofs),
      bytes: Number(values.bytes),
      stored: values.stored.split(',').map(Number),
      storage,
      only: only ?? null,
    })
    process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : inWords(result))
    const { measurements, costs, lost, duplicated, unverified } = result
    const proofs = [...measurements, ...costs].reduce((sum, measured) => sum + measured.proofs, 0)
    return endBench(proofs, lost + duplicated + unverified === 0)
  } catch (error) {
    process.stderr.write(instances.map((process) => process.logTail()).join('\n'))
    throw error
  } finally {
    for (const process of instances) await process.kill()
    await objects.close()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function instance(
  name: string,
  folder: string,
  env: NodeJS.ProcessEnv,
  settings: object,
): Promise<ManagedProcess> {
  const port = await freePort()
  mkdirSync(join(folder, name))
  writeFileSync(join(folder, name, 'central.json'), JSON.stringify(settings))
  return manage(name, port, ['central', 'start', '--data', join(folder, name), '--port', String(port)], env)
}

interface LoadOptions {
  readonly kiosks: number
  readonly proofs: number
  readonly bytes: number
}

interface Options extends LoadOptions {
  readonly stored: readonly number[]
  readonly storage: 'database' | 's3'
  readonly only: 'costs' | 'capacity' | null
}

async function bench(
  postgres: Postgres,
  instances: readonly ManagedProcess[],
  env: NodeJS.ProcessEnv,
  folder: string,
  options: Options,
): Promise<CentralBench> {
  const { consumerKey, kiosks, signer } = await beginService(instances, env, folder, options.kiosks)
  const [first] = instances
  const sent = new Set<string>()
  const measure = async (storedBefore: number): Promise<Measurement> => {
    const up = instances.filter((process) => process.isUp()).length
    const measurement = await load(kiosks, options, sent)
    process.stderr.write(
      `${storedBefore} stored, ${up} instances: ${measurement.perSecond.toFixed(1)} proofs/s\n`,
    )
    return { instances: up, storedBefore, ...measurement }
  }
  const measurements: Measurement[] = []
  const [, second] = instances
  const costs: Costs[] = []
  await measure(0) // compiles the code and fills the caches; not counted
  for (const stored of options.stored) {
    await fill(postgres.url, stored)
    const cost = await costByPart(postgres, first, consumerKey, kiosks, options, sent)
    costs.push({ storedBefore: stored, ...cost })
    if (options.only === 'capacity') break
    if (options.only === 'costs') continue
    measurements.push(await measure(stored))
    await second.start()
    measurements.push(await measure(stored))
    await second.stop()
  }
  const capacity =
    options.only === 'capacity' ? await measureCapacity(instances, costs[0], kiosks, options, sent) : null
  let chaos: CentralBench['chaos'] = null
  if (options.only === null) {
    await second.start()
    const measured = await duringChaos(postgres, second, () => measure(options.stored.at(-1) ?? 0))
    chaos = { ...measured, instanceKilled: 1, databaseCrashed: 1 }
  }
  return {
    kiosks: options.kiosks,
    bytes: options.bytes,
    storage: options.storage,
    costs,
    measurements,
    capacity,
    chaos,
    ...(await countFaults(first, consumerKey, signer, sent)),
    cores: cpus().length,
    processor: cpus()[0]?.model ?? 'unknown',
  }
}

async function measureCapacity(
  instances: readonly ManagedProcess[],
  costs: Costs,
  kiosks: readonly SimulatedKiosk[],
  options: Options,
  sent: Set<string>,
): Promise<NonNullable<CentralBench['capacity']>> {
  const [one] = await kiosks[0].prepare(1, options.bytes)
  await kiosks[0].send(one)
  sent.add(one.announcement.proofId)
  const capacity = computeCapacity(costs, one.packet.length)
  const [first, second] = instances
  const limits = instances.map(({ name }) => openCoreLimit(name))
  try {
    if (limits.some((limit) => limit === null)) return { ...capacity, check: null }
    for (const [at, process] of instances.entries()) {
      // Restarted, so that the processes which verify belong to the group, too.
      await process.stop()
      const started = process.start()
      limits[at]?.add(process.readPid() ?? 0)
      await started
    }
    await load(kiosks, options, sent) // warms both; not counted
    const check = await checkCapacity(async (count, coresEach) => {
      for (const limit of limits) limit?.set(coresEach)
      const used = count === 1 ? [first] : [first, second]
      pickFrom = used
      const { perSecond } = await load(kiosks, options, sent)
      process.stderr.write(`${count} × ${coresEach} core: ${perSecond.toFixed(1)} proofs/s\n`)
      return perSecond
    })
    return { ...capacity, check }
  } finally {
    pickFrom = null
    for (const limit of limits) limit?.end()
  }
}

interface BegunService {
  readonly consumerKey: string
  readonly signer: Signer
  readonly kiosks: readonly SimulatedKiosk[]
}

/** Starts the first instance and enrols the kiosks. */
async function beginService(
  instances: readonly ManagedProcess[],
  env: NodeJS.ProcessEnv,
  folder: string,
  count: number,
): Promise<BegunService> {
  const central = (...args: string[]): Promise<string> =>
    runCommand(['central', ...args, '--data', join(folder, 'first'), '--json'], env)
  await central('tenants', 'create', TENANT, '--test-proofs')
  const consumer = JSON.parse(
    await central(
      'consumers',
      'create',
      '--tenant',
      TENANT,
      '--name',
      'bench',
      '--scope',
      'proofs:read',
      '--scope',
      'fleet:read',
    ),
  ) as { key: string }
  await instances[0].start()
  // All kiosks share one signing key: it makes no difference to the central service, and creating twenty takes a minute.
  const signer = createKeySigner(await generateSigningKeyPem())
  const kiosks: SimulatedKiosk[] = []
  for (let index = 0; index < count; index++) {
    const { code } = JSON.parse(
      await central('enrol-code', '--tenant', TENANT, '--name', `kiosk ${index}`),
    ) as {
      code: string
    }
    kiosks.push(await enrolSimulatedKiosk(code, signer, () => balance(instances)))
  }
  return { consumerKey: consumer.key, signer, kiosks }
}

/** More than a warm process varies by itself. Starting value. */
const MAX_GROWTH = 1.1

async function soakService(
  postgres: Postgres,
  instances: readonly [ManagedProcess, ManagedProcess],
  env: NodeJS.ProcessEnv,
  folder: string,
  count: number,
  settings: SoakSettings,
): Promise<SoakResult & Record<'lost' | 'duplicated' | 'unverified', number>> {
  const { consumerKey, kiosks, signer } = await beginService(instances, env, folder, count)
  await instances[1].start()
  const soaked = await soak(postgres, instances, kiosks, settings)
  return { ...soaked, ...(await countFaults(instances[0], consumerKey, signer, soaked.sent)) }
}

async function drillService(
  postgres: Postgres,
  instances: readonly [ManagedProcess, ManagedProcess],
  env: NodeJS.ProcessEnv,
  folder: string,
  options: LoadOptions,
): Promise<DrillResult> {
  const [instance] = instances
  const { kiosks } = await beginService(instances, env, folder, options.kiosks)
  return runDrill({
    postgres,
    instance,
    folder,
    command: (...args) => runCommand(['central', ...args, '--data', join(folder, 'first'), '--json'], env),
    deliver: async (share) => {
      // Portions, because the prepared proofs are in memory.
      for (let left = Math.round(options.proofs * share); left > 0; left -= PORTION) {
        await load(kiosks, { ...options, proofs: Math.min(left, PORTION) }, new Set())
        process.stderr.write(`${Math.max(0, left - PORTION)} of this half are left\n`)
      }
    },
  })
}

/** Looks at the service as head office does. */
async function countFaults(
  { url }: ManagedProcess,
  consumerKey: string,
  signer: Signer,
  sent: ReadonlySet<string>,
): Promise<Record<'lost' | 'duplicated' | 'unverified', number>> {
  const jwks = { keys: [await signer.publicJwk()] }
  const found = await inspectCentralService(url, consumerKey, jwks, sent)
  return {
    lost: [...sent].filter((proofId) => !found.proofs.has(proofId)).length,
    duplicated: found.duplicated.length,
    unverified: found.unverified.length,
  }
}

/** Alternates between the instances that are up, like a load balancer with a health check. */
let turn = 0
/** Null: all instances. */
let pickFrom: readonly ManagedProcess[] | null = null
function balance(all: readonly ManagedProcess[]): string {
  const instances = pickFrom ?? all
  const up = instances.filter((process) => process.isUp())
  return (up[turn++ % Math.max(1, up.length)] ?? instances[0]).url
}

/** Each kiosk sends its share, one proof after the other. The measured time does not include sealing. */
async function load(
  kiosks: readonly SimulatedKiosk[],
  { proofs, bytes }: LoadOptions,
  sent: Set<string>,
): Promise<Pick<Measurement, 'proofs' | 'perSecond' | 'p50' | 'p99'>> {
  const prepared = await prepareShares(kiosks, proofs, bytes)
  const begun = performance.now()
  const times = await Promise.all(
    kiosks.map(async (kiosk, index) => {
      const own: number[] = []
      for (const proof of prepared[index]) {
        own.push(await kiosk.send(proof))
        sent.add(proof.announcement.proofId)
      }
      return own
    }),
  )
  const seconds = (performance.now() - begun) / 1000
  const sorted = times.flat().sort((a, b) => a - b)
  const at = (share: number): number =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))])
  return { proofs: sorted.length, perSecond: sorted.length / seconds, p50: at(0.5), p99: at(0.99) }
}

async function prepareShares(
  kiosks: readonly SimulatedKiosk[],
  proofs: number,
  bytes: number,
): Promise<readonly (readonly PreparedProof[])[]> {
  const share = Math.ceil(proofs / kiosks.length)
  const prepared: (readonly PreparedProof[])[] = []
  for (const kiosk of kiosks) prepared.push(await kiosk.prepare(share, bytes))
  return prepared
}

async function costByPart(
  postgres: Postgres,
  instance: ManagedProcess,
  consumerKey: string,
  kiosks: readonly SimulatedKiosk[],
  { proofs, bytes }: Options,
  sent: Set<string>,
): Promise<Omit<Costs, 'storedBefore'>> {
  const get = async (path: string): Promise<Response> => {
    const response = await fetch(`${instance.url}/head-office/v1${path}`, {
      headers: { authorization: `Bearer ${consumerKey}` },
    })
    if (!response.ok) throw new Error(`GET ${path} was answered with ${response.status}`)
    return response
  }
  const prepared = await prepareShares(kiosks, proofs, bytes)
  const client = new Client({ connectionString: postgres.url })
  await client.connect()
  try {
    const costs = await measureCosts({
      instancePid: instance.readPid() ?? 0,
      postgresPid: postgres.readPid(),
      client,
      kiosks,
      prepared,
      listFeed: async (start) => {
        const listed: string[] = []
        for (let after = start, more = true; more;) {
          const query = after === null ? '' : `&after=${after}`
          const page = (await (await get(`/proofs?limit=100${query}`)).json()) as {
            readonly proofs: readonly { readonly proofId: string }[]
            readonly next: string | null
            readonly more: boolean
          }
          listed.push(...page.proofs.map(({ proofId }) => proofId))
          after = page.next
          more = page.more
        }
        return listed
      },
      fetchArchive: async (proofId) => {
        await (await get(`/proofs/${proofId}/archive`)).arrayBuffer()
      },
    })
    for (const { announcement } of prepared.flat()) sent.add(announcement.proofId)
    return costs
  } finally {
    await client.end()
  }
}

/** Kills one instance midway and restarts it; then ends PostgreSQL as a power cut would and lets it recover. */
async function duringChaos(
  postgres: Postgres,
  victim: ManagedProcess,
  measure: () => Promise<Measurement>,
): Promise<Measurement> {
  const faults = (async () => {
    await wait(1_000)
    await victim.kill()
    await victim.start()
    await postgres.crash()
    await postgres.start()
  })()
  const measurement = await measure()
  await faults
  return measurement
}

/** Inserts rows and large objects like those of the central service until `target` proofs are stored. */
async function fill(url: string, target: number): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    // The database places one proof for each transaction; these stand before all others.
    await client.query('ALTER TABLE proofs DISABLE TRIGGER USER')
    for (;;) {
      const { rows } = await client.query<{ n: string }>('SELECT count(*) AS n FROM proofs')
      const missing = target - Number(rows[0]?.n)
      if (missing <= 0) break
      await client.query(FILL, [Math.min(missing, FILL_AT_ONCE), TENANT, randomBytes(FILLER_BYTES)])
    }
    await client.query('ALTER TABLE proofs ENABLE TRIGGER USER')
    await client.query('VACUUM ANALYZE proofs')
  } finally {
    await client.end()
  }
}

const FILL = `
  WITH kiosk AS (SELECT id FROM kiosks WHERE tenant_id = $2 ORDER BY id LIMIT 1),
       least AS (SELECT LEAST(min(sequence), 0) AS sequence, LEAST(min(feed_position), 0) AS position FROM proofs)
  INSERT INTO proofs (proof_id, tenant_id, kiosk_id, sequence, identity_id, sha256, previous_hash, hash,
    level_of_assurance, test, signed_by, archive_bytes, sealed_at, stored_at, feed_position, packet_sha256,
    packet_bytes, location, receipt)
  SELECT gen_random_uuid(), $2, kiosk.id, least.sequence - n, gen_random_uuid(), repeat('0', 64), repeat('0', 64),
    repeat('0', 64), 'LOA1', true, 'filler', length($3::bytea), now(), now(), least.position - n, repeat('0', 64),
    length($3::bytea), 'lo:' || lo_from_bytea(0, $3::bytea), 'filler'
  FROM kiosk, least, generate_series(1, $1::int) AS n`

function inWords(result: CentralBench): string {
  const { chaos } = result
  const rows = [...result.measurements, ...(chaos ? [chaos] : [])].map(
    ({ instances, storedBefore, perSecond, p50, p99 }) =>
      `${storedBefore} stored, ${instances} instances: ${perSecond.toFixed(1)} proofs/s, p50 ${p50} ms, p99 ${p99} ms`,
  )
  const counts = `${result.lost} lost, ${result.duplicated} twice, ${result.unverified} not verified`
  const end = chaos ? `an instance killed and PostgreSQL crashed in the last one: ${counts}` : counts
  const { capacity } = result
  const carried = capacity ? describeCapacity(capacity, capacity.check) : []
  return `${[...result.costs.flatMap(describeCosts), ...rows, ...carried, end].join('\n')}\n`
}
