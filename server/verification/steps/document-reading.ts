/**
 * What does the document say, and is it known for certain? The zone comes before the barcode, and that before the print: what
 * corrects its own errors goes first.
 */
import { readingOutcome } from '../../proofing/document-sources.ts'
import { resultError } from '../../proofing/error-codes.ts'
import type { IdDocumentData } from '../../proofing/evidence.ts'
import type { CheckOutcome, Finding } from '../../proofing/judge.ts'
import { isAcceptableReading } from '../../proofing/mrz/acceptance.ts'
import type { ResultError } from '../../proofing/types.ts'
import type { PageFieldName } from '../../proofing/visual-zone/page-facts.ts'
import { codedNumberOf, dataOf } from '../data-of-document.ts'
import { dimErrors } from '../picture-measures.ts'
import type { ReadDocument } from '../read-document.ts'
import { documentStep, type DocumentSubject } from '../subject.ts'
import { several, showsSeveral } from './document-quality.ts'
import { areTwoDocuments, NEEDED, visualZoneMatch } from './visual-zone.ts'

export const documentReading = documentStep('document-reading', async (subject, tools) => {
  const document = await tools.document()
  const isSeenAsSeveral = showsSeveral(await tools.sides())
  // Of two documents there is no value that is both's: neither is taken for the person's.
  const isOne = !isSeenAsSeveral && !areTwoDocuments(document)
  const data = isOne ? dataOf(document, subject.declaredType) : null
  const dim = dimErrors(await tools.sides(), tools.thresholds)
  const findings = [reading(document, dim), ...jurisdictionFinding(subject, data)]
  // The kind that a zone names was compared with the declared one by mrz-check.
  const kind = data && !document.zone ? kindFinding(subject, data) : null
  return {
    findings: [...findings, ...(kind ? [kind] : []), ...(isOne || isSeenAsSeveral ? [] : [several])],
    models: [],
    ...(data ? { facts: { type: data.idDocumentType, data } } : {}),
  }
})

function reading(document: ReadDocument, dim: readonly ResultError[]): Finding {
  const { zone, licence, classification } = document
  const check = 'DOCUMENT_READING'
  const outcome = readingOutcome({
    zone: zone && (isAcceptableReading(zone.reading) ? 'passed' : 'inconclusive'),
    barcode: barcodeOutcome(document),
    codedNumber: codedNumberOutcome(document),
  })
  const measured = { layout: classification.layout, sources: sourcesOf(zone !== null, licence !== null) }
  if (outcome === 'passed') return { check, outcome, measured }
  return { check, outcome, measured, errors: zone ? [] : [...dim, uncertain(document)] }
}

/** Names the field that alone is missing of those that say whose document it is; where several are, none is the reason. */
function uncertain({ licence, page }: ReadDocument): ResultError {
  const isPrinted = (names: readonly PageFieldName[]) =>
    page.fields.some(({ field }) => names.includes(field))
  // Of a card with a barcode it is the barcode that says too little.
  const missing = licence ? [] : NEEDED.filter((names) => !isPrinted(names))
  return resultError('1543', {
    message: 'the print on the document could not be read for certain',
    ...(missing.length === 1 ? { field: missing[0][0] } : {}),
  })
}

function sourcesOf(zone: boolean, barcode: boolean): string {
  return [zone ? 'zone' : '', barcode ? 'barcode' : ''].filter((name) => name !== '').join('+') || 'print'
}

/** A number that repeats the sound of a surname and no more is too little to be a second witness. */
function codedNumberOutcome(document: ReadDocument): CheckOutcome {
  const coded = codedNumberOf(document)
  return coded?.repeats === 'all' ? coded.outcome : 'inconclusive'
}

/**
 * A card that does not say who was born when has said nothing for certain. What a scanner typed was not seen on the card
 * before the camera: it counts where the print says the same.
 */
function barcodeOutcome(document: ReadDocument): CheckOutcome | null {
  const { licence } = document
  if (!licence) return null
  const { documentNumber, surname, birthDate } = licence.facts
  const isWhole = documentNumber !== '' && surname !== '' && birthDate !== null
  const isSeen = !licence.scanned || visualZoneMatch(document).outcome === 'passed'
  return isWhole && isSeen ? 'passed' : 'inconclusive'
}

/** What the sender said of the issuer against what the document says. */
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
