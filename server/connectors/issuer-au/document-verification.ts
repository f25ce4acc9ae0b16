/**
 * SOAP client of the Australian Document Verification Service, which a gateway provider offers; README.md in this folder has
 * the protocol and its sources. The service judges a document as a whole. Answers are untrusted.
 */
import type { Clock } from '../../clock.ts'
import type { IssuerField } from '../../proofing/issuer-answer.ts'
import {
  AUSTRALIAN_TYPES,
  findAustralianFields,
  type AustralianType,
  type IssuerParticipation,
} from '../../proofing/issuing-sources.ts'
import { findChild, readText, type Element } from '../../xml/element.ts'
import { escapeXml } from '../../xml/escape.ts'
import type { IssuerOutcome, IssuerQuestion, IssuingSource } from '../issuer/issuing-source.ts'
import type { ServiceSettings } from '../service/http-service.ts'
import { MALFORMED } from '../service/json-answer.ts'
import { openSoapService } from '../service/soap-service.ts'

interface DocumentVerificationSettings extends ServiceSettings {
  /** Identifies the organisation that asks. */
  readonly agencyCode: string
  readonly documentTypes: readonly AustralianType[]
  readonly askAgainMinutes: readonly number[]
}

const CONTRACT = 'http://DVS/Common/2014/06/Contract'
const ACTION = `${CONTRACT}/Service/Manager/IVerification/VerifyDocument`

type Values = IssuerQuestion['values']
/** Elements by name; absent ones are written as nil. */
type Elements = Readonly<Record<string, string | undefined>>

interface Kind {
  /** `PassportRequest` is answered by `PassportResponse`. */
  readonly type: string
  readonly code: string
  /** Longest names, in characters; the gateway refuses longer ones. */
  readonly maxLengths?: { readonly givenNames: number; readonly familyName: number }
  /** Elements beside those of every request. */
  readonly elements: (values: Values, issuingState: string | undefined) => Elements
}

const KINDS: Readonly<Record<AustralianType, Kind>> = {
  PASSPORT: {
    type: 'Passport',
    code: 'PP',
    elements: ({ documentNumber, middleNames, sex }) => ({
      Gender: sex,
      MiddleName: middleNames,
      TravelDocumentNumber: documentNumber,
    }),
  },
  DRIVING_LICENSE: {
    type: 'DriverLicence',
    code: 'DL',
    maxLengths: { givenNames: 20, familyName: 40 },
    elements: ({ documentNumber, cardNumber, middleNames }, issuingState) => ({
      CardNumber: cardNumber,
      LicenceNumber: documentNumber,
      MiddleName: middleNames,
      StateOfIssue: issuingState,
    }),
  },
  RESIDENT_CARD: {
    type: 'ImmiCard',
    code: 'IM',
    maxLengths: { givenNames: 49, familyName: 49 },
    elements: ({ documentNumber, middleNames }) => ({
      ImmiCardNumber: documentNumber,
      MiddleName: middleNames,
    }),
  },
  VISA: {
    type: 'Visa',
    code: 'VI',
    maxLengths: { givenNames: 49, familyName: 49 },
    elements: ({ documentNumber }) => ({ PassportNumber: documentNumber }),
  },
  MEDICARE: {
    type: 'Medicare',
    code: 'MD',
    elements: ({ documentNumber, expiryDate, medicareColour, medicareReference, fullName = '' }) => {
      const [FullName1, FullName2, FullName3, FullName4] = fullName.split('\n')
      return {
        // A green card states the month alone.
        CardExpiry: medicareColour === 'G' ? expiryDate?.slice(0, 7) : expiryDate,
        CardNumber: documentNumber,
        CardType: medicareColour,
        FullName1,
        FullName2,
        FullName3,
        FullName4,
        IndividualRefNumber: medicareReference,
      }
    },
  },
}

/** Throws `configuration_invalid` with the field. */
export function openDocumentVerification(
  settings: DocumentVerificationSettings,
  { australia }: Pick<IssuerParticipation, 'australia'>,
  clock: Clock,
): IssuingSource {
  const service = openSoapService(settings, 'connectors.issuerAu', clock, '1.2')
  return {
    id: 'issuer-au',
    connector: 'issuer-au',
    askAgainMinutes: settings.askAgainMinutes,
    findCoverage: (document) => {
      const type = settings.documentTypes.find((one) => one === document.idDocumentType)
      const fields = type && findAustralianFields(document, australia)
      if (!fields) return null
      return {
        isComplete: !australia.uncertainTypes.includes(type),
        ...fields,
        write,
      }
    },
    ask: async (question) => {
      const kind = KINDS[requireType(question)]
      return service.ask({
        action: ACTION,
        header: writeHeader(settings.url, question.requestId),
        body: writeRequest(kind, question, settings.agencyCode, clock.now()),
        read: (element) => readAnswer(element, kind, question),
      })
    },
    health: () => service.health(),
    close: () => service.close(),
  }
}

/** Numbers have no separators, and a date is complete. */
function write(field: IssuerField, value: string): string | null {
  if (field === 'documentNumber' || field === 'cardNumber') return value.replaceAll(/[\s-]/g, '')
  return field.endsWith('Date') || field === 'dateOfBirth' ? (FULL_DATE.test(value) ? value : null) : value
}

const FULL_DATE = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/

function requireType({ documentType }: IssuerQuestion): AustralianType {
  const type = AUSTRALIAN_TYPES.find((one) => one === documentType)
  if (type === undefined) throw new TypeError('the source does not cover this document')
  return type
}

function writeHeader(url: string, requestId: string): string {
  const anonymous = 'http://www.w3.org/2005/08/addressing/anonymous'
  return (
    `<a:Action xmlns:a="http://www.w3.org/2005/08/addressing" s:mustUnderstand="1">${ACTION}</a:Action>` +
    `<a:MessageID xmlns:a="http://www.w3.org/2005/08/addressing">urn:uuid:${requestId}</a:MessageID>` +
    `<a:ReplyTo xmlns:a="http://www.w3.org/2005/08/addressing"><a:Address>${anonymous}</a:Address></a:ReplyTo>` +
    `<a:To xmlns:a="http://www.w3.org/2005/08/addressing" s:mustUnderstand="1">${escapeXml(url)}</a:To>`
  )
}

/** The contract orders elements by name: those of every request, then those of the document. */
function writeRequest(
  { type, code, maxLengths, elements }: Kind,
  { requestId, values, issuingState }: IssuerQuestion,
  agencyCode: string,
  now: Date,
): string {
  const own = elements(values, issuingState)
  const common: Elements = {
    DocumentTypeCode: code,
    FamilyName: values.surname?.slice(0, maxLengths?.familyName),
    GivenName: values.givenName?.slice(0, maxLengths?.givenNames),
    OriginatingAgencyCode: agencyCode,
    RequestDateTime: now.toISOString(),
    VerificationRequestNumber: requestId,
    VersionNumber: '1',
  }
  const written = Object.entries({
    ...common,
    ...own,
    ...('MiddleName' in own ? { MiddleName: own.MiddleName?.slice(0, maxLengths?.givenNames) } : {}),
  }).map(([name, text]) => writeElement(name, text))
  return (
    `<VerifyDocument xmlns="${CONTRACT}/Service/Manager"><request i:type="b:${type}Request"` +
    ` xmlns:b="${CONTRACT}/Data/Manager" xmlns:i="http://www.w3.org/2001/XMLSchema-instance">` +
    `${writeDate('BirthDate', values.dateOfBirth)}${written.join('')}</request></VerifyDocument>`
  )
}

const writeElement = (name: string, text: string | undefined): string =>
  text ? `<b:${name}>${escapeXml(text)}</b:${name}>` : `<b:${name} i:nil="true"/>`

/** @param date yyyy-MM-dd */
function writeDate(name: string, date = ''): string {
  const [year, month, day] = date.split('-').map(Number)
  return `<b:${name}><b:Day>${day}</b:Day><b:Month>${month}</b:Month><b:Year>${year}</b:Year></b:${name}>`
}

function readAnswer(element: Element, { type }: Kind, question: IssuerQuestion): IssuerOutcome {
  const result = findChild(element, 'VerifyDocumentResult')
  const stated = Object.entries(result?.attributes ?? {}).find(([name]) => /(^|:)type$/.test(name))
  const isOther = stated && stated[1].replace(/^.*:/, '') !== `${type}Response`
  if (isOther || readText(result, 'VerificationRequestNumber') !== question.requestId) return MALFORMED
  switch (readText(result, 'VerificationResultCode')) {
    case 'Y':
      return { kind: 'answered', record: 'FOUND', matches: listMatches(question) }
    case 'N':
      return { kind: 'answered', record: 'UNMATCHED', matches: {} }
    case 'D':
      return { kind: 'answered', record: 'DOCUMENT_ERROR', matches: {} }
    case 'S':
      // The hub or the issuer could not answer now.
      return { kind: 'unavailable', reason: 'unexpected-answer' }
    default:
      return MALFORMED
  }
}

/**
 * The whole agrees, so every value does. Victoria compares the card number only of licences that were exposed in a data
 * breach, and does not tell which (docs.frankieone.com, "Victorian Licence Verification", since 2023-07-01).
 */
function listMatches({ values, issuingState }: IssuerQuestion) {
  const fields = Object.keys(values) as IssuerField[]
  return Object.fromEntries(
    fields.map((field) => [
      field,
      field === 'cardNumber' && issuingState === 'VIC' ? ('NOT_COMPARED' as const) : ('MATCH' as const),
    ]),
  )
}
