/**
 * Decides whether and when a question is put again that a source outside did not answer: the same rules for issuing sources,
 * registers of addresses, sources of attributes and the mobile operator. The pauses grow; the evidence stands meanwhile as its other checks decided.
 */
import { addressRegister as addressManifest } from '../../connectors/address-register/manifest.ts'
import { bureau as bureauManifest } from '../../connectors/bureau/manifest.ts'
import { issuer as issuerManifest } from '../../connectors/issuer/manifest.ts'
import { operator as operatorManifest } from '../../connectors/operator/manifest.ts'
import type { Context } from '../../context.ts'
import type { Evidence, EvidenceContent } from '../../proofing/evidence.ts'
import {
  restateReason,
  type AskedSource,
  type SourceAccess,
  type SourceReason,
} from '../../proofing/source-reply.ts'
import { MINUTE_MS } from '../../proofing/time.ts'
import type { DeadlineKind } from '../../store/deadlines.ts'
import type { JobKind } from '../../store/jobs.ts'
import { APPLIANCE } from '../../store/scope.ts'
import { findOperatorAccess } from '../claims/ask-operator-later.ts'
import { createConsentFilter } from './consent-filter.ts'
import { consentsToAddressRegister, findIssuerAccess } from './verification-subject.ts'

interface AskableAgain {
  readonly deadline: DeadlineKind
  readonly job: Extract<JobKind, 'ask-issuer' | 'ask-address-register' | 'ask-bureaus' | 'ask-operator'>
  /** The tries that each source did not answer, and its pauses before each further try. */
  listTries(ctx: Context, content: EvidenceContent): readonly Tries[]
  /** The checks that an answer decides. */
  readonly checks: readonly string[]
  /** Tells whether the feature is on and the applicant consents. */
  findAccess(ctx: Context, evidence: Evidence): SourceAccess
  /** Why a permitted question was not put. Absent: a consent has the evidence verified again, which tells it. */
  readonly unaskedFor?: SourceReason
}

interface Tries {
  readonly unanswered: number
  /** Its answer is judged. */
  readonly isOver: boolean
  readonly pauses: readonly number[]
}

const toTries = (
  { unanswered, answer, isUnjudged }: AskedSource<unknown>,
  pauses: readonly number[],
): Tries => ({ unanswered, isOver: answer !== undefined && isUnjudged !== true, pauses })

const QUESTIONS = {
  issuer: {
    deadline: 'issuer-retry',
    job: 'ask-issuer',
    listTries: (ctx, { issuer }) =>
      issuer ? [toTries(issuer, ctx.issuers.listPauses(issuer.call.source ?? ''))] : [],
    checks: issuerManifest.checks,
    findAccess: (ctx, { identityId }) => findIssuerAccess(ctx, { id: identityId }),
  },
  addressRegister: {
    deadline: 'address-retry',
    job: 'ask-address-register',
    listTries: (ctx, { addressRegister: asked }) =>
      asked ? [toTries(asked, ctx.addressRegisters.listPauses(asked.call.source ?? ''))] : [],
    checks: addressManifest.checks,
    findAccess: (ctx, { identityId }) =>
      consentsToAddressRegister(ctx, { id: identityId }) ? 'ALLOWED' : 'CONSENT',
  },
  bureaus: {
    deadline: 'bureau-retry',
    job: 'ask-bureaus',
    listTries: (ctx, { bureaus = {} }) =>
      Object.entries(bureaus).map(([source, asked]) => toTries(asked, ctx.bureaus.listPauses(source))),
    checks: bureauManifest.checks,
    findAccess: (ctx, evidence) => {
      if (!ctx.config.tenant.features.idClaim) return 'CONFIGURATION'
      return createConsentFilter(ctx, evidence.identityId)(evidence) ? 'ALLOWED' : 'CONSENT'
    },
  },
  operator: {
    deadline: 'operator-retry',
    job: 'ask-operator',
    listTries: (ctx, { operatorSilent: unanswered = 0 }) =>
      unanswered === 0 ? [] : [{ unanswered, isOver: false, pauses: ctx.operator?.askAgainMinutes ?? [] }],
    checks: operatorManifest.checks,
    findAccess: (ctx, { identityId }) => findOperatorAccess(ctx, identityId),
    unaskedFor: 'REFERENCE',
  },
} as const satisfies Readonly<Record<string, AskableAgain>>
export type QuestionKind = keyof typeof QUESTIONS
const QUESTION_KINDS = Object.keys(QUESTIONS) as QuestionKind[]

/**
 * OVER: sealed, deleted, without consent, never asked, or decided by a person, whose decision a machine does not change. LATER: a
 * verification runs, or the transaction is paused.
 */
export function judgeStanding(
  ctx: Context,
  kind: QuestionKind,
  evidence: Evidence,
): 'ASK' | 'LATER' | 'OVER' {
  const question = QUESTIONS[kind]
  const identity = ctx.store.identities.find(APPLIANCE, evidence.identityId)
  if (!identity || identity.status === 'CLOSED' || evidence.deletedAt) return 'OVER'
  if (question.listTries(ctx, evidence.content).length === 0) return 'OVER'
  if (question.findAccess(ctx, evidence) !== 'ALLOWED') return 'OVER'
  if (evidence.status === 'PROCESSING' || identity.status === 'PAUSED') return 'LATER'
  if (ctx.store.adjudications.ofEvidence(evidence.id).length > 0) return 'OVER'
  return evidence.status === 'VERIFIED' || evidence.status === 'NOT_VERIFIED' ? 'ASK' : 'OVER'
}

/**
 * Must run inside a transaction: sets the time of the next try, or removes it if every source answered or was asked often
 * enough. A saved answer that could not be judged has a next try, too.
 */
export function planNextTry(ctx: Context, kind: QuestionKind, { id, identityId, content }: Evidence): void {
  const { deadline, listTries } = QUESTIONS[kind]
  const open = listTries(ctx, content).filter(({ isOver }) => !isOver)
  const pauses = open
    .map(({ unanswered, pauses }) => pauses.at(Math.max(1, unanswered) - 1))
    .filter((pause) => pause !== undefined)
  if (pauses.length === 0) {
    ctx.store.deadlines.clear(deadline, id)
    return
  }
  // The longest one, so that no source is asked more often than its configuration says.
  const dueAt = new Date(ctx.clock.now().getTime() + Math.max(...pauses) * MINUTE_MS)
  ctx.store.deadlines.set({ kind: deadline, subjectId: id, identityId, dueAt })
}

/** Must run inside a transaction, after a consent: questions whose tries ended without it are put again. */
export function resumeTries(ctx: Context, identityId: string): void {
  for (const evidence of ctx.store.evidences.list(identityId))
    for (const kind of QUESTION_KINDS) {
      const isPlanned = ctx.store.deadlines.find(QUESTIONS[kind].deadline, evidence.id) !== null
      if (!isPlanned && judgeStanding(ctx, kind, evidence) !== 'OVER') planNextTry(ctx, kind, evidence)
    }
}

/**
 * Must run inside a transaction, after a consent was given or withdrawn: a question without an answer waits for its source while it
 * may be put, and for the consent otherwise. The result says which.
 */
export function restateReasons(ctx: Context, identityId: string): void {
  for (const evidence of ctx.store.evidences.list(identityId)) {
    if (evidence.deletedAt) continue
    const { evaluation, content } = evidence
    const before = evaluation.unverifiedIndicators
    const after = QUESTION_KINDS.reduce((names: readonly string[], kind) => {
      const question: AskableAgain = QUESTIONS[kind]
      const access = question.findAccess(ctx, evidence)
      const isPut = question.listTries(ctx, content).some(({ isOver }) => !isOver)
      const reason = access === 'ALLOWED' ? (isPut ? 'ANSWER' : question.unaskedFor) : access
      if (reason === undefined) return names
      return restateReason(names, question.checks, { reason, question: isPut ? 'PUT' : 'NOT_PUT' })
    }, before)
    if (after.some((name, index) => name !== before[index]))
      ctx.store.evidences.save({ ...evidence, evaluation: { ...evaluation, unverifiedIndicators: after } })
  }
}

/** Must run inside a transaction, when the job of a try has failed permanently. */
export function giveUpTry(ctx: Context, kind: QuestionKind, evidenceId: string): void {
  const evidence = ctx.store.evidences.find(evidenceId)
  if (evidence) planNextTry(ctx, kind, evidence)
}

/** Must run inside a transaction. */
export function tryDue(ctx: Context, kind: QuestionKind, evidenceId: string): void {
  const evidence = ctx.store.evidences.find(evidenceId)
  const standing = evidence ? judgeStanding(ctx, kind, evidence) : 'OVER'
  if (!evidence || standing === 'OVER') return
  if (standing === 'LATER') planNextTry(ctx, kind, evidence)
  else ctx.store.jobs.add(QUESTIONS[kind].job, evidence.identityId, { evidenceId }, ctx.clock.now())
}
