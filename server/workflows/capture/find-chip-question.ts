/** Finds out whether the chip of a document may be read at a screen of this machine, and how far its reading is. */
import type { Context } from '../../context.ts'
import { isDecidedByPerson } from '../../proofing/adjudication-outcome.ts'
import type { Evidence } from '../../proofing/evidence.ts'
import type { Caller } from '../../proofing/types.ts'
import { requireIdentity } from '../access/reach.ts'
import { canReadChip, viewReading, type ChipReadingView } from './read-chip.ts'

/** Documents with a chip that ICAO Doc 9303 describes. Driving licences have another one. */
const CHIP_DOCUMENTS = ['PASSPORT', 'IDENTITY_CARD', 'RESIDENT_CARD'] as const
export type ChipDocumentType = (typeof CHIP_DOCUMENTS)[number]

export interface ChipQuestion {
  readonly documentType: ChipDocumentType
  /** Null if none was begun since the start of the appliance. */
  readonly reading: ChipReadingView | null
  /** A reading was begun, or what was read is stored. */
  readonly isBegun: boolean
  /** The chip was opened, and what it gave is stored: there is nothing more to do. */
  readonly isOver: boolean
}

/** Null without a reader, without an MRZ, for another kind of document, and after a person has decided. Throws `not_found`. */
export async function findChipQuestion(
  ctx: Context,
  caller: Caller,
  identityId: string,
  evidenceId: string,
): Promise<ChipQuestion | null> {
  const { id } = requireIdentity(ctx, caller, identityId, 'READ')
  return describeChipQuestion(ctx, ctx.store.evidences.get(id, evidenceId))
}

/** Null as above. */
export function describeChipQuestion(ctx: Context, evidence: Evidence): ChipQuestion | null {
  const documentType = CHIP_DOCUMENTS.find((type) => type === evidence.content.document?.idDocumentType)
  if (!documentType || !canReadChip(ctx, evidence)) return null
  if (evidence.status === 'ADJUDICATION' || isDecidedByPerson(evidence)) return null
  const reading = viewReading(ctx, evidence.id)
  const { chip } = evidence.content
  return {
    documentType,
    reading,
    isBegun: reading !== null || chip !== undefined,
    isOver: chip?.protocols?.access === 'successful',
  }
}
