/** Is the document still in force, does its issuer exist, and is it a specimen? */
import { expiryFinding, type Span } from '../../proofing/expiry.ts'
import type { Finding } from '../../proofing/judge.ts'
import { toIsoDate } from '../../proofing/mrz/dates.ts'
import { issuerKind } from '../../proofing/mrz/issuers.ts'
import { parseMrz } from '../../proofing/mrz/parse.ts'
import { documentStep, sideWithMrz } from '../subject.ts'

export const documentValidity = documentStep('document-validity', async (_subject, tools) => {
  const mrz = sideWithMrz(await tools.sides())?.mrz
  if (!mrz) return { findings: [], models: [] }
  const facts = parseMrz(mrz.lines, tools.now)
  const findings: Finding[] = [
    expiryFinding((now) => lastDayOf(mrz.lines, now), tools.span),
    {
      check: 'ISSUER_CODE',
      outcome: issuerKind(facts.issuingState) === 'unknown' ? 'failed' : 'passed',
    },
  ]
  if (!isBornInOneCentury(mrz.lines, tools.span)) {
    findings.push({ check: 'BIRTH_DATE_CENTURY', outcome: 'inconclusive', withholds: true })
  }
  if (facts.isSpecimen) findings.push({ check: 'SPECIMEN_DOCUMENT', outcome: 'failed' })
  return { findings, models: [] }
})

function lastDayOf(lines: readonly string[], now: Date): string | null {
  const { expiryDate } = parseMrz(lines, now)
  return expiryDate === null ? null : toIsoDate(expiryDate)
}

/** A birth lies in the past, and its year has two digits: in doubt of the time there may be two that fit. */
function isBornInOneCentury(lines: readonly string[], { earliest, latest }: Span): boolean {
  const yearAt = (now: Date) => parseMrz(lines, now).birthDate.year
  return yearAt(earliest) === yearAt(latest)
}
