/**
 * The common start of every route of a proofing at the counter: the officer's visit, and the applicant's
 * consent.
 */
import type { Request, Response } from 'express'
import { DEFAULT_API_CONFIG } from '../api/deps.ts'
import type { UploadLimits } from '../http/form.ts'
import { AppError } from '../errors.ts'
import { PRODUCT_VERSION } from '../version.ts'
import type { CaptureDevice } from '../proofing/evidence.ts'
import type { DocumentSide } from '../proofing/types.ts'
import type { Visit } from '../store/visits.ts'
import { runningVisit } from '../workflows/staff/counter-visits.ts'
import type { StaffCaller } from '../workflows/adjudication/desk-review.ts'
import { assistView, type AssistKit } from './assist-view.ts'
import { staffCaller } from './caller.ts'
import type { OpenedCapture } from './contract/assist.ts'
import type { CounterDeps } from './deps.ts'
import { idParam } from '../http/parse.ts'

export const VISIT = '/assist/:visitId'

/** Names the counter's own screens as the source of pictures. The camera of a file is unknown. */
export const OUR_CONSOLE: CaptureDevice = { channel: 'webSDK', sdkInfo: { sdkVersion: PRODUCT_VERSION } }

export interface Agreed {
  readonly caller: StaffCaller
  readonly visit: Visit
  readonly identityId: string
}

/** Returns the officer's running visit, whose applicant has agreed. Throws `consent_missing`. */
export function requireAgreedVisit({ deps }: AssistKit, req: Request): Agreed {
  const caller = staffCaller(deps, req)
  const visit = runningVisit(deps.ctx, caller, idParam(req, 'visitId'))
  if (visit.identityId === null) throw new AppError('consent_missing')
  return { caller, visit, identityId: visit.identityId }
}

export function showVisit(kit: AssistKit, res: Response, visit: Visit): void {
  res.json(assistView(kit, kit.deps.store.visits.find(visit.id) ?? visit))
}

export async function openCapture(
  { workflows }: CounterDeps,
  sessionId: string,
  sides: readonly DocumentSide[],
): Promise<OpenedCapture> {
  const { expiresAt } = await workflows.getCaptureSession(sessionId)
  return { sessionId, sides, expiresAt: expiresAt.toISOString() }
}

export function uploadLimits({ deps }: AssistKit): UploadLimits {
  return { ...DEFAULT_API_CONFIG.uploadLimits, fileBytes: deps.ctx.config.uploads.maxFileBytes }
}
