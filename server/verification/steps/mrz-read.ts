/** The machine-readable zone: was it read, and do two independent readers agree on every character? */
import { DOCUMENT_MISSING, findingsOf } from '../../proofing/document-quality.ts'
import { expectsZone } from '../../proofing/document-sources.ts'
import { resultError } from '../../proofing/error-codes.ts'
import type { Finding } from '../../proofing/judge.ts'
import { isAcceptableReading } from '../../proofing/mrz/acceptance.ts'
import { doubtedField } from '../../proofing/mrz/doubted-field.ts'
import type { MrzReading } from '../../vision/protocol.ts'
import { isDocumentSeen, measuresOf } from '../picture-measures.ts'
import { documentStep, sideWithMrz, type DocumentSubject, type StepTools } from '../subject.ts'

export const mrzRead = documentStep('mrz-read', async (subject, tools) => {
  const sides = await tools.sides()
  const mrz = sideWithMrz(sides)?.mrz
  if (!mrz)
    return { findings: (await isZoneExpected(subject, tools)) ? [await missing(tools)] : [], models: [] }
  return { findings: [reading(mrz), agreement(mrz)], models: mrz.witnesses.map((witness) => witness.model) }
})

async function isZoneExpected({ declaredType }: DocumentSubject, tools: StepTools): Promise<boolean> {
  const bandSeen = (await tools.sides()).some((side) => side.mrzBand !== null)
  const { classification, licence } = await tools.document()
  const { layout } = classification
  return expectsZone({ declaredType, layout, licence: licence?.facts ?? null, bandSeen })
}

/** Something with edges on which nothing of a document was found is none: a receipt, a letter, a shop's card. */
async function missing(tools: StepTools): Promise<Finding> {
  const sides = await tools.sides()
  const { classification, licence, page } = await tools.document()
  const isDocument =
    sides.some(({ mrzBand, portrait }) => mrzBand !== null || portrait !== null) ||
    licence !== null ||
    classification.evidence.some((evidence) => evidence === 'words' || evidence === 'template') ||
    page.fields.some(({ foundBy }) => foundBy !== 'form')
  if (!isDocument) return noDocument
  // The rest was read well enough to forgive that a part is missing: without the zone it is the reason.
  // A side on which nothing of it was seen says nothing of that: its barcode may have been read all the same.
  const isCut = sides
    .filter(isDocumentSeen)
    .some((side) =>
      findingsOf(measuresOf(side), tools.thresholds).some(({ code, failed }) => code === '1535' && failed),
    )
  return isCut ? { ...unreadable, errors: [resultError('1535'), resultError('1543')] } : unreadable
}

const noDocument: Finding = {
  check: 'MRZ_READING',
  outcome: 'failed',
  errors: [
    resultError('1543', {
      message: 'nothing in the picture shows an identity document',
      field: DOCUMENT_MISSING,
    }),
  ],
}

// 1543 is ours: the spec has a code for an unreadable barcode (1542), none for the zone.
const unreadable: Finding = {
  check: 'MRZ_READING',
  outcome: 'failed',
  errors: [resultError('1543')],
}

function reading(mrz: MrzReading): Finding {
  return {
    check: 'MRZ_READING',
    outcome: 'passed',
    measured: {
      format: mrz.format,
      lowestConfidence: Math.min(...mrz.characterConfidence.flat()),
      characterPitchPx: mrz.characterPitchPx,
      repairedCharacters: mrz.repaired.length,
      marginNats: mrz.marginNats,
    },
  }
}

function agreement(mrz: MrzReading): Finding {
  const measured = { witnesses: mrz.witnesses.length }
  if (isAcceptableReading(mrz)) return { check: 'MRZ_WITNESS_AGREEMENT', outcome: 'passed', measured }
  const field = doubtedField(mrz)
  return {
    check: 'MRZ_WITNESS_AGREEMENT',
    outcome: 'inconclusive',
    measured,
    errors: [
      resultError('1543', {
        message: 'some letters at the bottom of the document were hard to read',
        ...(field ? { field } : {}),
      }),
    ],
  }
}
