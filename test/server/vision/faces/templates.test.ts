/** Templates as bytes, and one template against many: arithmetic on made-up numbers, and the real networks where they are. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Template } from '../../../../server/vision/faces/embed.ts'
import { nameMaker } from '../../../../server/vision/engines/engine.ts'
import { decodeTemplate, encodeTemplate } from '../../../../server/vision/faces/templates.ts'
import { createFaceTools, type FaceTools } from '../../../../server/vision/faces/tools.ts'
import { readManifest } from '../../../../server/vision/manifest.ts'
import { buildCorePack, defaultModelsDir } from '../../../../server/vision/packs.ts'
import { openSessions } from '../../../../server/vision/sessions.ts'
import { sharedData } from '../../../support/shared-data.ts'

const IDS = ['dlib-resnet29-150:8668c2cc2d044301', 'mobilefacenet-112:b7120c095d60094f']
const numbers = (seed: number, size = 128): Float32Array => {
  const raw = Float32Array.from({ length: size }, (_, i) => Math.sin(seed + i * 1.7))
  const norm = Math.hypot(...raw)
  return raw.map((value) => value / norm)
}
const template = (seed: number): Template => ({ dlib: numbers(seed), mobileFaceNet: numbers(seed + 1) })

/** As exact as float32 keeps it. */
const agreementOf = (dlib: number, mobileFaceNet: number) => ({ dlib, mobileFaceNet })

describe('a template as bytes', () => {
  test('comes back number by number', () => {
    const both = template(1)
    expect(decodeTemplate(encodeTemplate(both, IDS), IDS)).toEqual(both)
    const fused: Template = { ...both, agreement: agreementOf(0.75, 0.875) }
    expect(decodeTemplate(encodeTemplate(fused, IDS), IDS)).toEqual(fused)
    const core: Template = { ...both, mobileFaceNet: null }
    expect(decodeTemplate(encodeTemplate(core, IDS.slice(0, 1)), IDS.slice(0, 1))).toEqual(core)
  })

  test('of other, fewer or more models is refused', () => {
    const bytes = encodeTemplate(template(1), IDS)
    expect(decodeTemplate(bytes, IDS.slice(0, 1))).toBeNull()
    expect(decodeTemplate(bytes, [...IDS].reverse())).toBeNull()
    expect(decodeTemplate(bytes, [IDS[0], 'mobilefacenet-112:0000000000000000'])).toBeNull()
  })

  test('names a model by its weights, not by its name alone', () => {
    const [a, b] = ['a', 'b'].map((digit) => nameMaker({ id: 'one', version: '1', sha256: digit.repeat(64) }))
    expect(a).not.toBe(b)
    expect(a).not.toBe(nameMaker({ id: 'one', version: '2', sha256: 'a'.repeat(64) }))
  })

  test('that is cut, extended or replaced by other bytes is refused without an exception', () => {
    const bytes = encodeTemplate(template(1), IDS)
    for (let length = 0; length < bytes.length; length++) {
      expect(decodeTemplate(bytes.subarray(0, length), IDS), String(length)).toBeNull()
    }
    expect(decodeTemplate(Buffer.concat([bytes, Buffer.alloc(1)]), IDS)).toBeNull()
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), (any) => decodeTemplate(any, IDS) === null),
      { numRuns: 500 },
    )
  })

  test('with any changed byte in its header is refused', () => {
    const bytes = encodeTemplate(template(1), IDS)
    const head = bytes.length - 2 * 129 * 4
    for (let at = 0; at < head; at++) {
      const altered = Uint8Array.from(bytes)
      altered[at] ^= 1
      expect(decodeTemplate(altered, IDS), String(at)).toBeNull()
    }
  })

  test('with a component that is not a number, an impossible agreement, another norm or a wrong number of components is refused', () => {
    const both = template(1)
    const broken = { ...both, dlib: both.dlib.map((value, i) => (i === 7 ? NaN : value)) }
    expect(decodeTemplate(encodeTemplate(broken, IDS), IDS)).toBeNull()
    const impossible = [agreementOf(-0.5, 1), agreementOf(0, 1), agreementOf(1, 0), agreementOf(1, 2)]
    for (const agreement of [...impossible, agreementOf(Infinity, 1)]) {
      expect(decodeTemplate(encodeTemplate({ ...both, agreement }, IDS), IDS)).toBeNull()
    }
    const ofOldDlib = { ...both, dlib: both.dlib.map((value) => value * 1.3) }
    expect(decodeTemplate(encodeTemplate(ofOldDlib, IDS), IDS)).toBeNull()
    const longer = { ...both, mobileFaceNet: numbers(1, 100) }
    expect(decodeTemplate(encodeTemplate(longer, IDS), IDS)).toBeNull()
  })
})

const shared = sharedData() ?? ''
describe.skipIf(shared === '')('the networks on this machine', () => {
  let tools: FaceTools
  const face = (person: string, number: number) =>
    readFile(join(shared, 'faces', person, `${person}_${String(number).padStart(4, '0')}.jpg`))
  beforeAll(async () => {
    const manifest = readManifest()
    await buildCorePack(manifest, defaultModelsDir())
    tools = createFaceTools(await openSessions(manifest, defaultModelsDir(), ['core', 'extended']))
  })
  const stored = async (...images: readonly Uint8Array[]) => {
    const { template: bytes } = await tools.makeTemplate(images)
    if (!bytes) throw new TypeError('no face')
    return bytes
  }

  test('find the same person among strangers, and no score for what is no template of theirs', async () => {
    const probe = await stored(await face('Colin_Powell', 1))
    const candidates = [
      await stored(await face('Hugo_Chavez', 1)),
      await stored(await face('Colin_Powell', 2)),
      Buffer.from('no template'),
      await stored(await face('Tony_Blair', 1)),
    ]
    const { scores, operatingPoint, measure } = await tools.compareStored(probe, candidates)
    expect(operatingPoint.measure).toBe(measure)
    const isBeyond = (score: number | null) =>
      score !== null &&
      (measure === 'euclidean-distance'
        ? score <= operatingPoint.threshold
        : score >= operatingPoint.threshold)
    expect(scores.map(isBeyond)).toEqual([false, true, false, false])
    expect(scores[2]).toBeNull()
  })

  test('make one template of several pictures and skip pictures without a face or of another person', async () => {
    const one = await face('Colin_Powell', 1)
    const other = await face('Tony_Blair', 1)
    expect(await stored(one, other)).toEqual(await stored(one))
    const several = await stored(one, await face('Colin_Powell', 2))
    expect(several).not.toEqual(await stored(one))
    const { scores } = await tools.compareStored(several, [await stored(one), await stored(other)])
    expect((scores[0] ?? 0) - (scores[1] ?? 1)).toBeGreaterThan(0.04)
    const { template: none, models } = await tools.makeTemplate([Buffer.from('no picture')])
    expect(none).toBeNull()
    expect(models.length).toBeGreaterThan(0)
    expect(await stored(Buffer.from('no picture'), one)).toEqual(await stored(one))
  })
})
