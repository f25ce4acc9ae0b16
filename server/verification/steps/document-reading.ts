/**
 * Reports the values of the document and whether they were read for certain. Precedence: MRZ, barcode, VIZ,
 * because check digits and error correction make the first two more reliable.
 */
import { readingOutcome } from '../../proofing/document-sources.ts'
import { resultError } from '../../proofing/error-codes.ts'
import type { IdDocumentData } from '../../proofing/evidence.ts'
import type { CheckOutcome, Finding } from '../../proofing/judge.ts'
import { isAcceptableReading } from '../../proofing/mrz/acceptance.ts'
import type { ResultError } from '../../proofing/types.ts'
import type { PageFieldName } from '../../proofing/visual-zone/page-facts.ts'
import { checkNumberCoding, buildDocumentData } from '../data-of-document.ts'
import { addDimLightError } from '../picture-measures.ts'
import type { ReadDocument } from '../read-document.ts'
import { SEVERAL_DOCUMENTS, showsSeveral } from '../shows-several.ts'
import { documentStep, type DocumentSubject } from '../subject.ts'
import { areTwoDocuments, NEEDED, visualZoneMatch } from './visual-zone.ts'

export const documentReading = documentStep('document-reading', async (subject, tools) => {
  const document = await tools.document()
  const isSeenAsSeveral = showsSeveral(await tools.sides())
  // If two documents are shown, the values of neither may be used.
  const isOne = !isSeenAsSeveral && !areTwoDocuments(document)
  const data = isOne ? buildDocumentData(document, subject.declaredType) : null
  const dim = addDimLightError(await tools.sides(), tools.thresholds)
  const findings = [reading(document, dim), ...jurisdictionFinding(subject, data)]
  // mrz-check has already compared the kind that the MRZ names with the declared kind.
  const kind = data && !document.mrz ? kindFinding(subject, data) : null
  return {
    findings: [
      ...findings,
      ...(kind ? [kind] : []),
      ...(isOne || isSeenAsSeveral ? [] : [SEVERAL_DOCUMENTS]),
    ],
    models: [],
    ...(data ? { facts: { type: data.idDocumentType, data } } : {}),
  }
})

function reading(document: ReadDocument, dim: readonly ResultError[]): Finding {
  const { mrz, licence, classification } = document
  const check = 'DOCUMENT_READING'
  const outcome = readingOutcome({
    mrz: mrz && (isAcceptableReading(mrz.reading) ? 'passed' : 'inconclusive'),
    barcode: barcodeOutcome(document),
    codedNumber: codedNumberOutcome(document),
  })
  const measured = { layout: classification.layout, sources: nameSources(mrz !== null, licence !== null) }
  if (outcome === 'passed') return { check, outcome, measured }
  return { check, outcome, measured, errors: mrz ? [] : [...dim, uncertain(document)] }
}

/**
 * Names the field if exactly one of the identifying fields is missing. If several are missing, no single
 * field is the reason.
 */
function uncertain({ licence, page }: ReadDocument): ResultError {
  const isPrinted = (names: readonly PageFieldName[]) =>
    page.fields.some(({ field }) => names.includes(field))
  // No printed field is named for a card with a barcode, because the barcode is incomplete.
  const missing = licence ? [] : NEEDED.filter((names) => !isPrinted(names))
  return resultError('1543', {
    message: 'the printed text on the document could not be read reliably',
    ...(missing.length === 1 ? { field: missing[0][0] } : {}),
  })
}

function nameSources(mrz: boolean, barcode: boolean): string {
  return [mrz ? 'zone' : '', barcode ? 'barcode' : ''].filter((name) => name !== '').join('+') || 'print'
}

/** A number that encodes only the sound of the surname is too weak to confirm the reading. */
function codedNumberOutcome(document: ReadDocument): CheckOutcome {
  const coded = checkNumberCoding(document)
  return coded?.repeats === 'all' ? coded.outcome : 'inconclusive'
}

/**
 * A barcode without number, surname or date of birth is not certain. The camera did not see the output of a
 * scanner: it counts only if the VIZ agrees.
 */
function barcodeOutcome(document: ReadDocument): CheckOutcome | null {
  const { licence } = document
  if (!licence) return null
  const { documentNumber, surname, birthDate } = licence.facts
  const isWhole = documentNumber !== '' && surname !== '' && birthDate !== null
  const isSeen = !licence.scanned || visualZoneMatch(document).outcome === 'passed'
  return isWhole && isSeen ? 'passed' : 'inconclusive'
}

/** Compares the issuer that the caller declared with the document's issuer. */
function jurisdictionFinding({ jurisdiction }: DocumentSubject, data: IdDocumentData | null): Finding[] {
  if (jurisdiction === null) return []
  const issuer = data?.issuingCountry
  const outcome = issuer === undefined ? 'inconclusive' : issuer === jurisdiction ? 'passed' : 'failed'
  return [{ check: 'JURISDICTION_MATCH', outcome }]
}

function kindFinding({ declaredType }: DocumentSubject, { idDocumentType }: IdDocumentData): Finding | null {
  if (declaredType === null) return null
  const outcome: CheckOutcome =
    idDocumentType === 'ID_DOCUMENT' ? 'inconclusive' : idDocumentType === declaredType ? 'passed' : 'failed'
  return { check: 'DOCUMENT_TYPE_MATCH', outcome }
}
