/**
 * The server side of S3-compatible storage, on a real socket: it computes Signature Version 4 itself, from
 * the published rules and not with the client's library, and verifies the hash of what it receives.
 */
import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface S3Server {
  readonly endpoint: string
  readonly objects: ReadonlyMap<string, Buffer>
  /** `PUT /bucket/key 200`, in order. */
  readonly requests: readonly string[]
  /** Changes or removes a stored object. */
  set(path: string, bytes: Buffer | null): void
  /** Answers with this status from now on, or hangs up in the middle (`cut`); null: works. */
  fail(how: number | 'cut' | null): void
  close(): Promise<void>
}

export const S3_CREDENTIALS = {
  accessKeyId: 'AKIATESTTESTTEST',
  secretAccessKey: 'test/secret+key',
  region: 'eu-test-1',
  bucket: 'proofs',
} as const

export async function startS3Server(): Promise<S3Server> {
  const objects = new Map<string, Buffer>()
  const requests: string[] = []
  let failing: number | 'cut' | null = null
  const server = createServer((req, res) => void handle(req, res))
  const handle = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const pieces: Buffer[] = []
    for await (const piece of req as AsyncIterable<Buffer>) {
      pieces.push(piece)
      if (failing === 'cut') return void req.socket.destroy()
    }
    if (failing === 'cut') return void req.socket.destroy()
    const [status, body] = failing === null ? answer(req, Buffer.concat(pieces), objects) : [failing, null]
    requests.push(`${req.method} ${req.url} ${status}`)
    res.writeHead(status, body ? { 'content-length': body.length } : {}).end(body)
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    objects,
    requests,
    set: (path, bytes) => void (bytes ? objects.set(path, bytes) : objects.delete(path)),
    fail: (how) => {
      failing = how
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function answer(
  req: IncomingMessage,
  body: Buffer,
  objects: Map<string, Buffer>,
): [status: number, body: Buffer | null] {
  const path = req.url ?? ''
  if (!path.startsWith(`/${S3_CREDENTIALS.bucket}/`)) return [404, null]
  if (!isSigned(req)) return [403, null]
  if (req.headers['x-amz-content-sha256'] !== createHash('sha256').update(body).digest('hex'))
    return [400, null]
  if (req.method === 'PUT') {
    if (req.headers['content-length'] === undefined) return [411, null] // like S3 itself
    objects.set(path, body)
    return [200, null]
  }
  if (req.method === 'GET') {
    const found = objects.get(path)
    if (!found) return [404, null]
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(req.headers.range ?? '') ?? []
    if (first === undefined) return [200, found]
    if (Number(first) >= found.length) return [416, null]
    return [206, found.subarray(Number(first), Number(last) + 1)]
  }
  objects.delete(path)
  return [204, null]
}

/** AWS, "Authenticating Requests (AWS Signature Version 4)". */
function isSigned(req: IncomingMessage): boolean {
  const { accessKeyId, secretAccessKey, region } = S3_CREDENTIALS
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      req.headers.authorization ?? '',
    )
  const [, keyId, date, inRegion, signedHeaders = '', signature] = match ?? []
  const at = String(req.headers['x-amz-date'] ?? '')
  if (keyId !== accessKeyId || inRegion !== region || !at.startsWith(date ?? '-')) return false
  const names = signedHeaders.split(';')
  if (!['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) => names.includes(name))) return false
  const url = new URL(req.url ?? '', 'http://s3')
  const canonical = [
    req.method,
    url.pathname,
    url.search.slice(1),
    ...names.map((name) => `${name}:${String(req.headers[name]).trim()}`),
    '',
    signedHeaders,
    req.headers['x-amz-content-sha256'],
  ].join('\n')
  const scope = `${date}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', at, scope, createHash('sha256').update(canonical).digest('hex')].join(
    '\n',
  )
  const key = [date ?? '', region, 's3', 'aws4_request'].reduce<Buffer>(
    (previous, part) => createHmac('sha256', previous).update(part).digest(),
    Buffer.from(`AWS4${secretAccessKey}`),
  )
  return createHmac('sha256', key).update(text).digest('hex') === signature
}
