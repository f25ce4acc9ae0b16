/**
 * Proofs an applicant at the counter. Officers capture, inspect and type; the applicant agrees on a separate
 * display. Findings never change: an officer can give a reason for an unusual capture, but cannot override a
 * result.
 */
import { Router } from 'express'
import type { Request } from 'express'
import { AppError } from '../errors.ts'
import { isReference, readReceiptText } from '../screens/receipt.ts'
import type { Visit } from '../store/visits.ts'
import { attendedVisit, beginVisit, runningVisit, takeOverVisit } from '../workflows/staff/counter-visits.ts'
import { listProofing } from '../workflows/staff/list-proofings.ts'
import { openImage } from '../workflows/staff/open-proofing.ts'
import { needs } from './access.ts'
import { countriesHere } from './assist-countries.ts'
import { addDocumentRoutes, addSourceRoutes } from './assist-document.ts'
import { addEnds } from './assist-finish.ts'
import { addPortraitRoutes } from './assist-portrait.ts'
import type { AssistSetup } from './assist-setup.ts'
import { checklistView, type AssistKit } from './assist-view.ts'
import { showVisit, VISIT } from './assist-visit.ts'
import { getEventActor, staffCaller } from './caller.ts'
import type { ConsentDisplays } from './consent-displays.ts'
import { BeginBody, ConsentDisplayBody, EXCEPTION_REASONS, TakeOverBody } from './contract/assist.ts'
import type { ConsentDisplay } from './contract/assist.ts'
import { CounterPhotos } from './counter-photos.ts'
import type { CounterDeps } from './deps.ts'
import { idParam } from '../http/parse.ts'
import { parseJsonBody } from './guard.ts'
import { sendPicture } from './proofing.ts'
import type { CodeTries } from './search.ts'
import { proofingRow } from './today.ts'
import { isOpenedByCall } from './waiting.ts'

export function assistRouter(
  deps: CounterDeps,
  setup: AssistSetup,
  displays: ConsentDisplays,
  tries: CodeTries,
): Router {
  const router = Router()
  const { ctx, store, clock } = deps
  const kit: AssistKit = { deps, setup, displays }
  const may = needs('proofings:assist')
  const photos = new CounterPhotos(clock)

  router.post('/assist/begin', may, async (req, res) => {
    const { language } = await parseJsonBody(req, BeginBody)
    showVisit(kit, res, beginVisit(ctx, staffCaller(deps, req), language))
  })

  router.post('/assist/take-over', may, async (req, res) => {
    const body = await parseJsonBody(req, TakeOverBody)
    const found = findVisit(deps, tries, body, req)
    if (!found) throw visitNotFound(body)
    const from = 'from' in body ? body.from : null
    showVisit(kit, res, takeOverVisit(ctx, staffCaller(deps, req), found, from))
  })

  router.get('/assist', may, (req, res) => {
    const { staffId } = staffCaller(deps, req)
    const mine = store.visits
      .listOpen()
      .filter(({ channel, takenOverBy }) => channel === 'COUNTER' && takenOverBy === staffId)
    res.json({ visits: mine.map((visit) => proofingRow(deps, listProofing(ctx, visit))) })
  })

  router.get('/assist/features', may, (_req, res) => {
    const checklists = setup.attended.checklists.map(({ type }) => checklistView(setup, type))
    res.json({ checklists, exceptions: EXCEPTION_REASONS })
  })

  router.get('/assist/countries', may, async (_req, res) => {
    res.json({ countries: await countriesHere(deps) })
  })

  router.get(VISIT, may, (req, res) => {
    showVisit(kit, res, attendedVisit(ctx, staffCaller(deps, req), idParam(req, 'visitId')))
  })

  router.post(`${VISIT}/consent-display`, may, async (req, res) => {
    const { display, language } = await parseJsonBody(req, ConsentDisplayBody)
    const attendant = staffCaller(deps, req)
    const visit = runningVisit(ctx, attendant, idParam(req, 'visitId'))
    const { token, expiresAt } = displays.open({ visitId: visit.id, display, language, attendant })
    const answer: ConsentDisplay = { token, expiresAt: expiresAt.toISOString() }
    res.json(answer)
  })

  router.get(`${VISIT}/images/:imageId`, may, (req, res) => {
    const caller = staffCaller(deps, req)
    const { identityId } = attendedVisit(ctx, caller, idParam(req, 'visitId'))
    if (identityId === null) throw new AppError('not_found', { resource: 'image' })
    sendPicture(res, openImage(ctx, caller, identityId, idParam(req, 'imageId')))
  })

  addDocumentRoutes(router, kit, photos)
  addSourceRoutes(router, kit)
  addPortraitRoutes(router, kit)
  addEnds(router, kit, photos)
  return router
}

function visitNotFound(body: TakeOverBody): AppError {
  if ('helpCall' in body || 'visitId' in body) return new AppError('not_found', { resource: 'visit' })
  const problem =
    'text' in body && isReference(body.text)
      ? { code: 'reference_only', message: 'A reference opens no visit.' }
      : { code: 'no_such_code', message: 'No visit has this code.' }
  return new AppError('not_found', { resource: 'visit' }, { problems: [problem] })
}

function findVisit({ store }: CounterDeps, tries: CodeTries, body: TakeOverBody, req: Request): Visit | null {
  if ('helpCall' in body) {
    const visit = store.visits.find(body.helpCall)
    // An applicant who calls for help agrees to be helped; no other visit can be taken by its id.
    return visit && isOpenedByCall(visit) ? visit : null
  }
  if ('visitId' in body) {
    const visit = store.visits.find(body.visitId)
    return visit?.channel === 'COUNTER' && visit.takenOverBy === body.from ? visit : null
  }
  const code = 'code' in body ? body.code : readReceiptText(body.text)?.code
  return code === undefined ? null : tries.find(code, getEventActor(req)).visit
}
