/**
 * A kiosk as the central service sees one: its own keys, real sealed proofs in real packets, the real protocol. Only the
 * kiosk's work on its own disk is left out.
 */
import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { JWK } from 'jose'
import { v7 as uuidv7 } from 'uuid'
import { formatSpecDateTime } from '../../../proofing/time.ts'
import { sealArchive } from '../../../proof/archive.ts'
import type { Signer } from '../../../proof/sign.ts'
import { sealPacket } from '../../../protocol/packet.ts'
import { signRequest } from '../../../protocol/request-signature.ts'
import { readStatement } from '../../../protocol/statements.ts'
import {
  EnrolmentAnswerSchema,
  KIOSK_API,
  NONCE_HEADER,
  OFFSET_HEADER,
  UploadStateSchema,
  type Announcement,
  type CentralTrust,
  type UploadState,
} from '../../../protocol/wire.ts'
import { createKioskCertificateRequest, makeKioskKey } from '../../../sync/kiosk-key.ts'
import { PRODUCT_VERSION } from '../../../version.ts'

export interface PreparedProof {
  readonly announcement: Announcement
  readonly packet: Buffer
}

export interface SimulatedKiosk {
  readonly kioskId: string
  /** Seals `count` proofs with about `pictureBytes` bytes of pictures each. */
  prepare(count: number, pictureBytes: number): Promise<readonly PreparedProof[]>
  /** Announces the proof and sends its packet; retries until every byte was received. */
  upload(proof: PreparedProof): Promise<void>
  /** Asks for the receipt of an uploaded proof; retries until it has it. */
  complete(proof: PreparedProof): Promise<void>
  /** Does both; resolves with the milliseconds from the announcement to the receipt. */
  send(proof: PreparedProof): Promise<number>
}

const CHUNK_BYTES = 1024 * 1024
const RETRY_MS = 200
const CHAIN_START = '0'.repeat(64)

/** @param pickUrl returns the instance to call now, like a load balancer in front of several */
export async function enrolSimulatedKiosk(
  code: string,
  signer: Signer,
  pickUrl: () => string,
): Promise<SimulatedKiosk> {
  const kioskId = uuidv7()
  const key = await makeKioskKey()
  const answer = await fetch(`${pickUrl()}${KIOSK_API}/enrolments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      code,
      kioskId,
      certificateRequest: await createKioskCertificateRequest(kioskId, key),
      proofKeys: { keys: [await signer.publicJwk()] },
      name: 'simulated',
      productVersion: PRODUCT_VERSION,
    }),
  })
  if (!answer.ok) throw new Error(`enrolment was answered with ${answer.status}: ${await answer.text()}`)
  const { trust } = EnrolmentAnswerSchema.parse(await answer.json())
  return createKiosk({ kioskId, privateJwk: key.privateJwk, trust, signer, pickUrl })
}

interface Membership {
  readonly kioskId: string
  readonly privateJwk: JWK
  readonly trust: CentralTrust
  readonly signer: Signer
  readonly pickUrl: () => string
}

function createKiosk(membership: Membership): SimulatedKiosk {
  const { kioskId, privateJwk, trust, pickUrl } = membership
  let sequence = 0
  let previousHash = CHAIN_START
  let nonce: string | null = null

  /** Null if there is no answer or the answer says to retry. */
  const call = async (
    method: string,
    path: string,
    body: Uint8Array,
    headers: Readonly<Record<string, string>>,
  ): Promise<UploadState | null> => {
    const fullPath = KIOSK_API + path
    const request = { method, path: fullPath, body, centreId: trust.centreId, nonce }
    try {
      const response = await fetch(pickUrl() + fullPath, {
        method,
        headers: {
          authorization: await signRequest(request, { kioskId, privateJwk }, new Date()),
          ...headers,
        },
        body: method === 'POST' ? null : new Uint8Array(body),
      })
      nonce = response.headers.get(NONCE_HEADER) ?? nonce
      const text = await response.text()
      if (text.includes('nonce_required')) return null
      if (response.ok) return UploadStateSchema.parse(JSON.parse(text))
      if (response.status < 500 && response.status !== 429)
        throw new RefusedError(`${method} ${response.status} ${text}`)
      return null
    } catch (error) {
      if (error instanceof RefusedError) throw error
      return null
    }
  }

  const step = async (
    { announcement, packet }: PreparedProof,
    state: UploadState | null,
  ): Promise<UploadState | null> => {
    const path = `/proofs/${announcement.proofId}`
    if (state === null) {
      const body = Buffer.from(JSON.stringify(announcement), 'utf8')
      return call('PUT', path, body, { 'content-type': 'application/json' })
    }
    if (state.offset < packet.length) {
      const chunk = packet.subarray(state.offset, state.offset + CHUNK_BYTES)
      const headers = { 'content-type': 'application/octet-stream', [OFFSET_HEADER]: String(state.offset) }
      return call('PATCH', path, chunk, headers)
    }
    return call('POST', `${path}/completion`, new Uint8Array(), {})
  }

  /** Continues from a state until another one fulfils `isDone`; asks again after a failure, because another instance may know more. */
  const continueFrom = async (
    proof: PreparedProof,
    from: UploadState | null,
    isDone: (state: UploadState) => boolean,
  ): Promise<UploadState> => {
    for (let state = from; ;) {
      state = await step(proof, state)
      if (state === null) await wait(RETRY_MS)
      else if (state.state === 'REFUSED') throw new Error(`refused: ${state.problems?.join(', ')}`)
      else if (isDone(state)) return state
    }
  }
  const upload = async (proof: PreparedProof): Promise<void> => {
    await continueFrom(proof, null, ({ offset }) => offset >= proof.packet.length)
  }
  const complete = async (proof: PreparedProof): Promise<void> => {
    const uploaded = { state: 'RECEIVING', offset: proof.packet.length } as const
    const { receipt } = await continueFrom(proof, uploaded, (state) => state.receipt !== undefined)
    const stated = await readStatement('receipt', receipt ?? '', trust.statementKeys.keys as JWK[])
    if (stated.proofId !== proof.announcement.proofId) throw new Error('the receipt is for another proof')
  }

  return {
    kioskId,
    prepare: async (count, pictureBytes) => {
      const prepared: PreparedProof[] = []
      for (let index = 0; index < count; index++) {
        const proof = await prepareProof(membership, ++sequence, previousHash, pictureBytes)
        previousHash = proof.announcement.hash
        prepared.push(proof)
      }
      return prepared
    },
    upload,
    complete,
    send: async (proof) => {
      const begun = performance.now()
      await upload(proof)
      await complete(proof)
      return performance.now() - begun
    },
  }
}

class RefusedError extends Error {}

async function prepareProof(
  { kioskId, signer, trust }: Membership,
  sequence: number,
  previousHash: string,
  pictureBytes: number,
): Promise<PreparedProof> {
  const now = new Date()
  const [proofId, identityId] = [uuidv7(), uuidv7()]
  const zip = await sealInvented({ proofId, identityId, now }, pictureBytes, signer)
  const facts = { kioskId, proofId, sha256: sha256(zip) }
  const sealed: Uint8Array[] = []
  for await (const piece of sealPacket(facts, [zip], trust.packetKeys.keys[0])) sealed.push(piece)
  const packet = Buffer.concat(sealed)
  return {
    packet,
    announcement: {
      proofId,
      identityId,
      sequence,
      previousHash,
      hash: sha256(Buffer.from(`${previousHash}:${proofId}`)),
      sha256: facts.sha256,
      sealedAt: now.getTime(),
      packet: { sha256: sha256(packet), bytes: packet.length },
    },
  }
}

/** Seals a proof of an invented person, with one picture of `pictureBytes` random bytes. */
export async function sealInvented(
  { proofId, identityId, now }: { readonly proofId: string; readonly identityId: string; readonly now: Date },
  pictureBytes: number,
  signer: Signer,
): Promise<Buffer> {
  const evidenceId = uuidv7()
  const picture = randomBytes(pictureBytes)
  const at = formatSpecDateTime(now)
  const archive = await sealArchive(
    {
      proofId,
      identityId,
      tenantId: 'bench',
      tenantRole: 'RELYING_SERVICE',
      startDateTime: at,
      endDateTime: at,
      componentVersion: PRODUCT_VERSION,
      test: true,
      correlationId: `bench-${identityId}`,
      identityDetails: {
        globalStatus: { id: identityId, status: 'CLOSED', levelOfAssurance: 'LOA1' },
        idDocuments: [{ evidenceId, type: 'PASSPORT' }],
      },
      verificationAndEvaluationDetails: [
        {
          identityOperation: { name: 'ID_DOCUMENT_CAPTURE', type: 'ADD' },
          participantContextId: evidenceId,
          progress: 'DONE',
          startDateTime: at,
          verificationDetails: [],
        },
      ],
      images: [{ id: evidenceId, fileName: `${evidenceId}.jpg`, read: () => [picture] }],
      videos: [],
      additionalFiles: [],
    },
    signer,
  )
  const pieces: Uint8Array[] = []
  for await (const piece of archive.read()) pieces.push(piece)
  return Buffer.concat(pieces)
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
