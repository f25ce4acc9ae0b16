/**
 * One flipped byte in a model's file: the worker starts without it and without its role, says so, and answers no call that
 * needs it. Real workers over copied folders of models.
 */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startVision } from '../../../server/vision/client.ts'
import { MANIFEST_PATH, PACKS, readManifest, type Pack } from '../../../server/vision/manifest.ts'
import { buildCorePack, defaultModelsDir, installedPacks, locateModel } from '../../../server/vision/packs.ts'
import type { CapabilityHealth, Vision } from '../../../server/vision/protocol.ts'
import { specimenPhotograph } from '../../support/subjects.ts'

const manifest = readManifest()
const entryOf = (id: string) => {
  const entry = manifest.models.find((model) => model.id === id)
  if (!entry) throw new Error(`no model ${id}`)
  return entry
}
const hasExtended = (await installedPacks(manifest, defaultModelsDir())).includes('extended')
const image = specimenPhotograph('cole', 'near-40cm.jpg')
const FACE_CALLS: Readonly<Record<string, (vision: Vision) => Promise<unknown>>> = {
  measurePortrait: (vision) => vision.measurePortrait({ image }),
  trackFace: (vision) => vision.trackFace({ image, last: null }),
  compareFaces: (vision) => vision.compareFaces({ probe: image, reference: image }),
  measureLiveness: (vision) =>
    vision.measureLiveness({
      reference: { image, points: new Float32Array(1404) },
      targets: [],
      portraits: [],
    }),
  makeTemplate: (vision) => vision.makeTemplate({ images: [image] }),
}
const MATCHING_CALLS = ['compareFaces', 'measureLiveness', 'makeTemplate']

let folder: string
beforeAll(async () => {
  await buildCorePack(manifest, defaultModelsDir())
  folder = await mkdtemp(join(tmpdir(), 'counterproof-models-'))
})
afterAll(() => rm(folder, { recursive: true }))

interface Started {
  readonly vision: Vision
  readonly events: readonly (readonly [string, unknown])[]
  readonly capabilities: Readonly<Record<string, CapabilityHealth>>
}

/** A worker that finds another byte in this model's file, or another pin for a model that is part of the product. */
async function startWithout(id: string, packs: readonly Pack[], use: (started: Started) => Promise<void>) {
  const modelsDir = await mkdtemp(join(folder, 'models-'))
  await cp(defaultModelsDir(), modelsDir, { recursive: true })
  const entry = entryOf(id)
  const manifestPath = join(modelsDir, 'manifest.json')
  const text = await readFile(MANIFEST_PATH, 'utf8')
  if (entry.source === 'committed') {
    const other = entry.sha256.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    await writeFile(manifestPath, text.replace(entry.sha256, other))
  } else {
    await writeFile(manifestPath, text)
    const path = locateModel(entry, modelsDir)
    const bytes = await readFile(path)
    bytes[bytes.length >> 1] ^= 1
    await writeFile(path, bytes)
  }
  const events: [string, unknown][] = []
  const log = (event: string, details: unknown) => void events.push([event, details])
  const vision = await startVision({ log, modelsDir, packs, manifestPath })
  try {
    const { capabilities } = await vision.health({})
    await use({
      vision,
      events,
      capabilities: Object.fromEntries(capabilities.map((one) => [one.name, one])),
    })
  } finally {
    await vision.close()
  }
}

const refusal = (id: string) => ({
  code: 'vision_unavailable',
  details: { reason: 'model_refused', models: [id] },
})
const statesOf = (capabilities: Started['capabilities'], state: CapabilityHealth['state']) =>
  Object.values(capabilities)
    .filter((one) => one.state === state)
    .map(({ name }) => name)
    .sort()

describe.each(['blazeface-256', 'face-mesh-468'])('without %s', (id) => {
  test('no face is measured and no document read; the worker tells which model it refused', async () => {
    await startWithout(id, ['core'], async ({ vision, events, capabilities }) => {
      for (const call of Object.values(FACE_CALLS))
        await expect(call(vision)).rejects.toMatchObject(refusal(id))
      await expect(vision.measureDocument({ image })).rejects.toMatchObject(refusal(id))
      expect(statesOf(capabilities, 'DOWN')).toEqual([
        'document-reading',
        'face-detection',
        'face-liveness',
        'face-matching',
        'presentation-attack-detection',
      ])
      expect(capabilities['face-detection'].refused).toEqual([id])
      expect(capabilities['document-location'].state).toBe('UP')
      expect(events).toContainEqual(['the vision worker refused a model', { model: id }])
      expect((await vision.inspectImage({ image })).format).toBe('jpeg')
      expect(vision.restarts()).toEqual({ crashed: 0, hung: 0, grown: 0 })
    })
  })
})

test('without the embedder faces are found and never compared', async () => {
  const id = 'dlib-resnet29-150'
  await startWithout(id, ['core'], async ({ vision, capabilities }) => {
    for (const [name, call] of Object.entries(FACE_CALLS))
      if (MATCHING_CALLS.includes(name)) await expect(call(vision)).rejects.toMatchObject(refusal(id))
      else await expect(call(vision)).resolves.toBeDefined()
    const nothing = { probe: new Uint8Array(0), candidates: [] }
    await expect(vision.compareTemplates(nothing)).rejects.toMatchObject(refusal(id))
    expect(statesOf(capabilities, 'DOWN')).toEqual(['face-liveness', 'face-matching'])
    const { models } = await vision.health({})
    expect(models.map((model) => model.id)).not.toContain(id)
  })
})

test('without a reader of the MRZ no document is read, by the other reader neither', async () => {
  await startWithout('ocrb-b', ['core'], async ({ vision, capabilities }) => {
    await expect(vision.measureDocument({ image })).rejects.toMatchObject(refusal('ocrb-b'))
    expect((await vision.measurePortrait({ image })).faces).toHaveLength(1)
    expect(statesOf(capabilities, 'DOWN')).toEqual(['document-reading'])
    const { models } = await vision.health({})
    expect(models.map(({ role }) => role)).not.toContain('mrz-recogniser')
  })
})

test('without the locator outlines are found by other means, and the loss is told', async () => {
  await startWithout('document-locator', ['core'], async ({ vision, capabilities }) => {
    await expect(vision.measureDocument({ image })).resolves.toBeDefined()
    await expect(vision.assessFrame({ image })).resolves.toBeDefined()
    expect(capabilities['document-location']).toMatchObject({ state: 'DOWN', refused: ['document-locator'] })
  })
})

test('a changed file of the iris model takes down only the eye measurement, and portraits are still measured', async () => {
  await startWithout('iris-64', ['core'], async ({ vision, capabilities }) => {
    expect(statesOf(capabilities, 'DOWN')).toEqual(['eye-measurement'])
    expect((await vision.measurePortrait({ image })).faces).toHaveLength(1)
  })
})

test('a capability whose model is not installed is neither UP nor DOWN', async () => {
  const vision = await startVision({ log: () => undefined, modelsDir: defaultModelsDir(), packs: ['core'] })
  try {
    const { capabilities } = await vision.health({})
    const states = Object.fromEntries(capabilities.map(({ name, state }) => [name, state]))
    expect(states).toEqual({
      'document-reading': 'UP',
      'document-location': 'UP',
      'document-second-reader': 'NOT_INSTALLED',
      'text-reading': 'UP',
      'face-detection': 'UP',
      'face-matching': 'UP',
      'face-liveness': 'UP',
      'presentation-attack-detection': 'NOT_INSTALLED',
      'eye-measurement': 'UP',
      'alternative-face-detection': 'NOT_INSTALLED',
    })
  } finally {
    await vision.close()
  }
})

describe.skipIf(!hasExtended)('of the extended pack', () => {
  test('an embedder refused takes the other one along: one alone was not measured at these thresholds', async () => {
    const id = 'mobilefacenet-112'
    await startWithout(id, PACKS, async ({ vision, capabilities }) => {
      for (const name of MATCHING_CALLS)
        await expect(FACE_CALLS[name](vision)).rejects.toMatchObject(refusal(id))
      expect(capabilities['face-matching']).toMatchObject({ state: 'DOWN', refused: [id] })
      const { models } = await vision.health({})
      expect(models.map(({ role }) => role)).not.toContain('face-embedding')
      expect((await vision.trackFace({ image, last: null })).face).not.toBeNull()
    })
  })

  test.each(['minifasnet-v2-2.7', 'minifasnet-v1se-4.0'])(
    'without %s no picture is said to look alive, and no session ends with what is left',
    async (id) => {
      await startWithout(id, PACKS, async ({ vision, capabilities }) => {
        const small = specimenPhotograph('cole', 'live.jpg')
        expect((await vision.measurePortrait({ image: small })).pad).toBeNull()
        expect((await vision.trackFace({ image: small, last: null })).face?.pad).toBeNull()
        await expect(FACE_CALLS.measureLiveness(vision)).rejects.toMatchObject(refusal(id))
        expect(statesOf(capabilities, 'DOWN')).toEqual(['face-liveness', 'presentation-attack-detection'])
      })
    },
  )

  test("without tesseract's data for MRZs the networks read on alone", async () => {
    await startWithout('tesseract-mrz', PACKS, async ({ vision, capabilities }) => {
      const { models } = await vision.measureDocument({ image })
      expect(models.map(({ id }) => id)).not.toContain('tesseract-mrz')
      expect(statesOf(capabilities, 'DOWN')).toEqual(['document-second-reader'])
    })
  })
})
