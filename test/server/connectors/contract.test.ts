/** Every connector that calls a service by HTTP keeps the contract; docs/connectors.md shows what each says of each fault. */
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { flattenedVerify } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBiometricServer } from '../../../server/connectors/biometrics/biometric-server.ts'
import { openCardOwnership } from '../../../server/connectors/card-ownership/card-ownership.ts'
import { openAddressSource } from '../../../server/connectors/address-register/address-source.ts'
import { openAttributeSource } from '../../../server/connectors/bureau/attribute-source.ts'
import { openDocumentRegister } from '../../../server/connectors/document-status/document-register.ts'
import { openEngineService } from '../../../server/connectors/engines/engine-service.ts'
import { openFraudRegister } from '../../../server/connectors/fraud-register/fraud-register.ts'
import { loadIssuerParticipation } from '../../../server/config/issuer-participation.ts'
import { openGenericSource } from '../../../server/connectors/issuer/generic-source.ts'
import { openDocumentVerification } from '../../../server/connectors/issuer-au/document-verification.ts'
import { openLicenceVerification } from '../../../server/connectors/issuer-us/licence-verification.ts'
import { openCamaraOperator } from '../../../server/connectors/operator/camara-operator.ts'
import { openSmsCarrier } from '../../../server/connectors/sms/carrier.ts'
import { openVoiceGateway } from '../../../server/connectors/voice/voice-gateway.ts'
import { openTimestamper } from '../../../server/connectors/timestamp/http-timestamper.ts'
import { AppError } from '../../../server/errors.ts'
import { CALLBACK_SECRET } from '../../support/biometric-server.ts'
import {
  buildFaultTable,
  testConnectorContract,
  type ConnectorContract,
  type ContractFault,
} from '../../support/connector-contract.ts'
import { aMessage } from '../../support/passcode-message.ts'
import { startTimestampAuthority, type TimestampAuthority } from '../../support/timestamp-authority.ts'

const json = (value: object, status = 200) => ({ status, body: JSON.stringify(value) })
/** The trouble of an outcome whose success has this kind. */
const tell = (outcome: { readonly kind: string; readonly reason?: string }, success = 'answered') => ({
  trouble: outcome.kind === success ? null : (outcome.reason ?? outcome.kind),
  said: outcome,
})

const PERSON = { number: 'L898902C3', surname: 'Zaphodovaquix', born: '1974-08-12', phone: '+33639980001' }

// Services that check a signature
// ------------------------------------------------------------------------------

const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const SIGNING_KEY = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
const PUBLIC_KEY = createPublicKey(keys.publicKey.export({ type: 'spki', format: 'pem' }))
const MAX_AGE_SECONDS = 300

async function isSigned(body: Buffer, signature: string, now: Date): Promise<boolean> {
  const [header = '', , value = ''] = signature.split('.')
  const jws = { protected: header, payload: body.toString('base64url'), signature: value }
  try {
    const { protectedHeader } = await flattenedVerify(jws, PUBLIC_KEY)
    return Math.abs(now.getTime() / 1000 - Number(protectedHeader?.iat)) < MAX_AGE_SECONDS
  } catch {
    return false
  }
}

const ISSUER: ConnectorContract = {
  name: 'issuer',
  tries: 3,
  isSigned: true,
  personal: [PERSON.number, PERSON.surname, PERSON.born],
  open: (settings, now) => {
    const source = openGenericSource(
      {
        ...settings,
        id: 'office',
        askAgainMinutes: [],
        signingKey: SIGNING_KEY,
        keyId: 'k1',
        covers: [{ documentTypes: ['PASSPORT'], countries: ['UTO'] }],
        sends: ['documentNumber', 'surname', 'dateOfBirth'],
      },
      'connectors.issuers.0',
      { now },
    )
    return {
      ...source,
      exchange: async () =>
        tell(
          await source.ask({
            requestId: '01890a5d-ac96-874b-8cce-000000000001',
            documentType: 'PASSPORT',
            issuingCountry: 'UTO',
            values: { documentNumber: PERSON.number, surname: PERSON.surname, dateOfBirth: PERSON.born },
          }),
        ),
    }
  },
  answer: async ({ body, headers }, now) => {
    if (!(await isSigned(body, String(headers['request-signature']), now))) return json({}, 401)
    const { requestId } = JSON.parse(body.toString('utf8')) as { requestId: string }
    return json({ requestId, record: 'FOUND', matches: { surname: 'MATCH', dateOfBirth: 'MATCH' } })
  },
}

const REQUEST_ID = '01890a5d-ac96-874b-8cce-000000000001'
/** The text of an element of a SOAP request. */
const readElement = (body: Buffer, name: string): string =>
  new RegExp(`:${name}>([^<]*)<`).exec(body.toString('utf8'))?.[1] ?? ''
const soap = (body: string) => ({
  type: 'application/soap+xml',
  body: `<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Body>${body}</s:Body></s:Envelope>`,
})

const ISSUER_AU: ConnectorContract = {
  name: 'issuer-au',
  tries: 3,
  personal: [PERSON.number, PERSON.surname, PERSON.born],
  open: (settings, now) => {
    const source = openDocumentVerification(
      { ...settings, askAgainMinutes: [], agencyCode: 'RNA0', documentTypes: ['PASSPORT'] },
      loadIssuerParticipation(),
      { now },
    )
    return {
      ...source,
      exchange: async () =>
        tell(
          await source.ask({
            requestId: REQUEST_ID,
            documentType: 'PASSPORT',
            issuingCountry: 'AUS',
            values: { documentNumber: PERSON.number, surname: PERSON.surname, dateOfBirth: PERSON.born },
          }),
        ),
    }
  },
  answer: ({ body }) =>
    soap(
      `<VerifyDocumentResponse><VerifyDocumentResult><VerificationRequestNumber>${readElement(body, 'VerificationRequestNumber')}` +
        '</VerificationRequestNumber><VerificationResultCode>Y</VerificationResultCode></VerifyDocumentResult></VerifyDocumentResponse>',
    ),
}

const ISSUER_US: ConnectorContract = {
  name: 'issuer-us',
  tries: 3,
  personal: [PERSON.number, PERSON.surname, PERSON.born],
  open: (settings, now) => {
    const source = openLicenceVerification(
      {
        ...settings,
        askAgainMinutes: [],
        protocol: 'soap-1.2',
        originatorId: 'GSA',
        governmentUser: false,
        sends: ['documentNumber', 'surname', 'dateOfBirth'],
      },
      loadIssuerParticipation(),
      { now },
    )
    return {
      ...source,
      exchange: async () =>
        tell(
          await source.ask({
            requestId: REQUEST_ID,
            documentType: 'DRIVING_LICENSE',
            issuingCountry: 'USA',
            issuingState: 'TX',
            values: { documentNumber: PERSON.number, surname: PERSON.surname, dateOfBirth: PERSON.born },
          }),
        ),
    }
  },
  answer: ({ body }) =>
    soap(
      '<VerifyDriverLicenseDataResponse><VerifyDriverLicenseDataResult><ControlData><MessageAddress><TransactionLocatorId>' +
        `${readElement(body, 'TransactionLocatorId')}</TransactionLocatorId></MessageAddress></ControlData>` +
        '<DriverLicenseNumberMatchIndicator>true</DriverLicenseNumberMatchIndicator>' +
        '</VerifyDriverLicenseDataResult></VerifyDriverLicenseDataResponse>',
    ),
}

const BUREAU: ConnectorContract = {
  name: 'bureau',
  tries: 3,
  isSigned: true,
  personal: [PERSON.surname, PERSON.born],
  open: (settings, now) => {
    const source = openAttributeSource(
      {
        ...settings,
        id: 'bureau',
        signingKey: SIGNING_KEY,
        keyId: 'k1',
        countries: ['AUS'],
        sends: ['givenNames', 'surname', 'dateOfBirth'],
        authoritative: false,
        askAgainMinutes: [],
      },
      'connectors.bureaus.0',
      { now },
    )
    const values = { givenNames: 'Anna', surname: PERSON.surname, dateOfBirth: PERSON.born }
    const requestId = '01890a5d-ac96-874b-8cce-000000000001'
    return { ...source, exchange: async () => tell(await source.ask({ requestId, country: 'AUS', values })) }
  },
  answer: async ({ body, headers }, now) => {
    if (!(await isSigned(body, String(headers['request-signature']), now))) return json({}, 401)
    const { requestId } = JSON.parse(body.toString('utf8')) as { requestId: string }
    return json({ requestId, records: [] })
  },
}

const ADDRESS_REGISTER: ConnectorContract = {
  name: 'address-register',
  tries: 3,
  isSigned: true,
  personal: [PERSON.surname, PERSON.born, '12 LONG ST'],
  open: (settings, now) => {
    const source = openAddressSource(
      {
        ...settings,
        id: 'addresses',
        signingKey: SIGNING_KEY,
        keyId: 'k1',
        countries: ['AUS'],
        sends: ['streetLine1', 'city', 'surname', 'givenNames', 'dateOfBirth'],
        authoritative: false,
        askAgainMinutes: [],
      },
      'connectors.addressRegisters.0',
      { now },
    )
    const home = { streetLine1: '12 LONG ST', city: 'PERTH' }
    const values = { ...home, givenNames: 'Anna', surname: PERSON.surname, dateOfBirth: PERSON.born }
    const requestId = '01890a5d-ac96-874b-8cce-000000000001'
    return { ...source, exchange: async () => tell(await source.ask({ requestId, country: 'AUS', values })) }
  },
  answer: async ({ body, headers }, now) => {
    if (!(await isSigned(body, String(headers['request-signature']), now))) return json({}, 401)
    const { requestId } = JSON.parse(body.toString('utf8')) as { requestId: string }
    return json({ requestId, record: 'FOUND' })
  },
}

const CARD_OWNERSHIP: ConnectorContract = {
  name: 'card-ownership',
  tries: 3,
  isSigned: true,
  personal: [PERSON.surname, '4111111111111111'],
  open: (settings, now) => {
    const service = openCardOwnership({ ...settings, signingKey: SIGNING_KEY, keyId: 'k1' }, { now })
    const card = { paymentCardNumber: '4111111111111111', givenNames: 'Anna', surname: PERSON.surname }
    return {
      ...service,
      exchange: async () => {
        const said = await service.ask(card, '01890a5d-ac96-874b-8cce-000000000001')
        return { trouble: said.call.trouble, said }
      },
    }
  },
  answer: async ({ body, headers }, now) => {
    if (!(await isSigned(body, String(headers['request-signature']), now))) return json({}, 401)
    const { requestId } = JSON.parse(body.toString('utf8')) as { requestId: string }
    return json({ requestId, account: 'OPEN' })
  },
}

// The others
// ------------------------------------------------------------------------------

const SMS: ConnectorContract = {
  name: 'sms',
  tries: 1,
  personal: [PERSON.phone, '012345'],
  troubles: { malformed: 'unexpected-answer', 'too large': 'unexpected-answer' },
  open: (settings, now) => {
    const carrier = openSmsCarrier({ kind: 'http', ...settings }, { now })
    const message = aMessage({ to: PERSON.phone })
    return { ...carrier, exchange: async () => tell(await carrier.send(message), 'accepted') }
  },
  answer: () => json({ status: 'ACCEPTED' }, 202),
}

const VOICE: ConnectorContract = {
  name: 'voice',
  tries: 3,
  personal: [PERSON.phone, '0, 1, 2, 3, 4, 5'],
  troubles: { malformed: 'unexpected-answer', 'too large': 'unexpected-answer' },
  open: (settings, now) => {
    const gateway = openVoiceGateway({ ...settings, callbackSecrets: null }, { now })
    const message = aMessage({ to: PERSON.phone, text: 'Your code: 0, 1, 2, 3, 4, 5.' })
    return { ...gateway, exchange: async () => tell(await gateway.send(message), 'accepted') }
  },
  answer: ({ headers }) =>
    headers['idempotency-key'] === aMessage().requestId ? json({ status: 'ACCEPTED' }, 202) : json({}, 400),
}

const BIOMETRICS: ConnectorContract = {
  name: 'biometrics',
  tries: 3,
  personal: [],
  troubles: { 'HTTP 429': 'unreachable', malformed: 'unexpected-answer', 'too large': 'unexpected-answer' },
  open: (settings, now) => {
    const more = { livenessTypes: ['LIVENESS_ACTIVE'], livenessStops: [], largestPictureBytes: 1000 } as const
    const publicUrl = 'https://kiosk.example'
    const server = openBiometricServer(
      { ...settings, ...more, publicUrl, callbackSecrets: CALLBACK_SECRET },
      { now },
    )
    const order = { livenessType: 'LIVENESS_ACTIVE', securityLevel: 'HIGH', lifetimeSeconds: 90 } as const
    const reference = '6a2b0a4e-1111-4222-8333-444455556666'
    return { ...server, exchange: async () => tell(await server.openSession({ ...order, reference })) }
  },
  answer: () => json({ sessionId: '5f0c2a4e-1111-4222-8333-444455556666', version: '7.1' }, 201),
}

const DOCUMENT_STATUS: ConnectorContract = {
  name: 'document-status',
  tries: 1,
  personal: [PERSON.number],
  open: (settings, now) => {
    const register = openDocumentRegister({ ...settings, authoritative: true, coversDeaths: false }, { now })
    return { ...register, exchange: async () => tell(await register.ask('ABCDE')) }
  },
  answer: ({ path }) => json({ register: 'Register', date: '2026-03-02', range: path.slice(1), entries: [] }),
}

const FRAUD_REGISTER: ConnectorContract = {
  ...DOCUMENT_STATUS,
  name: 'fraud-register',
  personal: [PERSON.number, PERSON.surname, PERSON.born],
  open: (settings, now) => {
    const register = openFraudRegister({ ...settings, coversDeaths: false }, { now })
    return { ...register, exchange: async () => tell(await register.ask('ABCDE')) }
  },
}

const OPERATOR: ConnectorContract = {
  name: 'operator',
  // Two questions, three times each.
  tries: 6,
  personal: [PERSON.phone, PERSON.surname, PERSON.born],
  open: (settings, now) => {
    const operator = openCamaraOperator(
      {
        ...settings,
        matchPath: '/kyc-match/v0.3',
        simSwapPath: '/sim-swap/v2',
        simSwapHours: 240,
        askAgainMinutes: [],
        sends: ['givenName', 'familyName', 'birthdate'],
      },
      { now },
    )
    const values = { givenName: 'Anna', familyName: PERSON.surname, birthdate: PERSON.born }
    return {
      ...operator,
      exchange: async () => {
        const requestId = '01890a5d-ac96-874b-8cce-000000000001'
        const said = await operator.ask({ phoneNumber: PERSON.phone, values }, requestId)
        const { person, simSwapped } = said.answer
        const part = [person, simSwapped].find(({ kind }) => kind === 'unanswered')
        return { trouble: part?.kind === 'unanswered' ? part.trouble : null, said }
      },
    }
  },
  answer: ({ path }) => json(path.endsWith('/match') ? { familyNameMatch: 'true' } : { swapped: false }),
}

/** Its answers are judged by the vision worker. */
const ENGINES: ConnectorContract = {
  name: 'engines',
  tries: 3,
  personal: [],
  troubles: {
    'HTTP 429': 'unreachable',
    malformed: null,
    'too large': 'unexpected-answer',
    'certificate of another authority': 'unreachable',
    'expired certificate': 'unreachable',
    'credentials refused': 'unexpected-answer',
  },
  open: (settings) => {
    const engine = openEngineService(settings)
    return {
      close: () => engine.close(),
      exchange: async () => {
        const said = await engine.ask('/v1/comparisons', { probe: 'x', references: [] })
        return { trouble: said.kind === 'failed' ? said.trouble : null, said }
      },
    }
  },
  answer: () => json({ engine: {}, scores: [] }),
}

let authority: TimestampAuthority
beforeAll(async () => {
  authority = await startTimestampAuthority()
})
afterAll(() => authority.close())
const TIMESTAMP: ConnectorContract = {
  name: 'timestamp',
  tries: 1,
  // openssl makes each token.
  timeoutMs: 3000,
  personal: [],
  troubles: { malformed: 'unreadable', 'credentials refused': 'unexpected-answer' },
  open: (settings) => {
    const timestamper = openTimestamper({ ...settings, required: true })
    return {
      exchange: async () => {
        try {
          return { trouble: null, said: await timestamper.stamp(Buffer.from('a signature')) }
        } catch (error) {
          if (!(error instanceof AppError)) throw error
          return { trouble: String(error.details.reason), said: [error.message, error.details] }
        }
      },
    }
  },
  answer: async ({ body }) => ({ type: 'application/timestamp-reply', body: await authority.reply(body) }),
}

const found = new Map<string, Map<ContractFault, string>>()
for (const contract of [
  ISSUER,
  ISSUER_AU,
  ISSUER_US,
  BUREAU,
  ADDRESS_REGISTER,
  CARD_OWNERSHIP,
  OPERATOR,
  SMS,
  VOICE,
  BIOMETRICS,
  DOCUMENT_STATUS,
  FRAUD_REGISTER,
  TIMESTAMP,
  ENGINES,
]) {
  const results = new Map<ContractFault, string>()
  found.set(contract.name, results)
  testConnectorContract(contract, results)
}

/** The table after the last heading of the page; the formatter pads its cells. */
const squeeze = (text: string) => text.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---').trim()

test('docs/connectors.md shows what each connector says of each fault', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/connectors.md'), 'utf8')
  const documented = page.slice(page.lastIndexOf('| fault '))
  expect(squeeze(documented)).toBe(squeeze(buildFaultTable(found)))
})
