/**
 * Handles trusted identity claims (OpenID Connect): the applicant logs in at a registered provider, and the attributes from
 * the provider become evidence. Slow calls to the provider run with no transaction open.
 */
import type { LoginResult } from '../../connectors/oidc/identity-provider.ts'
import { isAllowedRedirect } from '../../connectors/oidc/allowed-redirect.ts'
import { oidc } from '../../connectors/oidc/manifest.ts'
import type { Context } from '../../context.ts'
import { AppError, fieldProblem } from '../../errors.ts'
import { describeError } from '../../log.ts'
import type { CallTrouble, OutsideCall, ValueName } from '../../proofing/disclosure.ts'
import { resultError, type ResultCode } from '../../proofing/error-codes.ts'
import { moveEvidence, type Evidence } from '../../proofing/evidence.ts'
import { requireOpen } from '../../proofing/identity.ts'
import { judge, type CheckOutcome, type CheckRule, type Finding } from '../../proofing/judge.ts'
import { isAtLeast, ruleStrength } from '../../proofing/assurance/scores.ts'
import { MINUTE_MS } from '../../proofing/time.ts'
import type { Caller } from '../../proofing/types.ts'
import type { Deadline } from '../../store/deadlines.ts'
import type { OidcRequest } from '../../store/oidc-requests.ts'
import { APPLIANCE } from '../../store/scope.ts'
import { toRecord } from '../../verification/pipeline.ts'
import {
  makeEvidence,
  requireAllowed,
  requireFeature,
  saveEvidence,
  type NewEvidence,
} from '../evidence/add-evidence.ts'
import { dropReplaced, replaceEarlier } from '../evidence/delete-evidence.ts'
import { announceDecision, evaluateIdentity } from '../identity/evaluate-identity.ts'
import { requireIdentity } from '../access/reach.ts'
import { currentEvidence, mustRedact } from '../identity/read-identity.ts'
import { noteCalls } from '../evidence/outside-calls.ts'
import { endUnverified } from '../evidence/verify-evidence.ts'
import { viewGlobalStatus, viewTrustedClaim, viewOptions, singleStatus } from '../identity/view.ts'

interface TrustedClaimInput {
  readonly idpIdentifier: string
  readonly responseType?: 'HTTP_REDIRECT' | 'JSON'
  readonly postAuthRedirectUri?: string
  readonly userIdentifier?: string
}

/** A second request replaces one in progress. A VERIFIED claim counts until the new one is decided. */
export async function requestTrustedClaim(
  ctx: Context,
  caller: Caller,
  identityId: string,
  request: TrustedClaimInput,
  callbackUrl: string,
) {
  requireFeature(ctx, 'trustedIdClaim')
  const { idpIdentifier, postAuthRedirectUri, userIdentifier } = request
  const wanted: NewEvidence = {
    family: 'TRUSTED_ID_CLAIM',
    type: 'TRUSTED_ID_CLAIM',
    content: { trustedClaim: { idpIdentifier, oidcGrantType: 'CODE_FLOW' } },
  }
  requireAllowed(ctx, caller, identityId, wanted)
  const { provider, settings } = registered(ctx, request)

  // A login name is personal data: it goes into a URL only if the operator has allowed it.
  const loginHint = settings.sendLoginHint ? userIdentifier : undefined
  const startedAt = performance.now()
  const noteStart = (evidenceId: string | null, trouble: CallTrouble | null): void => {
    const values = loginHint === undefined || trouble !== null ? [] : oidc.discloses
    noteCalls(ctx, identityId, evidenceId, [describeCall(idpIdentifier, values, trouble, startedAt)])
  }
  const started = provider.startLogin({
    redirectUri: redirectUriFor(ctx, callbackUrl),
    ...(loginHint === undefined ? {} : { loginHint }),
  })
  const { url, ...login } = await started.catch((error: unknown) => {
    ctx.store.transaction(() => noteStart(null, 'unreachable'))
    throw error
  })
  const evidence = makeEvidence(ctx, caller, identityId, wanted)
  const { id: evidenceId, submittedAt } = evidence
  const dueAt = new Date(submittedAt.getTime() + ctx.config.lifetimes.trustedClaimMinutes * MINUTE_MS)
  ctx.store.transaction(() => {
    const underWay = claimUnderWay(ctx, identityId)
    if (underWay) {
      endUnfinished(ctx, underWay, 'another trusted claim was requested before this one was finished')
    }
    // A claim has no files to unlink.
    replaceEarlier(ctx, caller, evidence)
    const { state, ...secrets } = login
    const httpCode = request.responseType === 'HTTP_REDIRECT' ? 302 : 200
    saveEvidence(
      ctx,
      caller,
      evidence,
      'TRUSTED_ID_CLAIM',
      () => {
        const redirect = postAuthRedirectUri ? { postAuthRedirectUri } : {}
        const pending = { identityId, evidenceId, idpIdentifier, ...secrets, ...redirect }
        ctx.store.oidcRequests.add(state, pending, submittedAt)
        noteStart(evidenceId, null)
        ctx.store.deadlines.set({ kind: 'trusted-claim', subjectId: evidenceId, identityId, dueAt })
      },
      httpCode,
    )
  })
  ctx.wakeJobs()
  return { ...singleStatus(evidence), idpAuthorizeEndpoint: url }
}

/** Throws `validation_failed` for an unregistered provider, or an address to which it may not redirect. */
function registered(ctx: Context, { idpIdentifier, postAuthRedirectUri }: TrustedClaimInput) {
  const settings = findProvider(ctx, idpIdentifier)
  const provider = ctx.identityProviders.get(idpIdentifier)
  if (!settings || !provider)
    throw fieldProblem('not_allowed', 'idpIdentifier', 'must be the id of a registered identity provider')
  if (postAuthRedirectUri && !isAllowedRedirect(postAuthRedirectUri, settings.allowedPostAuthRedirects)) {
    throw fieldProblem(
      'not_allowed',
      'postAuthRedirectUri',
      'must be an address that the configuration of this provider allows',
    )
  }
  return { settings, provider }
}

export async function getTrustedClaim(ctx: Context, caller: Caller, identityId: string) {
  const identity = requireIdentity(ctx, caller, identityId, 'READ')
  const evidence = currentEvidence(ctx, identity.id, 'TRUSTED_ID_CLAIM')
  if (!evidence) throw new AppError('not_found', { resource: 'trusted claim' })
  const options = viewOptions(ctx, identity, { detailed: false, redacted: mustRedact(caller) })
  return {
    globalStatus: viewGlobalStatus(ctx, identity),
    trustedIdClaim: viewTrustedClaim(evidence, options(evidence)),
  }
}

interface TrustedClaimCallback {
  readonly state: string
  readonly query: Readonly<Record<string, string>>
}

/**
 * The browser returns from the provider. `state` is its only identification: 256 random bits, usable once,
 * bound to one evidence, so an attacker cannot attach a login to an identity without knowing its state. The
 * remaining risk: a person who gets the authorization URL from its holder and logs in there shares their
 * attributes with that identity; the relying service must give the URL only to the applicant. The redirect
 * contains nothing of the outcome (spec "Trusted identity claim", rule 5).
 */
export async function finishTrustedClaim(ctx: Context, { state, query }: TrustedClaimCallback) {
  const pending = ctx.store.oidcRequests.take(state)
  if (!pending)
    throw fieldProblem(
      'not_allowed',
      'state',
      'this login is not known, was used already or took too long: begin a new one',
    )
  if (findUnderWay(ctx, pending)) {
    const startedAt = ctx.clock.now()
    const calledAt = performance.now()
    const result = await finishLogin(ctx, pending, state, query)
    const { idpIdentifier, identityId, evidenceId } = pending
    // A provider that sends an error through the browser is not called.
    const calls =
      'error' in query ? [] : [describeCall(idpIdentifier, [], TROUBLES[result.outcome] ?? null, calledAt)]
    ctx.store.transaction(() => {
      noteCalls(ctx, identityId, evidenceId, calls)
      settle(ctx, pending, result, startedAt)
    })
    ctx.wakeJobs()
  }
  return { redirectTo: pending.postAuthRedirectUri ?? null }
}

const TROUBLES: Readonly<Partial<Record<LoginResult['outcome'], CallTrouble>>> = {
  unavailable: 'unreachable',
  'credentials-refused': 'credentials-refused',
}

/** @param startedAt of `performance.now()` */
function describeCall(
  source: string,
  values: readonly ValueName[],
  trouble: CallTrouble | null,
  startedAt: number,
): OutsideCall {
  const durationMs = Math.round(performance.now() - startedAt)
  return { connector: 'oidc', source, values, trouble, tries: 1, durationMs }
}

async function finishLogin(
  ctx: Context,
  pending: OidcRequest,
  state: string,
  query: TrustedClaimCallback['query'],
): Promise<LoginResult> {
  const { idpIdentifier, evidenceId } = pending
  const provider = ctx.identityProviders.get(idpIdentifier)
  // Removed from the configuration during the login.
  if (!provider) return { outcome: 'unavailable', cause: null }
  const result = await provider.finishLogin({ ...pending, state }, query)
  if ('cause' in result) {
    const { outcome, cause } = result
    const fields = { ...describeError(cause), code: outcome, idpIdentifier, evidenceId }
    ctx.log.warn(fields, 'a login was not confirmed')
  }
  return result
}

/** Spec "Scoring rules": failed authentication is INVALID, attributes not shared are NOT_VERIFIED. */
const RULES: Readonly<Record<'OIDC_AUTHENTICATION' | 'OIDC_ATTRIBUTE_SHARING', CheckRule>> = {
  OIDC_AUTHENTICATION: { mandatory: true, onFailure: 'reject' },
  OIDC_ATTRIBUTE_SHARING: { mandatory: true, onFailure: 'withhold' },
}

type Ended = readonly [authentication: CheckOutcome, sharing: CheckOutcome, error?: ResultCode]

const ENDED: Readonly<Record<LoginResult['outcome'], Ended>> = {
  shared: ['passed', 'passed'],
  'not-shared': ['passed', 'inconclusive'],
  denied: ['failed', 'inconclusive', '2303'],
  'not-authenticated': ['failed', 'inconclusive', '2301'],
  // The remaining outcomes contain no finding about the applicant.
  'other-level': ['inconclusive', 'inconclusive', '2301'],
  unavailable: ['inconclusive', 'inconclusive', '2302'],
  'credentials-refused': ['inconclusive', 'inconclusive', '1033'],
}

function listFindings([authentication, sharing, error]: Ended): readonly Finding[] {
  return [
    {
      check: 'OIDC_AUTHENTICATION',
      outcome: authentication,
      ...(error ? { errors: [resultError(error)] } : {}),
    },
    { check: 'OIDC_ATTRIBUTE_SHARING', outcome: sharing },
  ]
}

/** Must run inside a transaction. Withdrawn, timed out, paused or erased meanwhile: nothing is saved. */
function settle(ctx: Context, pending: OidcRequest, result: LoginResult, startedAt: Date): void {
  const found = findUnderWay(ctx, pending)
  if (!found) return
  const { evidence, identity } = found
  const now = ctx.clock.now()
  const findings = listFindings(ENDED[result.outcome])
  const judgement = judge(findings, RULES)
  const policy = ctx.policy(identity.tenantId)
  const verified = judgement.status === 'VERIFIED'
  const providerScore = findProvider(ctx, pending.idpIdentifier)?.score ?? 'LEVEL0'
  const reached = isAtLeast(evidence.strength, providerScore) ? providerScore : evidence.strength
  const score = verified ? reached : 'LEVEL0'
  const { status, ...said } = judgement
  const { trustedClaim } = evidence.content
  const decided: Evidence = {
    ...moveEvidence(evidence, status),
    score,
    evaluatedAt: now,
    evaluation: {
      ...said,
      strengthRule: ruleStrength(policy, evidence.type).rule,
      scoreRule: `${policy.id}/${policy.version}:${verified ? 'score-of-provider' : 'not-verified'}`,
    },
    content: {
      ...evidence.content,
      ...(trustedClaim && result.outcome === 'shared'
        ? { trustedClaim: { ...trustedClaim, shared: result.attributes } }
        : {}),
    },
  }
  ctx.store.evidences.save(decided)
  dropReplaced(ctx, decided)
  const record = toRecord({
    name: pending.idpIdentifier,
    participantType: 'OPEN_ID_CONNECT',
    stopOnFailure: true,
    report: { findings, models: [] },
    rules: RULES,
    blocked: status === 'INVALID',
    isTechnicalError: result.outcome === 'unavailable' || result.outcome === 'credentials-refused',
    startedAt,
    endedAt: now,
  })
  ctx.store.evidences.addVerification(evidence, ctx.newId(), now, [record])
  ctx.store.deadlines.clear('trusted-claim', evidence.id)
  announceDecision(ctx, decided)
  evaluateIdentity(ctx, identity.id)
}

/** Must run inside a transaction. */
export function trustedClaimTimedOut(ctx: Context, { subjectId, identityId }: Deadline): void {
  const evidence = ctx.store.evidences.find(subjectId)
  if (!evidence || evidence.deletedAt || evidence.status !== 'PROCESSING') return
  endUnfinished(ctx, evidence, 'the authentication was not finished in time')
  evaluateIdentity(ctx, identityId)
}

/**
 * The applicant chose another way and will not return from the provider. Does nothing without a login in
 * progress.
 */
export async function abandonTrustedClaim(ctx: Context, caller: Caller, identityId: string): Promise<void> {
  ctx.store.transaction(() => {
    requireOpen(requireIdentity(ctx, caller, identityId, 'ACT'))
    const claim = claimUnderWay(ctx, identityId)
    if (!claim) return
    endUnfinished(ctx, claim, 'the person chose another way')
    evaluateIdentity(ctx, identityId)
  })
  ctx.wakeJobs()
}

/** Must run inside a transaction: makes the state of this claim unusable. The caller evaluates. */
function endUnfinished(ctx: Context, evidence: Evidence, message: string): void {
  const errors = [resultError('2301', { message })]
  const indicator = 'OIDC_AUTHENTICATION_UNVERIFIED'
  endUnverified(ctx, evidence, { errors, indicator, at: ctx.clock.now() })
  ctx.store.oidcRequests.dropByEvidence(evidence.id)
  ctx.store.deadlines.clear('trusted-claim', evidence.id)
  announceDecision(ctx, { ...evidence, status: 'NOT_VERIFIED', score: 'LEVEL0' })
}

function claimUnderWay(ctx: Context, identityId: string): Evidence | undefined {
  return ctx.store.evidences
    .list(identityId)
    .find(
      ({ family, status, deletedAt }) =>
        family === 'TRUSTED_ID_CLAIM' && status === 'PROCESSING' && !deletedAt,
    )
}

/** Returns the evidence that waits for this login, while its identity is open. */
function findUnderWay(ctx: Context, { identityId, evidenceId }: OidcRequest) {
  const identity = ctx.store.identities.find(APPLIANCE, identityId)
  const evidence = ctx.store.evidences.find(evidenceId)
  if (!identity || identity.status === 'CLOSED' || identity.status === 'PAUSED') return null
  if (!evidence || evidence.deletedAt || evidence.status !== 'PROCESSING') return null
  return { identity, evidence }
}

function findProvider(ctx: Context, idpIdentifier: string) {
  return ctx.config.connectors.oidc.providers.find(({ id }) => id === idpIdentifier)
}

/** If the operator has configured a public address, it does not depend on the address of the request. */
function redirectUriFor(ctx: Context, callbackUrl: string): string {
  const { publicUrl } = ctx.config.connectors.oidc
  return publicUrl ? publicUrl.replace(/\/$/, '') + new URL(callbackUrl).pathname : callbackUrl
}
