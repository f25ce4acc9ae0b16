import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SafeDetails } from '../../../server/errors.ts'
import type { VisionOptions } from '../../../server/vision/client.ts'
import { startVision } from '../../../server/vision/client.ts'
import { readManifest } from '../../../server/vision/manifest.ts'
import { defaultModelsDir } from '../../../server/vision/packs.ts'
import type { Vision } from '../../../server/vision/protocol.ts'
import { sharedData } from '../../support/shared-data.ts'
import { specimenPhotograph } from '../../support/subjects.ts'

interface Event {
  readonly event: string
  readonly details: SafeDetails
}
const events: Event[] = []
const record =
  (into: Event[]): VisionOptions['log'] =>
  (event, details) =>
    void into.push({ event, details })
const pids = (list: Event[]): number[] =>
  list
    .filter(({ event }) => event === 'the vision worker is ready')
    .map(({ details }) => Number(details.workerPid))
const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5))
}

const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#808080' } })
    .jpeg()
    .toBuffer()

let vision: Vision
beforeAll(async () => {
  vision = await startVision({ log: record(events), modelsDir: defaultModelsDir(), packs: ['core'] })
})
afterAll(() => vision.close())

test('the worker tells which models it measures with, each with the pinned hash', async () => {
  const { packs, models, residentBytes } = await vision.health({})
  expect(packs).toEqual(['core'])
  const pinned = new Map(readManifest().models.map((entry) => [entry.id, entry.sha256]))
  expect(models.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['blazeface-256', 'face-mesh-468', 'dlib-resnet29-150']),
  )
  for (const model of models) expect(model.sha256).toBe(pinned.get(model.id))
  expect(residentBytes).toBeGreaterThan(10e6)
})

test('pictures of many megabytes reach the worker whole, also several in one call', async () => {
  const noise = (width: number, height: number, type: 'gaussian' = 'gaussian') =>
    sharp({
      create: { width, height, channels: 3, background: '#808080', noise: { type, mean: 128, sigma: 60 } },
    })
      .png({ compressionLevel: 0 })
      .toBuffer()
  const [probe, reference] = [await noise(1000, 1500), await noise(900, 1400)]
  expect(Math.min(probe.byteLength, reference.byteLength)).toBeGreaterThan(3_500_000)
  const { byteLength, widthPx, heightPx } = await vision.inspectImage({ image: probe })
  expect({ byteLength, widthPx, heightPx }).toEqual({
    byteLength: probe.byteLength,
    widthPx: 1000,
    heightPx: 1500,
  })
  // Each is decoded, its checksums with it: a byte at another place would be a fault of the picture.
  expect((await vision.compareFaces({ probe, reference })).comparison).toBeNull()
  const broken = Buffer.from(reference)
  broken[3_000_000] ^= 1
  await expect(vision.compareFaces({ probe, reference: broken })).rejects.toThrow()
})

test('a picture without a face has no face, and no comparison', async () => {
  const image = await plain(300, 200)
  const { faces, image: info, pad } = await vision.measurePortrait({ image })
  expect({ faces, info, pad }).toEqual({
    faces: [],
    info: { format: 'jpeg', widthPx: 300, heightPx: 200, exifOrientation: 1 },
    pad: null,
  })
  expect((await vision.compareFaces({ probe: image, reference: image })).comparison).toBeNull()
})

test('hostile bytes are answered with their fault, and the same process continues', async () => {
  const whole = await plain(640, 480)
  const bomb = Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\xea\x60\0\0\xea\x60\x08\x02\0\0\0', 'latin1'),
    Buffer.alloc(4),
  ])
  const garbage = Buffer.from(Uint8Array.from({ length: 5000 }, (_, i) => (i * 2654435761) >>> 24))
  const cases = [
    [garbage, 'not_an_image'],
    [Buffer.concat([whole.subarray(0, 20), garbage]), 'damaged'],
    [whole.subarray(0, whole.length >> 1), 'damaged'],
    [bomb, 'too_many_pixels'],
    [Buffer.from('%PDF-1.7'), 'unsupported_format'],
    [new Uint8Array(0), 'not_an_image'],
  ] as const
  for (const [image, fault] of cases) {
    await expect(vision.measurePortrait({ image })).rejects.toMatchObject({ name: 'ImageFaultError', fault })
    await expect(vision.measureDocument({ image })).rejects.toMatchObject({ name: 'ImageFaultError', fault })
    await expect(vision.readBarcode({ image })).rejects.toMatchObject({ name: 'ImageFaultError', fault })
  }
  await expect(vision.inspectImage({ image: whole, declaredType: 'image/png' })).rejects.toMatchObject({
    fault: 'type_mismatch',
  })
  expect(pids(events)).toHaveLength(1)
  expect(await vision.inspectImage({ image: whole })).toMatchObject({ widthPx: 640 })
})

test('a live picture is tracked from one to the next, and a session measured, across the processes', async () => {
  const image = specimenPhotograph('cole', 'near-40cm.jpg')
  const first = await vision.trackFace({ image, last: null })
  const points = first.face?.points ?? new Float32Array(0)
  expect(points).toBeInstanceOf(Float32Array)
  expect(points).toHaveLength(1404)
  expect(first.byteLength).toBe(image.length)
  const appended = Buffer.concat([image, Buffer.from('PK\x05\x06')])
  expect((await vision.trackFace({ image: appended, last: null })).byteLength).toBe(image.length)
  const second = await vision.trackFace({ image, last: points })
  expect(Math.abs((second.face?.box.x ?? 0) - (first.face?.box.x ?? 0))).toBeLessThan(5)
  expect(second.models.map(({ id }) => id)).toEqual(['blazeface-256', 'face-mesh-468'])
  const still = { image, points }
  const turned = specimenPhotograph('cole', 'yaw-left-15.jpg')
  const target = {
    image: turned,
    points: (await vision.trackFace({ image: turned, last: null })).face?.points ?? points,
  }
  const session = await vision.measureLiveness({
    reference: still,
    targets: [target],
    portraits: [still, target],
  })
  expect(session).toMatchObject({
    depth: null,
    continuity: { measure: 'cosine-similarity', compared: 1 },
    portraitsByQuality: [0, 1],
    sceneChange: null,
  })
})

test('hostile live pictures end in their fault or are left out, and the same process continues', async () => {
  const image = specimenPhotograph('cole', 'near-40cm.jpg')
  const cut = image.subarray(0, image.length >> 1)
  await expect(vision.trackFace({ image: cut, last: null })).rejects.toMatchObject({ fault: 'damaged' })
  const huge = new Float32Array(5_000_000).fill(7)
  expect((await vision.trackFace({ image, last: huge })).face).not.toBeNull()
  const points = new Float32Array(1404).fill(-1e38)
  const { depth, continuity } = await vision.measureLiveness({
    reference: { image, points },
    targets: [{ image: cut, points: huge }],
    portraits: [],
  })
  expect({ depth, continuity }).toEqual({ depth: null, continuity: null })
  expect(pids(events)).toHaveLength(1)
})

const page = sharedData('mrz', 'fm_td3.jpg')
test.skipIf(page === null)(
  'the portrait cut from a document is a picture that the worker takes again, with one face to compare',
  async () => {
    const { portrait, models } = await vision.measureDocument({ image: await readFile(page ?? '') })
    expect(models.map(({ id }) => id)).toEqual(expect.arrayContaining(['ocrb-a', 'ocrb-b']))
    const image = portrait?.jpeg ?? new Uint8Array()
    expect((await vision.measurePortrait({ image })).faces).toHaveLength(1)
    const { comparison } = await vision.compareFaces({ probe: image, reference: image })
    expect(comparison?.score).toBeCloseTo(1, 5)
    expect(comparison?.atOrBeyondThreshold).toBe(true)
  },
)

test('a call whose worker is killed is answered by the next worker', async () => {
  const own: Event[] = []
  const mortal = await startVision({ log: record(own), modelsDir: defaultModelsDir(), packs: ['core'] })
  try {
    const pending = mortal.measurePortrait({ image: await plain(6000, 4000) })
    process.kill(pids(own)[0], 'SIGKILL')
    expect((await pending).image.widthPx).toBe(6000)
    expect(mortal.restarts()).toEqual({ crashed: 1, hung: 0, grown: 0 })
    expect(own.map(({ event }) => event)).toEqual([
      'the vision worker is ready',
      'the vision worker ended',
      'a vision call is repeated',
      'the vision worker is ready',
    ])
  } finally {
    await mortal.close()
  }
})

test('a call that kills two workers is given up, and the next call finds a third', async () => {
  const own: Event[] = []
  const mortal = await startVision({ log: record(own), modelsDir: defaultModelsDir(), packs: ['core'] })
  try {
    const pending = mortal.measurePortrait({ image: await plain(6000, 4000) })
    const refused = expect(pending).rejects.toMatchObject({ code: 'vision_unavailable' })
    process.kill(pids(own)[0], 'SIGKILL')
    await until(() => pids(own).length === 2)
    process.kill(pids(own)[1], 'SIGKILL')
    await refused
    expect((await mortal.measurePortrait({ image: await plain(100, 100) })).faces).toEqual([])
    expect(pids(own)).toHaveLength(3)
  } finally {
    await mortal.close()
  }
})

test('a call over its time limit ends with its worker, and calls behind it are answered', async () => {
  const own: Event[] = []
  const options = {
    log: record(own),
    modelsDir: defaultModelsDir(),
    packs: ['core'],
    callTimeoutMs: 150,
  } as const
  const hasty = await startVision(options)
  try {
    const huge = hasty.measurePortrait({ image: await plain(8900, 8900) })
    const behind = hasty.health({})
    await expect(huge).rejects.toMatchObject({
      code: 'vision_unavailable',
      details: { reason: 'worker_died' },
    })
    expect((await behind).packs).toEqual(['core'])
    expect(own.map(({ event }) => event)).toContain('a vision call took too long')
    expect(hasty.restarts()).toEqual({ crashed: 0, hung: 1, grown: 0 })
  } finally {
    await hasty.close()
  }
})

test('a worker above its memory ceiling is replaced between two calls', async () => {
  const own: Event[] = []
  const options = {
    log: record(own),
    modelsDir: defaultModelsDir(),
    packs: ['core'],
    maxResidentBytes: 1,
  } as const
  const small = await startVision(options)
  try {
    await small.health({})
    await until(() => pids(own).length === 2)
    expect(new Set(pids(own)).size).toBe(2)
    expect(own.map(({ event }) => event)).toContain('the vision worker used too much memory')
    expect(small.restarts()).toMatchObject({ crashed: 0, hung: 0 })
    expect(small.restarts().grown).toBeGreaterThan(0)
  } finally {
    await small.close()
  }
})

test('after close every call is refused and the process is gone', async () => {
  const own: Event[] = []
  const brief = await startVision({ log: record(own), modelsDir: defaultModelsDir(), packs: ['core'] })
  await brief.close()
  await expect(brief.health({})).rejects.toMatchObject({ code: 'shutting_down' })
  expect(() => process.kill(pids(own)[0], 0)).toThrow()
})

test('nothing but names, ids and numbers reaches the log', () => {
  expect(events.length).toBeGreaterThan(0)
  for (const { details } of events)
    for (const value of Object.values(details)) expect(JSON.stringify(value).length).toBeLessThan(100)
})

test('with a worker of its own a live picture does not wait for the document before it', async () => {
  const own: Event[] = []
  const options = { log: record(own), modelsDir: defaultModelsDir(), packs: ['core'] } as const
  const both = await startVision({ ...options, liveWorker: true })
  try {
    // The worker for live pictures starts after the other one, and both answer this call.
    await both.health({})
    expect(new Set(pids(own)).size).toBe(2)
    const [liveWorker, mainWorker] = own
      .filter(({ event }) => event === 'the vision worker is ready')
      .map(({ details }) => ({ pid: Number(details.workerPid), models: Number(details.models) }))
      .sort((a, b) => a.models - b.models)
    // Five of the core pack read print: two recognisers of MRZ lines, detector, recogniser and alphabet of text.
    expect(mainWorker.models - liveWorker.models).toBe(5)
    const order: string[] = []
    const slow = both.measurePortrait({ image: await plain(8000, 8000) }).then(() => order.push('slow'))
    const live = both
      .trackFace({ image: await plain(640, 480), last: null })
      .then(({ face }) => order.push(face === null ? 'live' : 'face'))
    await Promise.all([slow, live])
    expect(order).toEqual(['live', 'slow'])
    const { residentBytes } = await both.health({})
    expect(residentBytes).toBeGreaterThan(150e6)
    process.kill(liveWorker.pid, 'SIGKILL')
    expect((await both.trackFace({ image: await plain(640, 480), last: null })).others).toEqual([])
    expect(both.restarts()).toEqual({ crashed: 1, hung: 0, grown: 0 })
  } finally {
    await both.close()
  }
  for (const pid of pids(own)) expect(() => process.kill(pid, 0)).toThrow()
})
