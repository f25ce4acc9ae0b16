/**
 * `npm run bench:face-index`: measures the cost of the search for a duplicate face by the size of the index, with the
 * real store, keys and worker and with invented templates; calculates from the manifest how often a stranger matches.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { v7 as uuidv7 } from 'uuid'
import { UsageError } from '../../commands/usage.ts'
import { checkConfig } from '../../config/config.ts'
import { createEvidence } from '../../proofing/evidence.ts'
import type { Identity } from '../../proofing/identity.ts'
import { createKey } from '../../store/crypto.ts'
import { openStore, type Store } from '../../store/open.ts'
import { startVision } from '../../vision/client.ts'
import { DLIB, MOBILEFACENET } from '../../vision/faces/embed.ts'
import { nameOwnNetwork } from '../../vision/engines/own-face-engine.ts'
import { defaultModelsDir } from '../../vision/packs.ts'
import { writeTemplate, type OperatingPoint, type Vision } from '../../vision/protocol.ts'
import type { FaceContext } from '../../workflows/evidence/face-templates.ts'
import { findDuplicateFaces } from '../../workflows/fraud/find-duplicate-faces.ts'
import { createTemplateProtection } from '../../workflows/evidence/protect-template.ts'
import { buildIdentity } from './bench-identity.ts'
import { endBench } from './labelled-data.ts'
import { seeded, type Random } from './crash/random.ts'

const HELP = `bench-face-index: measures the time of the search for a duplicate face

  --entries LIST   sizes of the index, ascending                  (default 1000,10000)
  --runs N         searches per size                              (default 5)
  --seed N         seed of the invented templates                 (default 1)
  --json           one JSON object at the end
  --help           this text

Times are milliseconds of whole searches for faces without a duplicate, which take longest. Each identity has a key of its
own, so filling the index takes longer than searching it.

Example: npm run bench:face-index -- --entries 1000 --runs 3
`

interface Measured {
  readonly entries: number
  /** Median over the runs. */
  readonly searchMs: number
  /**
   * Medians; on a busy machine processor time is more reliable than elapsed time. The worker's is known only on Linux.
   */
  readonly serverCpuMs: number
  readonly workerCpuMs: number | null
  /** Longest time that a search blocked all other requests. */
  readonly longestBlockMs: number
  /**
   * Probability that a stranger matches an entry of an index of this size: at the point's FMR and at the upper end of its
   * interval.
   */
  readonly fpir: number
  readonly fpirUpTo: number | null
}
interface FaceIndexBench {
  readonly seed: number
  readonly runs: number
  readonly cores: number
  readonly operatingPoint: string
  readonly measured: readonly Measured[]
}

const TENANT = 'bench'
const NUMBERS = 128
/** Linux counts processor time in hundredths of a second (USER_HZ). */
const MS_PER_TICK = 10

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      entries: { type: 'string', default: '1000,10000' },
      runs: { type: 'string', default: '5' },
      seed: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const lengths = values.entries.split(',').map(Number)
  const [runs, seed] = [Number(values.runs), Number(values.seed)]
  if (![...lengths, runs, seed].every((number) => Number.isInteger(number) && number > 0))
    throw new UsageError('--entries, --runs and --seed take whole numbers above 0.')
  const result = await bench(lengths, runs, seed)
  process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : inWords(result))
  return endBench(result.measured.length)
}

async function bench(lengths: readonly number[], runs: number, seed: number): Promise<FaceIndexBench> {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-bench-faces-'))
  const store = openStore(dataDir, createKey())
  const vision = await startVision({
    modelsDir: defaultModelsDir(),
    packs: ['core', 'extended'],
    log: () => undefined,
  })
  try {
    const now = new Date()
    const ctx: FaceContext = {
      config: checkConfig({ antifraud: { duplicateFace: { enabled: true } } }, dataDir, 'bench'),
      store,
      vision,
      clock: { now: () => now },
      time: {
        statement: () => ({ source: 'SYSTEM', earliest: now, latest: now, uncertaintyMs: null, steps: 0 }),
      },
    }
    const faces = createFaces(store, await madeBy(vision), seeded(seed), now)
    const measured: Measured[] = []
    for (const entries of lengths) {
      faces.fillTo(entries)
      measured.push({
        entries,
        ...(await measure(ctx, faces, runs)),
        ...rates(await findOperatingPoint(vision), entries),
      })
    }
    const { id: operatingPoint } = await findOperatingPoint(vision)
    return { seed, runs, cores: availableParallelism(), operatingPoint, measured }
  } finally {
    await vision.close()
    store.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** The networks of the templates, as the worker names them. */
async function madeBy(vision: Vision): Promise<readonly string[]> {
  const { models } = await vision.health({})
  return [DLIB, MOBILEFACENET].flatMap((id) => models.filter((model) => model.id === id).map(nameOwnNetwork))
}

async function findOperatingPoint(vision: Vision): Promise<OperatingPoint> {
  return (await vision.compareTemplates({ probe: new Uint8Array(), candidates: [] })).operatingPoint
}

function createFaces(store: Store, networks: readonly string[], random: Random, at: Date) {
  store.tenants.ensure({ id: TENANT, name: 'bench', mode: 'test', policyId: 'default' }, at)
  const applicationId = store.apiKeys.ensureApplication(TENANT, 'bench', at)
  const turn = createTemplateProtection(store.faceIndex.tenantKey(TENANT))
  const expiresAt = new Date(at.getTime() + 60_000)
  let filled = 0
  const add = (): { readonly identity: Identity; readonly template: Uint8Array } => {
    const identity = buildIdentity(TENANT, applicationId, at)
    const evidence = { ...aPortrait(identity.id, at) }
    const template = aTemplate(networks, random)
    const owner = { tenantId: TENANT, identityId: identity.id, evidenceId: evidence.id }
    store.transaction(() => {
      store.identities.add(identity, [])
      store.evidences.add(evidence)
      store.faceTemplates.put(owner, template, at)
    })
    return { identity, template }
  }
  return {
    /** This template is in no index, so a search for it has no result. */
    stranger: () => add().identity,
    fillTo: (entries: number): void => {
      for (; filled < entries; filled++) {
        const { identity, template } = add()
        const [evidence] = store.evidences.list(identity.id)
        const owner = { tenantId: TENANT, identityId: identity.id, evidenceId: evidence.id }
        store.faceIndex.put(owner, turn(template), expiresAt)
      }
    },
  }
}

async function measure(ctx: FaceContext, faces: ReturnType<typeof createFaces>, runs: number) {
  const times: number[] = []
  const cpu: number[] = []
  const workerCpu: number[] = []
  let longestBlockMs = 0
  for (let i = 0; i < runs; i++) {
    const stranger = faces.stranger()
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    const [start, before, ofWorker] = [performance.now(), process.cpuUsage(), childrenCpuMs()]
    const { outcome } = await findDuplicateFaces(ctx, stranger)
    times.push(performance.now() - start)
    const { user, system } = process.cpuUsage(before)
    cpu.push((user + system) / 1000)
    workerCpu.push(childrenCpuMs() - ofWorker)
    delay.disable()
    longestBlockMs = Math.max(longestBlockMs, delay.max / 1e6)
    if (outcome !== 'NONE') throw new TypeError(`a made-up face was ${outcome}`)
  }
  return {
    searchMs: median(times),
    serverCpuMs: median(cpu),
    workerCpuMs: Number.isNaN(workerCpu[0]) ? null : median(workerCpu),
    longestBlockMs: Math.round(longestBlockMs),
  }
}

/** User and system time of this process's children so far; NaN if the system does not report it. */
function childrenCpuMs(): number {
  try {
    const { pid } = process
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
    const ticks = children.map((child) => {
      // Fields 14 and 15 of proc(5), counted after the last bracket because the process name may contain any character.
      const fields = readFileSync(`/proc/${child}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ')
      return Number(fields[11]) + Number(fields[12])
    })
    return ticks.reduce((sum, one) => sum + one, 0) * MS_PER_TICK
  } catch {
    return NaN
  }
}

function rates({ fmr, measured }: OperatingPoint, entries: number): Pick<Measured, 'fpir' | 'fpirUpTo'> {
  const meets = (rate: number) => Number((1 - (1 - rate) ** entries).toFixed(4))
  const upper = measured?.ci95.fmr[1]
  return { fpir: meets(fmr), fpirUpTo: upper === undefined ? null : meets(upper) }
}

function aTemplate(networks: readonly string[], random: Random): Uint8Array {
  return writeTemplate(
    networks.map((name) => ({
      madeBy: name,
      agreement: 1,
      numbers: direction(random),
    })),
  )
}

function direction(random: Random): Float32Array {
  // The sum of twelve uniform numbers is close enough to a normal distribution.
  const normal = () => Array.from({ length: 12 }, () => random.next()).reduce((sum, x) => sum + x, -6)
  const raw = Float64Array.from({ length: NUMBERS }, normal)
  const norm = Math.hypot(...raw)
  return Float32Array.from(raw, (value) => value / norm)
}

function aPortrait(identityId: string, submittedAt: Date) {
  const kind = { family: 'PORTRAIT', type: 'PORTRAIT', strength: 'LEVEL1' } as const
  return createEvidence({ id: uuidv7(), identityId, submittedAt, content: {}, ...kind })
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return Math.round(sorted[Math.floor(sorted.length / 2)])
}

function inWords({ seed, runs, cores, operatingPoint, measured }: FaceIndexBench): string {
  const share = (rate: number | null) => (rate === null ? 'not measured' : `${(rate * 100).toFixed(1)} %`)
  const lines = measured.map(
    ({ entries, searchMs, serverCpuMs, workerCpuMs, longestBlockMs, fpir, fpirUpTo }) =>
      `  ${String(entries).padStart(7)} entries: ${searchMs} ms a search (of the processor ${serverCpuMs} ms for the server, ` +
      `${workerCpuMs ?? '?'} ms for the worker; other calls wait at most ${longestBlockMs} ms); a person who is not in the index has a false hit in ${share(fpir)}, up to ${share(fpirUpTo)}`,
  )
  return [`seed ${seed}, ${runs} searches each, ${cores} cores, ${operatingPoint}`, ...lines, ''].join('\n')
}
