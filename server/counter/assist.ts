/**
 * Proofing a person at the counter. Staff capture, take in hand and type; the person agrees on a display of his own. What a
 * check found stays what it found: a capture may be done otherwise with a reason, a result is set aside by nobody.
 */
import { Router } from 'express'
import type { Request, Response } from 'express'
import { readBody } from '../api/body.ts'
import { DEFAULT_API_CONFIG, type UploadLimits } from '../api/deps.ts'
import { fileOf, readForm } from '../api/multipart-in.ts'
import { AppError, fieldProblem } from '../errors.ts'
import { PRODUCT_VERSION } from '../version.ts'
import { usualSides } from '../proofing/capture-session.ts'
import { ALPHA_2 } from '../proofing/country-codes.ts'
import type { CaptureDevice } from '../proofing/evidence.ts'
import type { DocumentSide, Upload } from '../proofing/types.ts'
import { newCode, qrCode, readReceiptText, receiptText, referenceOf } from '../screens/receipt.ts'
import type { Visit, VisitOutcome } from '../store/visits.ts'
import { attendEvidence } from '../workflows/attend-evidence.ts'
import {
  attendedVisit,
  beginVisit,
  endVisit,
  enterStep,
  note,
  runningVisit,
  takeOverVisit,
} from '../workflows/counter-visits.ts'
import type { StaffCaller } from '../workflows/desk-review.ts'
import { listProofing } from '../workflows/list-proofings.ts'
import { openImage } from '../workflows/open-proofing.ts'
import { needs } from './access.ts'
import type { AssistSetup } from './assist-setup.ts'
import { assistView, checklistView, type AssistKit } from './assist-view.ts'
import { byStaff, idOf, staffCaller } from './caller.ts'
import type { ConsentDisplays } from './consent-displays.ts'
import {
  AttendanceBody,
  BeginBody,
  ConsentDisplayBody,
  DocumentWish,
  EXCEPTION_REASONS,
  PhotoBody,
  PhotosBody,
  PortraitBody,
  StopBody,
  TakeOverBody,
  TypedAttributesBody,
  TypedDocumentBody,
} from './contract/assist.ts'
import type {
  AssistCountry,
  AssistResult,
  ConsentDisplay,
  CounterPhoto,
  OpenedCapture,
} from './contract/assist.ts'
import { CounterPhotos } from './counter-photos.ts'
import type { CounterDeps } from './deps.ts'
import { bodyOf, queryOf } from './guard.ts'
import { sendPicture } from './proofing.ts'
import type { CodeTries } from './search.ts'
import { proofingRow } from './today.ts'

const VISIT = '/assist/:visitId'
/** What sends the pictures. Which camera a file is from nobody knows. */
const OUR_CONSOLE: CaptureDevice = { channel: 'webSDK', sdkInfo: { sdkVersion: PRODUCT_VERSION } }

export function assistRouter(
  deps: CounterDeps,
  setup: AssistSetup,
  displays: ConsentDisplays,
  tries: CodeTries,
): Router {
  const router = Router()
  const { ctx, store, workflows, clock } = deps
  const kit: AssistKit = { deps, setup, displays }
  const may = needs('proofings:assist')
  const photos = new CounterPhotos(clock)
  const limits: UploadLimits = {
    ...DEFAULT_API_CONFIG.uploadLimits,
    fileBytes: ctx.config.uploads.maxFileBytes,
  }
  const show = (res: Response, visit: Visit): void => {
    res.json(assistView(kit, store.visits.find(visit.id) ?? visit))
  }

  /** The visit of this person, running, with somebody who has agreed. Throws `consent_missing`. */
  const agreed = (req: Request) => {
    const caller = staffCaller(deps, req)
    const visit = runningVisit(ctx, caller, idOf(req, 'visitId'))
    if (visit.identityId === null) throw new AppError('consent_missing')
    return { caller, visit, identityId: visit.identityId }
  }
  const captured = (visit: Visit, step: 'document' | 'portrait', code: string): void => {
    note(ctx, enterStep(ctx, visit, step), 'TRY', code)
  }

  router.post('/assist/begin', may, async (req, res) => {
    const { language } = await bodyOf(req, BeginBody)
    show(res, beginVisit(ctx, staffCaller(deps, req), language))
  })

  router.post('/assist/take-over', may, async (req, res) => {
    const body = await bodyOf(req, TakeOverBody)
    const found = findVisit(deps, tries, body, req)
    if (!found) throw new AppError('not_found', { resource: 'visit' })
    show(res, takeOverVisit(ctx, staffCaller(deps, req), found))
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
    const supported = await workflows.listSupportedCountries()
    const countries = supported.map(countryOf)
    const isTest = deps.config.tenant.mode === 'test'
    res.json({ countries: isTest ? [...countries, specimenCountry(countries)] : countries })
  })

  router.get(VISIT, may, (req, res) => {
    show(res, attendedVisit(ctx, staffCaller(deps, req), idOf(req, 'visitId')))
  })

  router.post(`${VISIT}/consent-display`, may, async (req, res) => {
    const { display, language } = await bodyOf(req, ConsentDisplayBody)
    const attendant = staffCaller(deps, req)
    const visit = runningVisit(ctx, attendant, idOf(req, 'visitId'))
    const { token, expiresAt } = displays.open({ visitId: visit.id, display, language, attendant })
    const answer: ConsentDisplay = { token, expiresAt: expiresAt.toISOString() }
    res.json(answer)
  })

  router.post(`${VISIT}/document/session`, may, async (req, res) => {
    const { country, documentType } = await bodyOf(req, DocumentWish)
    const { caller, visit, identityId } = agreed(req)
    const opened = await workflows.openDocumentSession(caller, identityId, {
      issuingCountry: country,
      idDocumentType: documentType,
    })
    captured(visit, 'document', 'SESSION')
    res.json(await openedCapture(deps, opened.sessionId, opened.sidesToCapture))
  })

  router.post(`${VISIT}/document/file`, may, async (req, res) => {
    const wish = queryOf(req, DocumentWish)
    const found = agreed(req)
    const form = await readForm(req, limits, 2)
    const front = fileOf(form, 'front')
    const back = fileOf(form, 'back')
    if (!front) throw fieldProblem('required', 'front', 'send the picture as a file part of this name')
    await submitDocument(found, wish, front, back, OUR_CONSOLE)
    show(res, found.visit)
  })

  const submitDocument = async (
    { caller, visit, identityId }: ReturnType<typeof agreed>,
    {
      country,
      documentType,
    }: { country: string; documentType: (typeof DocumentWish)['_output']['documentType'] },
    front: Upload,
    back: Upload | undefined,
    device: CaptureDevice,
  ): Promise<void> => {
    const details = { ...device, jurisdiction: country, documentType, source: 'OTHER' as const }
    await workflows.submitDocument(caller, identityId, { front, ...(back ? { back } : {}), details })
    captured(visit, 'document', 'FILE')
  }

  router.post(`${VISIT}/document/photo`, may, async (req, res) => {
    const { side } = await bodyOf(req, PhotoBody)
    const { visit } = agreed(req)
    const taken = await ctx.documentCamera.take()
    if (taken.kind === 'fault') {
      note(ctx, visit, 'FAULT', taken.fault)
      throw new AppError('transition_refused', { reason: 'camera', fault: taken.fault })
    }
    const photoId = photos.keep(
      { visitId: visit.id, side, upload: taken.picture, camera: taken.camera },
      deps.newId(),
    )
    const answer: CounterPhoto = { photoId, side, href: `assist/${visit.id}/document/photo/${photoId}` }
    res.json(answer)
  })

  router.get(`${VISIT}/document/photo/:photoId`, may, (req, res) => {
    const { visit } = agreed(req)
    const { upload } = photos.find(visit.id, idOf(req, 'photoId'))
    sendPicture(res, { bytes: upload.bytes, mediaType: 'image/jpeg' })
  })

  router.post(`${VISIT}/document/photos`, may, async (req, res) => {
    const { front, back, ...wish } = await bodyOf(req, PhotosBody)
    const found = agreed(req)
    const first = photos.find(found.visit.id, front)
    const second = back === undefined ? undefined : photos.find(found.visit.id, back)
    const device = first.camera ? { ...OUR_CONSOLE, camera: first.camera } : OUR_CONSOLE
    await submitDocument(found, wish, first.upload, second?.upload, device)
    photos.forget(found.visit.id)
    show(res, found.visit)
  })

  router.post(`${VISIT}/document/typed`, may, async (req, res) => {
    const typed = await bodyOf(req, TypedDocumentBody)
    const { caller, visit, identityId } = agreed(req)
    await workflows.submitTextDocument(caller, identityId, textDocument(typed))
    enterStep(ctx, visit, 'check')
    show(res, visit)
  })

  router.post(`${VISIT}/typed`, may, async (req, res) => {
    const { givenNames, surname, birthDate, nationality } = await bodyOf(req, TypedAttributesBody)
    const { caller, visit, identityId } = agreed(req)
    const value = (text: string) => ({ value: text })
    await workflows.submitAttributes(caller, identityId, {
      ...(givenNames ? { givenNames: givenNames.map(value) } : {}),
      ...(surname ? { surname: value(surname) } : {}),
      ...(birthDate ? { dateOfBirth: value(birthDate) } : {}),
      ...(nationality ? { nationality: value(nationality) } : {}),
    })
    enterStep(ctx, visit, 'check')
    show(res, visit)
  })

  router.post(`${VISIT}/portrait/session`, may, async (req, res) => {
    const { withoutColours, withoutTurning, exceptions } = await bodyOf(req, PortraitBody)
    const { caller, visit, identityId } = agreed(req)
    const isOtherwise = withoutColours || withoutTurning
    if (isOtherwise && exceptions.length === 0) {
      throw fieldProblem('required', 'exceptions', 'must say why the capture is done otherwise')
    }
    const type = withoutTurning ? setup.withoutTurning : withoutColours ? setup.withoutColours : undefined
    const opened = await workflows.openPortraitSession(caller, identityId, {
      mode: 'webSDK',
      ...(type ? { type } : {}),
    })
    captured(visit, 'portrait', 'SESSION')
    res.json(await openedCapture(deps, opened.sessionId, []))
  })

  router.post(`${VISIT}/portrait/file`, may, async (req, res) => {
    const { caller, visit, identityId } = agreed(req)
    const bytes = Buffer.concat(await readBody(req, limits.fileBytes))
    const declaredType = req.get('content-type')?.split(';')[0]?.trim()
    const upload = { bytes, ...(declaredType ? { declaredType } : {}) }
    await workflows.submitPortrait(caller, identityId, upload, OUR_CONSOLE)
    captured(visit, 'portrait', 'FILE')
    show(res, visit)
  })

  router.post(`${VISIT}/evidences/:evidenceId/attendance`, may, async (req, res) => {
    const { answers, exceptions } = await bodyOf(req, AttendanceBody)
    const { caller, visit, identityId } = agreed(req)
    const evidenceId = idOf(req, 'evidenceId')
    attendEvidence(ctx, setup.attended, caller, identityId, evidenceId, { answers, exceptions })
    show(res, visit)
  })

  router.get(`${VISIT}/images/:imageId`, may, (req, res) => {
    const caller = staffCaller(deps, req)
    const { identityId } = attendedVisit(ctx, caller, idOf(req, 'visitId'))
    if (identityId === null) throw new AppError('not_found', { resource: 'image' })
    sendPicture(res, openImage(ctx, caller, identityId, idOf(req, 'imageId')))
  })

  router.post(`${VISIT}/finish`, may, async (req, res) => {
    const { caller, visit, identityId } = agreed(req)
    const { mayFinish } = assistView(kit, visit)
    if (!mayFinish) throw new AppError('transition_refused', { reason: 'not_ready' })
    photos.forget(visit.id)
    const { outcome, visit: done } = await finish(deps, setup, caller, visit, identityId)
    res.json(assistView(kit, done, receiptOf(deps, done, identityId, outcome)))
  })

  router.post(`${VISIT}/stop`, may, async (req, res) => {
    const { reason } = await bodyOf(req, StopBody)
    const caller = staffCaller(deps, req)
    const visit = runningVisit(ctx, caller, idOf(req, 'visitId'))
    photos.forget(visit.id)
    const identity = visit.identityId === null ? null : store.identities.find(visit.identityId)
    const outcome: VisitOutcome = reason === 'PERSON_LEFT' ? 'WALKED_AWAY' : 'STOPPED'
    endVisit(ctx, caller, visit, outcome)
    // What is sealed is not taken back here: that is an erasure of its own, with a reason.
    if (identity && identity.status !== 'CLOSED') await workflows.eraseIdentity(caller, identity.id)
    res.status(204).end()
  })
  return router
}

function findVisit(
  { store }: CounterDeps,
  tries: CodeTries,
  body: (typeof TakeOverBody)['_output'],
  req: Request,
): Visit | null {
  if ('helpCall' in body) {
    const visit = store.visits.find(body.helpCall)
    // Who calls for help agrees to be helped; nobody else's visit is taken by its id.
    return visit?.helpAskedAt && visit.endedAt === null ? visit : null
  }
  const code = 'code' in body ? body.code : readReceiptText(body.text)?.code
  return code === undefined ? null : tries.find(code, byStaff(req))
}

async function openedCapture(
  { workflows }: CounterDeps,
  sessionId: string,
  sides: readonly DocumentSide[],
): Promise<OpenedCapture> {
  const { expiresAt } = await workflows.getCaptureSession(sessionId)
  return { sessionId, sides, expiresAt: expiresAt.toISOString() }
}

/** What can be read here, with the sides that each type has. */
function countryOf({
  iso3CountryCode: iso3,
  documents,
}: Awaited<ReturnType<CounterDeps['workflows']['listSupportedCountries']>>[number]): AssistCountry {
  const types = new Set(documents.map(({ documentType }) => documentType))
  const iso2 = ALPHA_2.get(iso3) ?? null
  return { iso3, iso2, documents: [...types].map((type) => ({ type, sides: usualSides(type) })) }
}

/** Utopia has documents of every kind, for whoever tries the machine. */
function specimenCountry(countries: readonly AssistCountry[]): AssistCountry {
  const types = new Set(countries.flatMap(({ documents }) => documents.map(({ type }) => type)))
  return {
    iso3: 'UTO',
    iso2: null,
    documents: [...types].map((type) => ({ type, sides: usualSides(type) })),
  }
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

/** What waits for a person at the desk is not sealed: then nobody could decide about it any more. It is finished later. */
async function finish(
  { ctx, store, workflows }: CounterDeps,
  setup: AssistSetup,
  caller: StaffCaller,
  visit: Visit,
  identityId: string,
): Promise<{ readonly outcome: AssistResult['outcome']; readonly visit: Visit }> {
  const isAwaited = store.evidences
    .list(identityId)
    .some(({ status, deletedAt }) => deletedAt === null && status === 'ADJUDICATION')
  if (isAwaited) {
    const waiting = { ...visit, step: 'result', outcome: 'PERSON' as const }
    store.visits.save(waiting)
    return { outcome: 'PERSON', visit: waiting }
  }
  await workflows.sealProof(caller, identityId)
  const { levelOfAssurance } = store.identities.get(caller.tenantId, identityId)
  const isConfirmed = levelNumber(levelOfAssurance) >= levelNumber(setup.confirmedFrom)
  const outcome = isConfirmed ? 'CONFIRMED' : 'PERSON'
  return { outcome, visit: endVisit(ctx, caller, enterStep(ctx, visit, 'result'), outcome) }
}

function levelNumber(level: string): number {
  return Number(level.replace(/^LOA/, ''))
}

/** The code is shown this once; a second finish makes another one. */
function receiptOf(
  { store, clock }: CounterDeps,
  { id }: Visit,
  identityId: string,
  outcome: AssistResult['outcome'],
): AssistResult {
  const reference = referenceOf(identityId)
  const code = newCode()
  store.visits.setCode(id, code)
  const at = clock.now()
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000)
  const issuedAt = local.toISOString().slice(0, 'yyyy-MM-ddTHH:mm'.length)
  return { outcome, reference, code, qr: qrCode(receiptText({ reference, code })), issuedAt }
}
