import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repin } from '../../server/commands/models.ts'
import type { ModelEntry } from '../../server/vision/manifest.ts'
import { MANIFEST_PATH, operatingPointFor, PACKS, readManifest } from '../../server/vision/manifest.ts'
import {
  buildCorePack,
  installModel,
  locateModel,
  readModel,
  computeSha256,
  checkModel,
} from '../../server/vision/packs.ts'

const manifest = readManifest()

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'counterproof-packs-'))
  try {
    await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}
const extended = (bytes: Uint8Array): ModelEntry => ({
  ...manifest.models[0],
  id: 'sample',
  pack: 'extended',
  source: 'installed',
  file: 'sample.onnx',
  sha256: computeSha256(bytes),
})

test('every model is named once and says its licence and origin', () => {
  expect(new Set(manifest.models.map(({ id }) => id)).size).toBe(manifest.models.length)
  for (const { licence, origin, version } of manifest.models)
    for (const text of [licence, origin, version]) expect(text.length).toBeGreaterThan(0)
})

// @clause AI-ACT/categories AI-ACT/emotions
test('models find, read and compare: none of them estimates emotions, origin, sex or age', () => {
  expect(new Set(manifest.models.map(({ role }) => role))).toEqual(
    new Set([
      'document-locator',
      'face-detector',
      'face-detector-alternative',
      'face-embedding',
      'face-mesh',
      'iris',
      'mrz-recogniser',
      'mrz-traineddata',
      'presentation-attack',
      'text-alphabet',
      'text-detector',
      'text-recogniser',
    ]),
  )
})

test('every combination of packs has one decision point, a laxer review point and a stricter one', () => {
  for (const packs of [['core'], PACKS] as const) {
    const [decision, review, strict] = (['decision', 'review', 'strict'] as const).map((use) =>
      operatingPointFor(manifest, packs, use),
    )
    expect(new Set([decision.measure, review.measure, strict.measure]).size).toBe(1)
    const sign = decision.measure === 'euclidean-distance' ? -1 : 1
    expect(sign * review.threshold).toBeLessThan(sign * decision.threshold)
    expect(sign * strict.threshold).toBeGreaterThan(sign * decision.threshold)
    expect(strict.fmr).toBeLessThan(decision.fmr)
    expect(decision.fmr).toBeLessThan(review.fmr)
  }
})

test('every rate names its data set, and measured rates lie inside their intervals', () => {
  for (const { source, measured } of manifest.operatingPoints) {
    expect(source).toMatch(/people/)
    expect(measured?.source).toMatch(/people/)
    for (const rate of ['fmr', 'fnmr'] as const) {
      const [low, high] = measured?.ci95[rate] ?? [1, 0]
      expect(measured?.[rate]).toBeGreaterThanOrEqual(low)
      expect(measured?.[rate]).toBeLessThanOrEqual(high)
    }
  }
})

test('no point promises fewer false matches than were measured, with one picture or several', () => {
  for (const { fmr, measured } of manifest.operatingPoints) {
    expect(measured?.frames?.map(({ frames }) => frames)).toEqual([2, 3, 4])
    const people = measured?.ci95ByPerson?.fmr?.[1] ?? 0
    for (const found of [measured?.fmr ?? 1, people, ...(measured?.frames ?? []).map((fused) => fused.fmr)])
      expect(found).toBeLessThanOrEqual(fmr)
  }
})

test('a missing combination of packs has no operating point: nothing is compared by a threshold of another', () => {
  expect(() => operatingPointFor(manifest, ['extended'], 'decision')).toThrow(TypeError)
})

test('the core models are built once, and what is there is left alone', async () => {
  await inFolder(async (folder) => {
    const built = await buildCorePack(manifest, folder)
    expect(built).toContain('blazeface-256')
    expect(await buildCorePack(manifest, folder)).toEqual([])
    for (const entry of manifest.models.filter(({ source }) => source === 'converted'))
      expect(await checkModel(entry, folder)).toBe('ready')
  })
})

test('a model is installed only when its hash is the pinned one', async () => {
  await inFolder(async (folder) => {
    const good = Buffer.from('weights')
    const entry = extended(good)
    expect(await installModel(entry, folder, folder)).toBe('not_found')
    await writeFile(join(folder, entry.file), 'other weights')
    expect(await installModel(entry, folder, folder)).toBe('hash_mismatch')
    expect(await checkModel(entry, folder)).toBe('missing')
    await writeFile(join(folder, entry.file), good)
    expect(await installModel(entry, folder, folder)).toBe('installed')
    expect(await installModel(entry, folder, folder)).toBe('already_there')
    expect(await readModel(entry, folder)).toEqual(good)
  })
})

test('a file with another hash, or a model never pinned, is refused', async () => {
  await inFolder(async (folder) => {
    const entry = extended(Buffer.from('weights'))
    await writeFile(join(folder, entry.file), 'weights')
    await installModel(entry, folder, folder)
    await writeFile(locateModel(entry, folder), 'tampered')
    expect(await readModel(entry, folder)).toBe('refused')
    expect(await readModel({ ...entry, sha256: '' }, folder)).toBe('refused')
    expect(await checkModel(entry, folder)).toBe('refused')
  })
})

test('pinning changes the hash of one model and no other byte of the manifest', async () => {
  const text = await readFile(MANIFEST_PATH, 'utf8')
  const entry = manifest.models.find(({ source }) => source === 'committed')
  if (!entry) throw new Error('no committed model')
  const sha256 = 'ab'.repeat(32)
  const pinned = repin(text, [{ entry, sha256 }])
  expect(pinned).not.toBe(text)
  const before = JSON.parse(text) as typeof manifest
  expect(JSON.parse(pinned)).toEqual({
    ...before,
    models: before.models.map((model) => (model.id === entry.id ? { ...model, sha256 } : model)),
  })
  expect(repin(pinned, [{ entry, sha256: entry.sha256 }])).toBe(text)
})
