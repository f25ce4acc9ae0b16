/** Real workers with engines that a configuration mounts: from a folder and over a socket that only the server can reach. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { checkConfig } from '../../../../server/config/config.ts'
import { collectCalls } from '../../../../server/connectors/engines/collected-calls.ts'
import type { OutsideCall } from '../../../../server/proofing/disclosure.ts'
import { openConfiguredEngines, type ConfiguredEngines } from '../../../../server/open-engines.ts'
import { startVision } from '../../../../server/vision/client.ts'
import { defaultModelsDir } from '../../../../server/vision/packs.ts'
import type { Vision } from '../../../../server/vision/protocol.ts'
import { specimenPhotograph } from '../../../support/subjects.ts'
import {
  answerJson,
  startToyService,
  writeHttpEngines,
  writeOnnxEngines,
  type ToyService,
} from '../../../support/toy-engines.ts'

const [alba, cole] = [specimenPhotograph('alba', 'live.jpg'), specimenPhotograph('cole', 'live.jpg')]
let folder: string
let service: ToyService
let engines: ConfiguredEngines | null = null
let vision: Vision | null = null
const events: [string, unknown][] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'counterproof-mounted-'))
  service = await startToyService()
})
afterEach(async () => {
  await vision?.close()
  await engines?.close()
  vision = engines = null
  service.say(null)
})
afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

async function start(mounts: object): Promise<Vision> {
  engines = openConfiguredEngines(checkConfig({ engines: mounts }, folder, 'config.json'))
  vision = await startVision({
    log: (event, details) => void events.push([event, details]),
    modelsDir: defaultModelsDir(),
    packs: ['core'],
    engines: engines.mounts,
    askService: engines.ask,
    liveWorker: true,
  })
  return vision
}

async function stateOf(name: string) {
  const { capabilities } = await (vision as Vision).health({})
  return capabilities.find((one) => one.name === name)
}

const SERVICE = () => ({ url: service.url, allowHttp: true, timeoutMs: 1_000 })

test('an ONNX engine compares faces and scores attacks in the sandboxed worker, and the worker says so', async () => {
  writeOnnxEngines(folder)
  const worker = await start({ faceMatching: { folder: 'face' }, attackDetection: { folder: 'attack' } })
  const { comparison, probe } = await worker.compareFaces({ probe: alba, reference: cole })
  expect(comparison?.engine).toMatchObject({ id: 'toy-face', version: '1.0' })
  expect(comparison?.operatingPoint.id).toBe('toy-decision')
  expect(probe.pad?.engine.id).toBe('toy-attack')
  expect((await worker.health({})).engines).toMatchObject({
    faceMatching: { id: 'toy-face' },
    attackDetection: { id: 'toy-attack' },
  })
  expect(await stateOf('face-matching')).toMatchObject({ state: 'UP', models: ['toy-face'] })
  expect(await stateOf('presentation-attack-detection')).toMatchObject({
    state: 'UP',
    models: ['toy-attack'],
  })
  expect(events).toContainEqual([
    'the vision worker is ready',
    expect.objectContaining({ mounted: ['toy-face 1.0', 'toy-attack 1.0'] }),
  ])
})

test('an HTTP engine is reached through the server with its token; while it is down nothing is compared', async () => {
  writeHttpEngines(folder)
  writeFileSync(join(folder, 'token'), 'top-secret', { mode: 0o600 })
  const worker = await start({
    faceMatching: { folder: 'http-face', service: { ...SERVICE(), tokenFile: 'token' } },
    attackDetection: { folder: 'http-attack', service: SERVICE() },
  })
  const calls: OutsideCall[] = []
  const { template } = await collectCalls(calls, () => worker.makeTemplate({ images: [alba] }))
  expect(calls).toMatchObject([
    { connector: 'engines', source: 'face-matching', values: ['facePicture'], trouble: null, tries: 1 },
  ])
  expect((await worker.compareFaces({ probe: alba, reference: cole })).comparison?.engine.id).toBe(
    'toy-service',
  )
  expect(new Set(service.requests.map(({ path, authorization }) => `${path} ${authorization}`))).toEqual(
    new Set([
      '/v1/templates Bearer top-secret',
      '/v1/comparisons Bearer top-secret',
      '/v1/attack-scores undefined',
    ]),
  )
  expect(await stateOf('face-matching')).toMatchObject({ state: 'UP' })
  service.say(answerJson({}, 503))
  const failed: OutsideCall[] = []
  const { comparison, failure, probe } = await collectCalls(failed, () =>
    worker.compareFaces({ probe: alba, reference: cole }),
  )
  expect(Object.fromEntries(failed.map(({ source, trouble }) => [source, trouble]))).toEqual({
    'face-matching': 'unexpected-answer',
    'attack-detection': 'unexpected-answer',
  })
  expect(calls).toHaveLength(1)
  expect([comparison, failure?.trouble, probe.padFailure?.trouble]).toEqual([
    null,
    'unreachable',
    'unreachable',
  ])
  expect(await stateOf('face-matching')).toMatchObject({
    state: 'DOWN',
    trouble: 'unreachable',
    refused: ['toy-service'],
  })
  if (!template) throw new TypeError('no template')
  const search = await worker.compareTemplates({ probe: template, candidates: [template] })
  expect(search).toMatchObject({ scores: [null], failure: { trouble: 'unreachable' } })
})

test('a changed ONNX file takes only its ability down: faces are found, documents read, and nothing is compared', async () => {
  const { face } = writeOnnxEngines(folder)
  const path = join(face, 'model.onnx')
  const bytes = readFileSync(path)
  bytes[bytes.length >> 1] ^= 1
  writeFileSync(path, bytes)
  const worker = await start({ faceMatching: { folder: 'face' } })
  const { comparison, failure, probe } = await worker.compareFaces({ probe: alba, reference: alba })
  expect([comparison, failure?.trouble, probe.faces.length]).toEqual([null, 'refused', 1])
  const { capabilities } = await worker.health({})
  expect(capabilities.filter(({ state }) => state === 'DOWN').map(({ name }) => name)).toEqual([
    'face-matching',
  ])
})

describe('a configuration', () => {
  const problemsOf = (mounts: object): readonly (readonly [string, string])[] => {
    try {
      openConfiguredEngines(checkConfig({ engines: mounts }, folder, 'config.json'))
      return []
    } catch (error) {
      const { problems } = error as { problems: readonly { field: string; message: string }[] }
      return problems.map(({ field, message }) => [field, message] as const)
    }
  }
  const edit = (place: string, change: (text: string) => string): void =>
    writeFileSync(join(place, 'engine.json'), change(readFileSync(join(place, 'engine.json'), 'utf8')))

  test('with wrong engines lists every problem of both by its field', () => {
    const { face, attack } = writeOnnxEngines(folder)
    edit(face, (text) =>
      text
        .replace('"threshold":0.6', '"threshold":0.97')
        .replace('"px":16', '"px":5')
        .replace('"normalise":true', '"normalise":false')
        .replace('"file":"model.onnx"', '"file":"../model.onnx"'),
    )
    edit(attack, (text) =>
      text.replace('"licence":"Apache-2.0",', '').replace('"threshold":0.2', '"threshold":2'),
    )
    const fields = problemsOf({
      faceMatching: { folder: 'face' },
      attackDetection: { folder: 'attack' },
    }).map(([field]) => field)
    expect(fields).toEqual(
      expect.arrayContaining([
        'engines.faceMatching.engine.json.runtime.input.px',
        'engines.faceMatching.engine.json.runtime.file',
        'engines.attackDetection.engine.json.card.licence',
        'engines.attackDetection.engine.json.point.threshold',
      ]),
    )
    edit(face, (text) => text.replace('"px":5', '"px":16').replace('../model', 'model'))
    expect(problemsOf({ faceMatching: { folder: 'face' } }).map(([field]) => field)).toEqual([
      'engines.faceMatching.engine.json.points.review.threshold',
      'engines.faceMatching.engine.json.runtime.output.normalise',
    ])
  })

  test.each([
    [{ faceMatching: { folder: 'nowhere' } }, 'engines.faceMatching'],
    [{ faceMatching: { folder: 'attack' } }, 'engines.faceMatching.engine.json.kind'],
    [{ faceMatching: { folder: 'http-face' } }, 'engines.faceMatching.service'],
    [
      { attackDetection: { folder: 'attack', service: { url: 'https://engine.example' } } },
      'engines.attackDetection.service',
    ],
    [
      { faceMatching: { folder: 'http-face', service: { url: 'http://127.0.0.1:9' } } },
      'engines.faceMatching.service.url',
    ],
    [
      { faceMatching: { folder: 'http-face', service: { url: 'http://10.0.0.1', allowHttp: true } } },
      'engines.faceMatching.service.url',
    ],
  ])('%j is refused with its field', (mounts, field) => {
    writeOnnxEngines(folder)
    writeHttpEngines(folder)
    expect(problemsOf(mounts).map(([at]) => at)).toContain(field)
  })
})
