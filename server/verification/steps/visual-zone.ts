/**
 * Checks that the VIZ was read and agrees with MRZ and barcode. A difference goes to an officer: it may be a
 * forgery or an error of the issuer.
 */
import type { Comparison } from '../../proofing/consistency.ts'
import { resultError } from '../../proofing/error-codes.ts'
import type { CheckOutcome, Finding } from '../../proofing/judge.ts'
import { isAcceptableReading } from '../../proofing/mrz/acceptance.ts'
import { checkPrinted } from '../../proofing/mrz/checks.ts'
import { fieldOfCheck } from '../../proofing/mrz/doubted-field.ts'
import { compareVisualZone, type FieldComparison } from '../../proofing/visual-zone/compare.ts'
import type { PageFacts, PageFieldName } from '../../proofing/visual-zone/page-facts.ts'
import { listReadLines } from '../../proofing/visual-zone/read-lines.ts'
import { listOrigins } from '../../proofing/verified-values.ts'
import type { PageText } from '../../vision/protocol.ts'
import { buildDocumentData } from '../data-of-document.ts'
import type { ReadDocument } from '../read-document.ts'
import { documentStep } from '../subject.ts'

export const visualZone = documentStep('visual-zone', async (subject, tools) => {
  const pages = await tools.pages()
  const document = await tools.document()
  const data = buildDocumentData(document, subject.declaredType)
  return {
    findings: [reading(document.page, pages), visualZoneMatch(document)],
    models: pages.flatMap(({ models }) => models),
    ...(data ? { origins: listOrigins(data, pickSources(document)) } : {}),
    readLines: listReadLines({
      page: document.page,
      pages: pages.map(({ lines, frame = null }) => ({ lines, frame })),
      mrz: document.mrz && {
        facts: document.mrz.facts,
        isSure: isAcceptableReading(document.mrz.reading),
        captureIndex: document.mrz.captureIndex,
        // A further frame is not stored, so its band cannot be used to cut out a line.
        band: document.mrz.reading.frame === 0 ? document.mrz.reading.band : null,
      },
      licence: document.licence?.facts ?? null,
    }),
  }
})

const pickSources = ({ mrz, licence, page }: ReadDocument) => ({
  mrz: mrz?.facts ?? null,
  licence: licence?.facts ?? null,
  page,
})

/** Fields that identify the holder: one of each row is required. */
export const NEEDED: readonly (readonly PageFieldName[])[] = [
  ['surname', 'fullName'],
  ['birthDate'],
  ['documentNumber'],
]

function reading(
  { fields, template, scriptsNotRead = [], lettersNotRead = [], unreadLines = 0 }: PageFacts,
  pages: readonly PageText[],
): Finding {
  const has = (names: readonly PageFieldName[]) => fields.some(({ field }) => names.includes(field))
  return {
    check: 'VISUAL_ZONE_READING',
    outcome: NEEDED.every(has) ? 'passed' : 'inconclusive',
    measured: {
      lines: pages.reduce((sum, { lines }) => sum + lines.length, 0),
      fields: fields.length,
      template: template ?? 'none',
      unreadLines,
      scriptsNotRead: scriptsNotRead.join(' ') || 'none',
      lettersNotRead: lettersNotRead.join(' ') || 'none',
    },
  }
}

/** Every MRZ or barcode that can agree with the VIZ states these fields. */
const ALWAYS_STATED: readonly PageFieldName[] = ['surname', 'birthDate', 'documentNumber']
/**
 * Fields that must agree where MRZ or barcode states them. Doc 9303 (parts 4, 5 and 7) and AAMVA (D.12.3)
 * require name and expiry date in the VIZ: a field that was not found is unread, not absent, and may be
 * forged.
 */
const DECIDING: readonly PageFieldName[] = [...ALWAYS_STATED, 'givenNames', 'expiryDate']

/** Also an authenticity signal. */
export function visualZoneMatch({ page, mrz, licence }: ReadDocument): Finding {
  const read = compareVisualZone(page, mrz?.facts ?? null, licence?.facts ?? null)
  const compared = mayBeMisread(mrz, read) ? read.map(withoutDifference) : read
  const count = (comparison: Comparison) =>
    compared.filter((result) => result.comparison === comparison).length
  const different = compared.filter(({ comparison }) => comparison === 'different')
  const outcome = judgeComparisons(compared)
  const doubted = outcome === 'inconclusive' ? compared.filter((one) => needsPerson(mrz, one)) : []
  return {
    check: 'VISUAL_ZONE_MATCH',
    outcome,
    ...(doubted.length > 0 ? { withholds: true, errors: doubted.map(toDoubt) } : {}),
    measured: {
      same: count('same'),
      different: different.length,
      unclear: count('unclear'),
      ...(count('unclear') > 0 ? { unclearFields: joinFieldNames(compared, 'unclear') } : {}),
    },
    ...(different.length === 0 ? {} : { errors: different.map(toError) }),
  }
}

/**
 * Both text recognisers saw a different, similar-looking character than MRZ or barcode has. That is rarely a
 * reading error and often a forger's choice, so an officer must compare them before the document is verified.
 */
function needsPerson(
  mrz: ReadDocument['mrz'],
  { against, field, isRead, isDoubted }: FieldComparison,
): boolean {
  if (against === 'zone' && (mrz === null || !isAcceptableReading(mrz.reading))) return false
  return isDoubted && isRead && DECIDING.includes(field)
}

/**
 * Detects sides of two documents: whole fields on the side without the MRZ differ from it, and none agrees.
 */
export function areTwoDocuments({ page, mrz }: ReadDocument): boolean {
  if (mrz === null) return false
  const { captureIndex } = mrz
  const read = compareVisualZone(page, mrz.facts, null)
  const compared = read.filter(
    ({ field }) =>
      DECIDING.includes(field) &&
      page.fields.some((printed) => printed.field === field && printed.captureIndex !== captureIndex),
  )
  const differing = compared.filter(({ comparison }) => comparison === 'different')
  return (
    differing.length >= MIN_DIFFERING &&
    !compared.some(({ comparison }) => comparison === 'same') &&
    !mayBeMisread(mrz, read)
  )
}
/** A single differing field may be a forgery or an error of the issuing officer. */
const MIN_DIFFERING = 2

const joinFieldNames = (compared: readonly FieldComparison[], wanted: Comparison): string =>
  [...new Set(compared.filter(({ comparison }) => comparison === wanted).map(({ field }) => field))].join(' ')

/**
 * Differences may come from a misread MRZ. Two differing fields whose own check digits pass do not: a reading
 * error changes one character, while sides of two cards differ in whole fields.
 */
function mayBeMisread(mrz: ReadDocument['mrz'], read: readonly FieldComparison[]): boolean {
  if (mrz === null || isAcceptableReading(mrz.reading)) return false
  const guarded = checkPrinted(mrz.reading)
    .filter(({ outcome }) => outcome === 'passed')
    .map(({ check }) => fieldOfCheck(check))
  const differing = read.filter(
    ({ against, comparison, field }) =>
      against === 'zone' && comparison === 'different' && guarded.includes(field),
  )
  return differing.length < 2
}

function withoutDifference(result: FieldComparison): FieldComparison {
  const isOfMrz = result.against === 'zone' && result.comparison === 'different'
  return isOfMrz ? { ...result, comparison: 'unclear' } : result
}

function judgeComparisons(compared: readonly FieldComparison[]): CheckOutcome {
  if (compared.some(({ comparison }) => comparison === 'different')) return 'failed'
  const isUncertain = compared.some(
    ({ field, comparison, isRead, isDoubted }) =>
      (comparison === 'unclear' && isRead && DECIDING.includes(field)) || (isDoubted && field === 'sex'),
  )
  if (isUncertain) return 'inconclusive'
  const agree = (['zone', 'barcode'] as const).some((against) => {
    const stated = compared.filter((result) => result.against === against && DECIDING.includes(result.field))
    return (
      stated.every(({ comparison }) => comparison === 'same') &&
      ALWAYS_STATED.every((name) => stated.some(({ field }) => field === name))
    )
  })
  return agree ? 'passed' : 'inconclusive'
}

// The spec has no code for a document that contradicts itself.
const toError = ({ field, against }: FieldComparison) =>
  resultError('1599', { message: DIFFERENT[against], field })

const toDoubt = ({ field, against }: FieldComparison) =>
  resultError('1599', { message: DOUBTED[against], field })

const DOUBTED: Readonly<Record<FieldComparison['against'], string>> = {
  zone: 'the printed text may differ from the machine-readable lines in one character: an officer must compare them',
  barcode: 'the printed text may differ from the barcode in one character: an officer must compare them',
}

const DIFFERENT: Readonly<Record<FieldComparison['against'], string>> = {
  zone: 'the printed text differs from the machine-readable lines',
  barcode: 'the printed text differs from the barcode',
}
