/**
 * Checks that the picture shows a document that can be read. A failure requests another picture with the
 * spec's code.
 */
import {
  listFaultCodes,
  DOCUMENT_MISSING,
  judgePicture,
  PICTURE_CODES,
  type PictureCode,
  type PictureFinding,
} from '../../proofing/document-quality.ts'
import { resultError } from '../../proofing/error-codes.ts'
import type { Finding } from '../../proofing/judge.ts'
import { legibleSides } from '../../proofing/legibility.ts'
import { isAcceptableReading } from '../../proofing/mrz/acceptance.ts'
import { parseAamva } from '../../proofing/aamva/parse.ts'
import { isDocumentSeen, toPictureMeasures } from '../picture-measures.ts'
import { showsDocument } from '../shows-document.ts'
import { SEVERAL_DOCUMENTS, showsSeveral } from '../shows-several.ts'
import { documentStep, type DocumentSubject, type StepTools } from '../subject.ts'

const CHECKS: Readonly<Record<PictureCode, Finding['check']>> = {
  '1531': 'DARK_IMAGE_QUALITY',
  '1532': 'GLARE_IMAGE_QUALITY',
  '1533': 'BLUR_IMAGE_QUALITY',
  '1535': 'DOCUMENT_DETECTION',
  '1539': 'KEYSTONE_IMAGE_QUALITY',
  '1540': 'CAPTURE_TOO_CLOSE_CHECK',
  '1541': 'CAPTURE_TOO_FAR_CHECK',
}

/** Findings about position and sharpness. A successful reading overrides them. */
const SHOWN_BY_READING: readonly PictureCode[] = ['1533', '1535', '1539', '1540', '1541']

const ANGLE_ALONE: readonly PictureCode[] = ['1539']

export const documentQuality = documentStep('document-quality', async (subject, tools) => {
  const sides = await tools.sides()
  const shown = sides.some(isDocumentSeen)
  const pictures = sides.map((side) => {
    const findings = judgePicture(toPictureMeasures(side), tools.thresholds)
    // If another side shows a document, a lit picture that shows none may be an empty back.
    return shown && !isDocumentSeen(side) ? findings.filter(({ code }) => code === '1531') : findings
  })
  const read = await withoutWhatReadingShows(pictures, subject, tools)
  const judged = isCut(read) && !(await showsDocument(tools)) ? read.map(asNoDocument) : read
  const findings = PICTURE_CODES.map((code) => toFinding(code, judged))
  return { findings: showsSeveral(sides) ? [...findings, SEVERAL_DOCUMENTS] : findings, models: [] }
})

const isCut = (pictures: readonly (readonly PictureFinding[])[]): boolean =>
  pictures.some((findings) => listFaultCodes(findings).includes('1535'))

/** A cropped object without any sign of a document is no document: showing all its corners would not help. */
const asNoDocument = (findings: readonly PictureFinding[]): readonly PictureFinding[] =>
  findings.map((finding) =>
    finding.code === '1535' && finding.failed === true ? { ...finding, field: DOCUMENT_MISSING } : finding,
  )

/**
 * Applies to uploads on which the document was read. A live capture keeps its limits, because the applicant
 * can still meet them.
 */
async function withoutWhatReadingShows(
  pictures: readonly (readonly PictureFinding[])[],
  { isLive }: DocumentSubject,
  tools: StepTools,
): Promise<readonly (readonly PictureFinding[])[]> {
  const isDoubted = pictures.some((findings) =>
    findings.some(({ code, failed }) => failed === true && SHOWN_BY_READING.includes(code)),
  )
  if (isLive === true || !isDoubted) return pictures
  const { page } = await tools.document()
  const barcodes = await tools.barcodes()
  const readings = (await tools.sides()).map(({ mrz, mrzBand }, i) => ({
    hasSureMrz: mrz !== null && isAcceptableReading(mrz),
    hasUnreadMrz: mrz === null && mrzBand !== null,
    hasBarcode: barcodes[i].symbols.some(({ text }) => text !== null && parseAamva(text) !== null),
  }))
  const legible = legibleSides(readings, page)
  // The angle of an empty back or a second page is only an estimate; the other side supplied the data.
  const isReadBeside = (side: number) =>
    !readings[side].hasUnreadMrz &&
    readings.some((other, at) => at !== side && (other.hasSureMrz || other.hasBarcode))
  return pictures.map((findings, side) => {
    const shown = legible[side] ? SHOWN_BY_READING : isReadBeside(side) ? ANGLE_ALONE : []
    return findings.map((finding) => (shown.includes(finding.code) ? { ...finding, failed: false } : finding))
  })
}

/**
 * Fails if the code is among the most severe faults of any picture. Inconclusive if a more severe fault hides
 * it.
 */
function toFinding(code: PictureCode, pictures: readonly (readonly PictureFinding[])[]): Finding {
  const check = CHECKS[code]
  const failing = pictures.find((findings) => listFaultCodes(findings).includes(code))
  const all = (failing ? [failing] : pictures).flat().filter((finding) => finding.code === code)
  const [finding] = all.filter(({ failed }) => failed !== null)
  if (!finding) return { check, outcome: 'inconclusive' }
  const { measured, field } = finding
  if (failing) {
    const about = field && { message: 'there is no document in the picture', field }
    return { check, outcome: 'failed', measured, errors: [resultError(code, about)] }
  }
  return { check, outcome: all.some(({ failed }) => failed === true) ? 'inconclusive' : 'passed', measured }
}
