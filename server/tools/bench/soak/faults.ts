/** The faults of a soak: each disturbs a whole appliance for a while, and then everything works again. */
import { request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { RefusedError, RelyingService } from '../../demo/client.ts'
import { createRandom } from '../../specimen/head/noise.ts'
import type { Specimen } from '../../demo/specimens.ts'
import { acknowledge, type Book } from '../crash/applicant.ts'
import type { Disk } from '../crash/disk.ts'
import { inflict } from '../crash/faults.ts'
import type { Installation } from '../crash/installation.ts'
import type { Random } from '../crash/random.ts'
import { createMutant } from '../fuzz/mutations.ts'
import { readDescendants, readStartTime } from '../worker-process.ts'
import { findWorkers } from './sampler.ts'

export interface FaultScene {
  readonly installation: Installation
  readonly book: Book
  readonly random: Random
  readonly specimens: readonly Specimen[]
  readonly document: Buffer
  /** Receives a sentence for each promise that the appliance broke. */
  readonly broke: (finding: string) => void
}

interface SoakFault {
  readonly name: string
  /** Ends the life of a process, so that the rest of the run can show what a long life costs. */
  readonly ends?: 'server' | 'worker'
  readonly needsDisk?: true
  run(scene: FaultScene): Promise<void>
}

/** Shares of the run. The server's longest life begins after the last restart, and the worker's after the last kill. */
const LAST_RESTART = 0.4
const LAST_WORKER_KILL = 0.5

/** The central service is away for up to this long. */
const MAX_AWAY_MS = 45_000
const MIN_AWAY_MS = 5_000
/** A process that lost its server ends by itself within this time. */
const FAREWELL_MS = 10_000
const CONSENTS = ['ID_DOCUMENT', 'PORTRAIT']

export const SOAK_FAULTS: readonly SoakFault[] = [
  { name: 'vision worker killed', ends: 'worker', run: killWorker },
  { name: 'server killed', ends: 'server', run: (scene) => restart(scene, 'kill') },
  { name: 'server stopped (SIGTERM)', ends: 'server', run: (scene) => restart(scene, 'stop') },
  { name: 'disk full', needsDisk: true, run: (scene) => inflictWithDisk(scene, 'disk full') },
  { name: 'disk read-only', ends: 'server', needsDisk: true, run: makeDiskReadOnly },
  { name: 'central service away', run: cutLine },
  { name: 'central service slow (1 kB/s)', run: (scene) => inflictWithDisk(scene, 'slow (1 kB/s)') },
  { name: 'line half-open', run: (scene) => inflictWithDisk(scene, 'half-open') },
  { name: 'hostile upload', run: sendHostileUpload },
  { name: 'upload broken off', run: breakUploadOff },
  { name: 'abandoned visit', run: abandonVisit },
]

/** @param share of the run that has passed */
export function listPossibleFaults(share: number, hasDisk: boolean): readonly SoakFault[] {
  return SOAK_FAULTS.filter(
    ({ ends, needsDisk }) =>
      (hasDisk || !needsDisk) &&
      (ends !== 'server' || share < LAST_RESTART) &&
      (ends !== 'worker' || share < LAST_WORKER_KILL),
  )
}

async function killWorker({ installation: { kiosk }, random }: FaultScene): Promise<void> {
  const server = kiosk.readPid()
  const workers = server === null ? [] : findWorkers(server)
  if (workers.length > 0) process.kill(random.pick(workers), 'SIGKILL')
}

async function restart(scene: FaultScene, how: 'kill' | 'stop'): Promise<void> {
  const { kiosk } = scene.installation
  await watchForLeftBehind(scene, async () => {
    await kiosk[how]()
    await wait(scene.random.next() * 1000)
    await kiosk.start()
  })
}

function makeDiskReadOnly(scene: FaultScene): Promise<void> {
  return watchForLeftBehind(scene, () => inflictWithDisk(scene, 'disk read-only'))
}

/** No process of a server outlives it. */
async function watchForLeftBehind(
  { installation: { kiosk }, broke }: FaultScene,
  work: () => Promise<void>,
): Promise<void> {
  const server = kiosk.readPid()
  const before = new Map(
    (server === null ? [] : readDescendants(server)).map((pid) => [pid, readStartTime(pid)]),
  )
  await work()
  const endsAt = performance.now() + FAREWELL_MS
  for (;;) {
    const left = [...before].filter(([pid, time]) => time !== null && readStartTime(pid) === time)
    if (left.length === 0) return
    if (performance.now() > endsAt) return broke(`${left.length} processes outlived their server`)
    await wait(200)
  }
}

function inflictWithDisk(
  { installation: { proxy, disk, kiosk }, random }: FaultScene,
  fault: Parameters<typeof inflict>[0],
): Promise<void> {
  // No disk fault is drawn without a disk, so its value is not used.
  return inflict(fault, { proxy, disk: disk as Disk, kiosk }, random)
}

async function cutLine({ installation: { proxy }, random }: FaultScene): Promise<void> {
  proxy.weather.cutAfterBytes = 0
  await wait(MIN_AWAY_MS + random.next() * (MAX_AWAY_MS - MIN_AWAY_MS))
  proxy.weather.cutAfterBytes = null
}

/** The picture is refused or decided, and the server answers no error of its own. */
async function sendHostileUpload(scene: FaultScene): Promise<void> {
  const { book, broke, random, document } = scene
  const { kind, bytes } = await createMutant(
    document,
    random.below(1000),
    createRandom(random.below(2 ** 31)),
  )
  const service = getService(scene)
  try {
    const { id } = await service.createIdentity([])
    acknowledge(book, id)
    // The count at the end finds evidence that was never decided.
    acknowledge(book, id, (await service.submitDocumentBytes(id, bytes)).id)
  } catch (error) {
    if (error instanceof RefusedError && error.status < 500) return
    broke(`hostile upload ${kind}: ${error instanceof Error ? error.message : 'failed'}`)
  }
}

/** Sends half of an upload, then closes the connection. */
async function breakUploadOff(scene: FaultScene): Promise<void> {
  const { installation, document } = scene
  const { id } = await getService(scene).createIdentity([])
  acknowledge(scene.book, id)
  const head = '--x\r\ncontent-disposition: form-data; name="DocumentFront"; filename="a"\r\n\r\n'
  await new Promise<void>((resolve) => {
    const upload = request(`${installation.kiosk.url}/v1/identities/${id}/id-documents/capture`, {
      method: 'POST',
      headers: {
        apikey: installation.keys.relyingServiceKey,
        'user-agent': 'counterproof-soak/1 (en)',
        'content-type': 'multipart/form-data; boundary=x',
        'content-length': head.length + document.length,
      },
    })
    upload.on('error', () => resolve())
    upload.on('close', () => resolve())
    upload.write(head)
    upload.write(document.subarray(0, document.length / 2), () => setTimeout(() => upload.destroy(), 200))
  })
}

/** The document arrives, and the applicant never returns. */
async function abandonVisit(scene: FaultScene): Promise<void> {
  const service = getService(scene)
  const { id } = await service.createIdentity([])
  acknowledge(scene.book, id)
  await service.consent(id, CONSENTS)
  const evidence = await service.submitDocument(id, scene.random.pick(scene.specimens).document, undefined)
  acknowledge(scene.book, id, evidence.id)
}

const getService = ({ installation: { kiosk, keys } }: FaultScene): RelyingService =>
  new RelyingService(kiosk.url, keys)
