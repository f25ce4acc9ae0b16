/** The document: its kind, its pictures, and a change to another document. */
import { AppError, fieldProblem } from '../../errors.ts'
import { usualSides } from '../../proofing/capture-session.ts'
import { ALPHA_2, SPECIMEN_COUNTRY } from '../../proofing/country-codes.ts'
import { DOCUMENT_TYPES } from '../../proofing/types.ts'
import type { DocumentType, Upload } from '../../proofing/types.ts'
import type { CountryView, DocumentChoice, OpenedCapture } from '../contract/visit.ts'
import { withAttempt } from '../capture-state.ts'
import type { DocumentChoiceFacts } from '../facts.ts'
import { requireStep, change, requireIdentity, OUR_SCREENS, type Kit, type Turn } from '../kit.ts'
import { getCapture, type Known } from '../known.ts'
import { mayUpload } from '../step-views.ts'
import { abandonCapture } from './capture.ts'

/** Lists the countries whose documents this appliance reads, those of the branch first. */
export async function listCountries({ deps }: Kit): Promise<readonly CountryView[]> {
  const first = deps.journey.steps.flatMap((step) => (step.kind === 'document' ? step.countriesFirst : []))
  const listed = (await deps.workflows.listSupportedCountries()).flatMap(
    ({ iso3CountryCode: iso3, documents }): CountryView[] => {
      const iso2 = ALPHA_2.get(iso3)
      const types = documents.map(({ documentType }) => documentType)
      const kinds = DOCUMENT_TYPES.filter((type) => types.includes(type))
      return iso2 === undefined || kinds.length === 0
        ? []
        : [{ iso3, iso2, name: null, first: first.includes(iso3), documents: kinds }]
    },
  )
  // Utopia has documents of every kind, to try the machine with specimens.
  const specimens: readonly CountryView[] =
    deps.settings.tenantMode === 'test'
      ? [{ ...SPECIMEN_COUNTRY, first: true, documents: listDocumentTypes(listed) }]
      : []
  const all = [...listed, ...specimens]
  const rank = ({ iso3 }: CountryView): number => {
    const place = first.indexOf(iso3)
    return place < 0 ? first.length : place
  }
  return all.sort((a, b) => rank(a) - rank(b) || Number(b.first) - Number(a.first))
}

function listDocumentTypes(countries: readonly CountryView[]): readonly DocumentType[] {
  return DOCUMENT_TYPES.filter((type) => countries.some(({ documents }) => documents.includes(type)))
}

/** Throws `validation_failed` for a document that this appliance does not read. */
export async function chooseDocument(turn: Turn, choice: DocumentChoice): Promise<void> {
  const known = await requireStep(turn, 'document')
  requireUndecided(known)
  const country = (await listCountries(turn.kit)).find(({ iso3 }) => iso3 === choice.country)
  if (!country) throw fieldProblem('unknown', 'country', 'is none whose documents are read here')
  if (!country.documents.includes(choice.documentType)) {
    throw fieldProblem('unknown', 'documentType', 'is not read of this country')
  }
  await abandonCapture(turn, 'document')
  change(turn, {
    choice: { ...choice, sides: usualSides(choice.documentType) },
    isChoosing: false,
    heldFront: null,
  })
}

export async function dropChoice(turn: Turn): Promise<void> {
  await withoutChoice(turn, { isChoosing: true })
  turn.kit.record.did(turn.session, 'BY_HAND')
}
export const letDocumentTell = (turn: Turn): Promise<void> => withoutChoice(turn, { isChoosing: false })

async function withoutChoice(turn: Turn, next: { readonly isChoosing: boolean }): Promise<void> {
  const known = await requireStep(turn, 'document')
  requireUndecided(known)
  await abandonCapture(turn, 'document')
  change(turn, { choice: null, heldFront: null, ...next })
}

export async function openDocument(turn: Turn): Promise<OpenedCapture> {
  const known = await requireStep(turn, 'document')
  const choice = requireWanted(known)
  const { kit, session, caller } = turn
  const { workflows } = kit.deps
  await abandonCapture(turn, 'document')
  const opened = await workflows.openDocumentSession(
    caller,
    requireIdentity(turn),
    choice
      ? { issuingCountry: choice.country, idDocumentType: choice.documentType, sidesToCapture: choice.sides }
      : {},
  )
  const current = { evidenceId: opened.id, sessionId: opened.sessionId }
  change(turn, {
    document: withAttempt(session.facts.document, getCapture(known, 'document'), current),
    heldFront: null,
  })
  const { expiresAt } = await workflows.getCaptureSession(opened.sessionId)
  return { sessionId: opened.sessionId, sides: opened.sidesToCapture, expiresAt: expiresAt.toISOString() }
}

/**
 * Takes one file per side; a PDF has both sides. If a file cannot be used, the stored front is dropped and
 * the applicant begins with the front again.
 */
export async function sendDocumentFile(turn: Turn, file: Upload): Promise<void> {
  const known = await requireStep(turn, 'document')
  const choice = requireWanted(known)
  if (!mayUpload(known, 'document')) throw new AppError('forbidden', { reason: 'no_upload' })
  const { kit, session, caller } = turn
  const { heldFront } = session.facts
  const isWhole = file.declaredType === 'application/pdf' || heldFront !== null
  if (!isWhole && (await chooseSides(turn, choice, file)).length > 1) {
    change(turn, { heldFront: file })
    return
  }
  change(turn, { heldFront: null })
  await abandonCapture(turn, 'document')
  const details = {
    ...OUR_SCREENS,
    ...(choice ? { jurisdiction: choice.country, documentType: choice.documentType } : {}),
  }
  const sides = heldFront ? { front: heldFront, back: file } : { front: file }
  const { id } = await kit.deps.workflows.submitDocument(caller, requireIdentity(turn), { ...sides, details })
  const current = { evidenceId: id, sessionId: null }
  change(turn, {
    document: withAttempt(session.facts.document, getCapture(known, 'document'), current),
  })
}

/** Refuses another choice while pictures are being checked. */
function requireUndecided(known: Known): void {
  const { state } = getCapture(known, 'document')
  if (state === 'CHECKING' || state === 'DONE') throw new AppError('transition_refused', { state })
}

function requireWanted(known: Known): DocumentChoiceFacts | null {
  requireUndecided(known)
  const { choice, isChoosing } = known.facts
  if (isChoosing) throw new AppError('transition_refused', { state: 'CHOOSE' })
  return choice
}

async function chooseSides({ kit }: Turn, choice: DocumentChoiceFacts | null, file: Upload) {
  if (choice) return choice.sides
  const { documentType } = await kit.deps.workflows.recognisePicture(file)
  return usualSides(documentType ?? undefined)
}
