/** Is there a document in the picture, and can it be read? Failure asks for another picture, with the spec's code. */
import {
  codesOf,
  findingsOf,
  PICTURE_CODES,
  type PictureCode,
  type PictureFinding,
} from '../../proofing/document-quality.ts'
import { resultError } from '../../proofing/error-codes.ts'
import type { Finding } from '../../proofing/judge.ts'
import { isDocumentSeen, measuresOf } from '../picture-measures.ts'
import { documentStep } from '../subject.ts'

const CHECKS: Readonly<Record<PictureCode, Finding['check']>> = {
  '1531': 'DARK_IMAGE_QUALITY',
  '1532': 'GLARE_IMAGE_QUALITY',
  '1533': 'BLUR_IMAGE_QUALITY',
  '1535': 'DOCUMENT_DETECTION',
  '1539': 'KEYSTONE_IMAGE_QUALITY',
  '1540': 'CAPTURE_TOO_CLOSE_CHECK',
  '1541': 'CAPTURE_TOO_FAR_CHECK',
}

export const documentQuality = documentStep('document-quality', async (_subject, tools) => {
  const sides = await tools.sides()
  const shown = sides.some(isDocumentSeen)
  const pictures = sides.map((side) => {
    const findings = findingsOf(measuresOf(side), tools.thresholds)
    // Beside a side that shows a document, one that shows nothing may be the empty back of a page, if it is lit.
    return shown && !isDocumentSeen(side) ? findings.filter(({ code }) => code === '1531') : findings
  })
  return { findings: PICTURE_CODES.map((code) => toFinding(code, pictures)), models: [] }
})

/** Failed when it is among what is wrong with any picture; what could not be told beside something worse is open. */
function toFinding(code: PictureCode, pictures: readonly (readonly PictureFinding[])[]): Finding {
  const check = CHECKS[code]
  const failing = pictures.find((findings) => codesOf(findings).includes(code))
  const all = (failing ? [failing] : pictures).flat().filter((finding) => finding.code === code)
  const [finding] = all.filter(({ failed }) => failed !== null)
  if (!finding) return { check, outcome: 'inconclusive' }
  const { measured } = finding
  if (failing) return { check, outcome: 'failed', measured, errors: [resultError(code)] }
  return { check, outcome: all.some(({ failed }) => failed === true) ? 'inconclusive' : 'passed', measured }
}
