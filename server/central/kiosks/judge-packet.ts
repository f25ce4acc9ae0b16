/**
 * Decrypts a packet and verifies its proof with only the keys that this kiosk has reported: nothing in the
 * archive is trusted. Works outside any transaction. The packet is decrypted chunk by chunk, and another
 * process verifies the archive, so that a large packet does not block the event loop.
 */
import { createHash } from 'node:crypto'
import type { JWK } from 'jose'
import { AppError } from '../../errors.ts'
import type { ProofFigures } from '../../proof/verify/figures.ts'
import { openPacket } from '../../protocol/packet.ts'
import type { Announcement } from '../../protocol/wire.ts'
import { ByteBlocks } from '../../http/byte-blocks.ts'
import { isStorable } from '../json.ts'
import type { Verifier } from '../verification/verifier.ts'

export type Judgement =
  | { readonly accepted: true; readonly proof: ProofFacts }
  /** Codes of the verifier, or `packet_*`. */
  | { readonly accepted: false; readonly problems: readonly string[] }

export interface ProofFacts {
  readonly levelOfAssurance: string
  readonly test: boolean
  readonly signedBy: string
  readonly archiveBytes: number
  /** As written in the proof. */
  readonly tenantId: string
  readonly correlationId: string | null
  /** Null: the archive states none, or one that is no name of a policy. */
  readonly policyId: string | null
  readonly figures: ProofFigures
}

/** Limits of the database for texts of a proof. */
const MAX_TENANT_ID = 200
const MAX_CORRELATION_ID = 1000
const POLICY_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/
/** Time for a packet of 512 MB on a slow machine. A usual proof takes 50 ms. */
const VERIFY_TIMEOUT_MS = 60_000
const MAX_PROBLEMS = 100

export async function judgePacket(input: {
  readonly kioskId: string
  readonly announcement: Announcement
  readonly packet: AsyncIterable<Uint8Array>
  readonly packetKeys: readonly JWK[]
  readonly proofKeys: readonly JWK[]
  /** Keyed by kid: milliseconds since 1970. */
  readonly revokedKeys: Readonly<Record<string, number>>
  readonly verifier: Verifier
}): Promise<Judgement> {
  const { kioskId, announcement, packetKeys, proofKeys, revokedKeys } = input
  const packetHash = createHash('sha256')
  const archiveHash = createHash('sha256')
  const archive = new ByteBlocks()
  try {
    const opened = await openPacket(hashing(input.packet, packetHash), packetKeys)
    const { facts } = opened
    const fits =
      facts.kioskId === kioskId &&
      facts.proofId === announcement.proofId &&
      facts.sha256 === announcement.sha256
    if (!fits) return refused('packet_of_another_proof')
    for await (const piece of opened.archive) {
      archiveHash.update(piece)
      archive.append(piece)
    }
  } catch (error) {
    if (error instanceof AppError && error.code === 'packet_refused') return refused('packet_unreadable')
    if (error instanceof AppError && error.code === 'storage_damaged' && error.details.part !== 'packet') {
      return refused('packet_damaged')
    }
    throw error
  }
  if (packetHash.digest('hex') !== announcement.packet?.sha256) return refused('packet_hash_mismatch')
  if (archiveHash.digest('hex') !== announcement.sha256) return refused('archive_hash_mismatch')
  const task = { file: archive.blocks(), keys: proofKeys, revoked: revokedKeys }
  const report = await input.verifier.verify(task, VERIFY_TIMEOUT_MS).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'verification_stopped') return error.code
    throw error
  })
  if (typeof report === 'string') return refused(report)
  if (!report.valid) return refused(...report.problems.map(({ code }) => code))
  if (report.proofId !== announcement.proofId) return refused('proof_id_mismatch')
  if (report.identityId !== announcement.identityId) return refused('identity_id_mismatch')
  const { tenantId, correlationId, policyId, levelOfAssurance } = report
  // The database cannot store these texts. A refusal prevents endless retries.
  if (tenantId.length > MAX_TENANT_ID || !isStorable([tenantId, levelOfAssurance])) {
    return refused('field_invalid')
  }
  return {
    accepted: true,
    proof: {
      levelOfAssurance,
      test: report.test,
      signedBy: report.signedBy,
      archiveBytes: archive.size,
      tenantId,
      correlationId: correlationId && correlationId.length <= MAX_CORRELATION_ID ? correlationId : null,
      figures: report.figures,
      policyId: policyId !== null && POLICY_ID.test(policyId) ? policyId : null,
    },
  }
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

function refused(...codes: string[]): Judgement {
  return { accepted: false, problems: [...new Set(codes)].slice(0, MAX_PROBLEMS) }
}
