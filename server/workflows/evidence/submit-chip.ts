/**
 * Adds what was read of the chip to a photographed document, and has the document verified again with it. A later reading replaces an
 * earlier one, but does not undo a contradiction that the earlier one proved.
 */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { STANDING_CHECKS, type ChipReading } from '../../proofing/chip-evidence.ts'
import { writeChipFiles, type ChipFiles } from '../../proofing/chip-files.ts'
import { isDecidedByPerson } from '../../proofing/adjudication-outcome.ts'
import { deriveKind, moveEvidence, type Evidence } from '../../proofing/evidence.ts'
import type { Identity } from '../../proofing/identity.ts'
import { findOutcome } from '../../proofing/judge.ts'
import type { Caller } from '../../proofing/types.ts'
import type { StoredImage } from '../../store/images.ts'
import { requireRoom } from '../access/quotas.ts'
import { requireIdentity } from '../access/reach.ts'
import { toActor } from '../access/author.ts'
import { evaluateIdentity } from '../identity/evaluate-identity.ts'
import { recordCall } from '../identity/record-call.ts'
import { singleStatus } from '../identity/view.ts'
import { requireAllowedFor } from './add-evidence.ts'
import { keepFiles } from './keep-files.ts'

const MEDIA_TYPE = 'application/json'

/** Files that a caller read with its own reader: they can be genuine, but nothing shows that the chip itself was there. */
export async function submitChip(
  ctx: Context,
  caller: Caller,
  identityId: string,
  evidenceId: string,
  files: ChipFiles,
) {
  const readAt = ctx.clock.now().toISOString()
  return saveReading(ctx, caller, identityId, evidenceId, {
    reading: { source: 'FILES', readAt, protocols: null },
    files,
  })
}

interface Read {
  readonly reading: ChipReading
  /** Null if the chip gave none. */
  readonly files: ChipFiles | null
}

/**
 * Throws `identity_processing` while the document is being verified, and `transition_refused` for evidence that is no photographed
 * document or that a person decided about.
 */
export async function saveReading(
  ctx: Context,
  caller: Caller,
  identityId: string,
  evidenceId: string,
  { reading, files }: Read,
) {
  const { evidence } = requireReadable(ctx, caller, identityId, evidenceId)
  const image: StoredImage | null = files && {
    id: ctx.newId(),
    identityId: evidence.identityId,
    evidenceId,
    kind: 'CHIP_FILES',
    mediaType: MEDIA_TYPE,
    createdAt: ctx.clock.now(),
  }
  if (image && files) ctx.store.images.put(image, writeChipFiles(files))
  const replaced = keepFiles(ctx, image ? [image] : [], () =>
    ctx.store.transaction(() => saveInOne(ctx, caller, { identityId, evidenceId, reading, image })),
  )
  ctx.store.images.unlink(replaced)
  ctx.wakeJobs()
  return singleStatus(ctx.store.evidences.get(evidence.identityId, evidenceId))
}

interface Saved {
  readonly identityId: string
  readonly evidenceId: string
  readonly reading: ChipReading
  readonly image: StoredImage | null
}

/** Returns the files of an earlier reading, to be removed after the commit. */
function saveInOne(
  ctx: Context,
  caller: Caller,
  { identityId, evidenceId, reading, image }: Saved,
): readonly StoredImage[] {
  const { identity, evidence } = requireReadable(ctx, caller, identityId, evidenceId)
  const now = ctx.clock.now()
  const { images, evidences, jobs, events } = ctx.store
  const earlier = images
    .listByEvidence(evidenceId)
    .filter(({ kind }) => kind === 'CHIP_FILES' || kind === 'CHIP_PORTRAIT')
  requireRoom(ctx, identity, { jobs: 1, bytes: image ? images.measureSize(image) : 0 })
  recordCall(
    ctx,
    caller,
    { identityId: identity.id, subjectId: evidenceId, name: 'EVIDENCE_NFC_VERIFICATION', kind: 'ADD' },
    200,
  )
  for (const one of earlier) images.dropRow(one)
  if (image) images.addRow(image)
  const earlierFailures = STANDING_CHECKS.filter(
    (check) => findOutcome(evidence.evaluation, check) === 'failed',
  )
  const chip = earlierFailures.length > 0 ? { ...reading, earlierFailures } : reading
  const content = { ...evidence.content, chip }
  evidences.save(moveEvidence({ ...evidence, content }, 'PROCESSING'))
  jobs.add('verify-evidence', identity.id, { evidenceId }, now)
  const body = { evidenceId, type: evidence.type }
  events.append('evidence.submitted', identity.id, body, now, toActor(caller))
  evaluateIdentity(ctx, identity.id)
  return earlier
}

/** Throws the errors of `saveReading`. */
export function requireReadable(
  ctx: Context,
  caller: Caller,
  identityId: string,
  evidenceId: string,
): { readonly identity: Identity; readonly evidence: Evidence } {
  const identity = requireIdentity(ctx, caller, identityId, 'ACT')
  const evidence = ctx.store.evidences.get(identity.id, evidenceId)
  requireAllowedFor(ctx, identity, evidence)
  if (deriveKind(evidence) !== 'IDDOCUMENT')
    throw new AppError('transition_refused', { reason: 'no_photographed_document' })
  if (evidence.status === 'PROCESSING') throw new AppError('identity_processing')
  if (evidence.status === 'ADJUDICATION' || isDecidedByPerson(evidence))
    throw new AppError('transition_refused', { reason: 'decided_by_person' })
  return { identity, evidence }
}
