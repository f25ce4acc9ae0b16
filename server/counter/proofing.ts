/**
 * One opened proofing; the log records each opening with the officer. Pictures are sent once and never
 * cached. Owns the check of the seal and the manual erasure.
 */
import { staffActor } from '../workflows/access/author.ts'
import { Router } from 'express'
import type { Response } from 'express'
import { AppError, fieldProblem } from '../errors.ts'
import { verifyProof } from '../proof/verify.ts'
import { reassess } from '../reassess/reassess.ts'
import { toReference } from '../screens/receipt.ts'
import type { Visit } from '../store/visits.ts'
import { eraseIdentity } from '../workflows/retention/erase-identity.ts'
import { wasSentToDesk } from '../workflows/staff/counter-visits.ts'
import { listProofing } from '../workflows/staff/list-proofings.ts'
import { openImage, openProofing, type OpenedProofing } from '../workflows/staff/open-proofing.ts'
import { requireIdentity } from '../workflows/access/reach.ts'
import { isAllowed, needs, needsFresh, requireStaff } from './access.ts'
import { getEventActor, staffCaller } from './caller.ts'
import { EraseBody } from './contract/today.ts'
import type { Erased, GoOn, ProofingDetail, SealCheck } from './contract/today.ts'
import type { CounterDeps } from './deps.ts'
import { idParam } from '../http/parse.ts'
import { parseJsonBody } from './guard.ts'
import { mayGoOn, tidyReference } from './search.ts'
import { proofingRow } from './today.ts'

/** `npm run verify-proof` checks larger archives, because a busy appliance must not load them into memory. */
const MAX_BYTES = 200_000_000

export function proofingRouter(deps: CounterDeps): Router {
  const router = Router()
  const { ctx, store, clock } = deps

  router.get('/proofings/:identityId', needs('proofings:open'), (req, res) => {
    const identityId = idParam(req, 'identityId')
    const opened = openProofing(ctx, staffCaller(deps, req), identityId)
    const visit = store.visits.findByIdentity(identityId)
    const staff = requireStaff(req)
    const mayErase = isAllowed(staff, 'proofings:erase') && !opened.retention.legalHold
    const mayAdd = isAllowed(staff, 'proofings:assist') && visit !== null && mayGoOn(deps, visit)
    const view: ProofingDetail = {
      ...opened,
      visit: visit ? proofingRow(deps, listProofing(ctx, visit)) : null,
      mayErase,
      staffNames: staffNamesIn(deps, opened),
      goOn: mayAdd ? continueVisit(visit, staff.staffId) : null,
      takeFrom: mayAdd ? findHolder(deps, visit, staff.staffId) : null,
    }
    res.json(view)
  })

  router.get(
    '/proofings/:identityId/evidences/:evidenceId/images/:imageId',
    needs('proofings:open'),
    (req, res) => {
      const [identityId, imageId] = [idParam(req, 'identityId'), idParam(req, 'imageId')]
      sendPicture(res, openImage(ctx, staffCaller(deps, req), identityId, imageId))
    },
  )

  router.post('/proofings/:identityId/seal-check', needs('proofings:open'), async (req, res) => {
    const { id } = requireIdentity(ctx, deps.caller, idParam(req, 'identityId'), 'READ')
    res.json(await checkSeal(deps, id))
  })

  router.post('/proofings/:identityId/erase', needs('proofings:erase'), needsFresh(), async (req, res) => {
    const { reason, reference } = await parseJsonBody(req, EraseBody)
    const { id } = requireIdentity(ctx, deps.caller, idParam(req, 'identityId'), 'ACT')
    const expected = store.visits.findByIdentity(id)?.reference ?? toReference(id)
    if (tidyReference(reference) !== expected) {
      throw fieldProblem('mismatch', 'reference', 'must be the reference of this case')
    }
    store.events.append('erasure.asked', id, { why: reason }, clock.now(), getEventActor(req))
    await eraseIdentity(ctx, staffCaller(deps, req), id)
    res.json(await fetchReceipt(deps, id))
  })

  router.get('/proofings/:identityId/deletion-receipt', needs('proofings:open'), async (req, res) => {
    res.json(await fetchReceipt(deps, idParam(req, 'identityId')))
  })
  return router
}

function staffNamesIn(
  { store }: Pick<CounterDeps, 'store'>,
  { timeline, evidences }: Pick<OpenedProofing, 'timeline' | 'evidences'>,
): ProofingDetail['staffNames'] {
  const ids = [
    ...timeline.map(({ who }) => who),
    ...evidences.flatMap(({ notes, attendance }) => [
      ...notes.map(({ who }) => who),
      ...(attendance ? [staffActor(attendance.staffId)] : []),
    ]),
  ].flatMap((who) => (who.startsWith('STAFF:') ? [who.slice('STAFF:'.length)] : []))
  return Object.fromEntries(
    [...new Set(ids)].flatMap((id) => {
      const name = store.staff.find(id)?.name
      return name === undefined ? [] : [[id, name]]
    }),
  )
}

/**
 * Returns the officer who has a visit that went to the desk: any officer may take it over, and must name the
 * holder.
 */
function findHolder({ ctx, store }: CounterDeps, visit: Visit, staffId: string): ProofingDetail['takeFrom'] {
  const { takenOverBy } = visit
  if (takenOverBy === null || takenOverBy === staffId || !wasSentToDesk(ctx, visit)) return null
  return { staffId: takenOverBy, name: store.staff.find(takenOverBy)?.name ?? '' }
}

/**
 * Only the code of the receipt, or a call for help, moves a visit to an officer: the reference appears on
 * screens and in lists.
 */
export function continueVisit(
  { channel, endedAt, takenOverBy }: Pick<Visit, 'channel' | 'endedAt' | 'takenOverBy'>,
  staffId: string,
): GoOn {
  if (takenOverBy === null) return 'CODE'
  // An officer who ended a visit of the counter no longer attends it.
  if (channel === 'COUNTER' && endedAt !== null) return 'CODE'
  if (takenOverBy !== staffId) return 'COLLEAGUE'
  return channel === 'COUNTER' ? 'HERE' : 'CODE'
}

/** Prevents caching, and content sniffing by the browser. */
export function sendPicture(
  res: Response,
  { bytes, mediaType }: { readonly bytes: Uint8Array; readonly mediaType: string },
): void {
  res.setHeader('Content-Type', mediaType)
  res.setHeader('Cache-Control', 'no-store')
  res.setHeader('Content-Disposition', 'inline')
  res.end(bytes)
}

async function fetchReceipt({ workflows, ...deps }: CounterDeps, identityId: string): Promise<Erased> {
  const caller = {
    ...deps.caller,
    correlationId: deps.newId(),
    method: 'GET' as const,
    uri: '/counter/api/proofings/deletion-receipt',
    remoteAddress: null,
    startedAt: deps.clock.now(),
  }
  const { erasedAt, receipt } = await workflows.getDeletionReceipt(caller, identityId)
  return { identityId, erasedAt: `${erasedAt}Z`, receipt }
}

async function checkSeal({ store, clock }: CounterDeps, identityId: string): Promise<SealCheck> {
  const checkedAt = clock.now().toISOString()
  const nothing = { problems: [], sha256: null, signedBy: null, sameLevel: null, checkedAt }
  const proof = store.proofs.find(identityId)
  if (!proof) return { ...nothing, state: 'NOT_SEALED' }
  const archive = await readAll(() => store.proofs.read(proof), proof.bytes)
  if (archive === null) return { ...nothing, state: 'BROKEN', problems: ['archive_unreadable'] }
  const report = await verifyProof(archive, { jwks: { keys: [...store.signingKeys.publicKeys()] } })
  if (!report.valid) {
    return { ...nothing, state: 'BROKEN', problems: report.problems.map(({ code }) => code) }
  }
  const again = reassess(archive)
  return {
    state: 'GOOD',
    problems: [],
    sha256: proof.sha256,
    signedBy: report.signedBy,
    sameLevel: again.possible ? again.agrees : null,
    checkedAt,
  }
}

/** Null: it does not decrypt, or does not exist. */
async function readAll(
  open: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  bytes: number,
): Promise<Uint8Array | null> {
  if (bytes > MAX_BYTES) throw new AppError('upload_too_large', { limitBytes: MAX_BYTES })
  const read: Uint8Array[] = []
  try {
    // A file whose beginning is damaged throws when it is opened, before its first chunk.
    for await (const piece of open()) read.push(piece)
  } catch (error) {
    if (error instanceof AppError && (error.code === 'storage_damaged' || error.code === 'not_found'))
      return null
    throw error
  }
  return Buffer.concat(read)
}
