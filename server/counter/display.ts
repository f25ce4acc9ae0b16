/**
 * The calls of the applicant's display: the consent question and the applicant's answer. Mounted beside the
 * counter and outside its sessions: the token is the only credential, and a request with an officer's session
 * is refused.
 */
import { staffActor } from '../workflows/access/author.ts'
import { Router } from 'express'
import type { Request, RequestHandler } from 'express'
import { AppError, fieldProblem } from '../errors.ts'
import type { Caller, ConsentType } from '../proofing/types.ts'
import { toReference } from '../screens/receipt.ts'
import { enterStep } from '../workflows/staff/counter-visits.ts'
import { createIdentity } from '../workflows/identity/create-identity.ts'
import { recordConsents } from '../workflows/identity/record-consents.ts'
import type { AssistSetup } from './assist-setup.ts'
import type { ConsentDisplays, OpenQuestion } from './consent-displays.ts'
import { ConsentGiven } from './contract/assist.ts'
import type { ConsentQuestion } from './contract/assist.ts'
import { COUNTER_COOKIE } from './current.ts'
import type { CounterDeps } from './deps.ts'
import { parseJsonBody } from './guard.ts'

export function displayRouter(deps: CounterDeps, displays: ConsentDisplays, setup: AssistSetup): Router {
  const router = Router()
  router.use('/display', withoutStaff)

  router.get('/display/consent', (req, res) => {
    const { language } = displays.show(readToken(req))
    const { organisation, required, optional, disclosures, retention } = setup
    const question: ConsentQuestion = { language, organisation, required, optional, disclosures, retention }
    res.json(question)
  })

  router.post('/display/consent', async (req, res) => {
    const answer = await parseJsonBody(req, ConsentGiven)
    const { required, optional } = setup
    if (answer.optional.some((type) => !optional.includes(type))) {
      throw fieldProblem('not_allowed', 'optional', 'must be among those that were asked')
    }
    // No other request can answer it after this line.
    const question = displays.take(readToken(req))
    await keepAnswer(deps, question, answer.approved, [...required, ...answer.optional], optional)
    res.status(204).end()
  })
  return router
}

/** Officers never consent for an applicant, not even by mistake in the wrong window. */
const withoutStaff: RequestHandler = (req, _res, next) => {
  const isStaff = (req.headers.cookie ?? '')
    .split(';')
    .some((part) => part.trim().startsWith(`${COUNTER_COOKIE}=`))
  next(isStaff ? new AppError('forbidden', { reason: 'staff_session' }) : undefined)
}

/** Throws `unauthorized`. */
function readToken(req: Request): string {
  const token = /^Bearer ([A-Za-z0-9_-]{20,100})$/.exec(req.get('authorization') ?? '')?.[1]
  if (token === undefined) throw new AppError('unauthorized')
  return token
}

async function keepAnswer(
  deps: CounterDeps,
  { visitId, display, language, attendant, shownAt }: OpenQuestion,
  approved: boolean,
  given: readonly ConsentType[],
  asked: readonly ConsentType[],
): Promise<void> {
  const { ctx, store, clock } = deps
  const visit = store.visits.find(visitId)
  if (!visit || visit.endedAt !== null) throw new AppError('transition_refused', { reason: 'visit_ended' })
  const author = { actor: staffActor(attendant.staffId) }
  // An applicant who read the question does not answer within a second, and cannot answer before it was shown.
  const shownSeconds = shownAt && Math.max(0, Math.round((clock.now().getTime() - shownAt.getTime()) / 1000))
  const body = { visitId, display, language, shownSeconds }
  if (!approved) {
    // After a refusal only the count is stored.
    const ended = { ...visit, language, outcome: 'REFUSED' as const, endedAt: clock.now() }
    store.transaction(() => {
      if (visit.identityId === null) store.visits.save(ended)
      store.events.append('consent.presented', visit.identityId, body, clock.now(), author)
    })
    return
  }
  const context = [
    { key: 'CHANNEL', value: 'COUNTER' },
    { key: 'JOURNEY', value: visit.journey },
    { key: 'CONSENT_DISPLAY', value: display },
    { key: 'CONSENT_LANGUAGE', value: language },
    { key: 'ATTENDED_BY', value: attendant.staffId },
  ]
  const identityId = visit.identityId ?? (await createIdentity(ctx, attendant, { context })).id
  // The consent is the applicant's own act: it is recorded for the applicant, not for the attending officer.
  const person = personBefore(attendant)
  const answers = [
    ...given.map((type) => ({ type, approved: true })),
    ...asked.filter((type) => !given.includes(type)).map((type) => ({ type, approved: false })),
  ]
  await recordConsents(ctx, person, identityId, answers)
  store.transaction(() => {
    const present = store.visits.find(visitId) ?? visit
    const reference = present.reference ?? toReference(identityId)
    const bound = { ...present, identityId, reference, language }
    store.visits.save(bound)
    store.events.append('consent.presented', identityId, body, clock.now(), author)
    enterStep(ctx, bound, 'document')
  })
}

/** Returns a caller without an officer. */
function personBefore(attendant: OpenQuestion['attendant']): Caller {
  const { tenantId, applicationId, reach, correlationId, method, uri, remoteAddress, startedAt } = attendant
  return {
    tenantId,
    applicationId,
    role: 'USER_AGENT',
    reach,
    correlationId,
    method,
    uri,
    remoteAddress,
    startedAt,
  }
}
