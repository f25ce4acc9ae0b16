/**
 * Trust bundles: asks the central service which lists are the newest, downloads the missing files in pieces, and imports them. What was
 * received stays in memory over a lost connection. A bundle that is not imported leaves the lists in force, with a named fault.
 */
import { randomBytes } from 'node:crypto'
import type { JWK } from 'jose'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { readStatement } from '../protocol/statements.ts'
import {
  MAX_TRUST_BUNDLE_BYTES,
  type Statement,
  type StatementKind,
  type TrustAnswer,
} from '../protocol/wire.ts'
import type { TrustBundleFault } from '../store/trust-kinds.ts'
import { noteBundleConfirmed, noteBundleFault, readBundleState } from '../trust/bundle-state.ts'
import { importTrustBundle } from '../trust/import-bundle.ts'
import { TrustRefused } from '../trust/refused.ts'
import { readTrustFile } from '../trust/trust-file.ts'
import type { Connection } from './connection.ts'
import { fetchPieces } from './file-pieces.ts'
import { computeSha256 } from '../protocol/sha256.ts'

type UpdateContext = Pick<Context, 'store' | 'time' | 'log'>
type Manifest = Statement<'trust-bundle'>
type Check = Statement<'trust-check'>

export interface TrustUpdates {
  /** Checks once, and imports a newer bundle. Records a fault of the bundle. Throws CentralTroubleError. */
  run(connection: Connection, signal?: AbortSignal): Promise<void>
}

/** A file by its hash: its bytes, of which the first `length` were received. */
type Parts = Map<string, { readonly content: Buffer; length: number }>

class BundleRefused extends Error {
  override readonly name = 'BundleRefused'
  readonly code: TrustBundleFault
  readonly version: number | null
  readonly reason: string | null

  constructor(code: TrustBundleFault, version: number | null, more: { reason?: string } & ErrorOptions = {}) {
    super(code, more)
    this.code = code
    this.version = version
    this.reason = more.reason ?? null
  }
}

/** Time until a bundle with a damaged or refused file is tried again. */
const PAUSE_MS = 60 * 60 * 1000
const CENTRE = { actor: 'centre' }

/** @param nowMs a monotonic clock */
export function createTrustUpdates(ctx: UpdateContext, nowMs = () => performance.now()): TrustUpdates {
  const { store, time, log } = ctx
  const parts: Parts = new Map()
  /** The bundle that was refused last, and when it is tried again. */
  let paused = { sha256: '', until: 0 }

  const take = async (connection: Connection, signal: AbortSignal | undefined): Promise<void> => {
    const { client, tenantId, trust } = connection
    const { centreId } = trust
    const state = readBundleState(store, centreId)
    const nonce = randomBytes(16).toString('base64url')
    const question = { nonce, version: state.version, sha256: state.sha256 }
    const answer = await client.trustBundle(question, signal)
    if (answer === null) return
    const check = await readCheck(answer, nonce, store.applianceId, trust.statementKeys.keys)
    const { version, sha256 } = check
    if (version < state.version) throw new BundleRefused('older_version', version)
    if (version === state.version) {
      if (sha256 !== state.sha256) throw new BundleRefused('other_content', version)
      noteBundleConfirmed(store, centreId, time.statement().latest)
      return
    }
    if (sha256 === paused.sha256 && nowMs() < paused.until) return
    const manifest = await readManifest(answer, check, tenantId, trust.statementKeys.keys)
    try {
      const files = await download(connection, manifest, signal)
      const hashes = manifest.files.map((file) => file.sha256)
      const { publishedBy, confirmedBy } = manifest
      const bundle = { centreId, version, sha256: sha256 ?? '', publishedBy, confirmedBy, hashes }
      const imported = await importTrustBundle(
        store,
        { ...bundle, files: files.map(readTrustFile) },
        time.statement().latest,
        CENTRE,
      )
      parts.clear()
      log.info({ version, ...imported }, 'a trust bundle of the central service is in force')
    } catch (error) {
      const isOwn = error instanceof TrustRefused || error instanceof BundleRefused
      if (isOwn) paused = { sha256: sha256 ?? '', until: nowMs() + PAUSE_MS }
      if (!(error instanceof TrustRefused)) throw error
      throw new BundleRefused('file_refused', version, { reason: error.message, cause: error })
    }
  }

  /** Returns the files that are not in force. */
  const download = async (
    { client }: Connection,
    { version, files }: Manifest,
    signal: AbortSignal | undefined,
  ): Promise<readonly Buffer[]> => {
    const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
    if (total > MAX_TRUST_BUNDLE_BYTES) throw new TrustRefused('The files of the bundle are too long.')
    for (const name of parts.keys()) if (!files.some(({ sha256 }) => sha256 === name)) parts.delete(name)
    const inForce = new Set(
      store.trust.list().flatMap(({ sha256, replacedAt }) => (replacedAt === null ? [sha256] : [])),
    )
    const received: Buffer[] = []
    for (const { sha256, bytes } of files.filter((file) => !inForce.has(file.sha256))) {
      const part = parts.get(sha256) ?? { content: Buffer.alloc(bytes), length: 0 }
      const { content } = part
      parts.set(sha256, part)
      const request = (offset: number) => client.trustPiece(sha256, offset, signal)
      for await (const piece of fetchPieces(request, part.length, bytes)) {
        part.length += piece.copy(content, part.length)
      }
      if (part.length !== bytes || computeSha256(content) !== sha256) {
        parts.delete(sha256)
        throw new BundleRefused('file_damaged', version)
      }
      received.push(content)
    }
    return received
  }

  return {
    run: async (connection, signal) => {
      try {
        await take(connection, signal)
      } catch (error) {
        if (!(error instanceof BundleRefused)) throw error
        const { code, version, reason } = error
        const { centreId } = connection.trust
        noteBundleFault(store, centreId, { code, version, reason }, time.statement().latest)
        log.warn({ code, version }, 'a trust bundle of the central service is not in force')
      }
    },
  }
}

/** The answer must be about this question: an old one would hide that there are newer lists. */
async function readCheck(
  { check }: TrustAnswer,
  nonce: string,
  kioskId: string,
  keys: readonly JWK[],
): Promise<Check> {
  const said = await readSigned('trust-check', check, keys, null)
  if (said.nonce !== nonce || said.kioskId !== kioskId) throw new BundleRefused('statement_refused', null)
  return said
}

async function readManifest(
  { bundle = '' }: TrustAnswer,
  { version, sha256 }: Check,
  tenantId: string,
  keys: readonly JWK[],
): Promise<Manifest> {
  const manifest = await readSigned('trust-bundle', bundle, keys, version)
  const isAsked = manifest.tenantId === tenantId && manifest.version === version
  if (!isAsked || computeSha256(bundle) !== sha256) throw new BundleRefused('statement_refused', version)
  return manifest
}

async function readSigned<K extends StatementKind>(
  kind: K,
  jws: string,
  keys: readonly JWK[],
  version: number | null,
): Promise<Statement<K>> {
  try {
    return await readStatement(kind, jws, keys)
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause
    throw new BundleRefused('statement_refused', version, { cause })
  }
}
