import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { extractArchive } from '../../../server/proof/multipart.ts'
import { readZip } from '../../../server/proof/verify/read-zip.ts'
import { NUMBER, startPhoneApp, type PhoneApp } from './phone.ts'

let phone: PhoneApp
async function start(tenant: object = {}): Promise<void> {
  const settings = { id: 'default', name: 'Test', mode: 'test', policy: 'default', ...tenant }
  phone = await startPhoneApp({ tenant: settings })
}
afterEach(() => phone.close())

const CARD = '4111111111111111'
const CLAIM = {
  attributesData: {
    givenNames: [{ value: 'Anna' }, { value: 'Maria' }],
    surname: { value: 'Zaphodovaquix' },
    dateOfBirth: { value: '1974-08-12' },
    gender: { value: 'F' },
    nationality: { value: 'FRA' },
    personalNumber: { value: '1740899123456', issuingCountry: 'FRA' },
  },
  addressesData: {
    streetDetails: { streetLines: ['12 rue des Lilas'] },
    houseNumber: '12',
    postcode: '75020',
    city: 'Paris',
    country: 'FRA',
  },
  contactDetails: { mobile: { value: NUMBER } },
  creditCardDetails: { cardNumber: CARD, cardType: 'VISA', expiryDate: '12/29' },
}
const NAMES_ONLY = { attributesData: { surname: { value: 'Zaphodovaquix' } } }

const at = (id: string) => `/v1/identities/${id}/claim`
const mobileAt = (id: string, path = '') => `/v1/identities/${id}/contact-details/mobile${path}`

async function submitClaim(id: string, payload: object = CLAIM) {
  const answer = await phone.ask('SingleStatus', 'POST', at(id), { payload })
  await phone.app.runJobs()
  return answer
}
const claimOf = async (id: string) => (await phone.ask('ClaimAnswer', 'GET', at(id))).globalStatus.Claim

/** The files of the proof, which closes the transaction. */
async function sealed(id: string): Promise<Readonly<Record<string, string>>> {
  const response = await phone.app.call('GET', `/v1/identities/${id}/proof`)
  expect(response.status).toBe(200)
  const archive = extractArchive(new Uint8Array(await response.arrayBuffer())) ?? new Uint8Array()
  const { files } = readZip(archive)
  return Object.fromEntries(
    files.map(({ path, bytes }) => [path.split('/').at(-1) ?? '', Buffer.from(bytes).toString('utf8')]),
  )
}

describe('a claim', () => {
  test('is shown as it was made, nothing of it verified, and of the card only that', async () => {
    await start()
    const id = await phone.anIdentity(['ID_CLAIM'])
    const { status, type, id: evidenceId } = await submitClaim(id)
    expect({ status, type }).toEqual({ status: 'PROCESSING', type: 'ID_CLAIM' })
    const claim = await claimOf(id)
    expect(claim).toMatchObject({ evidenceId, type: 'ID_CLAIM', evidenceStatus: { status: 'NOT_VERIFIED' } })
    expect(claim.evidenceStatus?.unverifiedIndicators).toContain('ID_CLAIM_SOURCE_UNVERIFIED')
    const no = { verified: false }
    expect(claim.claimData).toEqual({
      attributesData: {
        givenNames: [
          { value: 'Anna', ...no },
          { value: 'Maria', ...no },
        ],
        surname: { value: 'Zaphodovaquix', ...no },
        dateOfBirth: { value: '1974-08-12', ...no },
        gender: { value: 'F', ...no },
        nationality: { value: 'FRA', ...no },
        personalNumber: { value: '1740899123456', issuingCountry: 'FRA', ...no },
      },
      addressesData: {
        streetDetails: { streetLines: ['12 rue des Lilas'], ...no },
        houseNumber: '12',
        postcode: '75020',
        city: 'Paris',
        country: 'FRA',
        ...no,
      },
      contactDetails: { mobile: { value: NUMBER, otp: { status: 'NOT_INITIATED' }, ...no } },
      creditCardDetails: no,
    })
    expect((await phone.ask('Identity', 'GET', `/v1/identities/${id}`)).claim).toEqual(claim)
  })

  test('keeps of a card its last four digits and a keyed hash; its number is in no file, answer or proof', async () => {
    await start()
    const id = await phone.anIdentity(['ID_CLAIM'])
    const { id: evidenceId } = await submitClaim(id)
    const kept = phone.app.appliance.store.evidences.find(evidenceId)
    expect(kept?.content.claim?.creditCardDetails).toEqual({
      numberHash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      lastFour: '1111',
      isWellFormed: true,
      verified: false,
      asked: { unasked: 'CONFIGURATION' },
    })
    const same = await phone.anIdentity(['ID_CLAIM'])
    const spaced = { creditCardDetails: { cardNumber: '4111 1111-1111 1111' } }
    const { id: again } = await submitClaim(same, spaced)
    expect(phone.app.appliance.store.evidences.find(again)?.content.claim?.creditCardDetails).toEqual(
      kept?.content.claim?.creditCardDetails,
    )
    const files = await sealed(id)
    const answers = await Promise.all(
      [at(id), `/v1/identities/${id}?detailed=true`].map(async (path) =>
        (await phone.app.call('GET', path)).text(),
      ),
    )
    for (const text of [...answers, ...Object.values(files)]) {
      expect(text).not.toContain(CARD)
      expect(text).not.toContain('12/29')
    }
    expect(files['identityDetails.json']).toContain('Zaphodovaquix')
  })

  test('that comes later is the one that counts; the earlier one stays in the proof', async () => {
    await start()
    const id = await phone.anIdentity(['ID_CLAIM'])
    const first = await submitClaim(id, NAMES_ONLY)
    const second = await submitClaim(id, { attributesData: { surname: { value: 'Corrected' } } })
    expect(await claimOf(id)).toMatchObject({
      evidenceId: second.id,
      claimData: { attributesData: { surname: { value: 'Corrected' } } },
    })
    const details = JSON.parse((await sealed(id))['verificationAndEvaluationDetails.json']) as {
      identityOperation: { name: string; type: string }
      participantContextId: string
    }[]
    const claims = details.filter(({ identityOperation }) => identityOperation.name === 'ID_CLAIM')
    const steps = claims.map((entry) => [entry.identityOperation.type, entry.participantContextId])
    expect(steps).toHaveLength(3)
    expect(steps).toEqual(
      expect.arrayContaining([
        ['ADD', first.id],
        ['DELETE', first.id],
        ['ADD', second.id],
      ]),
    )
  })

  test('needs the consent ID_CLAIM, an open identity, and something that is claimed', async () => {
    await start()
    const without = await phone.anIdentity([])
    expect(await phone.refusal('POST', at(without), { payload: CLAIM })).toMatchObject({
      status: 403,
      code: 'consent_missing',
    })
    const id = await phone.anIdentity(['ID_CLAIM'])
    expect(await phone.refusal('GET', at(id))).toMatchObject({ status: 404, code: 'not_found' })
    expect((await phone.refusal('POST', at(id), { payload: {} })).status).toBe(400)
    await sealed(id)
    expect(await phone.refusal('POST', at(id), { payload: CLAIM })).toMatchObject({
      status: 403,
      code: 'identity_closed',
    })
    expect(await phone.refusal('POST', at('0190-unknown'), { payload: CLAIM })).toMatchObject({ status: 404 })
  })

  test('is refused where the tenant has not switched claims on', async () => {
    await start({ features: { idClaim: false } })
    const id = await phone.anIdentity(['ID_CLAIM'])
    const refused = await phone.refusal('POST', at(id), { payload: CLAIM })
    expect(refused).toMatchObject({ status: 403, code: 'feature_disabled' })
  })
})

describe('a claimed phone number', () => {
  test('is sent a passcode, which counts for the claim and for the number alike', async () => {
    await start()
    const id = await phone.anIdentity()
    await submitClaim(id)
    expect(phone.gateway.messages.map(({ to }) => to)).toEqual([NUMBER])
    expect((await claimOf(id)).claimData?.contactDetails?.mobile.otp?.status).toBe('PENDING')
    const value = phone.gateway.lastCode()
    expect((await phone.app.call('POST', mobileAt(id, '/otp'), { payload: { value } })).status).toBe(204)
    await phone.app.runJobs()
    const { contactDetails } = await phone.ask('MobileAnswer', 'GET', mobileAt(id))
    expect(contactDetails.mobile).toMatchObject({ value: NUMBER, otp: { status: 'DONE' } })
    expect((await claimOf(id)).claimData?.contactDetails?.mobile.otp?.status).toBe('DONE')
  })

  test.each([
    ['without the consent MOBILE_OTP', ['ID_CLAIM'], {}],
    ['where phones are not verified', ['ID_CLAIM', 'MOBILE_OTP'], { features: { mobileOtp: false } }],
  ])('%s is sent none: the claim is taken and says NOT_INITIATED', async (_name, consents, tenant) => {
    await start(tenant)
    const id = await phone.anIdentity(consents)
    await submitClaim(id)
    expect(phone.gateway.messages).toEqual([])
    expect((await claimOf(id)).claimData?.contactDetails?.mobile.otp).toEqual({ status: 'NOT_INITIATED' })
    expect((await phone.refusal('GET', mobileAt(id))).status).toBe(404)
  })

  test('that was verified already is not asked again', async () => {
    await start()
    const id = await phone.anIdentity()
    await phone.ask('MobileSubmitAnswer', 'POST', mobileAt(id), { payload: { value: NUMBER } })
    await phone.app.runJobs()
    await phone.app.call('POST', mobileAt(id, '/otp'), { payload: { value: phone.gateway.lastCode() } })
    await submitClaim(id)
    expect(phone.gateway.messages).toHaveLength(1)
    expect((await claimOf(id)).claimData?.contactDetails?.mobile.otp?.status).toBe('DONE')
  })

  test('beyond the passcodes of the hour: 1117, and nothing of the claim is kept', async () => {
    await start()
    const id = await phone.anIdentity()
    for (let sent = 1; sent <= 3; sent++) await submitClaim(id)
    const before = phone.app.appliance.store.evidences.list(id).length
    const refused = await phone.refusal('POST', at(id), { payload: CLAIM })
    expect(refused).toEqual({ status: 400, code: 'otp_attempts_reached', errors: [{ code: '1117' }] })
    expect(phone.app.appliance.store.evidences.list(id)).toHaveLength(before)
    expect(phone.gateway.messages).toHaveLength(3)
    // Without the number it is accepted.
    await submitClaim(id, NAMES_ONLY)
  })
})

test('hidden claim data is hidden wherever the claim is shown: claim, identity and proof', async () => {
  await start({ hideClaimData: true })
  const id = await phone.anIdentity(['ID_CLAIM'])
  await submitClaim(id)
  const shown = ['evidenceId', 'submitDateTime', 'type']
  expect(Object.keys(await claimOf(id)).sort()).toEqual(shown)
  const { claim } = await phone.ask('Identity', 'GET', `/v1/identities/${id}?detailed=true`)
  expect(Object.keys(claim ?? {}).sort()).toEqual(shown)
  for (const text of Object.values(await sealed(id))) expect(text).not.toContain('Zaphodovaquix')
})

test('nothing that was claimed is found in the log, in the data folder or in an event', async () => {
  await start()
  const id = await phone.anIdentity()
  await submitClaim(id)
  await phone.refusal('POST', at(id), {
    payload: { ...CLAIM, creditCardDetails: { cardNumber: 'Zaphodovaquix' } },
  })
  const events = JSON.stringify(phone.app.appliance.store.events.after(0, 1000))
  expect(events).toContain('ID_CLAIM')
  const folder = readdirSync(phone.app.dataDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)))
  for (const content of [...folder, Buffer.from(phone.app.log()), Buffer.from(events)]) {
    for (const canary of ['Zaphodovaquix', CARD, '1740899123456', 'rue des Lilas', NUMBER.slice(1)]) {
      expect(content.includes(canary), canary).toBe(false)
      expect(content.includes(Buffer.from(canary, 'utf16le')), canary).toBe(false)
    }
  }
})
