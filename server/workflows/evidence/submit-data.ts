/**
 * Takes typed data: addresses, attributes, text documents and Medicare cards. The appliance cannot inspect originals. It
 * checks the data by rule, compares it with the elected document, and leaves it NOT_VERIFIED until a source confirms it.
 */
import type { Context } from '../../context.ts'
import { AppError, type FieldProblem } from '../../errors.ts'
import type {
  AddressData,
  Evidence,
  EvidenceFamily,
  IdDocumentData,
  PersonalAttributes,
} from '../../proofing/evidence.ts'
import { unverifiedAddress, unverifiedAttributes, type Submitted } from '../../proofing/submitted.ts'
import type { Identity } from '../../proofing/identity.ts'
import type { Caller, DocumentType } from '../../proofing/types.ts'
import { submitData } from './add-evidence.ts'
import { electedView } from '../identity/elected-view.ts'
import { requireIdentity } from '../access/reach.ts'
import { mustRedact } from '../identity/read-identity.ts'
import {
  viewAddress,
  viewAttributes,
  viewGlobalStatus,
  singleStatus,
  viewOptions,
  type EvidenceViewOptions,
} from '../identity/view.ts'

type Show = { readonly detailed: boolean }

/** Spec "IdentityAddress". */
type AddressInput = Submitted<AddressData> & { readonly referenceIds?: readonly string[] }

/** Spec "Text submission of an identity document". */
type TextDocumentInput = Submitted<Omit<IdDocumentData, 'address' | 'medicare' | 'mrz'>> & {
  readonly idDocumentType: DocumentType
  readonly address?: Omit<Submitted<AddressData>, 'streetDetails'> & {
    readonly streetDetails?: { readonly streetLines?: readonly string[] }
  }
}

/** Spec "Medicare card". */
interface MedicareInput {
  readonly cardNumber: string
  readonly cardType: 'B' | 'G' | 'Y'
  readonly issuingCountry?: string
  readonly expiryDate: string
  readonly fullname2?: string
  readonly fullname3?: string
  readonly fullname4?: string
  readonly individualReferenceNumber?: number
  readonly personalAttributes: Submitted<Pick<PersonalAttributes, 'fullname' | 'dateOfBirth'>>
}

/**
 * Recorded as ATTRIBUTES, because the spec has no operation name for an address; the family distinguishes it.
 */
export async function submitAddress(ctx: Context, caller: Caller, identityId: string, input: AddressInput) {
  const { identityId: id } = saveAddress(ctx, caller, identityId, input)
  return listAddresses(ctx, caller, id, { detailed: false })
}

export function saveAddress(ctx: Context, caller: Caller, identityId: string, input: AddressInput): Evidence {
  const { referenceIds, ...address } = input
  const { id } = requireIdentity(ctx, caller, identityId, 'ACT')
  if (referenceIds) requireEvidences(ctx, id, referenceIds)
  const content = { address: unverifiedAddress(address), ...(referenceIds ? { referenceIds } : {}) }
  return submitData(ctx, caller, id, { family: 'ADDRESS', type: 'ADDRESS', content }, 'ATTRIBUTES')
}

/** Throws `validation_failed` for an id that is no evidence of this identity. */
function requireEvidences(ctx: Context, identityId: string, evidenceIds: readonly string[]): void {
  const known = new Set(listEvidences(ctx, identityId).map(({ id }) => id))
  const problems = evidenceIds.flatMap((id, index): FieldProblem[] =>
    known.has(id)
      ? []
      : [
          {
            code: 'unknown_evidence',
            message: 'must be the id of an evidence of this identity',
            field: `referenceIds[${index}]`,
          },
        ],
  )
  if (problems.length > 0) throw new AppError('validation_failed', {}, { problems })
}

export async function listAddresses(ctx: Context, caller: Caller, identityId: string, show: Show) {
  const { identity, view } = openView(ctx, caller, identityId, show)
  const addresses = listEvidences(ctx, identity.id, 'ADDRESS').map(view(viewAddress))
  return { globalStatus: viewGlobalStatus(ctx, identity), addresses }
}

export async function getAddress(
  ctx: Context,
  caller: Caller,
  identityId: string,
  evidenceId: string,
  show: Show,
) {
  const { identity, view } = openView(ctx, caller, identityId, show)
  const evidence = ctx.store.evidences.get(identity.id, evidenceId)
  if (evidence.family !== 'ADDRESS') throw new AppError('not_found', { resource: 'evidence' })
  return { globalStatus: viewGlobalStatus(ctx, identity), address: view(viewAddress)(evidence) }
}

export async function submitAttributes(
  ctx: Context,
  caller: Caller,
  identityId: string,
  input: Submitted<PersonalAttributes>,
) {
  const content = { attributes: unverifiedAttributes<PersonalAttributes>(input) }
  submitData(ctx, caller, identityId, { family: 'ATTRIBUTES', type: 'ATTRIBUTES', content }, 'ATTRIBUTES')
  return listAttributes(ctx, caller, identityId, { detailed: false })
}

export async function listAttributes(ctx: Context, caller: Caller, identityId: string, show: Show) {
  const { identity, view } = openView(ctx, caller, identityId, show)
  const submitted = listEvidences(ctx, identity.id, 'ATTRIBUTES')
  const elected = electedView(ctx, identity, ctx.store.evidences.list(identity.id), {
    redacted: mustRedact(caller),
  })
  const attributes = (submitted.length > 0 ? submitted : prefilled(ctx, identity)).map(view(viewAttributes))
  return { globalStatus: viewGlobalStatus(ctx, identity), attributes, ...elected }
}

/**
 * Spec: "Attributes may be pre-filled from earlier verification": the values of the name reference, under its
 * own id.
 */
function prefilled(ctx: Context, { id, nameReferenceId }: Identity): readonly Evidence[] {
  const reference = listEvidences(ctx, id).find((evidence) => evidence.id === nameReferenceId)
  const { document, trustedClaim } = reference?.content ?? {}
  const attributes = document?.personalAttributes ?? trustedClaim?.shared?.personalAttributes
  if (reference?.status !== 'VERIFIED' || !attributes) return []
  return [{ ...reference, type: 'ATTRIBUTES', content: { attributes } }]
}

/** Returns the identity, and the view options of this caller. */
function openView(ctx: Context, caller: Caller, identityId: string, show: Show) {
  const identity = requireIdentity(ctx, caller, identityId, 'READ')
  const options = viewOptions(ctx, identity, { ...show, redacted: mustRedact(caller) })
  const view =
    <View>(of: (evidence: Evidence, options: EvidenceViewOptions) => View) =>
    (evidence: Evidence): View =>
      of(evidence, options(evidence))
  return { identity, view }
}

function listEvidences(ctx: Context, identityId: string, family?: EvidenceFamily) {
  return ctx.store.evidences
    .list(identityId)
    .filter((evidence) => !evidence.deletedAt && (family === undefined || evidence.family === family))
}

export async function submitTextDocument(
  ctx: Context,
  caller: Caller,
  identityId: string,
  input: TextDocumentInput,
) {
  const { personalAttributes, address, ...fields } = input
  const document: IdDocumentData = {
    ...fields,
    personalAttributes: unverifiedAttributes(personalAttributes),
    ...(address ? { address: documentAddress(address) } : {}),
  }
  return singleStatus(submitTyped(ctx, caller, identityId, document, 'ID_DOCUMENT'))
}

/** "Only the first two lines are used" (spec): the others are not stored. */
function documentAddress({
  streetDetails,
  ...parts
}: NonNullable<TextDocumentInput['address']>): AddressData {
  const streetLines = streetDetails?.streetLines?.slice(0, 2)
  return unverifiedAddress({ ...parts, ...(streetLines ? { streetDetails: { streetLines } } : {}) })
}

export async function submitMedicare(ctx: Context, caller: Caller, identityId: string, card: MedicareInput) {
  const { cardType, individualReferenceNumber, fullname2, fullname3, fullname4 } = card
  const document: IdDocumentData = {
    idDocumentType: 'MEDICARE',
    idDocumentNumber: card.cardNumber.replaceAll(' ', ''),
    // No other country issues it.
    issuingCountry: card.issuingCountry ?? 'AUS',
    expiryDate: card.expiryDate,
    personalAttributes: unverifiedAttributes(card.personalAttributes),
    medicare: {
      cardType,
      ...(individualReferenceNumber === undefined ? {} : { individualReferenceNumber }),
      furtherNames: [fullname2, fullname3, fullname4].filter((line) => line !== undefined),
    },
  }
  return singleStatus(submitTyped(ctx, caller, identityId, document, 'MEDICARE'))
}

function submitTyped(
  ctx: Context,
  caller: Caller,
  identityId: string,
  document: IdDocumentData,
  operation: 'ID_DOCUMENT' | 'MEDICARE',
) {
  const content = { document, submittedAsText: true as const }
  const type = document.idDocumentType
  return submitData(ctx, caller, identityId, { family: 'IDDOCUMENT', type, content }, operation)
}
