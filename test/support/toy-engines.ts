/**
 * Two engines to mount that this file makes: an ONNX file in a folder, and an HTTP service on a real socket. Both describe a
 * face by its coarse light and dark, which distinguishes drawn specimen persons and no others.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import sharp from 'sharp'
import { OnnxGraph } from '../../models/convert/onnx-graph.ts'

export const CARD = {
  publisher: 'Counterproof tests',
  licence: 'Apache-2.0',
  trainingData: 'none',
  intendedUse: 'tests',
  knownRates: 'none: a toy',
}
const point = (id: string, threshold: number) => ({ id, threshold, fmr: 0.5, fnmr: 0.5, source: 'made up' })
export const TOY_POINTS = {
  decision: point('toy-decision', 0.9),
  review: point('toy-review', 0.6),
  strict: point('toy-strict', 0.95),
}
const ATTACK_POINT = { id: 'toy-still', threshold: 0.2, source: 'made up' }
const SIDE = 16
const INPUT = {
  px: SIDE,
  layout: 'NCHW',
  channels: 'RGB',
  mean: [127.5, 127.5, 127.5],
  deviation: [127.5, 127.5, 127.5],
}
const ALIGNMENT = {
  by: 'alignment',
  points: { rightEye: [5, 6], leftEye: [11, 6], nose: [8, 9], mouth: [8, 12] },
}
const NUMBERS = 12

/** A network that multiplies the pixels with fixed numbers. */
function faceNetwork(): Buffer {
  const graph = new OnnxGraph()
  const size = 3 * SIDE * SIDE
  const raw = Float32Array.from({ length: size * NUMBERS }, (_, i) => Math.sin(i * 12.9898) / Math.sqrt(size))
  const flat = graph.node('Flatten', [graph.input('picture', [1, 3, SIDE, SIDE])])
  graph.output('vector', graph.node('MatMul', [flat, graph.floats([size, NUMBERS], raw)]), [1, NUMBERS])
  return graph.serialize('toy face')
}

/** Mean of each channel; the middle one is the score. */
function attackNetwork(): Buffer {
  const graph = new OnnxGraph()
  const mean = graph.node('GlobalAveragePool', [graph.input('picture', [1, 3, SIDE, SIDE])])
  graph.output('means', graph.node('Flatten', [mean]), [1, 3])
  return graph.serialize('toy attack')
}

const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Writes both ONNX engines into `face` and `attack` of this folder. */
export function writeOnnxEngines(folder: string): { readonly face: string; readonly attack: string } {
  const face = writeEngine(
    folder,
    'face',
    (sha256) => ({
      kind: 'face-matching',
      runtime: {
        type: 'onnx',
        file: 'model.onnx',
        sha256,
        input: { ...INPUT, cut: ALIGNMENT },
        output: { numbers: NUMBERS, normalise: true },
      },
      measure: 'cosine-similarity',
      points: TOY_POINTS,
    }),
    faceNetwork(),
  )
  const attack = writeEngine(
    folder,
    'attack',
    (sha256) => ({
      kind: 'attack-detection',
      runtime: {
        type: 'onnx',
        file: 'model.onnx',
        sha256,
        input: { ...INPUT, mean: [0, 0, 0], deviation: [255, 255, 255], cut: { by: 'box', times: 1.5 } },
        output: { index: 1, softmax: false },
      },
      point: ATTACK_POINT,
    }),
    attackNetwork(),
  )
  return { face, attack }
}

function writeEngine(folder: string, name: string, rest: (sha256: string) => object, model: Buffer): string {
  const own = join(folder, name)
  mkdirSync(own, { recursive: true })
  writeFileSync(join(own, 'model.onnx'), model)
  const manifest = {
    manifestVersion: 1,
    id: `toy-${name}`,
    version: '1.0',
    card: CARD,
    ...rest(sha256Of(model)),
  }
  writeFileSync(join(own, 'engine.json'), JSON.stringify(manifest), { mode: 0o600 })
  return own
}

const SERVICE_SHA256 = 'd'.repeat(64)

/** Writes the manifests of both engines that the toy service runs. */
export function writeHttpEngines(folder: string): { readonly face: string; readonly attack: string } {
  const write = (name: string, rest: object): string => {
    const own = join(folder, `http-${name}`)
    mkdirSync(own, { recursive: true })
    const runtime = { type: 'http', sha256: SERVICE_SHA256 }
    const manifest = { manifestVersion: 1, id: 'toy-service', version: '2.0', card: CARD, runtime, ...rest }
    writeFileSync(join(own, 'engine.json'), JSON.stringify(manifest), { mode: 0o600 })
    return own
  }
  return {
    face: write('face', { kind: 'face-matching', measure: 'engine-score', points: TOY_POINTS }),
    attack: write('attack', { kind: 'attack-detection', point: ATTACK_POINT }),
  }
}

type Answer = (response: ServerResponse) => void

export interface ToyService {
  readonly url: string
  readonly requests: readonly {
    readonly path: string
    readonly authorization: string | undefined
    readonly body: string
  }[]
  /** Replaces its answers from now on; null: it answers normally again. */
  say(how: Answer | null): void
  close(): Promise<void>
}

export const answerJson =
  (value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Answer =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(value))

/** @param tls PEM of key and certificate; without them it speaks plain HTTP */
export async function startToyService(tls?: { key: string; cert: string }): Promise<ToyService> {
  const requests: { path: string; authorization: string | undefined; body: string }[] = []
  let how: Answer | null = null
  const listener: RequestListener = (request, response) => {
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const body = Buffer.concat(chunks).toString('utf8')
      const path = request.url ?? ''
      requests.push({ path, authorization: request.headers.authorization, body })
      if (how) return how(response)
      answerJson(await answerTo(path, body))(response)
    })()
  }
  const server = tls ? createTlsServer(tls, listener) : createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    say: (next) => {
      how = next
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function answerTo(path: string, body: string): Promise<object> {
  const engine = { id: 'toy-service', version: '2.0', sha256: SERVICE_SHA256 }
  if (path === '/v1/engine') return { engine }
  if (path === '/v1/comparisons') {
    const { probe, references } = JSON.parse(body) as { probe: string; references: string[] }
    return { engine, scores: references.map((reference) => cosine(decode(probe), decode(reference))) }
  }
  const { image } = JSON.parse(body) as { image: string }
  const grey = await sharp(Buffer.from(image, 'base64'))
    .resize(8, 8, { fit: 'fill' })
    .greyscale()
    .raw()
    .toBuffer()
  const mean = grey.reduce((sum, value) => sum + value, 0) / grey.length
  if (path === '/v1/attack-scores') return { engine, score: mean / 255 }
  const numbers = Float32Array.from(grey, (value) => value - mean)
  return { engine, template: Buffer.from(numbers.buffer).toString('base64') }
}

function decode(template: string): Float32Array {
  const bytes = Uint8Array.from(Buffer.from(template, 'base64'))
  return new Float32Array(bytes.buffer)
}

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array): number => x.reduce((sum, value, i) => sum + value * y[i], 0)
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))
}
