/**
 * Downloads one model file from its public repository or a mirror. Continues an interrupted download, and installs the
 * file only with the pinned SHA-256.
 */
import { createWriteStream } from 'node:fs'
import { mkdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { EnvHttpProxyAgent, fetch, type Dispatcher } from 'undici'
import type { ModelEntry } from '../vision/manifest.ts'
import { installModel, checkModel } from '../vision/packs.ts'

export type PublishedModel = ModelEntry & { readonly download: NonNullable<ModelEntry['download']> }

interface DownloadOptions {
  readonly modelsDir: string
  /** Base address of a mirror that has the manifest's file names; null for the public repositories. */
  readonly mirror: string | null
  /** Bytes of the file that are here. */
  readonly onProgress?: (bytes: number) => void
  /** A try ends if no byte arrives for this long. */
  readonly stallMs?: number
}

export type DownloadOutcome =
  | { readonly kind: 'installed' | 'already_there' | 'hash_mismatch' | 'too_large' }
  /** The part that arrived is kept; the next call continues it. `reason` is a status or an error code. */
  | { readonly kind: 'interrupted'; readonly reason: string }

const STALL_MS = 30_000
/** Tries that follow one that brought bytes. */
const MAX_TRIES = 4

export function buildAddress({ file, download }: PublishedModel, mirror: string | null): string {
  const { repository, commit, path } = download
  return mirror === null
    ? `https://github.com/${repository}/raw/${commit}/${path}`
    : `${mirror.replace(/\/+$/, '')}/${file}`
}

/** Uses the proxy of HTTPS_PROXY, HTTP_PROXY and NO_PROXY. Throws only if the models folder cannot be written. */
export async function downloadModel(
  entry: PublishedModel,
  options: DownloadOptions,
): Promise<DownloadOutcome> {
  const { modelsDir, stallMs = STALL_MS } = options
  if ((await checkModel(entry, modelsDir)) === 'ready') return { kind: 'already_there' }
  // installModel takes the file from a folder by its name.
  const partDir = join(modelsDir, 'downloads')
  const part = join(partDir, entry.file)
  await mkdir(dirname(part), { recursive: true })
  const agent = new EnvHttpProxyAgent({
    headersTimeout: stallMs,
    bodyTimeout: stallMs,
    connectTimeout: stallMs,
  })
  try {
    for (let tries = 1; ; tries++) {
      const before = await measureFile(part)
      const reason = await fetchPart(entry, part, before, options, agent)
      const after = await measureFile(part)
      if (after > entry.download.bytes) return await giveUp(part, 'too_large')
      if (after === entry.download.bytes) {
        const outcome = await installModel(entry, partDir, modelsDir)
        if (outcome === 'installed') await rm(partDir, { recursive: true })
        if (outcome !== 'hash_mismatch') return { kind: 'installed' }
        // Half of it may be an earlier version's; only a file that came whole proves the source wrong.
        if (before === 0) return await giveUp(part, 'hash_mismatch')
        await rm(part)
      } else if (after <= before || tries === MAX_TRIES) {
        return { kind: 'interrupted', reason: reason ?? 'the file ended early' }
      }
    }
  } finally {
    await agent.destroy()
  }
}

async function giveUp(part: string, kind: 'hash_mismatch' | 'too_large'): Promise<DownloadOutcome> {
  await rm(part, { force: true })
  return { kind }
}

const measureFile = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  )

/** Returns why the file did not come whole, or null. */
async function fetchPart(
  entry: PublishedModel,
  part: string,
  from: number,
  { mirror, onProgress }: DownloadOptions,
  dispatcher: Dispatcher,
): Promise<string | null> {
  try {
    const answer = await fetch(buildAddress(entry, mirror), {
      dispatcher,
      headers: from > 0 ? { range: `bytes=${from}-` } : {},
    })
    if (answer.status === 416) {
      await rm(part, { force: true })
      return 'the source has no such part'
    }
    if ((answer.status !== 200 && answer.status !== 206) || !answer.body) return `status ${answer.status}`
    const continues =
      answer.status === 206 && answer.headers.get('content-range')?.startsWith(`bytes ${from}-`)
    if (answer.status === 206 && !continues) return 'another part than the one that was asked for'
    let bytes = continues ? from : 0
    const limit = entry.download.bytes
    await pipeline(
      Readable.fromWeb(answer.body),
      async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          yield chunk
          bytes += chunk.byteLength
          onProgress?.(bytes)
          if (bytes > limit) return
        }
      },
      createWriteStream(part, { flags: continues ? 'a' : 'w' }),
    )
    return null
  } catch (error) {
    return describeFailure(error)
  }
}

/** Codes only: a proxy's address may contain a password. */
function describeFailure(error: unknown): string {
  const { cause, code, name } = error as Error & { cause?: { code?: string }; code?: string }
  return cause?.code ?? code ?? name
}
