/** Checks that the document has not expired, that its issuer exists, and that it is no specimen. */
import { expiryFinding, type Span } from '../../proofing/expiry.ts'
import type { Finding } from '../../proofing/judge.ts'
import { toIsoDate } from '../../proofing/mrz/dates.ts'
import { issuerKind } from '../../proofing/mrz/issuers.ts'
import { parseMrz } from '../../proofing/mrz/parse.ts'
import { isMarkedSpecimen } from '../../proofing/specimen-word.ts'
import { documentStep, sideWithMrz, type StepTools } from '../subject.ts'

export const documentValidity = documentStep('document-validity', async (_subject, tools) => {
  const mrz = sideWithMrz(await tools.sides())?.mrz
  const findings = mrz ? judgeMrzValidity(mrz.lines, tools) : await judgeValidityWithoutMrz(tools)
  if (await isSpecimen(tools)) findings.push({ check: 'SPECIMEN_DOCUMENT', outcome: 'failed' })
  return { findings, models: [] }
})

function judgeMrzValidity(lines: readonly string[], { now, span }: StepTools): Finding[] {
  const { issuingState } = parseMrz(lines, now)
  const findings: Finding[] = [
    expiryFinding((at) => findLastDay(lines, at), span),
    { check: 'ISSUER_CODE', outcome: issuerKind(issuingState) === 'unknown' ? 'failed' : 'passed' },
  ]
  if (!isBornInOneCentury(lines, span)) {
    findings.push({ check: 'BIRTH_DATE_CENTURY', outcome: 'inconclusive', withholds: true })
  }
  return findings
}

/** Barcode and VIZ state four-digit years, so the last day does not depend on the date of reading. */
async function judgeValidityWithoutMrz(tools: StepTools): Promise<Finding[]> {
  const { licence, page } = await tools.document()
  const printed = page.fields.find(({ field }) => field === 'expiryDate')?.value ?? null
  const lastDay = licence ? licence.facts.expiryDate : printed
  return [expiryFinding(() => lastDay, tools.span)]
}

/** Recognises a specimen by the issuer Utopia or by the word that specimens of real states carry. */
async function isSpecimen(tools: StepTools): Promise<boolean> {
  const { mrz, licence, page } = await tools.document()
  if (mrz?.facts.isSpecimen === true) return true
  const names = [mrz?.facts, licence?.facts].flatMap((facts) =>
    facts ? [facts.surname, ...facts.givenNames] : [],
  )
  return isMarkedSpecimen(await tools.pages(), [...names, ...page.fields.map(({ value }) => value)])
}

function findLastDay(lines: readonly string[], now: Date): string | null {
  const { expiryDate } = parseMrz(lines, now)
  return expiryDate === null ? null : toIsoDate(expiryDate)
}

/**
 * A date of birth lies in the past and its MRZ year has two digits: with an uncertain clock two centuries may
 * fit.
 */
function isBornInOneCentury(lines: readonly string[], { earliest, latest }: Span): boolean {
  const yearAt = (now: Date) => parseMrz(lines, now).birthDate.year
  return yearAt(earliest) === yearAt(latest)
}
