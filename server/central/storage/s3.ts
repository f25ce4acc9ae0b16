/**
 * S3-compatible storage: one PUT per packet with its SHA-256 signed (Signature Version 4), path-style
 * addresses, so that MinIO, Ceph and others work unchanged. Streams through Node's own HTTP client, which
 * sends a Content-Length.
 */
import { createHash } from 'node:crypto'
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AwsV4Signer } from 'aws4fetch'
import { AppError } from '../../errors.ts'
import type { StorageConfig } from '../config.ts'
import type { ContentFacts, PacketFacts } from './storage.ts'

type S3Config = Extract<StorageConfig, { kind: 's3' }>

export const S3_OBJECT = 's3:'
const NO_BODY_SHA256 = createHash('sha256').digest('hex')

export interface S3 {
  /** The same packet always has the same key: a repeated PUT overwrites it with itself. */
  buildObjectKey(packet: PacketFacts): string
  buildReleaseKey(sha256: string): string
  put(key: string, facts: ContentFacts, content: AsyncIterable<Uint8Array>): Promise<void>
  /** Throws `storage_damaged` if there is no such object, or one of another length. */
  read(key: string, bytes: number): AsyncGenerator<Buffer>
  /** Throws `storage_damaged` if there is no such object. It may be shorter. */
  readPiece(key: string, offset: number, length: number): Promise<Buffer>
  /** Removing a missing object is no error. */
  remove(key: string): Promise<void>
}

/**
 * Every call throws `centre_unavailable` if the storage is unavailable or refuses access; the details have
 * the status.
 */
export function openS3(config: S3Config): S3 {
  const send = async (
    method: 'GET' | 'PUT' | 'DELETE',
    key: string,
    body?: ContentFacts & { readonly content: AsyncIterable<Uint8Array> },
    range?: string,
  ): Promise<IncomingMessage> => {
    const url = `${config.endpoint.replace(/\/$/, '')}/${config.bucket}/${key}`
    const signer = new AwsV4Signer({
      method,
      url,
      headers: { 'x-amz-content-sha256': body?.sha256 ?? NO_BODY_SHA256 },
      accessKeyId: config.accessKeyId,
      secretAccessKey: config.secretAccessKey,
      service: 's3',
      region: config.region,
    })
    const signed = await signer.sign()
    const headers: Record<string, string> = Object.fromEntries(signed.headers)
    delete headers.host // Node sets it from the address, as it was signed.
    if (body) headers['content-length'] = String(body.bytes)
    if (range !== undefined) headers.range = range
    return exchange(signed.url, { method, headers, timeout: config.timeoutMs }, body?.content)
  }

  return {
    buildObjectKey: ({ tenantId, proofId, sha256 }) =>
      [config.prefix, tenantId, proofId, sha256].filter(Boolean).join('/'),
    buildReleaseKey: (sha256) => [config.prefix, 'releases', sha256].filter(Boolean).join('/'),
    put: async (key, { bytes, sha256 }, content) => {
      const response = await send('PUT', key, { content, bytes, sha256 })
      response.resume()
      if (response.statusCode !== 200) throw unavailable(response.statusCode)
    },
    read: async function* (key, bytes) {
      const response = await send('GET', key)
      if (response.statusCode !== 200) {
        response.resume()
        throw response.statusCode === 404 ? missing() : unavailable(response.statusCode)
      }
      let length = 0
      try {
        for await (const piece of response as AsyncIterable<Buffer>) {
          length += piece.length
          yield piece
        }
      } catch (cause) {
        throw unavailable(undefined, cause)
      }
      if (length !== bytes) throw damaged()
    },
    readPiece: async (key, offset, length) => {
      const response = await send('GET', key, undefined, `bytes=${offset}-${offset + length - 1}`)
      // A storage that ignores the range would send the whole object.
      if (response.statusCode !== 206) {
        response.destroy()
        if (response.statusCode === 404) throw missing()
        throw response.statusCode === 416 ? damaged() : unavailable(response.statusCode)
      }
      const pieces: Buffer[] = []
      let received = 0
      try {
        for await (const piece of response as AsyncIterable<Buffer>) {
          received += piece.length
          if (received > length) throw damaged()
          pieces.push(piece)
        }
      } catch (cause) {
        throw cause instanceof AppError ? cause : unavailable(undefined, cause)
      }
      return Buffer.concat(pieces)
    },
    remove: async (key) => {
      const response = await send('DELETE', key)
      response.resume()
      if (![200, 204, 404].includes(response.statusCode ?? 0)) throw unavailable(response.statusCode)
    },
  }
}

async function exchange(
  url: URL,
  options: RequestOptions,
  content: AsyncIterable<Uint8Array> | undefined,
): Promise<IncomingMessage> {
  const call = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options)
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    call.once('response', resolve)
    call.once('error', reject)
    call.once('timeout', () => call.destroy(new Error('timeout')))
  })
  try {
    // A refusal may arrive before everything was sent; then the rest need not be sent.
    const sending = content ? pipeline(Readable.from(content), call) : Promise.resolve(void call.end())
    const response = await Promise.race([answered, sending.then(() => answered)])
    sending.catch(() => undefined)
    return response
  } catch (cause) {
    call.destroy()
    answered.catch(() => undefined)
    // A read error of the database is a separate fault.
    if (cause instanceof AppError) throw cause
    throw unavailable(undefined, cause)
  }
}

function unavailable(status: number | undefined, cause?: unknown): AppError {
  return new AppError('centre_unavailable', { part: 'storage', status: status ?? null }, { cause })
}

function missing(): AppError {
  return new AppError('storage_damaged', { part: 'packet', reason: 'missing' })
}

function damaged(): AppError {
  return new AppError('storage_damaged', { part: 'packet' })
}
