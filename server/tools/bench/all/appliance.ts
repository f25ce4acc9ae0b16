/** Times and sizes of a whole appliance, also of one that keeps many identities. */
import { RelyingService } from '../../demo/client.ts'
import {
  createKeys,
  startServerProcess,
  useTemporaryFolder,
  writeToolConfig,
  type ServerProcess,
} from '../../demo/server-process.ts'
import { defaultSpecimen } from '../../demo/specimens.ts'
import { DESIGNS } from '../../specimen/documents/render.ts'
import { renderScene } from '../../specimen/scenes/scene.ts'
import { measureServer } from '../api.ts'
import { readResidentBytesOfAll, watchDescendantsCpu, readCpuMs } from '../worker-process.ts'
import { computeMedian, type Figure } from './figure.ts'

/** A camera of twelve megapixels. */
const BIG = [4000, 3000] as const
const SEED = 1
/** The runtime compiles frequent code: the first proofings take twice as long. */
const WARMING_PROOFINGS = 4
const PROOFINGS = 5
const STARTS = 3
const IDLE_SECONDS = 10
const READS = { rate: 300, seconds: 10, identities: 50, idle: false }
/** Calls at the same time while identities are created. */
const CREATED_AT_ONCE = 8

/** Goals for two otherwise idle cores. */
export function measureAppliance(kept: number, say: (line: string) => void): Promise<Figure[]> {
  return useTemporaryFolder('bench', async (dataDir) => {
    writeToolConfig(dataDir)
    const first = await startServerProcess(dataDir)
    const keys = await createKeys(dataDir, 'bench')
    if (kept > 0) say(`creating ${kept} identities`)
    await keepIdentities(new RelyingService(first.url, keys), kept)
    await first.stop()

    const starts: number[] = []
    let server: ServerProcess | null = null
    for (let n = 0; n < STARTS; n++) {
      await server?.stop()
      const startedAt = performance.now()
      server = await startServerProcess(dataDir)
      starts.push(performance.now() - startedAt)
    }
    if (server === null) throw new Error('the server was not started')
    await new Promise((resolve) => setTimeout(resolve, IDLE_SECONDS * 1000))
    const idleBytes = readResidentBytesOfAll(server.pid)
    const proofing = await timeProofings(new RelyingService(server.url, keys), server.pid)
    const { p99 } = await measureServer(server.url, keys, READS)
    const name = (figure: string) => (kept > 0 ? `${figure}, ${kept} identities kept` : figure)
    return [
      {
        name: name('start until it listens'),
        value: computeMedian(starts),
        unit: 'ms',
        goal: { atMost: 2000 },
      },
      {
        name: name('idle, server and workers'),
        value: idleBytes === null ? null : Math.round(idleBytes / 1e6),
        unit: 'MB',
        goal: { atMost: 600 },
      },
      {
        name: name('proofing of 12 megapixels and a still, wall'),
        value: proofing.wallMs,
        unit: 'ms',
        goal: { atMost: 2000 },
      },
      {
        name: name('proofing of 12 megapixels and a still, processor'),
        value: proofing.processorMs,
        unit: 'ms',
        goal: { atMost: 3000 },
      },
      {
        name: name('GET identity at 300/s while verifying, p99'),
        value: p99,
        unit: 'ms',
        goal: { atMost: 10 },
      },
    ]
  })
}

async function keepIdentities(service: RelyingService, count: number): Promise<void> {
  let left = count
  const createSome = async () => {
    while (left-- > 0) {
      const { id } = await service.createIdentity([{ key: 'APPLICATION', value: 'bench' }])
      await service.consent(id, ['ID_DOCUMENT', 'PORTRAIT'])
    }
  }
  await Promise.all(Array.from({ length: CREATED_AT_ONCE }, createSome))
}

/** The time from sending the pictures until both are decided. */
async function timeProofings(service: RelyingService, pid: number) {
  const sideIndex = DESIGNS.passport.sides.length - 1
  const { jpeg } = await renderScene({ seed: SEED, kind: 'passport', sideIndex, size: BIG })
  const walls: number[] = []
  const processors: (number | null)[] = []
  for (let n = 0; n < WARMING_PROOFINGS + PROOFINGS; n++) {
    const { id } = await service.createIdentity([])
    await service.consent(id, ['ID_DOCUMENT', 'PORTRAIT'])
    const before = readWholeCpuMs(pid)
    const startedAt = performance.now()
    const document = await service.submitDocumentBytes(id, jpeg)
    const portrait = await service.submitPortrait(id, defaultSpecimen().portrait)
    await Promise.all([document, portrait].map((evidence) => service.waitForEvidence(id, evidence.id)))
    await service.waitForIdentity(id)
    const wallMs = performance.now() - startedAt
    const after = readWholeCpuMs(pid)
    if (n < WARMING_PROOFINGS) continue
    walls.push(wallMs)
    processors.push(before === null || after === null ? null : after - before)
  }
  return { wallMs: computeMedian(walls), processorMs: computeMedian(processors) }
}

/** Processor time of the server and of what it started. */
function readWholeCpuMs(pid: number): number | null {
  const own = readCpuMs(pid)
  if (own === null) return null
  const descendants = watchDescendantsCpu(pid)
  const ms = own + descendants.readMs()
  descendants.stop()
  return ms
}
