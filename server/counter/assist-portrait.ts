/**
 * The face at the counter, and the officer's observations: of a capture in the officer's presence, and of a
 * document inspected by hand.
 */
import type { Router } from 'express'
import { readBody } from '../http/body.ts'
import { fieldProblem } from '../errors.ts'
import { livenessJudge } from '../workflows/capture/liveness-judge.ts'
import { attendEvidence } from '../workflows/staff/attend-evidence.ts'
import { enterStep, note } from '../workflows/staff/counter-visits.ts'
import { needs } from './access.ts'
import { OFFICERS_TYPES } from './assist-setup.ts'
import type { AssistKit } from './assist-view.ts'
import {
  requireAgreedVisit,
  openCapture,
  OUR_CONSOLE,
  showVisit,
  uploadLimits,
  VISIT,
} from './assist-visit.ts'
import { AttendanceBody, PortraitBody } from './contract/assist.ts'
import { idParam } from '../http/parse.ts'
import { parseJsonBody } from './guard.ts'

export function addPortraitRoutes(router: Router, kit: AssistKit): void {
  const { deps, setup } = kit
  const { ctx, workflows } = deps
  const may = needs('proofings:assist')
  const limits = uploadLimits(kit)

  router.post(`${VISIT}/portrait/session`, may, async (req, res) => {
    const { withoutColours, withoutTurning, exceptions } = await parseJsonBody(req, PortraitBody)
    const { caller, visit, identityId } = requireAgreedVisit(kit, req)
    const isOtherwise = withoutColours || withoutTurning
    if (isOtherwise && exceptions.length === 0) {
      throw fieldProblem('required', 'exceptions', 'must say why the capture is done otherwise')
    }
    const way = withoutTurning ? setup.withoutTurning : withoutColours ? setup.withoutColours : undefined
    const type = way === 'OFFICER' ? OFFICERS_TYPES.find(await livenessJudge(ctx)) : way
    const opened = await workflows.openPortraitSession(caller, identityId, {
      mode: 'webSDK',
      ...(type ? { type } : {}),
    })
    const entered = enterStep(ctx, visit, 'portrait')
    for (const reason of exceptions) note(ctx, entered, 'EXCEPTION', reason)
    res.json(await openCapture(deps, opened.sessionId, []))
  })

  router.post(`${VISIT}/portrait/file`, may, async (req, res) => {
    const { caller, visit, identityId } = requireAgreedVisit(kit, req)
    const bytes = await readBody(req, limits.fileBytes)
    const declaredType = req.get('content-type')?.split(';')[0]?.trim()
    const upload = { bytes, ...(declaredType ? { declaredType } : {}) }
    enterStep(ctx, visit, 'portrait')
    await workflows.submitPortrait(caller, identityId, upload, OUR_CONSOLE)
    showVisit(kit, res, visit)
  })

  router.post(`${VISIT}/evidences/:evidenceId/attendance`, may, async (req, res) => {
    const attendance = await parseJsonBody(req, AttendanceBody)
    const { caller, visit, identityId } = requireAgreedVisit(kit, req)
    const evidenceId = idParam(req, 'evidenceId')
    attendEvidence(ctx, setup.attended, caller, identityId, evidenceId, attendance)
    showVisit(kit, res, visit)
  })
}
