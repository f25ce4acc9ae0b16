/**
 * AAMVA's Driver's License Data Verification for tests and demonstrations: its SOAP 1.1, SOAP 1.2 and JSON
 * (server/connectors/issuer-us) on a real socket. It compares each value on its own.
 */
import { z } from 'zod'
import type { IssuerField } from '../../proofing/issuer-answer.ts'
import { findChild, listChildren, readText, type Element } from '../../xml/element.ts'
import { parseElement } from '../../xml/element-reader.ts'
import { escapeXml } from '../../xml/escape.ts'
import type { IssuerRecord } from './issuer.ts'
import {
  foldText,
  QUESTION_FAULTS,
  startQuestionSimulator,
  type QuestionSimulator,
} from './question-simulator.ts'

/** A SOAP fault of the jurisdiction beside the faults of every service. */
export const UNITED_STATES_FAULTS = [...QUESTION_FAULTS, 'state-silent'] as const
type UnitedStatesFault = (typeof UNITED_STATES_FAULTS)[number]

type Form = 'soap-1.1' | 'soap-1.2' | 'json'

interface Question {
  readonly form: Form
  readonly id: string
  readonly state: string
  readonly category: string
  readonly values: Readonly<Partial<Record<IssuerField, string>>>
}

/** Elements of a request with the field and the indicators of each. */
const ELEMENTS: readonly (readonly [element: string, field: IssuerField, indicator: string])[] = [
  ['PersonSurName', 'surname', 'PersonLastName'],
  ['PersonGivenName', 'givenName', 'PersonFirstName'],
  ['PersonMiddleName', 'middleNames', 'PersonMiddleName'],
  ['PersonBirthDate', 'dateOfBirth', 'PersonBirthDate'],
  ['DriverLicenseIssueDate', 'issueDate', 'DriverLicenseIssueDate'],
  ['DriverLicenseExpirationDate', 'expiryDate', 'DriverLicenseExpirationDate'],
  ['LocationCityName', 'city', 'AddressCity'],
  ['LocationStateUsPostalServiceCode', 'addressState', 'AddressStateCode'],
  ['LocationPostalCode', 'postcode', 'AddressZIP5'],
]
const NAMES: readonly IssuerField[] = ['surname', 'givenName', 'middleNames']

const LIMITS = { maxDepth: 20, maxNodes: 200, maxTextLength: 100_000 }
const SOAP_11 = 'http://schemas.xmlsoap.org/soap/envelope/'
const SOAP_12 = 'http://www.w3.org/2003/05/soap-envelope'
const TYPES: Readonly<Record<Form, string>> = {
  'soap-1.1': 'text/xml',
  'soap-1.2': 'application/soap+xml',
  json: 'application/json',
}

export function startUnitedStatesService({
  records,
  ...options
}: {
  readonly port: number
  readonly records: readonly IssuerRecord[]
  readonly fault?: UnitedStatesFault | null
}): Promise<QuestionSimulator<UnitedStatesFault>> {
  return startQuestionSimulator<Question, UnitedStatesFault>(options, {
    path: '/',
    getType: (body) => TYPES[getForm(body)],
    malformed: '<a/>',
    read: (body) => (getForm(body) === 'json' ? readJson(body) : readSoap(body)),
    answer: (question, fault) => {
      if (fault === 'state-silent') return writeFault(question.form)
      const indicators = compare(records, question)
      if (fault === 'unasked') indicators.PersonEyeColorMatchIndicator = true
      return writeAnswer(question.form, fault === 'other-request' ? 'another' : question.id, indicators)
    },
  })
}

function getForm(body: string): Form {
  if (body.startsWith('{')) return 'json'
  return body.includes(SOAP_11) ? 'soap-1.1' : 'soap-1.2'
}

function readSoap(body: string): Question | null {
  const envelope = parseElement(body, 'Envelope', LIMITS) ?? undefined
  const call = findChild(findChild(envelope, 'Body'), 'VerifyDriverLicenseData')
  const request = findChild(call, 'verifyDriverLicenseDataRequest')
  if (!request) return null
  const address = findChild(findChild(request, 'ControlData'), 'MessageAddress')
  const parts = [request, findChild(request, 'PersonName'), findChild(request, 'Address')]
  const read = (name: string): string => parts.map((part) => readText(part, name)).find(Boolean) ?? ''
  const number = readText(findChild(request, 'DriverLicenseIdentification'), 'IdentificationID')
  return buildQuestion(getForm(body), (name) => readText(address, name), read, number, listLines(parts.at(2)))
}

const listLines = (address: Element | undefined): readonly string[] =>
  listChildren(address, 'AddressDeliveryPointText').map(({ text }) => text)

function readJson(body: string): Question {
  const json = z.record(z.string(), z.unknown()).parse(JSON.parse(body))
  const read = (name: string): string => {
    const value = json[name[0].toLowerCase() + name.slice(1)]
    return typeof value === 'string' ? value : ''
  }
  const lines = z.array(z.string()).parse(json.addressDeliveryPointText ?? [])
  return buildQuestion('json', read, read, read('IdentificationID'), lines)
}

function buildQuestion(
  form: Form,
  readControl: (name: string) => string,
  read: (name: string) => string,
  documentNumber: string,
  [streetLine1 = '', streetLine2 = '']: readonly string[],
): Question {
  const values = Object.fromEntries(
    [
      ...ELEMENTS.map(([element, field]) => [field, read(element)]),
      ['documentNumber', documentNumber],
      ['streetLine1', streetLine1],
      ['streetLine2', streetLine2],
    ].filter(([, text]) => text !== ''),
  ) as Question['values']
  const [id, state] = [readControl('TransactionLocatorId'), readControl('MessageDestinationId')]
  return { form, id, state, category: read('DocumentCategoryCode'), values }
}

const CATEGORIES: Readonly<Record<string, string>> = { DRIVING_LICENSE: '1', IDENTITY_CARD: '3' }

function compare(records: readonly IssuerRecord[], question: Question): Record<string, boolean> {
  const { values, state, category } = question
  const found = records.find(
    (record) =>
      record.issuingState === state && foldText(record.values.documentNumber) === values.documentNumber,
  )
  if (!found) return { DriverLicenseNumberMatchIndicator: false }
  const indicators: Record<string, boolean> = {
    DriverLicenseNumberMatchIndicator: true,
    DocumentCategoryMatchIndicator: CATEGORIES[found.documentType] === category,
  }
  for (const [, field, name] of ELEMENTS) {
    const [asked, kept] = [values[field], found.values[field]]
    if (asked === undefined || kept === undefined) continue
    if (!NAMES.includes(field)) {
      indicators[`${name}MatchIndicator`] = foldText(kept).startsWith(foldText(asked).slice(0, 8))
      continue
    }
    indicators[`${name}ExactMatchIndicator`] = asked.toUpperCase() === kept.toUpperCase()
    indicators[`${name}FuzzyPrimaryMatchIndicator`] = foldText(asked) === foldText(kept)
  }
  return indicators
}

function writeAnswer(form: Form, id: string, indicators: Readonly<Record<string, boolean>>): string {
  if (form === 'json') {
    const members = Object.entries(indicators).map(([name, value]) => [
      name[0].toLowerCase() + name.slice(1),
      value,
    ])
    return JSON.stringify({ transactionLocatorId: id, ...Object.fromEntries(members) })
  }
  const written = Object.entries(indicators).map(([name, value]) => `<e:${name}>${value}</e:${name}>`)
  return writeEnvelope(
    form,
    '<VerifyDriverLicenseDataResponse xmlns="http://aamva.org/dldv/wsdl/2.1"><VerifyDriverLicenseDataResult' +
      ' xmlns:e="http://aamva.org/niem/extensions/1.0"><e:ControlData><e:MessageAddress>' +
      `<e:TransactionLocatorId>${escapeXml(id)}</e:TransactionLocatorId></e:MessageAddress></e:ControlData>` +
      `${written.join('')}</VerifyDriverLicenseDataResult></VerifyDriverLicenseDataResponse>`,
  )
}

/** The jurisdiction did not answer AAMVA in time. */
function writeFault(form: Form): string {
  if (form === 'json') return JSON.stringify({ exceptionId: '0047' })
  const exception =
    '<Exception xmlns="http://aamva.org/exceptions/1.0"><ProgramExceptions><ProgramException>' +
    '<ExceptionId>0047</ExceptionId></ProgramException></ProgramExceptions></Exception>'
  return writeEnvelope(form, `<s:Fault>${exception}</s:Fault>`)
}

function writeEnvelope(form: Form, body: string): string {
  const namespace = form === 'soap-1.1' ? SOAP_11 : SOAP_12
  return `<s:Envelope xmlns:s="${namespace}"><s:Body>${body}</s:Body></s:Envelope>`
}
