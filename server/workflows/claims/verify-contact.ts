/**
 * Verifies a phone number or an e-mail address by a passcode. Submitting it queues the job `deliver-otp`, which creates the
 * passcode and passes it to the carrier. A correct passcode proves that the applicant receives messages there. It does not prove
 * whose number or mailbox it is: only a mobile operator's records can (`ask-operator.ts`).
 */
import { randomInt, timingSafeEqual } from 'node:crypto'
import type { Called } from '../../connectors/service/http-service.ts'
import { MANIFESTS } from '../../connectors/manifests.ts'
import type { CarrierOutcome, DeliveryReport, PasscodeMessage } from '../../connectors/carrier.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { OutsideCall } from '../../proofing/disclosure.ts'
import { consentNeeds } from '../../proofing/consent-needs.ts'
import { CONTACTS, findContactKind, type ContactKind } from '../../proofing/contact-kinds.ts'
import { resultError, type ResultCode } from '../../proofing/error-codes.ts'
import { namePassed } from '../../proofing/indicator-names.ts'
import { moveEvidence, NOT_YET_EVALUATED, type Evidence } from '../../proofing/evidence.ts'
import { areConsentsGiven, requireOpen } from '../../proofing/identity.ts'
import { makeCode, moveOtp, computeOtpEnd, requireSubmittable } from '../../proofing/otp.ts'
import { ruleStrength } from '../../proofing/assurance/scores.ts'
import { nameReason } from '../../proofing/source-reply.ts'
import { HOUR_MS, MINUTE_MS, getToday } from '../../proofing/time.ts'
import type { Caller } from '../../proofing/types.ts'
import type { VerificationRecord } from '../../proofing/verification-record.ts'
import type { Deadline } from '../../store/deadlines.ts'
import type { Author } from '../../store/events.ts'
import type { Otp } from '../../store/otps.ts'
import {
  makeEvidence,
  requireAllowed,
  requireFeature,
  saveEvidence,
  type NewEvidence,
} from '../evidence/add-evidence.ts'
import { toActor } from '../access/author.ts'
import { findUnaskedReason } from './ask-operator-later.ts'
import { countTry } from '../capture/count-try.ts'
import { replaceEvidence } from '../evidence/delete-evidence.ts'
import { announceDecision, evaluateIdentity } from '../identity/evaluate-identity.ts'
import { currentEvidence, mustRedact } from '../identity/read-identity.ts'
import { noteFaultsNow } from '../evidence/note-faults.ts'
import { noteCalls } from '../evidence/outside-calls.ts'
import { requireIdentity } from '../access/reach.ts'
import { recordCall } from '../identity/record-call.ts'
import { toRecord } from '../../verification/pipeline.ts'
import { closeWithoutVerdict, endUnverified, type VerifyResult } from '../evidence/verify-evidence.ts'
import { viewContact, viewGlobalStatus, singleStatus } from '../identity/view.ts'

export async function submitContact(
  ctx: Context,
  caller: Caller,
  identityId: string,
  kind: ContactKind,
  value: string,
) {
  requireFeature(ctx, CONTACTS[kind].feature)
  const evidence = ctx.store.transaction(() => requestOtp(ctx, caller, identityId, kind, value))
  ctx.wakeJobs()
  return singleStatus(evidence)
}

export async function getContact(ctx: Context, caller: Caller, identityId: string, kind: ContactKind) {
  const identity = requireIdentity(ctx, caller, identityId, 'READ')
  const evidence = findContact(ctx, identity.id, kind)
  if (!evidence) throw new AppError('not_found', { resource: kind })
  const contact = viewContact(ctx, evidence, { redacted: mustRedact(caller) })
  return { globalStatus: viewGlobalStatus(ctx, identity), contact }
}

/** The applicant has no such phone or mailbox: deletes contact and code. Does nothing without one in progress. */
export async function abandonContact(ctx: Context, caller: Caller, identityId: string, kind: ContactKind) {
  ctx.store.transaction(() => {
    requireOpen(requireIdentity(ctx, caller, identityId, 'ACT'))
    const contact = findContact(ctx, identityId, kind)
    if (!contact || contact.status === 'VERIFIED') return
    dropContact(ctx, caller, contact, 204)
    evaluateIdentity(ctx, identityId)
  })
  ctx.wakeJobs()
}

export async function submitPasscode(
  ctx: Context,
  caller: Caller,
  identityId: string,
  kind: ContactKind,
  code: string,
) {
  requireFeature(ctx, CONTACTS[kind].feature)
  ctx.store.transaction(() => checkPasscode(ctx, caller, identityId, kind, code))
  // Evidence that was compared with this contact is verified again.
  ctx.wakeJobs()
}

const findContact = (ctx: Context, identityId: string, kind: ContactKind) =>
  currentEvidence(ctx, identityId, CONTACTS[kind].family)

const buildContact = (kind: ContactKind, value: string): NewEvidence => ({
  family: CONTACTS[kind].family,
  type: CONTACTS[kind].type,
  content: { [kind]: { value, verified: false } },
})

/** The kind of evidence that has a passcode. */
function getKind(evidence: Pick<Evidence, 'type'>): ContactKind {
  const kind = findContactKind(evidence)
  if (kind === null) throw new TypeError('this evidence has no passcode')
  return kind
}

/**
 * Must run inside a transaction: replaces an earlier contact of this kind and queues a passcode. Throws
 * `otp_attempts_reached` if this identity, or this number or address in any identities, has used up its passcodes of the
 * hour, so that a phone or mailbox cannot be flooded. Replaced ones count.
 */
export function requestOtp(
  ctx: Context,
  caller: Caller,
  identityId: string,
  kind: ContactKind,
  value: string,
): Evidence {
  const wanted = buildContact(kind, value)
  requireAllowed(ctx, caller, identityId, wanted)
  const { minutes, perHour } = ctx.config.otp
  const now = ctx.clock.now()
  const numberHash = ctx.store.otps.hashNumber(value)
  const since = new Date(now.getTime() - HOUR_MS)
  const lately = ctx.store.otps.countSince({ identityId, family: wanted.family, numberHash }, since)
  if (lately >= perHour) throw new AppError('otp_attempts_reached')
  const earlier = findContact(ctx, identityId, kind)
  if (earlier) dropContact(ctx, caller, earlier)

  const evidence = makeEvidence(ctx, caller, identityId, wanted)
  const otp: Otp = {
    evidenceId: evidence.id,
    identityId,
    numberHash,
    status: 'PROCESSING',
    codeHash: null,
    attempts: 0,
    timeoutMs: Math.round(minutes * MINUTE_MS),
    errors: [],
    createdAt: now,
    messageId: null,
  }
  saveEvidence(ctx, caller, evidence, CONTACTS[kind].operations.send, () => {
    ctx.store.otps.put(otp)
    ctx.store.deadlines.set({ kind: 'otp', subjectId: evidence.id, identityId, dueAt: computeOtpEnd(otp) })
    ctx.store.jobs.add('deliver-otp', identityId, { evidenceId: evidence.id }, now)
    ctx.store.events.append('otp.requested', identityId, { evidenceId: evidence.id }, now, toActor(caller))
  })
  return evidence
}

function dropContact(ctx: Context, caller: Caller, contact: Evidence, httpCode = 200): void {
  replaceEvidence(ctx, caller, contact, httpCode)
  for (const kind of ['otp', 'otp-report', 'operator-retry'] as const)
    ctx.store.deadlines.clear(kind, contact.id)
  const otp = ctx.store.otps.find(contact.id)
  if (otp) ctx.store.otps.put({ ...otp, codeHash: null })
}

/**
 * Whether a number from a claim may be sent a passcode; the claim is valid without it. It never replaces a
 * verified number, and a verified number is not verified again.
 */
export function mayVerifyClaimed(ctx: Context, identityId: string): boolean {
  const contact = findContact(ctx, identityId, 'mobile')
  const verified = contact !== undefined && ctx.store.otps.find(contact.id)?.status === 'DONE'
  return ctx.config.tenant.features.mobileOtp && !verified && hasConsent(ctx, identityId, 'mobile')
}

function hasConsent(ctx: Context, identityId: string, kind: ContactKind): boolean {
  const needs = consentNeeds(CONTACTS[kind].family, ctx.config.tenant.requiredConsents)
  return areConsentsGiven(ctx.store.consents.list(identityId), needs, getToday(ctx.time.statement()))
}

/** Result codes of a carrier's refusal. Other errors are retried first. */
const REFUSALS = {
  'not-configured': '1100',
  'credentials-refused': '1033',
  'request-refused': '1105',
} as const satisfies Readonly<Record<Exclude<CarrierOutcome['kind'], 'accepted' | 'unavailable'>, ResultCode>>

/**
 * Job `deliver-otp`: creates the passcode and gives it to the carrier. Only its hash is stored, so it cannot
 * be sent again. A crash, a time-out or a fault of the carrier may come after the message went out; the next
 * run sends a second message with a new code, and the last one sent is valid. Until then the earlier one is.
 */
export async function deliverOtp(
  ctx: Context,
  identityId: string,
  evidenceId: string,
): Promise<VerifyResult> {
  const prepared = ctx.store.transaction(() => prepareMessage(ctx, identityId, evidenceId))
  if (!prepared) return 'skipped'
  const { kind, message } = prepared
  const outcome = await ctx.carriers[kind].send(message)
  const call = describeCall(kind, outcome)
  if (outcome.kind === 'unavailable') {
    const isOver = ctx.store.transaction(() => {
      noteCalls(ctx, identityId, evidenceId, call)
      return endLateDelivery(ctx, evidenceId)
    })
    if (isOver) return 'done'
    const { reason, httpStatus = null } = outcome
    throw new AppError('internal', { connector: CONTACTS[kind].connector, reason, httpStatus })
  }
  return ctx.store.transaction(() => {
    noteCalls(ctx, identityId, evidenceId, call)
    // Verified, timed out, replaced or erased meanwhile.
    const undelivered = findUndelivered(ctx, evidenceId)
    if (!undelivered) return 'skipped'
    const { evidence, otp } = undelivered
    if (outcome.kind === 'accepted') {
      noteAccepted(ctx, otp, outcome.messageId)
    } else {
      ctx.log.warn({ identityId, evidenceId, kind, outcome: outcome.kind }, 'a passcode could not be sent')
      // The code stays valid: a carrier that refuses may have sent it.
      endWithoutCode(ctx, evidence, otp, 'ERROR', REFUSALS[outcome.kind])
    }
    return 'done'
  })
}

/** The applicant waits for the message before the screen, so the tries end before a minute is over. Our choice. */
const MAX_TRIES_MS = 30_000

/** Must run inside a transaction, after a try that the carrier did not take. True: there is no further try. */
function endLateDelivery(ctx: Context, evidenceId: string): boolean {
  const undelivered = findUndelivered(ctx, evidenceId)
  if (!undelivered) return true
  const { evidence, otp } = undelivered
  if (ctx.clock.now().getTime() - otp.createdAt.getTime() < MAX_TRIES_MS) return false
  endWithoutCode(ctx, evidence, otp, 'ERROR', '1100')
  return true
}

/** A delivery report is awaited for a while; a carrier's word that it took the message counts without one. */
const REPORT_MS = MINUTE_MS

function noteAccepted(ctx: Context, otp: Otp, messageId: string | undefined): void {
  if (messageId === undefined) {
    ctx.store.otps.put(moveOtp(otp, 'PENDING'))
    return
  }
  const { evidenceId: subjectId, identityId } = otp
  ctx.store.otps.put({ ...otp, messageId })
  const dueAt = new Date(ctx.clock.now().getTime() + REPORT_MS)
  ctx.store.deadlines.set({ kind: 'otp-report', subjectId, identityId, dueAt })
}

/**
 * Records a carrier's report. One that comes twice, or after the code was typed in, replaced or expired, changes nothing.
 */
export function noteDeliveryReport(
  ctx: Context,
  kind: ContactKind,
  { messageId, isDelivered }: DeliveryReport,
): void {
  ctx.store.transaction(() => {
    const otp = ctx.store.otps.findByMessage(messageId, CONTACTS[kind].family)
    const evidence = otp && ctx.store.evidences.find(otp.evidenceId)
    if (!otp || !evidence || evidence.deletedAt) return
    ctx.store.deadlines.clear('otp-report', evidence.id)
    if (isDelivered && otp.status === 'PROCESSING') ctx.store.otps.put(moveOtp(otp, 'PENDING'))
    // The code stays valid: some networks report a failure and deliver later.
    if (!isDelivered && (otp.status === 'PROCESSING' || otp.status === 'PENDING'))
      endWithoutCode(ctx, evidence, otp, 'ERROR', '1105')
  })
}

/** Must run inside a transaction: no report came in time. */
export function reportMissing(ctx: Context, { subjectId }: Deadline): void {
  const undelivered = findUndelivered(ctx, subjectId)
  if (undelivered) ctx.store.otps.put(moveOtp(undelivered.otp, 'PENDING'))
}

/** Empty if no carrier is configured. */
function describeCall(contact: ContactKind, outcome: Called<CarrierOutcome>): readonly OutsideCall[] {
  const { kind } = outcome
  if (kind === 'not-configured') return []
  const trouble = kind === 'accepted' ? null : kind === 'unavailable' ? outcome.reason : kind
  const { connector } = CONTACTS[contact]
  return [{ connector, values: MANIFESTS[connector].discloses, trouble, ...outcome.effort }]
}

function findUndelivered(ctx: Context, evidenceId: string) {
  const evidence = ctx.store.evidences.find(evidenceId)
  const otp = ctx.store.otps.find(evidenceId)
  if (!evidence || evidence.deletedAt || otp?.status !== 'PROCESSING') return null
  return { evidence, otp }
}

/** Null if there is nothing left to send. */
function prepareMessage(
  ctx: Context,
  identityId: string,
  evidenceId: string,
): { readonly kind: ContactKind; readonly message: PasscodeMessage } | null {
  const undelivered = findUndelivered(ctx, evidenceId)
  const kind = undelivered && getKind(undelivered.evidence)
  const to = kind ? undelivered.evidence.content[kind]?.value : undefined
  // The deadline ends a passcode whose time is over. A message that the carrier has is not sent again.
  if (
    !undelivered ||
    !kind ||
    undelivered.otp.messageId !== null ||
    to === undefined ||
    ctx.clock.now() >= computeOtpEnd(undelivered.otp)
  )
    return null
  const { evidence, otp } = undelivered
  if (!hasConsent(ctx, identityId, kind)) {
    closeWithoutVerdict(ctx, identityId, evidence.id, 'consent')
    withdrawPasscode(ctx, evidence)
    return null
  }
  const code = makeCode(ctx.config.otp.digits, () => randomInt(10))
  ctx.store.otps.put({ ...otp, codeHash: ctx.store.otps.hash(evidence.id, code) })
  // A relying service states no language.
  const language = ctx.store.visits.findByIdentity(identityId)?.language ?? 'en'
  const message = { ...ctx.passcodeTexts[kind](code, language), to, requestId: ctx.newId() }
  return { kind, message }
}

/**
 * Must run inside a transaction: the carrier stayed unreachable. A code that may have gone out can still be
 * typed in.
 */
export function failOtp(ctx: Context, _identityId: string, evidenceId: string): void {
  const undelivered = findUndelivered(ctx, evidenceId)
  if (undelivered) endWithoutCode(ctx, undelivered.evidence, undelivered.otp, 'ERROR', '1100')
}

/** Must run inside a transaction, when the consent for the contact is gone: a code that was sent is not accepted any more. */
export function withdrawPasscode(ctx: Context, { id }: Pick<Evidence, 'id'>): void {
  const otp = ctx.store.otps.find(id)
  if (!otp || (otp.status !== 'PROCESSING' && otp.status !== 'PENDING')) return
  for (const kind of ['otp', 'otp-report'] as const) ctx.store.deadlines.clear(kind, id)
  putEnded(ctx, { ...moveOtp(otp, 'ERROR'), codeHash: null })
}

/** Must run inside a transaction. */
export function otpTimedOut(ctx: Context, { subjectId }: Deadline): void {
  const evidence = ctx.store.evidences.find(subjectId)
  const otp = ctx.store.otps.find(subjectId)
  if (!evidence || evidence.deletedAt || !otp) return
  const over = { ...otp, codeHash: null }
  if (otp.status === 'ERROR') ctx.store.otps.put(over)
  else endWithoutCode(ctx, evidence, over, 'TIMEOUT', '1118')
}

/** The code was not typed in; that says nothing about the applicant. */
function endWithoutCode(
  ctx: Context,
  evidence: Evidence,
  otp: Otp,
  status: 'ERROR' | 'TIMEOUT',
  code: ResultCode,
): void {
  const errors = [resultError(code)]
  putEnded(ctx, { ...moveOtp(otp, status), errors })
  // Closed before: the applicant withdrew a consent.
  if (evidence.status !== 'PROCESSING') return
  endUnverified(ctx, evidence, {
    errors,
    indicator: `${CONTACTS[getKind(evidence)].check}_UNVERIFIED`,
    at: ctx.clock.now(),
  })
  announceDecision(ctx, { ...evidence, status: 'NOT_VERIFIED' })
  evaluateIdentity(ctx, evidence.identityId)
}

/**
 * Must run inside a transaction. A wrong code is counted, and the answer does not reveal it (spec "Submitting
 * an OTP that does not match leaves the status PENDING").
 */
function checkPasscode(
  ctx: Context,
  caller: Caller,
  identityId: string,
  kind: ContactKind,
  code: string,
): void {
  requireAllowed(ctx, caller, identityId, buildContact(kind, ''))
  const evidence = findContact(ctx, identityId, kind)
  const otp = evidence && ctx.store.otps.find(evidence.id)
  if (!evidence || !otp) throw new AppError('otp_session_gone')
  requireSubmittable(otp, ctx.config.otp.attempts, ctx.clock.now())

  const name = CONTACTS[kind].operations.verify
  const subject = { identityId, subjectId: evidence.id, name, kind: 'ADD' } as const
  recordCall(ctx, caller, subject, 204)
  countTry(ctx, identityId, 'PASSCODE')
  const matches =
    otp.codeHash !== null && timingSafeEqual(otp.codeHash, ctx.store.otps.hash(evidence.id, code))
  keepRecords(ctx, evidence, [tryRecord(caller, kind, matches, ctx.clock.now())])
  if (matches) {
    acceptCode(ctx, caller, evidence, otp)
    return
  }
  refuseCode(ctx, evidence, { ...otp, attempts: otp.attempts + 1 })
  // The step of this try records its own evaluation.
  evaluateIdentity(ctx, identityId)
}

/** For the proof: shows which try was right. */
function tryRecord(
  { startedAt }: Caller,
  kind: ContactKind,
  matches: boolean,
  endedAt: Date,
): VerificationRecord {
  const { step, check } = CONTACTS[kind]
  return toRecord({
    name: step,
    participantType: 'CLAIM_VERIFICATION',
    stopOnFailure: false,
    report: { findings: [{ check, outcome: matches ? 'passed' : 'failed' }], models: [] },
    rules: { [check]: { mandatory: true, onFailure: 'withhold' } },
    blocked: !matches,
    startedAt,
    endedAt,
  })
}

/** Adds to the records of earlier tries. */
export function keepRecords(ctx: Context, evidence: Evidence, records: readonly VerificationRecord[]): void {
  const { evidences } = ctx.store
  const all = [...evidences.verification(evidence), ...records]
  evidences.addVerification(evidence, ctx.newId(), ctx.clock.now(), all)
}

/** The last wrong code ends the passcode (1117) before its time is over. */
function refuseCode(ctx: Context, evidence: Evidence, otp: Otp): void {
  ctx.store.otps.put(otp)
  if (otp.attempts < ctx.config.otp.attempts) return
  ctx.store.deadlines.clear('otp', evidence.id)
  const used = { ...otp, codeHash: null }
  if (otp.status === 'ERROR') ctx.store.otps.put({ ...used, errors: [resultError('1117')] })
  else endWithoutCode(ctx, evidence, used, 'ERROR', '1117')
}

function acceptCode(ctx: Context, caller: Caller, evidence: Evidence, otp: Otp): void {
  putEnded(ctx, { ...moveOtp(otp, 'DONE'), codeHash: null, errors: [] }, toActor(caller))
  ctx.store.deadlines.clear('otp', evidence.id)
  // An error on our side had ended it: reopen it.
  const open = evidence.status === 'PROCESSING' ? evidence : moveEvidence(evidence, 'PROCESSING')
  const kind = getKind(evidence)
  const { check, ownership } = CONTACTS[kind]
  const policy = ctx.policy(caller.tenantId)
  const strength = ruleStrength(policy, evidence.type)
  const verified: Evidence = {
    ...moveEvidence(open, 'VERIFIED'),
    score: strength.level,
    evaluatedAt: ctx.clock.now(),
    evaluation: {
      ...NOT_YET_EVALUATED,
      positiveIndicators: [namePassed(check)],
      unverifiedIndicators: [
        `${ownership}_UNVERIFIED`,
        // Only a mobile operator can be asked whose contact it is.
        ...(kind === 'mobile' ? [nameReason(findUnaskedReason(ctx, evidence.identityId))] : []),
      ],
      strengthRule: strength.rule,
      scoreRule: strength.rule,
    },
  }
  const { evidence: decided, records } = noteFaultsNow(ctx, verified)
  ctx.store.evidences.save(decided)
  if (records.length > 0) keepRecords(ctx, decided, records)
  announceDecision(ctx, decided)
  evaluateIdentity(ctx, evidence.identityId)
}

function putEnded(ctx: Context, otp: Otp, author: Author = {}): void {
  ctx.store.otps.put(otp)
  const body = { evidenceId: otp.evidenceId, status: otp.status }
  ctx.store.events.append('otp.ended', otp.identityId, body, ctx.clock.now(), author)
}
