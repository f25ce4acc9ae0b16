/**
 * The Australian Document Verification Service for tests and demonstrations: its SOAP (server/connectors/issuer-au) on a real
 * socket. It judges a document as a whole.
 */
import { findChild, readText, type Element } from '../../xml/element.ts'
import { parseElement } from '../../xml/element-reader.ts'
import { escapeXml } from '../../xml/escape.ts'
import type { IssuerField } from '../../proofing/issuer-answer.ts'
import type { IssuerRecord } from './issuer.ts'
import {
  foldText,
  QUESTION_FAULTS,
  startQuestionSimulator,
  type QuestionSimulator,
} from './question-simulator.ts'

/** The result codes D and S beside the faults of every service. */
export const AUSTRALIAN_FAULTS = [...QUESTION_FAULTS, 'document-error', 'system-error'] as const
type AustralianFault = (typeof AUSTRALIAN_FAULTS)[number]

const TYPES: Readonly<Record<string, string>> = {
  PassportRequest: 'PASSPORT',
  DriverLicenceRequest: 'DRIVING_LICENSE',
  ImmiCardRequest: 'RESIDENT_CARD',
  VisaRequest: 'VISA',
  MedicareRequest: 'MEDICARE',
}

const ELEMENTS: Readonly<Record<string, IssuerField>> = {
  CardExpiry: 'expiryDate',
  CardType: 'medicareColour',
  FamilyName: 'surname',
  GivenName: 'givenName',
  ImmiCardNumber: 'documentNumber',
  IndividualRefNumber: 'medicareReference',
  LicenceNumber: 'documentNumber',
  MiddleName: 'middleNames',
  PassportNumber: 'documentNumber',
  TravelDocumentNumber: 'documentNumber',
}

interface Question {
  readonly request: Element
  readonly type: string
}

const LIMITS = { maxDepth: 20, maxNodes: 200, maxTextLength: 100_000 }

export function startAustralianService({
  records,
  ...options
}: {
  readonly port: number
  readonly records: readonly IssuerRecord[]
  readonly fault?: AustralianFault | null
}): Promise<QuestionSimulator<AustralianFault>> {
  return startQuestionSimulator<Question, AustralianFault>(options, {
    path: '/',
    getType: () => 'application/soap+xml',
    malformed: writeAnswer('PassportResponse', 'another', 'PERHAPS'),
    read: (body) => {
      const envelope = parseElement(body, 'Envelope', LIMITS) ?? undefined
      const request = findChild(findChild(findChild(envelope, 'Body'), 'VerifyDocument'), 'request')
      const type = request?.attributes['i:type']?.replace(/^.*:/, '') ?? ''
      return request && TYPES[type] ? { request, type } : null
    },
    answer: ({ request, type }, fault) => {
      const codes: Readonly<Record<string, string>> = { 'document-error': 'D', 'system-error': 'S' }
      const code =
        codes[fault ?? ''] ?? (records.some((record) => isEqual(record, request, type)) ? 'Y' : 'N')
      const number = fault === 'other-request' ? 'another' : readText(request, 'VerificationRequestNumber')
      const answered = type.replace('Request', 'Response')
      return writeAnswer(fault === 'unasked' ? 'MarriageResponse' : answered, number, code)
    },
  })
}

/** True if every value of the request is the one of the record. */
function isEqual(
  { documentType, issuingState, values }: IssuerRecord,
  request: Element,
  type: string,
): boolean {
  if (TYPES[type] !== documentType) return false
  const asked: [IssuerField, string][] = Object.entries(ELEMENTS).map(([element, field]) => [
    field,
    readText(request, element),
  ])
  const birth = findChild(request, 'BirthDate')
  const [year, month, day] = ['Year', 'Month', 'Day'].map((part) => readText(birth, part).padStart(2, '0'))
  const fullName = [1, 2, 3, 4].map((line) => readText(request, `FullName${line}`)).join('')
  const card = type === 'MedicareRequest' ? 'documentNumber' : 'cardNumber'
  asked.push(['dateOfBirth', `${year}-${month}-${day}`], ['fullName', fullName])
  asked.push([card, readText(request, 'CardNumber')])
  const state = readText(request, 'StateOfIssue')
  if (issuingState !== undefined && state !== issuingState) return false
  return asked
    .filter(([, text]) => text !== '')
    .every(([field, text]) => {
      const kept = foldText(values[field])
      // A green Medicare card states the month alone.
      return field === 'expiryDate' ? kept.startsWith(foldText(text)) : kept === foldText(text)
    })
}

function writeAnswer(type: string, number: string, code: string): string {
  const data = 'http://DVS/Common/2014/06/Contract/Data/Manager'
  return (
    '<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Body>' +
    '<VerifyDocumentResponse xmlns="http://DVS/Common/2014/06/Contract/Service/Manager">' +
    `<VerifyDocumentResult i:type="b:${type}" xmlns:b="${data}" xmlns:i="http://www.w3.org/2001/XMLSchema-instance">` +
    `<b:VerificationRequestNumber>${escapeXml(number)}</b:VerificationRequestNumber>` +
    `<b:VerificationResultCode>${code}</b:VerificationResultCode>` +
    '</VerifyDocumentResult></VerifyDocumentResponse></s:Body></s:Envelope>'
  )
}
