/**
 * The contract of engines, for ours, for a toy from an ONNX file and for a toy on a real socket: templates in and out,
 * scores, points, model card, hash; and no answer of another engine where one cannot answer.
 */
import { mkdtempSync, rmSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  openEngineService,
  type EngineService,
} from '../../../../server/connectors/engines/engine-service.ts'
import type { Engines } from '../../../../server/vision/engines/engine.ts'
import {
  readAttackEngine,
  readFaceEngine,
  type EngineMounts,
} from '../../../../server/vision/engines/engine-manifest.ts'
import { openEngines } from '../../../../server/vision/engines/open-engines.ts'
import { createFaceTools, type FaceTools, type Portrait } from '../../../../server/vision/faces/tools.ts'
import { decodeImage } from '../../../../server/vision/image.ts'
import { readManifest } from '../../../../server/vision/manifest.ts'
import { buildCorePack, defaultModelsDir, computeSha256 } from '../../../../server/vision/packs.ts'
import { openSessions, type Sessions } from '../../../../server/vision/sessions.ts'
import { specimenPhotograph } from '../../../support/subjects.ts'
import {
  answerJson,
  startToyService,
  writeHttpEngines,
  writeOnnxEngines,
  type ToyService,
} from '../../../support/toy-engines.ts'

let folder: string
let sessions: Sessions
let service: ToyService
let client: EngineService
/** One person twice, and another one. */
let alba: Portrait
let again: Portrait
let cole: Portrait

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'counterproof-engines-'))
  const manifest = readManifest()
  await buildCorePack(manifest, defaultModelsDir())
  sessions = await openSessions(manifest, defaultModelsDir(), ['core', 'extended'])
  service = await startToyService()
  client = openEngineService({ url: service.url, token: null, authorities: null, timeoutMs: 500 })
  const open = async (id: string, name: string) => decodeImage(specimenPhotograph(id, name))
  alba = await open('alba', 'live.jpg')
  again = await open('alba', 'near-40cm.jpg')
  cole = await open('cole', 'live.jpg')
})
afterAll(async () => {
  await client.close()
  await service.close()
  rmSync(folder, { recursive: true })
})
beforeEach(() => service.say(null))

const mount = ({ face, attack }: { readonly face: string; readonly attack: string }): EngineMounts => ({
  faceMatching: readFaceEngine(face, 'engines.faceMatching'),
  attackDetection: readAttackEngine(attack, 'engines.attackDetection'),
})
const use = async (mounts: EngineMounts): Promise<Engines> =>
  openEngines(sessions, mounts, (_, call) => client.ask(call.path, 'body' in call ? call.body : undefined))

const ALL: Readonly<Record<string, () => EngineMounts>> = {
  ours: () => ({}),
  'an ONNX file': () => mount(writeOnnxEngines(folder)),
  'an HTTP service': () => mount(writeHttpEngines(folder)),
}

describe.each(Object.keys(ALL))('the engine: %s', (name) => {
  let engines: Engines
  let tools: FaceTools
  const templateOf = async (portrait: Portrait): Promise<Uint8Array> => {
    const { template } = await tools.preparePortrait(portrait)
    if (!template) throw new TypeError('no face')
    return template
  }
  beforeAll(async () => {
    engines = await use(ALL[name]())
    tools = createFaceTools(sessions, undefined, engines)
  })

  test('says what it is: id, version, hash and model card', () => {
    for (const engine of [engines.faceMatching, engines.attackDetection]) {
      if (!engine) continue
      expect(engine.about.id).toMatch(/^[\w.-]+$/)
      expect(engine.about.version).not.toBe('')
      expect(engine.about.sha256).toMatch(/^[0-9a-f]{64}$/)
      expect(Object.values({ ...engine.card })).not.toContain('')
      expect(engine.models.length).toBeGreaterThan(0)
    }
  })

  test('has a review point as lax as its decision or laxer, and a strict one as strict or stricter', () => {
    const { decision, review, strict } = engines.faceMatching.points
    const sign = decision.measure === 'euclidean-distance' ? -1 : 1
    expect(new Set([decision.measure, review.measure, strict.measure]).size).toBe(1)
    expect(sign * review.threshold).toBeLessThanOrEqual(sign * decision.threshold)
    expect(sign * strict.threshold).toBeGreaterThanOrEqual(sign * decision.threshold)
  })

  test('compares a face with itself beyond its strict point, and two faces alike in both directions', async () => {
    const { faceMatching: engine } = engines
    const { strict } = engine.points
    const [a, b] = [await templateOf(alba), await templateOf(cole)]
    const [[self, there], [back]] = [await engine.compare(a, [a, b]), await engine.compare(b, [a])]
    const isDistance = strict.measure === 'euclidean-distance'
    const beyond = (score: number | undefined) =>
      score !== undefined && (isDistance ? score <= strict.threshold : score >= strict.threshold)
    expect(beyond(self?.score)).toBe(true)
    expect(there?.score).toBeCloseTo(back?.score ?? NaN, 5)
    expect(there?.score).not.toBe(self?.score)
  })

  test('scores several pictures of a face between what each of them scores', async () => {
    const { faceMatching: engine } = engines
    const [one, two, other] = [await templateOf(alba), await templateOf(again), await templateOf(cole)]
    const [[first], [second]] = [await engine.compare(one, [other]), await engine.compare(two, [other])]
    const [fused] = await engine.compare(await engine.fuse([one, two]), [other])
    const singles = [first?.score ?? NaN, second?.score ?? NaN]
    expect(fused?.score).toBeGreaterThanOrEqual(Math.min(...singles) - 0.1)
    expect(fused?.score).toBeLessThanOrEqual(Math.max(...singles) + 0.1)
    const [alone] = await engine.compare(await engine.fuse([one]), [other])
    expect(alone?.score).toBeCloseTo(singles[0], 5)
  })

  test('gives no score for a template of another engine or version, a broken one, or other bytes', async () => {
    const { faceMatching: engine } = engines
    const own = await templateOf(alba)
    const others: Uint8Array[] = [
      Buffer.from('no template'),
      new Uint8Array(0),
      own.subarray(0, own.length - 1),
    ]
    for (const [other, open] of Object.entries(ALL))
      if (other !== name) {
        const theirs = createFaceTools(sessions, undefined, await use(open()))
        const { template } = await theirs.preparePortrait(alba)
        others.push(template ?? new Uint8Array(0))
      }
    const newer = Buffer.from(own)
    newer[newer.indexOf('@') + 1] ^= 1
    others.push(newer)
    expect(await engine.compare(own, others)).toEqual(others.map(() => null))
    for (const other of others) expect(await engine.compare(other, [own])).toEqual([null])
  })

  test('is named with its point by a comparison, and with its threshold by an attack score', async () => {
    const { comparison, probe, failure } = await tools.compareFaces(alba, cole, [again])
    expect(failure).toBeUndefined()
    expect(comparison?.engine).toEqual(engines.faceMatching.about)
    expect(comparison?.operatingPoint).toEqual(engines.faceMatching.points.decision)
    expect(comparison?.scores.map(({ model }) => model)).toEqual(engines.faceMatching.models)
    if (!engines.attackDetection) return
    expect(probe.pad?.engine).toEqual(engines.attackDetection.about)
    expect(probe.pad?.point).toEqual(engines.attackDetection.point)
    expect(probe.pad?.score).toBeGreaterThan(0)
    expect(probe.pad?.score).toBeLessThan(1)
  })

  test('makes a template to keep, and finds its face among the kept ones', async () => {
    const make = async (file: string, id: string) =>
      (await tools.makeTemplate([specimenPhotograph(id, file)])).template
    const [probe, same, other] = [
      await make('live.jpg', 'alba'),
      await make('live.jpg', 'alba'),
      await make('live.jpg', 'cole'),
    ]
    if (!probe || !same || !other) throw new TypeError('no template')
    const { scores, operatingPoint } = await tools.compareStored(probe, [same, other, Buffer.from('x')])
    expect(operatingPoint).toEqual(engines.faceMatching.points.strict)
    expect(scores[0]).not.toBe(scores[1])
    expect(scores[2]).toBeNull()
  })

  test('gives nothing where there is no face', async () => {
    const nothing = await decodeImage(specimenPhotograph('alba', '../nothing.jpg'))
    expect(await tools.compareFaces(nothing, alba)).toMatchObject({ comparison: null, probe: { pad: null } })
  })
})

describe('an engine that cannot answer', () => {
  /** No score of any engine, and the one that failed is named. */
  async function expectNothing(mounts: EngineMounts, trouble: string): Promise<void> {
    const engines = await use(mounts)
    const tools = createFaceTools(sessions, undefined, engines)
    const engine = engines.faceMatching.about
    const compared = await tools.compareFaces(alba, cole)
    expect(compared).toMatchObject({
      comparison: null,
      failure: { engine, trouble },
      probe: { pad: null, padFailure: { engine: engines.attackDetection?.about, trouble } },
    })
    // The findings of our own networks on the faces are told all the same.
    expect(compared.probe.faces).toHaveLength(1)
    expect(compared.detailCorrelation).not.toBeNull()
    expect(await tools.makeTemplate([specimenPhotograph('alba', 'live.jpg')])).toMatchObject({
      template: null,
      failure: { engine, trouble },
    })
  }

  describe('from an ONNX file', () => {
    test.each([
      ['with one changed byte', (file: Buffer) => ((file[file.length >> 1] ^= 1), file), false],
      ['that is no network, although its hash is pinned', () => Buffer.from('no network'), true],
      ['that is cut, although its hash is pinned', (file: Buffer) => file.subarray(0, file.length / 2), true],
    ])('%s is refused', async (_, change, isPinned) => {
      const places = writeOnnxEngines(folder)
      for (const place of Object.values(places)) {
        const path = join(place, 'model.onnx')
        const changed = change(readFileSync(path))
        writeFileSync(path, changed)
        if (isPinned) repin(place, changed)
      }
      await expectNothing(mount(places), 'refused')
    })

    test('that is not there is refused', async () => {
      const places = writeOnnxEngines(folder)
      for (const place of Object.values(places)) rmSync(join(place, 'model.onnx'))
      await expectNothing(mount(places), 'refused')
    })

    test('that answers with another number of values than its manifest says is refused', async () => {
      const places = writeOnnxEngines(folder)
      edit(places.face, (text) => text.replace('"numbers":12', '"numbers":128'))
      edit(places.attack, (text) => text.replace('"index":1', '"index":7'))
      await expectNothing(mount(places), 'refused')
    })
  })

  describe('on a socket', () => {
    const own = { id: 'toy-service', version: '2.0', sha256: 'd'.repeat(64) }
    test.each<[string, Parameters<ToyService['say']>[0], string]>([
      ['with an error', answerJson({}, 500), 'unreachable'],
      ['with a redirect', answerJson({}, 302, { location: 'http://127.0.0.1:1/' }), 'unexpected-answer'],
      ['with something that is no JSON', (response) => void response.end('<html>'), 'unexpected-answer'],
      ['with too much', answerJson({ engine: own, template: 'A'.repeat(400_000) }), 'unexpected-answer'],
      ['with another form', answerJson({ engine: own, template: 7, score: 2 }), 'unexpected-answer'],
      [
        'as another engine',
        answerJson({ engine: { ...own, version: '2.1' }, template: 'AAAA', score: 0.9 }),
        'other-engine',
      ],
      ['never', () => undefined, 'timeout'],
    ])('that answers %s gives no score', async (_, how, trouble) => {
      service.say(how)
      await expectNothing(mount(writeHttpEngines(folder)), trouble)
    })

    test('that is down gives no score, and answers again when it is back', async () => {
      const mounts = mount(writeHttpEngines(folder))
      const gone = openEngineService({
        url: 'http://127.0.0.1:1',
        token: null,
        authorities: null,
        timeoutMs: 500,
      })
      let asked = gone
      const engines = await openEngines(sessions, mounts, (_, call) =>
        asked.ask(call.path, 'body' in call ? call.body : undefined),
      )
      const tools = createFaceTools(sessions, undefined, engines)
      expect(await engines.faceMatching.check()).toBe('unreachable')
      expect((await tools.compareFaces(alba, cole)).failure?.trouble).toBe('unreachable')
      asked = client
      // The health report asks a service that has just failed no further time.
      const before = service.requests.length
      expect(await engines.faceMatching.check()).toBe('unreachable')
      expect(service.requests).toHaveLength(before)
      expect((await tools.compareFaces(alba, cole)).comparison).not.toBeNull()
      expect(await engines.faceMatching.check()).toBeNull()
      await gone.close()
    })

    test('that counts other scores than it was asked for gives none', async () => {
      const engines = await use(mount(writeHttpEngines(folder)))
      const tools = createFaceTools(sessions, undefined, engines)
      const { template } = await tools.preparePortrait(alba)
      if (!template) throw new TypeError('no face')
      service.say(answerJson({ engine: own, scores: [1, 1] }))
      await expect(engines.faceMatching.compare(template, [template])).rejects.toMatchObject({
        trouble: 'unexpected-answer',
      })
      // A template that it makes well does not say that it can compare.
      service.say(answerJson({ engine: own, template: 'AAAA' }))
      await tools.preparePortrait(alba)
      expect(await engines.faceMatching.check()).toBe('unexpected-answer')
      service.say(answerJson({ engine: own, scores: [1] }))
      await engines.faceMatching.compare(template, [template])
      expect(await engines.faceMatching.check()).toBeNull()
    })
  })
})

test('an HTTP engine sees a picture of the face with its landmarks on it, and nothing else', async () => {
  const engines = await use(mount(writeHttpEngines(folder)))
  await createFaceTools(sessions, undefined, engines).compareFaces(alba, cole)
  const [{ body }] = service.requests.filter(({ path }) => path === '/v1/templates').slice(-2)
  const { image, points, box, ...rest } = JSON.parse(body) as {
    image: string
    points: Record<string, number[]>
    box: number[]
  }
  expect(rest).toEqual({})
  const { info } = await decodeImage(Buffer.from(image, 'base64'))
  expect(info.widthPx).toBeLessThan(alba.info.widthPx)
  for (const [x, y] of Object.values(points)) {
    expect(x).toBeGreaterThan(box[0])
    expect(x).toBeLessThan(box[0] + box[2])
    expect(y).toBeGreaterThan(0)
    expect(y).toBeLessThan(info.heightPx)
  }
})

function edit(place: string, change: (text: string) => string): void {
  const path = join(place, 'engine.json')
  writeFileSync(path, change(readFileSync(path, 'utf8')))
}

function repin(place: string, bytes: Uint8Array): void {
  edit(place, (text) => text.replace(/"sha256":"[0-9a-f]+"/, `"sha256":"${computeSha256(bytes)}"`))
}
