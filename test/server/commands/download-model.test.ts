import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { main } from '../../../server/cli.ts'
import { buildAddress, downloadModel, type PublishedModel } from '../../../server/commands/download-model.ts'
import { readManifest } from '../../../server/vision/manifest.ts'
import { locateModel } from '../../../server/vision/packs.ts'

const FILE = randomBytes(100_000)
const ENTRY: PublishedModel = {
  id: 'a-model',
  version: '1',
  pack: 'extended',
  role: 'face-embedding',
  source: 'installed',
  file: 'a-model.onnx',
  sha256: createHash('sha256').update(FILE).digest('hex'),
  licence: 'MIT',
  origin: 'example/models',
  input: '-',
  download: {
    repository: 'example/models',
    commit: '0123abc',
    path: 'weights/a.onnx',
    bytes: FILE.byteLength,
  },
}

/** What the source answers to its n-th request, counted from 0. */
let answer: (n: number, request: IncomingMessage, response: ServerResponse) => void
let requests: { url: string; range: string | undefined }[]
let source: Server
let modelsDir: string

beforeEach(async () => {
  requests = []
  modelsDir = mkdtempSync(join(tmpdir(), 'download-model-'))
  source = createServer((request, response) => {
    requests.push({ url: request.url ?? '', range: request.headers.range })
    answer(requests.length - 1, request, response)
  })
  await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve))
})
afterEach(() => {
  vi.unstubAllEnvs()
  source.closeAllConnections()
  source.close()
  rmSync(modelsDir, { recursive: true })
})

const mirror = (): string => `http://127.0.0.1:${(source.address() as AddressInfo).port}/models/`
const download = (stallMs = 2000) => downloadModel(ENTRY, { modelsDir, mirror: mirror(), stallMs })
const installed = (): Buffer => readFileSync(locateModel(ENTRY, modelsDir))

/** Answers as a file server does, with the part that was asked for. */
function sendFile(request: IncomingMessage, response: ServerResponse, bytes: Buffer = FILE): void {
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
  if (from > 0) response.setHeader('content-range', `bytes ${from}-${bytes.length - 1}/${bytes.length}`)
  response.writeHead(from > 0 ? 206 : 200).end(bytes.subarray(from))
}

/** Sends the headers of the whole file and half of it, then breaks the connection. */
function breakOff(response: ServerResponse): void {
  response.writeHead(200, { 'content-length': FILE.byteLength })
  response.write(FILE.subarray(0, 50_000), () => setTimeout(() => response.destroy(), 50))
}

test('a file is installed with the pinned hash, and asked for no more once it is there', async () => {
  answer = (_, request, response) => sendFile(request, response)
  expect(await download()).toEqual({ kind: 'installed' })
  expect(installed().equals(FILE)).toBe(true)
  expect(requests).toEqual([{ url: '/models/a-model.onnx', range: undefined }])
  expect(existsSync(join(modelsDir, 'downloads'))).toBe(false)
  expect(await download()).toEqual({ kind: 'already_there' })
  expect(requests).toHaveLength(1)
})

test('a broken connection is continued where it stopped', async () => {
  answer = (n, request, response) => (n === 0 ? breakOff(response) : sendFile(request, response))
  expect(await download()).toEqual({ kind: 'installed' })
  expect(requests.map(({ range }) => range)).toEqual([undefined, 'bytes=50000-'])
})

test('what arrived is kept for the next call when the source is gone', async () => {
  answer = (n, _, response) => (n === 0 ? breakOff(response) : response.writeHead(503).end())
  expect(await download()).toEqual({ kind: 'interrupted', reason: 'status 503' })
  answer = (_, request, response) => sendFile(request, response)
  expect(await download()).toEqual({ kind: 'installed' })
  expect(requests.at(-1)?.range).toBe('bytes=50000-')
})

test('a source that ignores the part asked for is read from the start', async () => {
  answer = (n, _, response) => (n === 0 ? breakOff(response) : response.writeHead(200).end(FILE))
  expect(await download()).toEqual({ kind: 'installed' })
  expect(installed().equals(FILE)).toBe(true)
})

test('a rest of another version is thrown away and the whole file read', async () => {
  answer = (n, _, response) => (n === 0 ? breakOff(response) : response.writeHead(503).end())
  await download()
  writeFileSync(join(modelsDir, 'downloads', ENTRY.file), randomBytes(60_000))
  answer = (_, request, response) => sendFile(request, response)
  expect(await download()).toEqual({ kind: 'installed' })
  expect(requests.slice(-2).map(({ range }) => range)).toEqual(['bytes=60000-', undefined])
})

test.each([
  ['with other content', randomBytes(FILE.byteLength), { kind: 'hash_mismatch' }],
  ['that is longer', Buffer.concat([FILE, randomBytes(500_000)]), { kind: 'too_large' }],
  ['that is shorter', FILE.subarray(0, 10), { kind: 'interrupted', reason: 'the source has no such part' }],
])('a file %s is never installed', async (_, bytes, outcome) => {
  answer = (n, request, response) => {
    if (n > 0 && bytes.length < FILE.length) response.writeHead(416).end()
    else sendFile(request, response, bytes)
  }
  expect(await download()).toEqual(outcome)
  expect(existsSync(locateModel(ENTRY, modelsDir))).toBe(false)
})

test('a source that falls silent ends the try', async () => {
  answer = (n, _, response) =>
    void (n === 0 && response.writeHead(200, { 'content-length': FILE.byteLength }).flushHeaders())
  const { kind } = await download(300)
  expect(kind).toBe('interrupted')
}, 10_000)

test('the proxy of the environment is used', async () => {
  answer = (_, request, response) => sendFile(request, response)
  const passed: string[] = []
  const proxy = createServer().on('connect', (request: IncomingMessage, client, head: Buffer) => {
    passed.push(request.url ?? '')
    const [host, port] = (request.url ?? '').split(':')
    const target = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      target.write(head)
      target.pipe(client).pipe(target)
    })
  })
  proxy.on('request', (request, response) => {
    passed.push(new URL(request.url ?? '').host)
    sendFile(request, response)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  vi.stubEnv('HTTP_PROXY', `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`)
  vi.stubEnv('NO_PROXY', '')
  try {
    expect(await download()).toEqual({ kind: 'installed' })
    expect(passed).toEqual([new URL(mirror()).host])
  } finally {
    proxy.closeAllConnections()
    proxy.close()
  }
})

test('without a mirror the address is that of the public repository at one commit', () => {
  expect(buildAddress(ENTRY, null)).toBe('https://github.com/example/models/raw/0123abc/weights/a.onnx')
  for (const { source: from, download: published, trainingData } of readManifest().models)
    if (from === 'installed')
      expect([published !== undefined, trainingData !== undefined]).toEqual([true, true])
})

test('the command downloads nothing before the licences are accepted, and names them', async () => {
  const said: string[] = []
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0)
  try {
    answer = (_, __, response) => response.writeHead(404).end()
    const call = ['models', 'download', '--from', mirror(), '--models-dir', modelsDir]
    expect(await main(call)).toBe(2)
    expect(requests).toEqual([])
    expect(said.join('')).toContain('MS1M')
    expect(await main([...call, '--accept-licences'])).toBe(1)
    expect(said.join('')).toContain('mobilefacenet-112: not complete (status 404)')
    expect(requests.length).toBeGreaterThan(3)
  } finally {
    write.mockRestore()
  }
})
