/** Checks a typed document: expiry date, and number formats of the issuer. */
import { expiryFinding } from '../../proofing/expiry.ts'
import type { Finding } from '../../proofing/judge.ts'
import { hasLicenceForm } from '../../proofing/licences/number-form.ts'
import { dataStep } from '../subject.ts'

export const textDocument = dataStep('text-document', ({ content: { document } }, tools) => {
  const findings = [expiryFinding(() => document?.expiryDate ?? null, tools.span)]
  if (document?.idDocumentType === 'DRIVING_LICENSE') {
    const { idDocumentNumber = '', cardNumber } = document
    const form = (which: 'licence' | 'card', number: string) =>
      formOutcome(hasLicenceForm(number, which, document))
    findings.push({ check: 'LICENCE_NUMBER_FORM', outcome: form('licence', idDocumentNumber) })
    if (cardNumber !== undefined) {
      findings.push({ check: 'LICENCE_CARD_NUMBER_FORM', outcome: form('card', cardNumber) })
    }
  }
  return { findings, models: [] }
})

function formOutcome(hasForm: boolean | null): Finding['outcome'] {
  if (hasForm === null) return 'inconclusive'
  return hasForm ? 'passed' : 'failed'
}
