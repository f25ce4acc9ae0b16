/**
 * Enrols this kiosk with a central service. Its key is created and stored before the first request, so that
 * the same request follows a crash at any point; the enrolment is complete only after the answer was verified
 * against the code.
 */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { parseEnrolmentCode } from '../protocol/enrolment-code.ts'
import { readStatement } from '../protocol/statements.ts'
import type { EnrolmentAnswer, EnrolmentRequest } from '../protocol/wire.ts'
import { PRODUCT_VERSION } from '../version.ts'
import { createKioskCertificateRequest, makeKioskKey } from './kiosk-key.ts'
import { checkCertificate, checkFirstTrust } from './trust.ts'
import type { JWK } from 'jose'
import type { Author } from '../store/events.ts'
import { noteStop } from '../workflows/health/sync-state.ts'
import { APPLIANCE } from '../store/scope.ts'

type EnrolContext = Pick<Context, 'store' | 'clock'>

/**
 * Fingerprint of the CA in the code, stored because it must outlive the process if the answer comes on a USB
 * stick.
 */
const FINGERPRINT = 'enrolment-fingerprint'

interface EnrolInput {
  /** As typed. */
  readonly code: string
  /** Empty: a branch without a network. */
  readonly centralUrl: string
  readonly name: string
}

/**
 * Returns the request to send or to hand over; with the same key as an earlier interrupted attempt. Throws
 * `enrolment_refused` if the kiosk has joined a central service already, `validation_failed` for a malformed
 * code.
 */
export async function beginEnrolment(ctx: EnrolContext, input: EnrolInput): Promise<EnrolmentRequest> {
  const { store, clock } = ctx
  const { fingerprint } = parseEnrolmentCode(input.code)
  const before = store.enrolments.find()
  if (before?.membership) {
    throw new AppError('enrolment_refused', {
      reason: 'this kiosk has joined a central service already; leave it first',
    })
  }
  const keptPrivate = before ? store.enrolments.privateJwk() : null
  const key =
    before && keptPrivate ? { publicJwk: before.publicJwk, privateJwk: keptPrivate } : await makeKioskKey()
  store.transaction(() => {
    store.enrolments.begin({ centralUrl: input.centralUrl, ...key }, clock.now())
    store.meta.setJson(FINGERPRINT, fingerprint)
  })
  return {
    code: input.code,
    kioskId: store.applianceId,
    certificateRequest: await createKioskCertificateRequest(store.applianceId, key),
    proofKeys: { keys: [...store.signingKeys.publicKeys()] },
    name: input.name,
    productVersion: PRODUCT_VERSION,
  }
}

/** The joined central service, and the number of waiting proofs. */
export interface Joined {
  readonly centreId: string
  readonly tenantId: string
  readonly queued: number
}

/**
 * Verifies the answer and joins: from now on every sealed proof goes to the central service, including
 * earlier ones that are still here. Throws `enrolment_refused`.
 */
export async function completeEnrolment(
  ctx: EnrolContext,
  answer: EnrolmentAnswer,
  author: Author = { actor: 'operator' },
): Promise<Joined> {
  const { store, clock } = ctx
  const enrolment = store.enrolments.find()
  const fingerprint = store.meta.getJson(FINGERPRINT)
  if (!enrolment || typeof fingerprint !== 'string') {
    throw new AppError('enrolment_refused', { reason: 'no enrolment was asked for' })
  }
  if (enrolment.membership) {
    throw new AppError('enrolment_refused', {
      reason: 'this kiosk has joined a central service already; leave it first',
    })
  }
  if (answer.kioskId !== store.applianceId) {
    throw new AppError('enrolment_refused', { reason: 'the answer is for another kiosk' })
  }
  const { trust, certificate, tenantId } = answer
  await checkFirstTrust(trust, fingerprint)
  checkCertificate(answer, enrolment.publicJwk)
  // Ignore the time, because the answer may be old. This proves that the central service signs with the keys
  // it named.
  await readStatement('server-time', answer.serverTime, trust.statementKeys.keys as JWK[])
  const queued = store.transaction(() => {
    const now = clock.now()
    noteStop({ store }, null)
    store.enrolments.complete({ certificate, tenantId, trust, enrolledAt: now })
    const body = { centreId: trust.centreId, ...store.enrolments.fingerprints() }
    store.events.append('sync.enrolled', null, body, now, author)
    return queueKeptProofs(ctx)
  })
  return { centreId: trust.centreId, tenantId, queued }
}

/**
 * Must run inside a transaction. Waiting proofs may have been packed for another central service, so they are
 * packed again.
 */
function queueKeptProofs({ store, clock }: EnrolContext): number {
  const now = clock.now()
  for (const { sequence, isGivenUp } of store.outbox.pending()) {
    if (!isGivenUp) store.outbox.requeue(sequence, now)
  }
  let queued = 0
  for (const proof of store.proofs.list()) {
    const identity = store.identities.find(APPLIANCE, proof.identityId)
    if (!identity || store.outbox.findByProof(proof.id)) continue
    const { id: proofId, identityId, sha256, sealedAt } = proof
    const sequence = store.outbox.add({ proofId, identityId, tenantId: identity.tenantId, sha256, sealedAt })
    store.events.append('outbox.queued', identityId, { proofId, sequence }, now)
    queued++
  }
  return queued
}

/**
 * Leaves the central service; its acknowledgements remain valid. Throws `transition_refused` while proofs
 * wait for it, unless `force` allows them to stay here. Returns how many do.
 */
export function leaveCentralService({ store, clock }: EnrolContext, force: boolean): number {
  return store.transaction(() => {
    const { backlog } = store.outbox.summary()
    if (backlog > 0 && !force) throw new AppError('transition_refused', { waiting: backlog })
    const centreId = store.enrolments.find()?.membership?.trust.centreId
    store.enrolments.remove()
    if (centreId) {
      const body = { centreId, waiting: backlog }
      store.events.append('sync.left', null, body, clock.now(), { actor: 'operator' })
    }
    return backlog
  })
}
