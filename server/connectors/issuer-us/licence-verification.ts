/**
 * Client of AAMVA's Driver's License Data Verification, in SOAP 1.1, SOAP 1.2 or JSON; README.md in this folder has the
 * protocol and its sources. It compares each value on its own. Answers are untrusted.
 */
import { z } from 'zod'
import type { Clock } from '../../clock.ts'
import { listNeededFields } from '../../proofing/issuer-question.ts'
import type { IssuerField } from '../../proofing/issuer-answer.ts'
import { findStateParticipation, type IssuerParticipation } from '../../proofing/issuing-sources.ts'
import { findChild, readText, type Element } from '../../xml/element.ts'
import { escapeXml } from '../../xml/escape.ts'
import type { IssuerOutcome, IssuerQuestion, IssuingSource } from '../issuer/issuing-source.ts'
import type { ServiceSettings } from '../service/http-service.ts'
import { MALFORMED } from '../service/json-answer.ts'
import { buildJsonCall, openQuestionService, readingJson } from '../service/question-service.ts'
import { openSoapService } from '../service/soap-service.ts'
import { INDICATOR_NAMES, readIndicators } from './match-indicators.ts'
import { splitSuffix, writeOwnForm } from './own-form.ts'

type LicenceProtocol = 'soap-1.2' | 'soap-1.1' | 'json'

interface LicenceVerificationSettings extends ServiceSettings {
  readonly protocol: LicenceProtocol
  /** Identifies the organisation that asks. */
  readonly originatorId: string
  /** The tenant is a government user, which some jurisdictions demand. */
  readonly governmentUser: boolean
  readonly sends: readonly IssuerField[]
  readonly askAgainMinutes: readonly number[]
}

const SECTION = 'connectors.issuerUs'
const WSDL = 'http://aamva.org/dldv/wsdl/2.1'
const ACTION = `${WSDL}/IDLDVService21/VerifyDriverLicenseData`
const EXTENSIONS = 'http://aamva.org/niem/extensions/1.0'
const NIEM = 'http://niem.gov/niem/niem-core/2.0'

/** 2 is a permit, which no document here states. */
const CATEGORIES: Readonly<Record<string, string>> = { DRIVING_LICENSE: '1', IDENTITY_CARD: '3' }

/** Throws `configuration_invalid` with the field. */
export function openLicenceVerification(
  settings: LicenceVerificationSettings,
  participation: IssuerParticipation,
  clock: Clock,
): IssuingSource {
  const { protocol, governmentUser, sends, askAgainMinutes } = settings
  const client = protocol === 'json' ? openJson(settings, clock) : openSoap(settings, clock, protocol)
  return {
    id: 'issuer-us',
    connector: 'issuer-us',
    askAgainMinutes,
    findCoverage: (document) => {
      const found = document.issuingCountry === 'USA' ? findStateParticipation(document, participation) : null
      if (!found || (found.isGovernmentOnly && !governmentUser)) return null
      return {
        isComplete: found.isComplete,
        needs: listNeededFields(document.idDocumentType),
        takes: sends,
        write: (field, value) => writeOwnForm(field, value, document.issuingState ?? ''),
      }
    },
    ...client,
  }
}

type Client = Pick<IssuingSource, 'ask' | 'health' | 'close'>

function openSoap(
  settings: LicenceVerificationSettings,
  clock: Clock,
  protocol: 'soap-1.1' | 'soap-1.2',
): Client {
  // The token stands in the body.
  const { token, originatorId } = settings
  const service = openSoapService(
    { ...settings, token: null },
    SECTION,
    clock,
    protocol === 'soap-1.1' ? '1.1' : '1.2',
  )
  return {
    ask: (question) =>
      service.ask({
        action: ACTION,
        header: `<a:Action xmlns:a="http://www.w3.org/2005/08/addressing">${ACTION}</a:Action>`,
        body: writeRequest(question, originatorId, token),
        read: (element) => readResult(element, question),
      }),
    health: () => service.health(),
    close: () => service.close(),
  }
}

function openJson(settings: LicenceVerificationSettings, clock: Clock): Client {
  const service = openQuestionService(settings, SECTION, clock)
  return {
    ask: (question) =>
      service.ask(
        buildJsonCall('', JSON.stringify(writeJson(question, settings.originatorId))),
        readingJson((json) => readJson(json, question)),
      ),
    health: () => service.health(),
    close: () => service.close(),
  }
}

/** Values of a request by the names of the service, in the order of its description. */
function listParts(
  { documentType, issuingState = '', values, requestId }: IssuerQuestion,
  originatorId: string,
) {
  const { surname, suffix } = splitSuffix(values.surname ?? '')
  return {
    control: {
      TransactionLocatorId: requestId,
      MessageOriginatorId: originatorId,
      MessageDestinationId: issuingState,
    },
    number: values.documentNumber,
    birthDate: values.dateOfBirth,
    name: {
      PersonGivenName: values.givenName,
      PersonMiddleName: values.middleNames,
      PersonSurName: surname,
      PersonNameSuffixText: suffix,
    },
    document: {
      DriverLicenseIssueDate: values.issueDate,
      DriverLicenseExpirationDate: values.expiryDate,
      DocumentCategoryCode: CATEGORIES[documentType],
      PersonSexCode: values.sex,
      PersonEyeColorCode: values.eyeColour,
      PersonHeightMeasure: values.height,
    },
    streetLines: [values.streetLine1, values.streetLine2].filter((line) => line !== undefined),
    place: {
      LocationCityName: values.city,
      LocationStateUsPostalServiceCode: values.addressState,
      LocationPostalCode: values.postcode,
    },
  }
}

function writeRequest(question: IssuerQuestion, originatorId: string, token: string | null): string {
  const { control, number, birthDate, name, document, streetLines, place } = listParts(question, originatorId)
  const address =
    streetLines.map((line) => write('n:AddressDeliveryPointText', line)).join('') + writeAll('n', place)
  return (
    `<w:VerifyDriverLicenseData xmlns:w="${WSDL}" xmlns:e="${EXTENSIONS}" xmlns:n="${NIEM}">` +
    (token === null ? '' : write('w:token', token)) +
    '<w:verifyDriverLicenseDataRequest>' +
    `<e:ControlData><e:MessageAddress>${writeAll('e', control)}</e:MessageAddress></e:ControlData>` +
    `<n:DriverLicenseIdentification>${write('n:IdentificationID', number)}</n:DriverLicenseIdentification>` +
    write('e:PersonBirthDate', birthDate) +
    `<n:PersonName>${writeAll('n', name)}</n:PersonName>` +
    writeAll('e', document) +
    (address === '' ? '' : `<e:Address>${address}</e:Address>`) +
    '</w:verifyDriverLicenseDataRequest></w:VerifyDriverLicenseData>'
  )
}

const write = (name: string, text: string | undefined): string =>
  text === undefined ? '' : `<${name}>${escapeXml(text)}</${name}>`

const writeAll = (prefix: string, elements: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(elements)
    .map(([name, text]) => write(`${prefix}:${name}`, text))
    .join('')

function readResult(element: Element, question: IssuerQuestion): IssuerOutcome {
  const result = findChild(element, 'VerifyDriverLicenseDataResult')
  const address = findChild(findChild(result, 'ControlData'), 'MessageAddress')
  if (readText(address, 'TransactionLocatorId') !== question.requestId) return MALFORMED
  const indicators = new Map<string, boolean>()
  for (const name of INDICATOR_NAMES) {
    const text = readText(result, name)
    if (!['', 'true', 'false', '1', '0'].includes(text)) return MALFORMED
    if (text !== '') indicators.set(name, text === 'true' || text === '1')
  }
  return readIndicators(indicators, question)
}

// JSON: the names of the SOAP elements, with a small first letter
// ------------------------------------------------------------------------------

const toMember = (name: string): string => name[0].toLowerCase() + name.slice(1)

function writeJson(question: IssuerQuestion, originatorId: string): object {
  const { control, number, birthDate, name, document, streetLines, place } = listParts(question, originatorId)
  const toMembers = (elements: Readonly<Record<string, string | undefined>>): object =>
    Object.fromEntries(Object.entries(elements).map(([key, text]) => [toMember(key), text]))
  return {
    ...toMembers({ ...control, IdentificationID: number, PersonBirthDate: birthDate, ...name, ...document }),
    ...(streetLines.length > 0 ? { addressDeliveryPointText: streetLines } : {}),
    ...toMembers(place),
  }
}

const Answer = z.looseObject({
  transactionLocatorId: z.string(),
  ...Object.fromEntries(INDICATOR_NAMES.map((name) => [toMember(name), z.boolean().optional()])),
})

function readJson(json: unknown, question: IssuerQuestion): IssuerOutcome {
  const { data } = Answer.safeParse(json)
  if (data?.transactionLocatorId !== question.requestId) return MALFORMED
  const indicators = INDICATOR_NAMES.flatMap((name): [string, boolean][] => {
    const value = data[toMember(name)]
    return typeof value === 'boolean' ? [[name, value]] : []
  })
  return readIndicators(new Map(indicators), question)
}
