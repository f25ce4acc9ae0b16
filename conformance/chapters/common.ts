/** Inputs that several chapters send. */
import { field } from '../kit.ts'
import type { Call, Kit } from '../kit.ts'
import { loadPictures } from '../pictures.ts'
import { consent, identitySummary } from '../spec.ts'
import { listOf } from '../shapes.ts'
import type { OperationName } from '../spec.ts'

export type Chapter = (kit: Kit) => Promise<void>

/** Well formed, and never assigned by a server. */
export const UNKNOWN_ID = '00000000-0000-7000-8000-00000000dead'

export const PICTURES = loadPictures()

/** Creates a separate identity for each chapter, with these consents. */
export async function newIdentity(kit: Kit, consents: readonly string[] = []): Promise<string> {
  const context = JSON.stringify([{ key: 'APPLICATION', value: 'conformance kit' }])
  const created = await kit.must(
    'POST /v1/identities',
    'a context as a part of a form',
    { form: { context } },
    {
      status: 200,
      shape: identitySummary,
    },
  )
  const id = field(created, 'id')
  if (consents.length > 0) await consentTo(kit, id, consents)
  return id
}

export async function consentTo(kit: Kit, id: string, types: readonly string[]): Promise<void> {
  const json = types.map((type) => ({ type, approved: true }))
  await kit.must(
    'POST /v1/identities/{id}/consents',
    `consent to ${types.join(', ')}`,
    { params: { id }, json },
    {
      status: 200,
      shape: listOf(consent, types.length),
    },
  )
}

export async function verifiedPassport(kit: Kit, id: string): Promise<string> {
  const operation = 'POST /v1/identities/{id}/id-documents/capture'
  const form = { DocumentFront: PICTURES.passport }
  const submitted = await kit.must(
    operation,
    'a photograph of a passport',
    { params: { id }, form },
    { status: 200 },
  )
  const evidenceId = field(submitted, 'id')
  await kit.untilDecided(id, evidenceId)
  return evidenceId
}

/** Ids after the identity in a path, which must not be found. */
export const NOWHERE = {
  evidenceId: UNKNOWN_ID,
  fileId: UNKNOWN_ID,
  sessionId: UNKNOWN_ID,
  webhookId: UNKNOWN_ID,
  deliveryId: UNKNOWN_ID,
  iso3: 'FRA',
}

export const ADDRESS = {
  streetDetails: { streetLines: ['12 rue des Essais', 'Appartement 3'] },
  postcode: '75001',
  city: 'Paris',
  country: 'FRA',
}
export const ATTRIBUTES = {
  givenNames: [{ value: 'Anna' }, { value: 'Maria' }],
  surname: { value: 'Eriksson' },
  dateOfBirth: { value: '1974-08-12' },
  gender: { value: 'F' },
  nationality: { value: 'FRA' },
  eyeColor: { value: 'BROWN' },
  height: { value: '170' },
}
export const TEXT_DOCUMENT = {
  idDocumentType: 'PASSPORT',
  idDocumentNumber: 'L898902C3',
  issuingCountry: 'FRA',
  issuingDate: '2020-01-31',
  expiryDate: '2039-12-31',
  personalAttributes: {
    dateOfBirth: { value: '1974-08-12' },
    givenNames: [{ value: 'Anna' }, { value: 'Maria' }],
    surname: { value: 'Eriksson' },
    gender: { value: 'F' },
  },
  address: { streetDetails: { streetLines: ['1', '2', '3'] }, city: 'Paris', postcode: '75001' },
}
/** The check digit holds: 2·1 + 4·3 + 2·7 + 8·9 + 7·1 + 7·3 + 8·7 + 1·9 = 193, 193 mod 10 = 3. */
export const MEDICARE = {
  cardNumber: '2428778131',
  cardType: 'G',
  issuingCountry: 'AUS',
  expiryDate: '2039-12-31',
  individualReferenceNumber: 1,
  fullname2: 'Anna M Eriksson',
  personalAttributes: { fullname: { value: 'Anna Eriksson' }, dateOfBirth: { value: '1974-08-12' } },
}
export const CLAIM = {
  attributesData: {
    givenNames: [{ value: 'Anna' }],
    surname: { value: 'Eriksson' },
    dateOfBirth: { value: '1974-08-12' },
    gender: { value: 'F' },
    nationality: { value: 'FRA' },
    personalNumber: { value: '2740875123456', issuingCountry: 'FRA' },
  },
  addressesData: { ...ADDRESS, houseNumber: '12', district: '1er', fullAddress: '12 rue des Essais, Paris' },
  creditCardDetails: { cardNumber: '4111111111111111', expiryDate: '2039-12' },
}

/** Calls that succeed if the identity, its consents and its evidence allow it. */
export const EXAMPLES: Readonly<Partial<Record<OperationName, Call>>> = {
  'GET /v1/identities': { query: { correlationID: 'no-such-correlation' } },
  'POST /v1/identities/{id}/consents': { json: [{ type: 'PORTRAIT', approved: true }] },
  'POST /v1/identities/{id}/user-agent-token': { json: { lifetimeSeconds: 60 } },
  'PUT /v1/identities/{id}/legal-hold': { json: { reference: 'conformance kit' } },
  'POST /v1/identities/{id}/additional-files': { form: { File: PICTURES.png, Metadata: '[]' } },
  'POST /v1/identities/{id}/addresses': { json: ADDRESS },
  'POST /v1/identities/{id}/attributes': { json: ATTRIBUTES },
  'POST /v1/identities/{id}/antifraud': { json: [{ type: 'VELOCITY' }] },
  'POST /v1/identities/{id}/attributes/portrait/capture': { form: { Portrait: PICTURES.portrait } },
  'POST /v1/identities/{id}/id-documents/capture': { form: { DocumentFront: PICTURES.passport } },
  'POST /v1/identities/{id}/id-documents': { json: TEXT_DOCUMENT },
  'POST /v1/identities/{id}/id-document/aus/medicare': { json: MEDICARE },
  'POST /v1/identities/{id}/trusted-id-claim/oidc': { json: { idpIdentifier: 'any' } },
  'POST /v1/identities/{id}/claim': { json: CLAIM },
  'POST /v1/identities/{id}/contact-details/mobile': { json: { value: '+33639980001' } },
  'POST /v1/identities/{id}/contact-details/mobile/otp': { json: { value: '123456' } },
}
