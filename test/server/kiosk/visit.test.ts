/** A whole visit at the kiosk, through its own endpoints and those of the capture components. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { APPLIANCE } from '../../../server/store/scope.ts'
import { aPassport } from '../app/scripted-vision.ts'
import { startKioskApp, type KioskApp, type Page, type StepOf } from './kiosk-app.ts'

let kiosk: KioskApp
beforeAll(async () => {
  kiosk = await startKioskApp()
})
afterAll(() => kiosk.close())

const PROBLEM = 'urn:counterproof:problem:'
const ALPHABET = '0-9A-HJKMNP-TV-Z'
const REFERENCE = new RegExp(`^[${ALPHABET}]{4}-[${ALPHABET}]{4}$`)
const CODE = new RegExp(`^[${ALPHABET}]{5}(-[${ALPHABET}]{5}){2}$`)

async function wholeVisit(page: Page): Promise<StepOf<'result'>> {
  await page.begin()
  await page.showDocument(aPassport())
  await page.do('POST', 'check', {})
  await page.showFace()
  return (await page.do('POST', 'finish')).step as StepOf<'result'>
}

const storeOf = () => kiosk.app.appliance.store
const identityOf = (page: { reference: string | null }) =>
  storeOf().visits.findByReference(page.reference ?? '')?.identityId ?? ''

describe('a visit', () => {
  test('goes through the steps of its journey, each decided by the server, and ends with a sealed proof', async () => {
    const page = kiosk.page()
    const started = await page.do('POST', 'session', { language: 'en' })
    expect(started).toMatchObject({
      reference: null,
      position: { steps: ['consent', 'document', 'check', 'portrait', 'result'], index: 0, undone: [] },
      step: {
        kind: 'consent',
        required: ['ID_DOCUMENT', 'PORTRAIT'],
        optional: [],
        retention: { hoursAfterHandover: 24, hasCentre: false, unfinishedHours: 168 },
      },
      help: { asked: false, answer: null },
      takenOver: false,
    })
    const agreed = await page.do('POST', 'consent', { approved: true })
    expect(agreed.reference).toMatch(REFERENCE)
    expect(agreed.step).toEqual({
      kind: 'document',
      state: 'CAPTURE',
      choice: null,
      guidance: [],
      guidanceField: null,
      left: 3,
      uploadAllowed: true,
      fileWanted: 'FRONT',
    })
    const read = await page.showDocument(aPassport())
    expect(read.position.index).toBe(2)
    const { fields } = read.step as StepOf<'check'>
    expect(fields.map(({ name, value }) => [name, value])).toEqual([
      ['givenNames', 'ANNA MARIA'],
      ['familyName', 'ERIKSSON'],
      ['birthDate', '1974-08-12'],
      ['documentNumber', 'L898902C3'],
      ['expiryDate', '2029-12-31'],
      ['issuingCountry', 'UTO'],
      ['nationality', 'UTO'],
      ['sex', 'F'],
    ])
    const checked = await page.do('POST', 'check', {})
    expect(checked.step).toMatchObject({ kind: 'portrait', state: 'READY', left: 3, tipsFirst: false })
    const seen = await page.showFace()
    expect(seen.step).toEqual({
      kind: 'waiting',
      ready: true,
      rows: [
        { name: 'document', state: 'DONE' },
        { name: 'portrait', state: 'DONE' },
        { name: 'seal', state: 'DOING' },
      ],
      mayLeave: true,
    })
    const { step } = await page.do('POST', 'finish')
    expect(step).toMatchObject({ kind: 'result', outcome: 'CONFIRMED' })
    const id = identityOf(agreed)
    expect(storeOf().identities.find(APPLIANCE, id)?.status).toBe('CLOSED')
    expect(storeOf().proofs.find(id)).not.toBeNull()
  })

  test('is given a receipt whose code finds it again, and which says the same when asked again', async () => {
    const page = kiosk.page()
    const { receipt } = await wholeVisit(page)
    expect(receipt.reference).toMatch(REFERENCE)
    expect(receipt.code).toMatch(CODE)
    expect(receipt.issuedAt).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/)
    expect(receipt.qr.rows.length).toBe(receipt.qr.rows[0]?.length)
    const again = await page.do('POST', 'finish')
    expect(again.step).toMatchObject({ receipt })
    const typed = receipt.code.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')
    expect(storeOf().visits.findByCode(typed)?.reference).toBe(receipt.reference)
  })

  // @clause NIST-63A-4/3.9-continuation
  test('leaves no code of a receipt in the database', async () => {
    const { receipt } = await wholeVisit(kiosk.page())
    const rows = JSON.stringify(storeOf().visits.list({ since: new Date(0), until: new Date(8.64e15) }))
    expect(rows).not.toContain(receipt.code)
    const { readFileSync, readdirSync } = await import('node:fs')
    const folder = kiosk.app.dataDir
    for (const file of readdirSync(folder).filter((name) => name.includes('.sqlite'))) {
      const bytes = readFileSync(`${folder}/${file}`).toString('latin1')
      expect(bytes).not.toContain(receipt.code)
      expect(bytes).not.toContain(receipt.code.replaceAll('-', ''))
    }
  })

  test('tells the page nothing but what its screens show: no id, level, score or result code', async () => {
    const page = kiosk.page()
    const { receipt } = await wholeVisit(page)
    const id = identityOf(receipt)
    const told = page.answers.join('\n')
    for (const secret of [id, 'default', page.cookie?.split('=')[1] ?? '?']) {
      expect(told).not.toContain(secret)
    }
    expect(told).not.toMatch(/LOA\d|LEVEL\d|VERIFIED|INVALID|score|_OK"|apikey/)
  })

  test('sends the read data to the one screen that shows it, and to no other', async () => {
    const page = kiosk.page()
    await wholeVisit(page)
    const holding = page.answers.filter((text) => text.includes('ERIKSSON'))
    expect(holding.length).toBeGreaterThan(0)
    for (const text of holding)
      expect((JSON.parse(text) as { step: { kind: string } }).step.kind).toBe('check')
    expect(kiosk.app.log()).not.toMatch(/ERIKSSON|L898902C3/)
  })

  test('is counted by its steps and its outcome, without the applicant’s name', async () => {
    const page = kiosk.page()
    const { receipt } = await wholeVisit(page)
    await page.call('POST', 'notes', { notes: [{ kind: 'GUIDANCE', code: 'DOCUMENT_GLARE' }] })
    await page.call('DELETE', 'session?why=FINISHED')
    const visit = storeOf().visits.findByReference(receipt.reference)
    expect(visit).toMatchObject({
      channel: 'KIOSK',
      journey: 'of-a-test/7',
      language: 'en',
      step: 'result',
      outcome: 'CONFIRMED',
      takenOverBy: null,
    })
    expect(visit?.endedAt).not.toBeNull()
    const notes = storeOf().visits.listNotes(visit?.id ?? '')
    expect(notes.filter(({ kind }) => kind === 'STEP').map(({ code }) => code)).toEqual([
      'consent',
      'document',
      'check',
      'portrait',
      'waiting',
      'result',
    ])
    expect(notes.at(-1)).toMatchObject({ kind: 'GUIDANCE', code: 'DOCUMENT_GLARE', step: 'result' })
  })

  // @clause NIST-63A-4/3.11-consent
  test('says in which words the person agreed', async () => {
    const page = kiosk.page()
    const presentation = { language: 'en', readAll: true, listened: false }
    const view = await page.begin({ presentation })
    const context = storeOf().identities.context(identityOf(view))
    expect(context).toEqual([
      { key: 'CHANNEL', value: 'KIOSK' },
      { key: 'JOURNEY', value: 'of-a-test/7' },
      { key: 'CONSENT_LANGUAGE', value: 'en' },
      { key: 'CONSENT_PRESENTATION', value: 'SCREEN+READ_IN_FULL' },
    ])
    await page.call('DELETE', 'session?why=STOPPED')
  })
})

describe('a visit that does not end with a proof', () => {
  test('leaves nothing but a count when the person says no', async () => {
    const page = kiosk.page()
    await page.do('POST', 'session', { language: 'en' })
    const before = kiosk.visits().length
    const answer = await page.call('POST', 'consent', { approved: false })
    expect(answer.status).toBe(204)
    expect(kiosk.visits()[0]).toMatchObject({
      outcome: 'REFUSED',
      identityId: null,
      reference: null,
      sent: { because: 'NO_CONSENT' },
    })
    expect(kiosk.visits()).toHaveLength(before)
    expect((await page.call('GET', 'visit')).status).toBe(204)
  })

  test.each([
    ['STOPPED', 'STOPPED'],
    ['WALKED_AWAY', 'WALKED_AWAY'],
    ['RESTARTED', 'STOPPED'],
    ['no reason at all', 'STOPPED'],
  ])('is erased at once when the page leaves it because of %s', async (why, outcome) => {
    const page = kiosk.page()
    const view = await page.begin()
    await page.showDocument(aPassport())
    const id = identityOf(view)
    expect((await page.call('DELETE', `session?why=${why}`)).status).toBe(204)
    expect(storeOf().identities.find(APPLIANCE, id)).toBeNull()
    expect(kiosk.visits()[0]).toMatchObject({ outcome, identityId: null })
  })

  test('is erased when a new one begins on the same screen', async () => {
    const page = kiosk.page()
    const id = identityOf(await page.begin())
    await page.begin()
    expect(storeOf().identities.find(APPLIANCE, id)).toBeNull()
    await page.call('DELETE', 'session')
  })
})

describe('what is not wanted now is refused', () => {
  const UNTIMELY = [
    ['POST', 'portrait/session', {}],
    ['POST', 'check', {}],
    ['POST', 'check/retake', undefined],
    ['POST', 'finish', undefined],
    ['POST', 'phone', { number: '+33639980001' }],
    ['POST', 'phone/code', { code: '123456' }],
    ['POST', 'trusted-login', { id: 'bank' }],
    ['POST', 'skip', { step: 'portrait', person: true }],
    ['POST', 'skip', { step: 'document' }],
    ['POST', 'document/session', undefined],
    ['POST', 'consent', { approved: true }],
  ] as const

  test.each(UNTIMELY)('%s %s while a document is to be chosen', async (method, path, body) => {
    const page = kiosk.page()
    await page.begin()
    await page.do('DELETE', 'document/choice')
    const { status, body: problem } = await page.call(method, path, body)
    expect([status, problem.type]).toEqual([403, `${PROBLEM}transition_refused`])
    await page.call('DELETE', 'session')
  })

  test.each([...UNTIMELY, ['GET', 'countries', undefined]] as const)(
    '%s %s without a session',
    async (method, path, body) => {
      const { status } = await kiosk.page().call(method, path, body)
      expect(status).toBe(401)
    },
  )

  test('GET visit without a session is no failure: no applicant is at the screen', async () => {
    const { status, bytes } = await kiosk.page().call('GET', 'visit')
    expect([status, bytes.length]).toEqual([204, 0])
  })

  test('a document of another country than those that are read', async () => {
    const page = kiosk.page()
    await page.begin()
    const { status, body } = await page.call('POST', 'document/choice', {
      country: 'XXX',
      documentType: 'PASSPORT',
    })
    expect([status, body.type]).toEqual([400, `${PROBLEM}validation_failed`])
    await page.call('DELETE', 'session')
  })
})

test('countries come with the name of none that exists, Utopia first in test mode', async () => {
  const page = kiosk.page()
  await page.begin()
  const countries = (await page.call('GET', 'countries')).body as unknown as {
    iso3: string
    iso2: string
    name: string | null
    first: boolean
    documents: string[]
  }[]
  expect(countries[0]).toMatchObject({ iso3: 'UTO', iso2: 'XX', name: 'Utopia', first: true })
  expect(countries.find(({ iso3 }) => iso3 === 'FRA')).toMatchObject({ iso2: 'FR', name: null })
  expect(countries.length).toBeGreaterThan(200)
  await page.call('DELETE', 'session')
})
