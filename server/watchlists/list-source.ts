/** Fetches the newest edition of a list from its publisher's address, or from a file that something else keeps up to date. */
import { createWriteStream } from 'node:fs'
import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Agent, request } from 'undici'
import { isCertificateFault } from '../outgoing/answer.ts'
import { formatSpecDate } from '../proofing/time.ts'
import { PRODUCT_VERSION } from '../version.ts'
import { ListRefused } from './parsed-list.ts'
import { MAX_LIST_BYTES } from './read-file.ts'
import type { ListFormat } from '../proofing/watchlist/list-formats.ts'

export interface ListSource {
  /** Name of the list that it replaces. */
  readonly name: string
  readonly format: ListFormat | 'auto'
  readonly from:
    | { readonly kind: 'file'; readonly path: string }
    /** `authorities` holds the PEM of the only accepted certificate authorities; null: public ones. */
    | {
        readonly kind: 'address'
        readonly url: string
        readonly authorities: string | null
        /** Time without a byte after which the download ends. */
        readonly silenceMs: number
      }
  readonly everyHours: number
}

/** Time limit of a download; the largest list has 120 MB. */
const MAX_DOWNLOAD_MS = 15 * 60_000

/**
 * Gives `use` the file of the list, and the day of a file that something else keeps; removes a downloaded file afterwards.
 * Throws ListRefused.
 */
export async function fetchList<T>(
  { name, from }: ListSource,
  folder: string,
  closing: AbortSignal,
  use: (path: string, fallbackDate?: string) => Promise<T>,
): Promise<T> {
  if (from.kind === 'file') return use(from.path, formatSpecDate(await readFileTime(from.path)))
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, name)
  try {
    await download(from, path, AbortSignal.any([closing, AbortSignal.timeout(MAX_DOWNLOAD_MS)]))
    return await use(path)
  } finally {
    await rm(path, { force: true })
  }
}

async function readFileTime(path: string): Promise<Date> {
  try {
    return (await stat(path)).mtime
  } catch {
    throw new ListRefused('its file is missing')
  }
}

/** Redirects are not followed: the operator names the publisher's own address. */
async function download(
  { url, authorities, silenceMs }: Extract<ListSource['from'], { kind: 'address' }>,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const agent = new Agent({
    connect: { timeout: silenceMs, ...(authorities === null ? {} : { ca: authorities }) },
  })
  try {
    const { statusCode, body } = await request(url, {
      dispatcher: agent,
      headers: { 'user-agent': `counterproof/${PRODUCT_VERSION}` },
      headersTimeout: silenceMs,
      bodyTimeout: silenceMs,
      signal,
    })
    if (statusCode !== 200) throw new ListRefused(`the publisher answers with HTTP ${statusCode}`)
    await pipeline(body, limitBytes, createWriteStream(path, { mode: 0o600 }), { signal })
  } catch (error) {
    if (error instanceof ListRefused) throw error
    // The error may quote the address, which may contain a token.
    const isRefused = isCertificateFault(error) || isCertificateFault((error as { cause?: unknown }).cause)
    if (isRefused) throw new ListRefused("the publisher's certificate is not valid")
    throw new ListRefused(
      isSilence(error)
        ? `the publisher sent nothing for ${silenceMs / 1000} s (silenceSeconds)`
        : 'the publisher cannot be reached, or broke off',
    )
  } finally {
    await agent.destroy()
  }
}

/** Codes of undici for a connection, an answer or a body that did not come in time. */
const SILENCES: readonly unknown[] = [
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]

const isSilence = (error: unknown): boolean => SILENCES.includes((error as { readonly code?: unknown }).code)

async function* limitBytes(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.byteLength
    if (bytes > MAX_LIST_BYTES) throw new ListRefused('the list is larger than any that is published')
    yield chunk
  }
}
