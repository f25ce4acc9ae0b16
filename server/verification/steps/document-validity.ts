/** Is the document still in force, does its issuer exist, and is it a specimen? */
import { expiryFinding } from '../../proofing/expiry.ts'
import type { Finding } from '../../proofing/judge.ts'
import { toIsoDate } from '../../proofing/mrz/dates.ts'
import { issuerKind } from '../../proofing/mrz/issuers.ts'
import { parseMrz } from '../../proofing/mrz/parse.ts'
import { documentStep, sideWithMrz } from '../subject.ts'

export const documentValidity = documentStep('document-validity', async (_subject, tools) => {
  const mrz = sideWithMrz(await tools.sides())?.mrz
  if (!mrz) return { findings: [], models: [] }
  const facts = parseMrz(mrz.lines, tools.now)
  const expiry = facts.expiryDate === null ? null : toIsoDate(facts.expiryDate)
  const findings: Finding[] = [
    expiryFinding(expiry, tools.now),
    {
      check: 'ISSUER_CODE',
      outcome: issuerKind(facts.issuingState) === 'unknown' ? 'failed' : 'passed',
    },
  ]
  if (facts.isSpecimen) findings.push({ check: 'SPECIMEN_DOCUMENT', outcome: 'failed' })
  return { findings, models: [] }
})
