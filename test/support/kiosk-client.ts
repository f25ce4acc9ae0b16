/**
 * A kiosk from the central service's view: its own key, proofs sealed by the real code, real packets, each
 * request signed. It keeps the chain of its outbox in memory. For tests of the central service and for
 * simulating many kiosks.
 */
import { createHash, randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { v7 as uuidv7 } from 'uuid'
import type { JWK } from 'jose'
import type { ProofInput } from '../../server/proof/archive.ts'
import type { Signer } from '../../server/proof/sign.ts'
import { sealPacket } from '../../server/protocol/packet.ts'
import { signRequest } from '../../server/protocol/request-signature.ts'
import {
  EnrolmentAnswerSchema,
  KIOSK_API,
  NONCE_HEADER,
  OFFSET_HEADER,
  StatusAnswerSchema,
  UploadStateSchema,
  type Announcement,
  type CentralTrust,
  type EnrolmentAnswer,
  type EnrolmentRequest,
  type KioskStatus,
  type StatusAnswer,
  type UploadState,
} from '../../server/protocol/wire.ts'
import { createKioskCertificateRequest, makeKioskKey } from '../../server/sync/kiosk-key.ts'
import { aFile, aProofInput, aSealedProof, signer as fixtureSigner } from '../server/proof/fixture.ts'

export interface PreparedProof {
  readonly announcement: Announcement
  readonly packet: Buffer
  readonly archive: Buffer
}

/** The central service's answer: an error or a state. */
export interface Answer {
  readonly status: number
  readonly body: unknown
}

export interface ProofOptions {
  readonly input?: Partial<ProofInput>
  readonly signer?: Signer
  /** Bytes of pictures. */
  readonly pictureBytes?: number
  /** Applied to the archive before it is packed and hashed. */
  readonly tamper?: (archive: Buffer) => Buffer
  /** Packs for another kiosk or proof. */
  readonly facts?: Partial<{ kioskId: string; proofId: string; sha256: string }>
}

export interface TestKiosk {
  readonly kioskId: string
  readonly trust: CentralTrust
  readonly certificate: string
  /** Changes to another instance, or to the same after a restart. */
  url: string
  readonly privateJwk: JWK
  /** Seals one, with the next sequence number. */
  makeProof(options?: ProofOptions): Promise<PreparedProof>
  /** Creates its packet again, as after the loss of the file. */
  repack(proof: PreparedProof, trust?: CentralTrust): Promise<PreparedProof>
  announce(announcement: Announcement): Promise<UploadState>
  chunk(proofId: string, offset: number, bytes: Uint8Array): Promise<UploadState>
  complete(proofId: string): Promise<UploadState>
  /** Runs the whole upload. Throws for anything except a state. */
  deliver(proof: PreparedProof, chunkBytes?: number): Promise<UploadState>
  status(changes?: Partial<KioskStatus>): Promise<StatusAnswer>
  /** The same status, with any answer. */
  sendStatus(changes?: Partial<KioskStatus>): Promise<Answer>
  /** A fresh nonce, for a request that a test signs itself. */
  nonce(): Promise<string>
  /** Signed, or with the given header. */
  call(
    method: string,
    route: string,
    body?: Uint8Array,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>
}

const ZEROS = '0'.repeat(64)
export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** One RSA signer for all kiosks, because creating one takes seconds. */
export { fixtureSigner }

export interface KioskOptions {
  readonly kioskId?: string
  readonly signer?: Signer
  readonly key?: Awaited<ReturnType<typeof makeKioskKey>>
  /** Newest entry of the outbox that the machine was copied with. */
  readonly last?: { readonly sequence: number; readonly hash: string }
}

export async function enrolmentRequest(code: string, options: KioskOptions = {}): Promise<EnrolmentRequest> {
  const kioskId = options.kioskId ?? uuidv7()
  const key = options.key ?? (await makeKioskKey())
  const signer = options.signer ?? fixtureSigner
  return {
    code,
    kioskId,
    certificateRequest: await createKioskCertificateRequest(kioskId, key),
    proofKeys: { keys: [(await signer.publicJwk()) as JWK & { kty: string }] },
    name: 'test kiosk',
    productVersion: '0.0.0',
  }
}

export async function postEnrolment(url: string, request: unknown): Promise<Answer> {
  const response = await fetch(`${url}${KIOSK_API}/enrolments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
  })
  return { status: response.status, body: await response.json() }
}

/** @param code of `createEnrolmentCode` */
export async function enrolKiosk(
  url: string,
  code: string,
  options: KioskOptions = {},
): Promise<TestKiosk & { readonly request: EnrolmentRequest; readonly answer: EnrolmentAnswer }> {
  const key = options.key ?? (await makeKioskKey())
  const request = await enrolmentRequest(code, { ...options, key })
  const { status, body } = await postEnrolment(url, request)
  if (status !== 200) throw new Error(`enrolment was answered with ${status}: ${JSON.stringify(body)}`)
  const answer = EnrolmentAnswerSchema.parse(body)
  const kiosk = createKiosk(url, answer, key.privateJwk, options.signer ?? fixtureSigner, options.last)
  return Object.assign(kiosk, { request, answer })
}

function createKiosk(
  url: string,
  answer: EnrolmentAnswer,
  privateJwk: JWK,
  ownSigner: Signer,
  last: KioskOptions['last'],
): TestKiosk {
  const { kioskId, trust, certificate } = answer
  let sequence = last?.sequence ?? 0
  let previousHash = last?.hash ?? ZEROS
  let counter = 0
  let nonce: string | null = null
  const attempt: TestKiosk['call'] = async (method, route, body = new Uint8Array(), headers = {}) => {
    const path = KIOSK_API + route
    const request = { method, path, body, centreId: trust.centreId, nonce }
    const authorization = await signRequest(request, { kioskId, privateJwk }, new Date())
    const response = await fetch(kiosk.url + path, {
      method,
      headers: { 'content-type': 'application/octet-stream', authorization, ...headers },
      ...(method === 'GET' ? {} : { body: Buffer.from(body) }),
    })
    nonce = response.headers.get(NONCE_HEADER) ?? nonce
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : (JSON.parse(text) as unknown) }
  }
  const call: TestKiosk['call'] = async (...request) => {
    const answer = await attempt(...request)
    const isOld =
      (answer.body as { type?: string } | null)?.type === 'urn:counterproof:problem:nonce_required'
    return isOld ? attempt(...request) : answer
  }
  const stateOf = async (answered: Promise<Answer>): Promise<UploadState> => {
    const { status, body } = await answered
    if (status !== 200) throw new Error(`the central service answered ${status}: ${JSON.stringify(body)}`)
    return UploadStateSchema.parse(body)
  }
  const packetOf = async (
    facts: Record<'kioskId' | 'proofId' | 'sha256', string>,
    archive: Buffer,
    to = trust,
  ) => buffer(sealPacket(facts, [archive], to.packetKeys.keys[0]))

  const kiosk: TestKiosk = {
    kioskId,
    trust,
    certificate,
    url,
    privateJwk,
    call,
    nonce: async () => {
      await call('GET', '/bundle')
      if (nonce === null) throw new Error('the central service sent no nonce')
      return nonce
    },
    makeProof: async ({ input = {}, signer = ownSigner, pictureBytes, tamper, facts = {} } = {}) => {
      const identityId = input.identityId ?? uuidv7()
      const proofId = input.proofId ?? uuidv7()
      const base = aProofInput()
      const details = base.identityDetails as { globalStatus: object }
      const picture = pictureBytes === undefined ? [] : [aFile('big', 'big.jpg', randomBytes(pictureBytes))]
      const changes = {
        identityId,
        proofId,
        transactionId: identityId,
        identityDetails: { ...details, globalStatus: { ...details.globalStatus, id: identityId } },
        images: [...base.images, ...picture],
        ...input,
      }
      const sealed = await aSealedProof(changes, undefined, signer)
      const archive = tamper ? tamper(sealed.bytes) : sealed.bytes
      const archiveHash = sha256(archive)
      sequence += 1
      const hash = sha256(Buffer.from(`${kioskId}:${sequence}:${previousHash}:${archiveHash}`))
      const packet = await packetOf({ kioskId, proofId, sha256: archiveHash, ...facts }, archive)
      const announcement: Announcement = {
        proofId,
        identityId,
        sequence,
        previousHash,
        hash,
        sha256: archiveHash,
        sealedAt: Date.now(),
        packet: { sha256: sha256(packet), bytes: packet.length },
      }
      previousHash = hash
      return { announcement, packet, archive }
    },
    repack: async ({ announcement, archive }, to = trust) => {
      const { proofId, sha256: archiveHash } = announcement
      const packet = await packetOf({ kioskId, proofId, sha256: archiveHash }, archive, to)
      return {
        announcement: { ...announcement, packet: { sha256: sha256(packet), bytes: packet.length } },
        packet,
        archive,
      }
    },
    announce: (announcement) =>
      stateOf(call('PUT', `/proofs/${announcement.proofId}`, Buffer.from(JSON.stringify(announcement)))),
    chunk: (proofId, offset, bytes) =>
      stateOf(call('PATCH', `/proofs/${proofId}`, bytes, { [OFFSET_HEADER]: String(offset) })),
    complete: (proofId) => stateOf(call('POST', `/proofs/${proofId}/completion`)),
    deliver: async ({ announcement, packet }, chunkBytes = 256 * 1024) => {
      const { proofId } = announcement
      let state = await kiosk.announce(announcement)
      while (state.state === 'RECEIVING' && state.offset < packet.length) {
        state = await kiosk.chunk(
          proofId,
          state.offset,
          packet.subarray(state.offset, state.offset + chunkBytes),
        )
      }
      return state.state === 'RECEIVING' ? kiosk.complete(proofId) : state
    },
    sendStatus: async (changes = {}) => {
      counter += 1
      const status: KioskStatus = {
        counter,
        productVersion: '0.0.0',
        at: Date.now(),
        nonce: randomBytes(16).toString('base64url'),
        backlog: 0,
        oldestPendingAt: null,
        lastSequence: sequence,
        audit: { seq: counter, hash: sha256(Buffer.from(`${counter}`)) },
        bundleVersion: 0,
        bundleProblems: [],
        frozen: [],
        health: { database: 'UP' },
        freeDiskBytes: 1e9,
        clock: { source: 'CENTRE', uncertaintyMs: 10, steps: 0 },
        proofKeys: { keys: [(await ownSigner.publicJwk()) as JWK & { kty: string }] },
        restoredAt: null,
        head: sequence === 0 ? null : { sequence, hash: previousHash },
        ...changes,
      }
      return call('POST', '/status', Buffer.from(JSON.stringify(status)))
    },
    status: async (changes = {}) => {
      const { status: code, body } = await kiosk.sendStatus(changes)
      if (code !== 200) throw new Error(`the central service answered ${code}: ${JSON.stringify(body)}`)
      return StatusAnswerSchema.parse(body)
    },
  }
  return kiosk
}
