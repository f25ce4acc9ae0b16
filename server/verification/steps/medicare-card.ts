/** Checks a Medicare card without other documents: card number, individual reference number and last day. */
import { expiryFinding } from '../../proofing/expiry.ts'
import type { Finding } from '../../proofing/judge.ts'
import { isMedicareNumber, lastDayOfCard, referenceNumberIn } from '../../proofing/medicare.ts'
import { dataStep } from '../subject.ts'

export const medicareCard = dataStep('medicare-card', ({ content: { document } }, tools) => {
  const { idDocumentNumber = '', expiryDate, medicare } = document ?? {}
  const lastDay = medicare && expiryDate ? lastDayOfCard(medicare.cardType, expiryDate) : null
  const findings: Finding[] = [
    { check: 'MEDICARE_NUMBER', outcome: isMedicareNumber(idDocumentNumber) ? 'passed' : 'failed' },
    expiryFinding(() => lastDay, tools.span),
  ]
  const written = referenceNumberIn(idDocumentNumber)
  const stated = medicare?.individualReferenceNumber
  if (written !== null && stated !== undefined) {
    const outcome = written === stated ? 'passed' : 'failed'
    findings.push({ check: 'MEDICARE_REFERENCE_NUMBER', outcome })
  }
  return { findings, models: [] }
})
