/**
 * The embedded relying service: what one visit at the kiosk does to its identity, start to end.
 * It never tells the page more than states, and never keeps personal data of a visit that was stopped.
 */
import type { Request } from 'express'
import { AppError, type ErrorCode } from '../errors.ts'
import { PRODUCT_VERSION } from '../version.ts'
import type { CaptureDevice } from '../proofing/evidence.ts'
import type { Caller, Upload } from '../proofing/types.ts'
import type { Progress, Receipt } from './contract.ts'
import type { CaptureStepName } from './guidance.ts'
import type { KioskDeps } from './port.ts'
import { outcomeOf, progressOf } from './progress.ts'
import { referenceOf } from './reference.ts'
import { KioskSessions } from './sessions.ts'
import type { KioskSession } from './sessions.ts'

/** What sends the pictures of a visit: the capture component of our own screens. Which camera it has is not known. */
const OUR_SCREENS: CaptureDevice = { channel: 'webSDK', sdkInfo: { sdkVersion: PRODUCT_VERSION } }

/** The checks still run, the time-stamping authority is out of reach, the disk takes nothing just now: it passes. */
const NOT_YET: readonly ErrorCode[] = ['identity_processing', 'timestamp_unavailable', 'proof_not_stored']

export class KioskService {
  readonly sessions = new KioskSessions()
  readonly #deps: KioskDeps

  constructor(deps: KioskDeps) {
    this.#deps = deps
  }

  /** Records the agreement. Without it, nothing about the person is stored at all. */
  async consent(session: KioskSession, caller: Caller, approved: boolean): Promise<void> {
    if (session.consented) throw new AppError('transition_refused', { step: 'consent' })
    if (!approved) {
      session.ended = true
      this.#deps.log.info({ sessionId: session.id }, 'kiosk: consent refused, nothing stored')
      return
    }
    const { workflows, journey } = this.#deps
    const context = [
      { key: 'CHANNEL', value: 'KIOSK' },
      { key: 'JOURNEY', value: `${journey.id}/${journey.version}` },
    ]
    session.identityId ??= (await workflows.createIdentity(caller, { context })).id
    const consents = journey.consents.map((type) => ({ type, approved: true }))
    await workflows.recordConsents(caller, session.identityId, consents)
    session.consented = true
  }

  /** Throws `transition_refused` when no further photo of this kind is wanted. */
  async submit(session: KioskSession, caller: Caller, step: CaptureStepName, image: Upload): Promise<void> {
    const identityId = this.#identityOf(session)
    const progress = await this.progress(session, caller)
    const wanted = progress[step].state === 'NONE' || progress[step].state === 'AGAIN'
    const inOrder = step === 'document' || progress.document.state === 'DONE'
    if (!wanted || !inOrder || session.receipt) throw new AppError('transition_refused', { step })
    const { workflows } = this.#deps
    const evidence =
      step === 'document'
        ? await workflows.submitDocument(caller, identityId, { front: image, details: OUR_SCREENS })
        : await workflows.submitPortrait(caller, identityId, image, OUR_SCREENS)
    session.counts[step] = { evidenceId: evidence.id, submissions: session.counts[step].submissions + 1 }
  }

  async progress(session: KioskSession, caller: Caller): Promise<Progress> {
    const { workflows, journey, guidance } = this.#deps
    const identity = await workflows.getIdentity(caller, this.#identityOf(session), { detailed: false })
    const most = { document: journey.document.maxSubmissions, portrait: journey.portrait.maxSubmissions }
    return progressOf(identity, session.counts, most, guidance)
  }

  /** Seals the proof and says the outcome; asked again, it says the same. */
  async finish(session: KioskSession, caller: Caller): Promise<Receipt> {
    if (session.receipt) return session.receipt
    const identityId = this.#identityOf(session)
    const { portrait } = await this.progress(session, caller)
    if (portrait.state === 'NONE' || portrait.state === 'AGAIN')
      throw new AppError('transition_refused', { step: 'finish' })
    const reference = referenceOf(identityId)
    const identity = await this.#deps.workflows.getIdentity(caller, identityId, { detailed: false })
    const outcome = outcomeOf(identity, session.counts, this.#deps.journey.confirmedFrom)
    const sealed = await this.#seal(caller, identityId)
    session.sealLater = !sealed
    const later = portrait.state === 'CHECKING' && !sealed
    session.receipt = { reference, outcome: later ? 'LATER' : outcome }
    return session.receipt
  }

  /** The visit is over. What was not finished is erased; when that does not work now, the next sweep tries again. */
  async end(session: KioskSession): Promise<void> {
    session.ended = true
    if (session.busy) return
    const { workflows, log } = this.#deps
    const caller = this.callerFor(null)
    try {
      if (session.sealLater && session.identityId && this.#mayStillSeal(session)) {
        if (!(await this.#seal(caller, session.identityId))) return
        session.sealLater = false
      } else if (session.receipt === null && session.identityId) {
        await workflows.eraseIdentity(caller, session.identityId)
        log.info({ sessionId: session.id }, 'kiosk: stopped visit erased')
      }
      this.sessions.remove(session)
    } catch (error) {
      const code = error instanceof AppError ? error.code : 'internal'
      if (code === 'not_found') this.sessions.remove(session)
      else log.warn({ sessionId: session.id, code }, 'kiosk: visit could not be closed yet')
    }
  }

  /**
   * After a crash nobody stands at the screen for the visits that were open. One whose portrait was handed in is
   * sealed when its checks are done (a lost proof is a lost customer); any other is erased.
   */
  async recover(): Promise<void> {
    const { workflows, log } = this.#deps
    const left = await workflows.openIdentities(this.callerFor(null))
    for (const { id, createdAt, hasPortrait } of left) {
      const receipt: Receipt | null = hasPortrait ? { reference: referenceOf(id), outcome: 'LATER' } : null
      this.sessions.adopt(this.#deps.newId(), { identityId: id, startedAt: createdAt, receipt })
    }
    if (left.length > 0) log.warn({ visits: left.length }, 'kiosk: visits of an interrupted run are closed')
  }

  /** Closes every visit whose time is over. */
  async sweep(): Promise<void> {
    for (const session of this.sessions.over(this.#deps.clock.now())) await this.end(session)
  }

  /** Who asks: the kiosk's own application, by this request (null: by the clock). */
  callerFor(req: Request | null): Caller {
    return {
      ...this.#deps.kioskCaller(),
      correlationId: this.#deps.newId(),
      method: req?.method === 'GET' || req?.method === 'DELETE' ? req.method : req ? 'POST' : 'DELETE',
      uri: req ? `${req.baseUrl}${req.path}` : '/kiosk/api/session',
      remoteAddress: req?.ip ?? null,
      startedAt: this.#deps.clock.now(),
    }
  }

  /** False when it cannot be sealed yet; the proof is then sealed by a later sweep. */
  async #seal(caller: Caller, identityId: string): Promise<boolean> {
    try {
      await this.#deps.workflows.sealProof(caller, identityId)
      return true
    } catch (error) {
      if (error instanceof AppError && NOT_YET.includes(error.code)) return false
      throw error
    }
  }

  /** A day covers a queue that stood still overnight; after that the counter has the identity, unsealed. */
  #mayStillSeal(session: KioskSession): boolean {
    return this.#deps.clock.now().getTime() - session.startedAt.getTime() < 24 * 3_600_000
  }

  #identityOf(session: KioskSession): string {
    if (session.identityId === null || !session.consented) throw new AppError('consent_missing')
    return session.identityId
  }
}
