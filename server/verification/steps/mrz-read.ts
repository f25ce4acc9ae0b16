/** Checks that the MRZ was read and that two independent recognisers agree on every character. */
import { DOCUMENT_MISSING, judgePicture } from '../../proofing/document-quality.ts'
import { expectsMrz } from '../../proofing/document-sources.ts'
import { resultError } from '../../proofing/error-codes.ts'
import type { Finding } from '../../proofing/judge.ts'
import { isAcceptableReading } from '../../proofing/mrz/acceptance.ts'
import { doubtedField } from '../../proofing/mrz/doubted-field.ts'
import type { PageFacts } from '../../proofing/visual-zone/page-facts.ts'
import type { DocumentMeasurement, MrzReading } from '../../vision/protocol.ts'
import { addDimLightError, isDocumentSeen, toPictureMeasures } from '../picture-measures.ts'
import type { ReadDocument } from '../read-document.ts'
import { showsDocument } from '../shows-document.ts'
import { documentStep, sideWithMrz, type DocumentSubject, type StepTools } from '../subject.ts'

/** Field of error 1543 for a mirrored picture. */
const MIRRORED = 'MIRRORED_PICTURE'

export const mrzRead = documentStep('mrz-read', async (subject, tools) => {
  const sides = await tools.sides()
  const mrz = sideWithMrz(sides)?.mrz
  if (!mrz)
    return {
      findings: (await isMrzExpected(subject, tools)) ? [await missing(subject, tools)] : [],
      models: [],
    }
  return {
    findings: [reading(mrz), agreement(mrz)],
    models: mrz.recogniserReadings.map((reading) => reading.model),
  }
})

async function isMrzExpected({ declaredType }: DocumentSubject, tools: StepTools): Promise<boolean> {
  const bandSeen = (await tools.sides()).some((side) => side.mrzBand !== null)
  const { classification, licence } = await tools.document()
  const { layout } = classification
  return expectsMrz({ declaredType, layout, licence: licence?.facts ?? null, bandSeen })
}

/**
 * An object with edges but without any sign of a document is not a document: a receipt, a letter, a loyalty
 * card.
 */
async function missing(subject: DocumentSubject, tools: StepTools): Promise<Finding> {
  const sides = await tools.sides()
  const { licence, page } = await tools.document()
  // A live capture shows a preview and takes the next picture immediately.
  const isNothingRead = licence === null && page.fields.every(({ foundBy }) => foundBy === 'form')
  if (isNothingRead && subject.isLive !== true && (await tools.isMirrored())) return mirrored
  if (!(await showsDocument(tools))) return noDocument
  // Reading the rest excused a cropped picture, but without the MRZ the crop is the reason. A side that shows
  // no part of a document is ignored: its barcode may still have been read.
  const isCut = sides
    .filter(isDocumentSeen)
    .some((side) =>
      judgePicture(toPictureMeasures(side), tools.thresholds).some(
        ({ code, failed }) => code === '1535' && failed,
      ),
    )
  if (isCut) return { ...unreadable, errors: [resultError('1535'), resultError('1543')] }
  if (isFrontAlone(subject, sides, tools.thresholds, await tools.document())) return backMissing
  return { ...unreadable, errors: [...addDimLightError(sides, tools.thresholds), resultError('1543')] }
}

/** Cards of this size have their MRZ on the back (Doc 9303 part 5), larger ones on the front (part 6). */
const WITH_MRZ_ON_BACK: readonly (PageFacts['kind'] | null)[] = ['IDENTITY_CARD', 'RESIDENT_CARD']

/** Tells whether only the front of a card was shown, so that the MRZ on its back is missing. */
function isFrontAlone(
  { back, declaredType }: DocumentSubject,
  sides: readonly DocumentMeasurement[],
  { dimLuminance }: StepTools['thresholds'],
  { classification, page }: ReadDocument,
): boolean {
  const { layout } = classification
  const isCard = layout === 'TD1' || (layout === 'UNKNOWN' && isCardByName(page.kind, declaredType))
  return (
    back === null &&
    isCard &&
    classification.sides[0] === 'FRONT' &&
    sides.every(({ mrzBand, quality }) => mrzBand === null && quality.luminanceMean >= dimLuminance)
  )
}

const isCardByName = (read: PageFacts['kind'], declared: DocumentSubject['declaredType']): boolean =>
  WITH_MRZ_ON_BACK.some((kind) => kind === (read ?? declared))

const backMissing: Finding = {
  check: 'MRZ_READING',
  outcome: 'failed',
  errors: [
    resultError('1508', {
      message: 'the machine-readable lines are on the back of this card: photograph the back too',
    }),
    resultError('1543'),
  ],
}

const mirrored: Finding = {
  check: 'MRZ_READING',
  outcome: 'failed',
  errors: [
    resultError('1543', {
      message: 'the picture is mirrored: send it without mirroring',
      field: MIRRORED,
    }),
  ],
}

const noDocument: Finding = {
  check: 'MRZ_READING',
  outcome: 'failed',
  errors: [
    resultError('1543', {
      message: 'the picture shows no identity document',
      field: DOCUMENT_MISSING,
    }),
  ],
}

// Code 1543 is an extension: the spec has a code for an unreadable barcode (1542) but none for the MRZ.
const unreadable: Finding = { check: 'MRZ_READING', outcome: 'failed' }

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
  const measured = { witnesses: mrz.recogniserReadings.length }
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
