/**
 * Opens a packet and verifies the proof in it, with the keys that this kiosk has told of and no other: nothing that lies
 * in the archive is believed. Slow work, outside any transaction.
 */
import { createHash } from 'node:crypto'
import type { JWK } from 'jose'
import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { verifyProof } from '../../proof/verify.ts'
import { readZip, withoutRoot } from '../../proof/verify/read-zip.ts'
import { openPacket } from '../../protocol/packet.ts'
import type { Announcement } from '../../protocol/wire.ts'
import { isStorable } from '../json.ts'

export type Judgement =
  | { readonly accepted: true; readonly proof: ProofFacts }
  /** Codes of the verifier, or `packet_*`. */
  | { readonly accepted: false; readonly problems: readonly string[] }

export interface ProofFacts {
  readonly levelOfAssurance: string
  readonly test: boolean
  readonly signedBy: string
  readonly archiveBytes: number
  /** As the proof itself writes it. */
  readonly tenantId: string
  readonly correlationId: string | null
}

/** Beyond what the verifier demands; all of it is under the signature. */
const StatedSchema = z.looseObject({
  tenantId: z.string().min(1).max(200),
  correlationId: z.string().min(1).max(1000).optional().catch(undefined),
})

const MOST_PROBLEMS = 100

export async function judgePacket(input: {
  readonly kioskId: string
  readonly announcement: Announcement
  readonly packet: AsyncIterable<Uint8Array>
  readonly packetKeys: readonly JWK[]
  readonly proofKeys: readonly JWK[]
  /** By kid: milliseconds since 1970. */
  readonly revokedKeys: Readonly<Record<string, number>>
}): Promise<Judgement> {
  const { kioskId, announcement, packetKeys, proofKeys } = input
  const packetHash = createHash('sha256')
  let archive: Buffer
  try {
    const opened = await openPacket(hashing(input.packet, packetHash), packetKeys)
    const { facts } = opened
    const fits =
      facts.kioskId === kioskId &&
      facts.proofId === announcement.proofId &&
      facts.sha256 === announcement.sha256
    if (!fits) return refused('packet_of_another_proof')
    archive = await collect(opened.archive)
  } catch (error) {
    if (error instanceof AppError && error.code === 'packet_refused') return refused('packet_unreadable')
    if (error instanceof AppError && error.code === 'storage_damaged' && error.details.part !== 'packet') {
      return refused('packet_damaged')
    }
    throw error
  }
  if (packetHash.digest('hex') !== announcement.packet?.sha256) return refused('packet_hash_mismatch')
  if (sha256(archive) !== announcement.sha256) return refused('archive_hash_mismatch')
  const revoked = Object.fromEntries(
    Object.entries(input.revokedKeys).map(([kid, since]) => [kid, new Date(since)]),
  )
  const report = await verifyProof(archive, { jwks: { keys: proofKeys }, revoked })
  if (!report.valid) return refused(...report.problems.map(({ code }) => code))
  if (report.proofId !== announcement.proofId) return refused('proof_id_mismatch')
  if (report.identityId !== announcement.identityId) return refused('identity_id_mismatch')
  const stated = StatedSchema.safeParse(readProofJson(archive))
  // Signed it may be; what the database cannot keep is refused, or the kiosk would send it for ever.
  if (!stated.success || !isStorable([stated.data.tenantId, report.levelOfAssurance])) {
    return refused('field_invalid')
  }
  return {
    accepted: true,
    proof: {
      levelOfAssurance: report.levelOfAssurance,
      test: report.test,
      signedBy: report.signedBy,
      archiveBytes: archive.byteLength,
      tenantId: stated.data.tenantId,
      correlationId: stated.data.correlationId ?? null,
    },
  }
}

/** Called for verified archives alone. */
function readProofJson(archive: Uint8Array): unknown {
  const file = readZip(archive).files.find(({ path }) => withoutRoot(path) === 'proof.json')
  return file ? JSON.parse(Buffer.from(file.bytes).toString('utf8')) : undefined
}

async function* hashing(
  source: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Uint8Array> {
  for await (const piece of source) {
    hash.update(piece)
    yield piece
  }
}

async function collect(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of source) pieces.push(piece)
  return Buffer.concat(pieces)
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function refused(...codes: string[]): Judgement {
  return { accepted: false, problems: [...new Set(codes)].slice(0, MOST_PROBLEMS) }
}
