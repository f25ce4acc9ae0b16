/**
 * Checks the number of a card without an MRZ, and its barcode's dates: the format that the issuer uses, and
 * consistency of an encoded number with the holder's data. Queries no register.
 */
import type { IdDocumentData } from '../../proofing/evidence.ts'
import type { CheckOutcome, Finding } from '../../proofing/judge.ts'
import { checkBarcodeDates, checkBarcodeIssuer } from '../../proofing/licences/barcode-checks.ts'
import { hasLicenceForm, plainNumber } from '../../proofing/licences/number-form.ts'
import { isMedicareNumber } from '../../proofing/medicare.ts'
import { checkNumberCoding, buildDocumentData } from '../data-of-document.ts'
import type { ReadDocument } from '../read-document.ts'
import { documentStep } from '../subject.ts'

export const documentNumber = documentStep('document-number', async (_subject, tools) => {
  const document = await tools.document()
  // An MRZ protects its numbers with check digits.
  if (document.mrz) return { findings: [], models: [] }
  const data = buildDocumentData(document, null)
  return { findings: [...numberFindings(document, data), ...barcodeFindings(document)], models: [] }
})

function numberFindings(document: ReadDocument, data: IdDocumentData | null): readonly Finding[] {
  if (document.classification.layout === 'MEDICARE_CARD') return [medicare(data?.idDocumentNumber)]
  if (data?.idDocumentType !== 'DRIVING_LICENSE' && data?.idDocumentType !== 'IDENTITY_CARD') return []
  const { idDocumentNumber, cardNumber } = data
  const findings: Finding[] = []
  if (data.idDocumentType === 'DRIVING_LICENSE')
    findings.push({ check: 'LICENCE_NUMBER_FORM', outcome: form('licence', idDocumentNumber, data) })
  if (cardNumber !== undefined)
    findings.push({ check: 'LICENCE_CARD_NUMBER_FORM', outcome: form('card', cardNumber, data) })
  const coded = data.idDocumentType === 'DRIVING_LICENSE' ? checkNumberCoding(document) : null
  if (coded)
    findings.push({
      check: 'LICENCE_NUMBER_CODING',
      outcome: coded.outcome,
      measured: { repeats: coded.repeats },
    })
  return findings
}

function medicare(number: string | undefined): Finding {
  const check = 'MEDICARE_NUMBER'
  if (number === undefined) return { check, outcome: 'inconclusive' }
  return { check, outcome: isMedicareNumber(plainNumber(number)) ? 'passed' : 'failed' }
}

function form(which: 'licence' | 'card', number: string | undefined, data: IdDocumentData): CheckOutcome {
  const hasForm = number === undefined ? null : hasLicenceForm(number, which, data)
  if (hasForm === null) return 'inconclusive'
  return hasForm ? 'passed' : 'failed'
}

function barcodeFindings({ licence }: ReadDocument): readonly Finding[] {
  if (!licence) return []
  return [
    { check: 'BARCODE_DATES', outcome: checkBarcodeDates(licence.facts) },
    { check: 'BARCODE_ISSUER', outcome: checkBarcodeIssuer(licence.facts) },
  ]
}
