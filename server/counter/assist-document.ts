/**
 * The document at the counter: from a capture element, a file, the counter's own camera, or typed by the
 * officer who holds it.
 */
import type { Router } from 'express'
import { StatedAnswer } from '../api/contract/stated.ts'
import { findFile, readForm } from '../http/form.ts'
import { AppError, fieldProblem } from '../errors.ts'
import type { CaptureDevice } from '../proofing/evidence.ts'
import type { Upload } from '../proofing/types.ts'
import { enterStep, note } from '../workflows/staff/counter-visits.ts'
import { markTest } from '../workflows/identity/mark-test.ts'
import { needs } from './access.ts'
import { findDocumentQuestion, type AssistKit } from './assist-view.ts'
import {
  requireAgreedVisit,
  openCapture,
  OUR_CONSOLE,
  showVisit,
  uploadLimits,
  VISIT,
} from './assist-visit.ts'
import type { Agreed } from './assist-visit.ts'
import {
  ChipBody,
  DocumentWish,
  PhotoBody,
  PhotosBody,
  TypedAttributesBody,
  TypedDocumentBody,
} from './contract/assist.ts'
import type { CounterPhoto, StatedCheck } from './contract/assist.ts'
import type { CounterPhotos } from './counter-photos.ts'
import { idParam } from '../http/parse.ts'
import { parseJsonBody, readQuery } from './guard.ts'
import { sendPicture } from './proofing.ts'

export function addDocumentRoutes(router: Router, kit: AssistKit, photos: CounterPhotos): void {
  const { deps } = kit
  const { ctx, workflows } = deps
  const may = needs('proofings:assist')
  const limits = uploadLimits(kit)

  router.post(`${VISIT}/document/session`, may, async (req, res) => {
    const { country, documentType } = await parseJsonBody(req, DocumentWish)
    const { caller, visit, identityId } = requireAgreedVisit(kit, req)
    const opened = await workflows.openDocumentSession(caller, identityId, {
      issuingCountry: country,
      idDocumentType: documentType,
    })
    enterStep(ctx, visit, 'document')
    res.json(await openCapture(deps, opened.sessionId, opened.sidesToCapture))
  })

  router.post(`${VISIT}/document/file`, may, async (req, res) => {
    const wish = readQuery(req, DocumentWish)
    const found = requireAgreedVisit(kit, req)
    const form = await readForm(req, limits, 2)
    const front = findFile(form, 'front')
    const back = findFile(form, 'back')
    if (!front) throw fieldProblem('required', 'front', 'send the picture as a file part of this name')
    await submitDocument(found, wish, front, back, OUR_CONSOLE, 'OTHER')
    showVisit(kit, res, found.visit)
  })

  const submitDocument = async (
    { caller, visit, identityId }: Agreed,
    {
      country,
      documentType,
    }: { country: string; documentType: (typeof DocumentWish)['_output']['documentType'] },
    front: Upload,
    back: Upload | undefined,
    device: CaptureDevice,
    source: 'LIVE_CAPTURE_IMAGE' | 'OTHER',
  ): Promise<void> => {
    const details = { ...device, jurisdiction: country, documentType, source }
    enterStep(ctx, visit, 'document')
    await workflows.submitDocument(caller, identityId, { front, ...(back ? { back } : {}), details })
  }

  router.post(`${VISIT}/document/photo`, may, async (req, res) => {
    const { side } = await parseJsonBody(req, PhotoBody)
    const { visit, identityId } = requireAgreedVisit(kit, req)
    const taken = await ctx.documentCamera.take()
    if (taken.kind === 'fault') {
      note(ctx, visit, 'FAULT', taken.fault)
      throw new AppError('transition_refused', { reason: 'camera', fault: taken.fault })
    }
    const { picture: upload, camera, isPretended } = taken
    if (isPretended) {
      ctx.store.transaction(() => {
        markTest(ctx, identityId, 'PRETENDED_CAMERA')
      })
    }
    const photoId = photos.keep({ visitId: visit.id, side, upload, camera, isPretended }, deps.newId())
    const answer: CounterPhoto = { photoId, side, href: `assist/${visit.id}/document/photo/${photoId}` }
    res.json(answer)
  })

  router.get(`${VISIT}/document/photo/:photoId`, may, (req, res) => {
    const { visit } = requireAgreedVisit(kit, req)
    const { upload } = photos.find(visit.id, idParam(req, 'photoId'))
    sendPicture(res, { bytes: upload.bytes, mediaType: 'image/jpeg' })
  })

  router.post(`${VISIT}/document/photos`, may, async (req, res) => {
    const { front, back, ...wish } = await parseJsonBody(req, PhotosBody)
    const found = requireAgreedVisit(kit, req)
    const first = photos.find(found.visit.id, front)
    const second = back === undefined ? undefined : photos.find(found.visit.id, back)
    const device = {
      ...OUR_CONSOLE,
      ...(first.camera ? { camera: first.camera } : {}),
      ...(first.isPretended || second?.isPretended ? { pretendedCamera: true } : {}),
    }
    await submitDocument(found, wish, first.upload, second?.upload, device, 'LIVE_CAPTURE_IMAGE')
    photos.forget(found.visit.id)
    showVisit(kit, res, found.visit)
  })

  router.post(`${VISIT}/document/typed`, may, async (req, res) => {
    const typed = await parseJsonBody(req, TypedDocumentBody)
    const { caller, visit, identityId } = requireAgreedVisit(kit, req)
    await workflows.submitTextDocument(caller, identityId, textDocument(typed))
    enterStep(ctx, visit, 'check')
    showVisit(kit, res, visit)
  })

  router.post(`${VISIT}/chip`, may, async (req, res) => {
    const { evidenceId, can } = await parseJsonBody(req, ChipBody)
    const { caller, visit, identityId } = requireAgreedVisit(kit, req)
    await workflows.beginChipReading(caller, identityId, evidenceId, { can })
    enterStep(ctx, visit, 'chip')
    showVisit(kit, res, visit)
  })

  router.post(`${VISIT}/typed`, may, async (req, res) => {
    const { givenNames, surname, birthDate, nationality } = await parseJsonBody(req, TypedAttributesBody)
    const { caller, visit, identityId } = requireAgreedVisit(kit, req)
    const value = (text: string) => ({ value: text })
    await workflows.submitAttributes(caller, identityId, {
      ...(givenNames ? { givenNames: givenNames.map(value) } : {}),
      ...(surname ? { surname: value(surname) } : {}),
      ...(birthDate ? { dateOfBirth: value(birthDate) } : {}),
      ...(nationality ? { nationality: value(nationality) } : {}),
    })
    enterStep(ctx, visit, 'check')
    showVisit(kit, res, visit)
  })
}

/** The questions of sources outside: the officer types what the applicant says or shows. */
export function addSourceRoutes(router: Router, kit: AssistKit): void {
  const { ctx, store, workflows } = kit.deps
  const may = needs('proofings:assist')
  const requireDocument = (identityId: string): string => {
    const present = store.evidences.list(identityId).filter(({ deletedAt }) => !deletedAt)
    const question = findDocumentQuestion(kit.deps, present)
    if (!question) throw new AppError('transition_refused', { reason: 'nothing_missing' })
    return question.evidenceId
  }

  router.post(`${VISIT}/details`, may, async (req, res) => {
    const answer = await parseJsonBody(req, StatedAnswer)
    const { caller, visit, identityId } = requireAgreedVisit(kit, req)
    if (answer.question === 'ADDRESS') await workflows.stateAddress(caller, identityId, answer)
    else await workflows.stateDetails(caller, identityId, requireDocument(identityId), answer.values)
    enterStep(ctx, visit, 'details')
    showVisit(kit, res, visit)
  })

  router.post(`${VISIT}/details/check`, may, async (req, res) => {
    const answer = await parseJsonBody(req, StatedAnswer)
    const { caller, identityId } = requireAgreedVisit(kit, req)
    const problems =
      answer.question === 'ADDRESS'
        ? await workflows.checkTypedAddress(caller, identityId, answer)
        : await workflows.checkTypedDetails(caller, identityId, requireDocument(identityId), answer.values)
    const checked: StatedCheck = { problems }
    res.json(checked)
  })
}

function textDocument(typed: (typeof TypedDocumentBody)['_output']) {
  const { documentType, country, state, number, issued, expires, givenNames, surname, birthDate } = typed
  return {
    idDocumentType: documentType,
    idDocumentNumber: number,
    issuingCountry: country,
    ...(state ? { issuingState: state } : {}),
    ...(issued ? { issuingDate: issued } : {}),
    ...(expires ? { expiryDate: expires } : {}),
    personalAttributes: {
      givenNames: givenNames.map((value) => ({ value })),
      surname: { value: surname },
      dateOfBirth: { value: birthDate },
    },
  }
}
