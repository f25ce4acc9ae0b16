import { afterAll, beforeAll, expect, test } from 'vitest'
import { documentForm } from '../../support/app.ts'
import { NUMBER, startPhoneApp, type PhoneApp } from './phone.ts'
import { aPassport } from './scripted-vision.ts'

const OTHER_NUMBER = '+33639980002'

let phone: PhoneApp
beforeAll(async () => {
  phone = await startPhoneApp()
})
afterAll(() => phone.close())

const at = (id: string, path: string) => `/v1/identities/${id}/${path}`
const value = (text: string) => ({ value: text })

async function claimed(id: string, payload: object): Promise<void> {
  await phone.ask('SingleStatus', 'POST', at(id, 'claim'), { payload })
  await phone.app.runJobs()
}

async function found(id: string) {
  const { globalStatus } = await phone.ask('ClaimAnswer', 'GET', at(id, 'claim'))
  return globalStatus.Claim.evidenceStatus
}

async function submitMobile(id: string, number: string): Promise<void> {
  await phone.ask('MobileSubmitAnswer', 'POST', at(id, 'contact-details/mobile'), { payload: value(number) })
  await phone.app.runJobs()
}

test('claimed attributes are compared with the document once there is one, and differ with 1131', async () => {
  const id = await phone.anIdentity(['ID_CLAIM'])
  await claimed(id, { attributesData: { surname: value('Svensson'), dateOfBirth: value('1974-08-12') } })
  expect((await found(id))?.unverifiedIndicators).toEqual([
    'ATTRIBUTES_MATCH_UNVERIFIED',
    'ID_CLAIM_SOURCE_UNVERIFIED',
    'SOURCE_CONFIGURATION_UNVERIFIED',
  ])
  const body = documentForm(aPassport())
  await phone.ask('SingleStatus', 'POST', at(id, 'id-documents/capture'), { body })
  await phone.app.runJobs()
  expect(await found(id)).toMatchObject({
    status: 'NOT_VERIFIED',
    score: 'LEVEL0',
    errors: [{ code: '1131', field: 'surname' }],
    warningIndicators: ['ATTRIBUTES_MATCH_WARNING'],
    unverifiedIndicators: ['ID_CLAIM_SOURCE_UNVERIFIED', 'SOURCE_CONFIGURATION_UNVERIFIED'],
  })
})

test('a claimed payment card whose check digit does not fit is warned of', async () => {
  const id = await phone.anIdentity(['ID_CLAIM'])
  await claimed(id, { creditCardDetails: { cardNumber: '4111 1111 1111 1112' } })
  expect(await found(id)).toMatchObject({
    status: 'NOT_VERIFIED',
    warningIndicators: ['PAYMENT_CARD_NUMBER_WARNING'],
  })
  await claimed(id, { creditCardDetails: { cardNumber: '4111 1111 1111 1111' } })
  expect((await found(id))?.positiveIndicators).toEqual(['PAYMENT_CARD_NUMBER_OK'])
})

test.each(['4'.repeat(25), '4111 1111 111', '4111-1111x1111-1111'])(
  'a payment card number that no card can have is refused as other malformed values are: %s',
  async (cardNumber) => {
    const id = await phone.anIdentity(['ID_CLAIM'])
    const payload = { creditCardDetails: { cardNumber } }
    const { status, body } = await phone.app.json('POST', at(id, 'claim'), { payload })
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({
        errors: [expect.objectContaining({ field: 'creditCardDetails.cardNumber' })],
      }),
    ])
    expect(JSON.stringify(body)).not.toContain('4111')
  },
)

test('a claimed number is confirmed by the passcode that was sent to it, not by having been sent one', async () => {
  const id = await phone.anIdentity()
  await claimed(id, { contactDetails: { mobile: value(NUMBER) } })
  expect((await found(id))?.unverifiedIndicators).toContain('CONTACT_MATCH_UNVERIFIED')
  const payload = value(phone.gateway.lastCode())
  expect((await phone.app.json('POST', at(id, 'contact-details/mobile/otp'), { payload })).status).toBe(204)
  await phone.app.runJobs()
  expect(await found(id)).toMatchObject({
    status: 'NOT_VERIFIED',
    errors: [],
    positiveIndicators: ['CONTACT_MATCH_OK'],
    unverifiedIndicators: ['ID_CLAIM_SOURCE_UNVERIFIED', 'SOURCE_CONFIGURATION_UNVERIFIED'],
  })
})

test('another number than the claimed one is 1151, until the claimed one is submitted again', async () => {
  const id = await phone.anIdentity()
  await claimed(id, { contactDetails: { mobile: value(NUMBER) } })
  await submitMobile(id, OTHER_NUMBER)
  expect(await found(id)).toMatchObject({
    status: 'NOT_VERIFIED',
    errors: [{ code: '1151' }],
    warningIndicators: ['CONTACT_MATCH_WARNING'],
  })
  await submitMobile(id, NUMBER)
  expect(await found(id)).toMatchObject({ errors: [], warningIndicators: [] })
})

test('a claimed number to which no passcode may be sent is compared with nothing', async () => {
  const id = await phone.anIdentity(['ID_CLAIM'])
  await claimed(id, { contactDetails: { mobile: value(NUMBER) } })
  expect((await found(id))?.unverifiedIndicators).toContain('CONTACT_MATCH_UNVERIFIED')
})
