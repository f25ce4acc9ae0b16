/** States are true: a polling client never waits or submits in vain. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aPassport, picture } from './scripted-vision.ts'
import { NUMBER, OTHER_NUMBER, startWholeApp, type WholeApp } from './whole-app.ts'
import { documentForm, portraitForm } from '../../support/app.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

let whole: WholeApp
beforeAll(async () => {
  whole = await startWholeApp()
})
afterAll(() => whole.close())

const at = (id: string, path: string) => `/v1/identities/${id}/${path}`
const identity = (id: string) => whole.ask('Identity', 'GET', `/v1/identities/${id}`)
const proofStatus = async (id: string) => (await whole.app.call('GET', at(id, 'proof'))).status
const mobile = at

async function verifiedPortrait(): Promise<string> {
  const id = await whole.anIdentity()
  const document = documentForm(aPassport())
  await whole.ask('SingleStatus', 'POST', at(id, 'id-documents/capture'), { body: document })
  await whole.endJobs(id)
  const body = portraitForm(picture({ shows: 'person', face: 'A' }))
  await whole.ask('SingleStatus', 'POST', at(id, 'attributes/portrait/capture'), { body })
  await whole.endJobs(id)
  return id
}

const openSession = (id: string) =>
  whole.ask('PortraitSessionAnswer', 'POST', at(id, 'attributes/portrait/capture-session'))

test('after its lifetime an identity is EXPIRED and offers no upgrade path; its proof can be fetched', async () => {
  const id = await whole.anIdentity()
  expect(Object.keys((await identity(id)).globalStatus.upgradePaths ?? {})).not.toEqual([])
  await whole.passTime(73 * HOUR_MS)
  const { globalStatus } = await whole.ask('IdentityStatusAnswer', 'GET', at(id, 'status'))
  expect(globalStatus).toMatchObject({ status: 'EXPIRED', upgradePaths: {} })
  expect(await proofStatus(id)).toBe(200)
  expect((await identity(id)).globalStatus.status).toBe('CLOSED')
})

test('a portrait that came before its document says that it waits for one, to a user agent too', async () => {
  const id = await whole.anIdentity()
  const body = portraitForm(picture({ shows: 'person', face: 'A' }))
  await whole.ask('SingleStatus', 'POST', at(id, 'attributes/portrait/capture'), { body })
  await whole.endJobs(id)
  for (const key of [whole.app.relyingServiceKey, whole.app.userAgentKey]) {
    const { portrait } = await whole.ask('Identity', 'GET', `/v1/identities/${id}`, { key })
    expect(portrait?.evidenceStatus.unverifiedIndicators).toContain('PORTRAIT_REFERENCE_UNVERIFIED')
  }
  const document = documentForm(aPassport())
  await whole.ask('SingleStatus', 'POST', at(id, 'id-documents/capture'), { body: document })
  await whole.endJobs(id)
  const { portrait } = await identity(id)
  expect(portrait?.evidenceStatus.status).toBe('VERIFIED')
  expect(portrait?.evidenceStatus.unverifiedIndicators).not.toContain('PORTRAIT_REFERENCE_UNVERIFIED')
})

describe('a verified portrait', () => {
  test('stays while another session is open, and when that brings nothing', async () => {
    const id = await verifiedPortrait()
    const before = await identity(id)
    expect(before.portrait?.evidenceStatus.status).toBe('VERIFIED')
    const session = await openSession(id)
    const meanwhile = await identity(id)
    expect(meanwhile.portrait?.evidenceId).toBe(before.portrait?.evidenceId)
    expect(meanwhile.globalStatus.levelOfAssurance).toBe(before.globalStatus.levelOfAssurance)
    expect(meanwhile.globalStatus.status).toBe('PROCESSING')
    await whole.passTime(2 * MINUTE_MS)
    const polled = await whole.ask('SingleStatus', 'GET', at(id, `status/${session.id}`))
    expect(polled.status).toBe('NOT_VERIFIED')
    const after = await identity(id)
    expect(after.portrait).toMatchObject({
      evidenceId: before.portrait?.evidenceId,
      evidenceStatus: { status: 'VERIFIED' },
    })
    expect(after.globalStatus).toMatchObject({
      status: 'EXPECTING_INPUT',
      levelOfAssurance: before.globalStatus.levelOfAssurance,
    })
    expect(await proofStatus(id)).toBe(200)
  })

  test('goes with an open session when the portrait is deleted', async () => {
    const id = await verifiedPortrait()
    await openSession(id)
    expect((await whole.app.call('DELETE', at(id, 'attributes/portrait'))).status).toBe(204)
    const after = await identity(id)
    expect(after.portrait).toBeUndefined()
    expect(after.globalStatus.status).toBe('EXPECTING_INPUT')
  })
})

describe('a phone number', () => {
  const submit = (id: string, value = NUMBER) =>
    whole.ask('MobileSubmitAnswer', 'POST', mobile(id, 'contact-details/mobile'), { payload: { value } })
  const type = (id: string, value: string) =>
    whole.app.json('POST', mobile(id, 'contact-details/mobile/otp'), { payload: { value } })
  const stateOf = async (id: string) =>
    (await whole.ask('MobileAnswer', 'GET', mobile(id, 'contact-details/mobile'))).contactDetails.mobile

  async function sent(): Promise<{ id: string; code: string }> {
    const id = await whole.anIdentity()
    await submit(id)
    await whole.endJobs(id)
    return { id, code: whole.gateway.lastCode() }
  }

  test('whose passcode was not typed can be deleted, and the proof can be fetched', async () => {
    const { id } = await sent()
    expect(await proofStatus(id)).toBe(403)
    expect((await whole.app.call('DELETE', mobile(id, 'contact-details/mobile'))).status).toBe(204)
    expect((await identity(id)).contactDetails).toBeUndefined()
    expect(await proofStatus(id)).toBe(200)
  })

  test('ends with the last wrong code (1117), and the proof can be fetched', async () => {
    const { id, code } = await sent()
    const wrong = code === '000000' ? '111111' : '000000'
    for (let tries = 0; tries < 5; tries += 1) expect((await type(id, wrong)).status).toBe(204)
    expect(await stateOf(id)).toMatchObject({
      verified: false,
      otp: { status: 'ERROR' },
      errors: [{ code: '1117' }],
    })
    expect((await type(id, code)).status).toBe(400)
    expect(await proofStatus(id)).toBe(200)
  })

  test('that was verified is not replaced by another one in a claim', async () => {
    const { id, code } = await sent()
    expect((await type(id, code)).status).toBe(204)
    const payload = { contactDetails: { mobile: { value: OTHER_NUMBER } } }
    await whole.ask('SingleStatus', 'POST', at(id, 'claim'), { payload })
    await whole.endJobs(id)
    expect(await stateOf(id)).toMatchObject({ value: NUMBER, otp: { status: 'DONE' } })
    expect((await identity(id)).claim?.evidenceStatus?.errors).toMatchObject([{ code: '1151' }])
  })
})
