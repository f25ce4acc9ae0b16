/**
 * The desk of the adjudicators: the queue, the next case, the adjudicator's answers, a decision in two acts,
 * and half a minute to withdraw it. Owns when which data is shown; the rules are in
 * `proofing/adjudication-decision`.
 */
import { Router } from 'express'
import type { Request } from 'express'
import { AppError } from '../errors.ts'
import { requireCase } from '../workflows/adjudication/find-adjudication.ts'
import { openImage } from '../workflows/staff/open-proofing.ts'
import { needs } from './access.ts'
import { getEventActor, deskCaller, staffCaller } from './caller.ts'
import { ConfirmBody, DraftBody, HumanAnswers } from './contract/desk.ts'
import type { Confirmed, DeskEntry, DeskQueue, Draft } from './contract/desk.ts'
import type { CounterDeps } from './deps.ts'
import { deskCase, deskEntry, requireMine, type Looking } from './desk-case.ts'
import { EyeFinder } from './eyes.ts'
import { idParam } from '../http/parse.ts'
import { parseJsonBody } from './guard.ts'
import { sendPicture } from './proofing.ts'

const PAGE = 25
/** The next case is searched among this many. */
const MAX_SEARCHED = 200
const ID = ':adjudicationId'

export function deskRouter(deps: CounterDeps): Router {
  const router = Router()
  const { ctx, workflows } = deps
  const eyes = new EyeFinder(ctx)
  const may = needs('desk:decide')
  const buildLooking = (req: Request): Looking => ({ ctx, caller: deskCaller(deps, req) })
  const show = (req: Request) => deskCase(buildLooking(req), idParam(req, 'adjudicationId'), eyes)
  const listEntries = (looking: Looking, ids: readonly string[]): readonly DeskEntry[] =>
    ids.flatMap((id) => {
      try {
        return [deskEntry(looking, requireCase(ctx, looking.caller, id, 'READ'))]
      } catch (error) {
        // The evidence was erased or withdrawn after the queue was read.
        if (error instanceof AppError && error.code === 'not_found') return []
        throw error
      }
    })

  router.get('/desk', may, async (req, res) => {
    const looking = buildLooking(req)
    const after = typeof req.query.after === 'string' ? { after: req.query.after } : {}
    const page = await workflows.listDesk(looking.caller, { ...after, limit: PAGE })
    const queue: DeskQueue = {
      cases: listEntries(
        looking,
        page.adjudications.map(({ adjudicationId }) => adjudicationId),
      ),
      next: 'next' in page && page.next !== undefined ? page.next : null,
      lastDecision: lastDecision(deps, req),
    }
    res.json(queue)
  })

  router.post('/desk/next', may, async (req, res) => {
    const looking = buildLooking(req)
    const { adjudications } = await workflows.listDesk(looking.caller, { limit: MAX_SEARCHED })
    const entries = listEntries(
      looking,
      adjudications.map(({ adjudicationId }) => adjudicationId),
    )
    // An officer who holds a case continues it; officers cannot choose cases.
    const next =
      entries.find(({ mine, refusedBecause }) => mine && refusedBecause === null) ??
      entries.find(({ refusedBecause }) => refusedBecause === null)
    if (!next) {
      res.status(204).end()
      return
    }
    await workflows.claimCase(looking.caller, next.adjudicationId)
    res.json(await deskCase(looking, next.adjudicationId, eyes))
  })

  router.get(`/desk/${ID}`, may, async (req, res) => {
    res.json(await show(req))
  })

  router.post(`/desk/${ID}/claim`, may, async (req, res) => {
    await workflows.claimCase(deskCaller(deps, req), idParam(req, 'adjudicationId'))
    res.json(await show(req))
  })

  router.post(`/desk/${ID}/release`, may, async (req, res) => {
    await workflows.releaseCase(deskCaller(deps, req), idParam(req, 'adjudicationId'))
    res.status(204).end()
  })

  router.get(`/desk/${ID}/images/:imageId`, may, (req, res) => {
    const looking = buildLooking(req)
    const found = requireCase(ctx, looking.caller, idParam(req, 'adjudicationId'), 'READ')
    requireMine(looking, found)
    const { evidence, reference, identity } = found
    const image = ctx.store.images.find(idParam(req, 'imageId'))
    const isOfCase = image?.evidenceId === evidence.id || image?.evidenceId === reference?.id
    if (!image || !isOfCase) throw new AppError('not_found', { resource: 'image' })
    sendPicture(res, openImage(ctx, looking.caller, identity.id, image.id))
  })

  router.post(`/desk/${ID}/answers`, may, async (req, res) => {
    const { samePerson, documentReal, dataAgree, ...answers } = await parseJsonBody(req, HumanAnswers)
    workflows.answerCase(staffCaller(deps, req), idParam(req, 'adjudicationId'), {
      ...answers,
      ...(samePerson ? { samePerson } : {}),
      ...(documentReal ? { documentReal } : {}),
      ...(dataAgree ? { dataAgree } : {}),
    })
    res.json(await show(req))
  })

  router.post(`/desk/${ID}/draft`, may, async (req, res) => {
    const { decision, reason, values } = await parseJsonBody(req, DraftBody)
    const id = idParam(req, 'adjudicationId')
    const { token, expiresAt, isLast } = workflows.draftDecision(deskCaller(deps, req), id, {
      decision,
      reason,
      values,
    })
    const draft: Draft = { token, expiresAt: expiresAt.toISOString(), decision, reason, isLast }
    res.json(draft)
  })

  router.post(`/desk/${ID}/confirm`, may, async (req, res) => {
    const { token, note } = await parseJsonBody(req, ConfirmBody)
    const id = idParam(req, 'adjudicationId')
    const undoUntil = workflows.confirmDecision(deskCaller(deps, req), id, token, note)
    ctx.wakeJobs()
    const confirmed: Confirmed = { undoUntil: undoUntil.toISOString() }
    res.json(confirmed)
  })

  router.post(`/desk/${ID}/undo`, may, async (req, res) => {
    workflows.undoDecision(staffCaller(deps, req), idParam(req, 'adjudicationId'))
    res.json(await show(req))
  })
  return router
}

/** The last decision of this officer. */
function lastDecision({ store }: CounterDeps, req: Request): DeskQueue['lastDecision'] {
  const actors = [getEventActor(req).actor]
  const [last] = store.eventPages.page({ type: 'adjudication.decided', actors, limit: 1 })
  if (!last) return null
  const visit = last.identityId === null ? null : store.visits.findByIdentity(last.identityId)
  return { reference: visit?.reference ?? '', at: last.at.toISOString() }
}
