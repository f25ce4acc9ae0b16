/**
 * Walk-in visits with questions of sources outside: a number that the issuer of the document needs, and the address that a register is
 * asked about. Simulated sources over real sockets.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildTd3 } from '../../../server/proofing/mrz/build.ts'
import type { QuestionSimulator } from '../../../server/tools/simulator/question-simulator.ts'
import { connectAddressRegister } from '../../support/address-register.ts'
import { connectIssuer, NUMBERED, type ConnectedIssuer } from '../../support/issuing-source.ts'
import { aPassport, HOLDER, HOLDER_PAGE, picture } from '../app/scripted-vision.ts'
import { CHECK, CONSENT, DOCUMENT, PORTRAIT, startKioskApp, type KioskApp, type Page } from './kiosk-app.ts'

const HOME = { streetLine1: '12 LONG ST', postcode: '1000', city: 'UTOPIA CITY' }
const ENTRIES = [
  { country: 'UTO', values: { ...HOME, givenNames: 'Anna Maria', surname: 'Eriksson' } },
  { country: 'UTO', values: { ...HOME, streetLine1: '7 SHORT RD', givenNames: 'Karl', surname: 'Other' } },
]
const MINUTE_MS = 60_000
let issuer: ConnectedIssuer['issuer']
let register: QuestionSimulator
let kiosk: KioskApp
beforeAll(async () => {
  const sends = ['documentNumber', 'surname', 'givenName', 'dateOfBirth', 'cardNumber']
  const connected = await connectIssuer({ sends, needs: ['cardNumber'] }, () => kiosk.now())
  issuer = connected.issuer
  const addresses = await connectAddressRegister(ENTRIES, { timeoutMs: 500 }, () => kiosk.now())
  register = addresses.register
  kiosk = await startKioskApp({
    config: {
      ...connected.config,
      connectors: { ...connected.config.connectors, ...addresses.config.connectors },
    },
    files: { ...connected.files, ...addresses.files },
    journey: { steps: [CONSENT, DOCUMENT, CHECK, { kind: 'details' }, PORTRAIT] },
  })
})
afterAll(async () => {
  await kiosk.close()
  await issuer.close()
  await register.close()
})
beforeEach(async () => {
  issuer.setFault(null)
  register.setFault(null)
  // A kiosk begins few visits in a minute.
  await kiosk.passTime(MINUTE_MS)
})

async function showPassport(
  optional: readonly string[],
  passport = aPassport({ documentNumber: NUMBERED.values.documentNumber }),
): Promise<Page> {
  const page = kiosk.page()
  await page.do('POST', 'session', { language: 'en' })
  await page.do('POST', 'consent', { approved: true, optional })
  await page.showDocument(passport)
  await page.do('POST', 'check', {})
  return page
}
const cardNumber = 'P123 4567'

test('the kiosk asks for the number with the name of the source, and the issuer then confirms the document', async () => {
  const before = issuer.requests.length
  const page = await showPassport(['GIV'])
  const { step } = await page.do('GET', 'visit')
  expect(step).toEqual({
    kind: 'details',
    question: 'DOCUMENT',
    source: 'Licence office',
    fields: ['cardNumber'],
  })
  expect(issuer.requests).toHaveLength(before)

  await page.do('POST', 'details', { question: 'DOCUMENT', values: { cardNumber } })
  await kiosk.app.runJobs()
  const view = await page.do('GET', 'visit')
  expect(view).toMatchObject({ step: { kind: 'portrait' }, notice: 'ISSUER_ANSWERED' })
  const { values } = JSON.parse(issuer.requests.at(-1)?.body ?? '') as { values: object }
  expect(values).toMatchObject({ cardNumber, documentNumber: 'DETAIL001' })
  expect(page.answers.join()).not.toContain(cardNumber)
  expect(kiosk.app.log()).not.toContain(cardNumber)
})

test('an applicant without the number continues, and no source is asked', async () => {
  const before = issuer.requests.length
  const page = await showPassport(['GIV'])
  const { step, notice, position } = await page.do('POST', 'skip', { step: 'details' })
  expect([step.kind, notice, position.undone]).toEqual(['portrait', null, ['details']])
  expect(issuer.requests).toHaveLength(before)
})

test('a source that is silent leaves the document as it was, and the kiosk says so', async () => {
  issuer.setFault('error')
  const page = await showPassport(['GIV'])
  await page.do('POST', 'details', { question: 'DOCUMENT', values: { cardNumber } })
  await kiosk.app.runJobs()
  expect(await page.do('GET', 'visit')).toMatchObject({ step: { kind: 'portrait' }, notice: 'ISSUER_SILENT' })
})

test('the step is not shown without the consent, and a value of another form is refused', async () => {
  expect((await (await showPassport([])).do('GET', 'visit')).step.kind).toBe('portrait')
  const page = await showPassport(['GIV'])
  const { status } = await page.call('POST', 'details', {
    question: 'DOCUMENT',
    values: { cardNumber: '<script>' },
  })
  expect(status).toBe(400)
  expect((await page.call('POST', 'details', { question: 'DOCUMENT', values: {} })).status).toBe(400)
})

test('a number that the document itself has is told before it is sent, and nothing is stored or asked', async () => {
  const before = issuer.requests.length
  const page = await showPassport(['GIV'])
  const check = async (typed: string) =>
    (await page.call('POST', 'details/check', { question: 'DOCUMENT', values: { cardNumber: typed } })).body
  expect(await check('detail-001')).toEqual({
    problems: [{ field: 'cardNumber', problem: 'DOCUMENT_NUMBER' }],
  })
  expect(await check(cardNumber)).toEqual({ problems: [] })
  await kiosk.app.runJobs()
  expect((await page.view()).step.kind).toBe('details')
  expect(issuer.requests).toHaveLength(before)
})

describe('the address', () => {
  const printed = () => picture({ shows: 'document', lines: buildTd3(HOLDER), face: 'A', page: HOLDER_PAGE })
  const typed = (street: string) => ({
    question: 'ADDRESS',
    country: 'UTO',
    values: { street, postcode: '1000', city: 'Utopia City' },
  })
  const send = async (page: Page, street: string) => {
    await page.do('POST', 'details', typed(street))
    await kiosk.app.runJobs()
    return page.at('details')
  }

  test('is asked for with the fields of its country and the values that the register gets', async () => {
    const page = await showPassport(['ADDRESS'], printed())
    expect(await page.at('details')).toMatchObject({
      question: 'ADDRESS',
      state: 'TYPE',
      isFirstLikely: true,
      left: 5,
      answer: null,
      countries: [
        {
          iso3: 'UTO',
          name: 'Utopia',
          source: 'Register of residents',
          told: ['country', 'streetLine1', 'postcode', 'city', 'givenNames', 'surname'],
          fields: [{ name: 'street' }, { name: 'postcode', keys: 'DIGITS' }, { name: 'city' }],
        },
      ],
    })
  })

  test('of the person is confirmed, and the next step follows when the person has read it', async () => {
    const page = await showPassport(['ADDRESS'], printed())
    expect(await page.do('POST', 'details', typed('12 Long Street'))).toMatchObject({
      step: { question: 'ADDRESS', state: 'CHECKING', left: 4, answer: null },
    })
    await kiosk.app.runJobs()
    expect(await page.at('details')).toMatchObject({
      state: 'ANSWERED',
      answer: { source: 'Register of residents', says: 'CONFIRMED' },
    })
    expect(JSON.parse(register.requests.at(-1)?.body ?? '')).toMatchObject({
      country: 'UTO',
      values: { ...HOME, givenNames: 'ANNA MARIA', surname: 'ERIKSSON' },
    })
    const { step, position } = await page.do('POST', 'details/next')
    expect([step.kind, position.undone]).toEqual(['portrait', []])
    expect(page.answers.join()).not.toMatch(/long st/i)
    expect(kiosk.app.log()).not.toMatch(/long st|utopia city/i)
  })

  test('that is unknown or of another resident may be typed again, five times and no more', async () => {
    const page = await showPassport(['ADDRESS'], printed())
    expect(await send(page, '99 Nowhere')).toMatchObject({ left: 4, answer: { says: 'DIFFERENT' } })
    expect(await send(page, '7 Short Road')).toMatchObject({ left: 3, answer: { says: 'OPEN' } })
    for (const number of [1, 2, 3]) await send(page, `${number} Nowhere`)
    const asked = register.requests.length
    expect((await page.call('POST', 'details', typed('12 Long Street'))).status).toBe(403)
    await kiosk.app.runJobs()
    expect(register.requests).toHaveLength(asked)
    expect(await page.at('details')).toMatchObject({ left: 0, answer: { says: 'DIFFERENT' } })
    expect((await page.do('POST', 'details/next')).step.kind).toBe('portrait')
  })

  test('of a register that does not answer is kept, and the person is told', async () => {
    register.setFault('error')
    const page = await showPassport(['ADDRESS'], printed())
    const { answer } = (await send(page, '12 Long Street')) as { answer?: unknown }
    expect(answer).toEqual({ source: 'Register of residents', says: 'SILENT' })
  })

  test('is left out on its own, after the number of the document, and then no register is asked', async () => {
    const page = await showPassport(['GIV', 'ADDRESS'])
    const asked = register.requests.length
    const after = await page.do('POST', 'skip', { step: 'details' })
    expect(after.step).toMatchObject({ kind: 'details', question: 'ADDRESS' })
    const { step, position } = await page.do('POST', 'skip', { step: 'details' })
    expect([step.kind, position.undone]).toEqual(['portrait', ['details']])
    expect(register.requests).toHaveLength(asked)
  })

  test('with a missing part, of another country or to another question is refused without its values', async () => {
    const page = await showPassport(['ADDRESS'], printed())
    const refused = async (body: object) => {
      const answer = await page.call('POST', 'details', body)
      return [answer.status, JSON.stringify(answer.body)] as const
    }
    const [status, text] = await refused({ ...typed(''), values: { street: 'Secret Lane' } })
    expect([status, text]).toEqual([400, expect.stringContaining('values.city')])
    expect(text).not.toContain('Secret')
    expect((await refused({ ...typed('1 Any'), country: 'FRA' }))[0]).toBe(400)
    expect((await refused({ ...typed('1 Any\u202e') }))[0]).toBe(400)
    expect((await refused({ question: 'DOCUMENT', values: { cardNumber } }))[0]).toBe(403)
    expect((await page.call('POST', 'details/next', {})).status).toBe(403)
  })

  test('an unusual postcode is told before it is sent, and may be sent as it is', async () => {
    const page = await showPassport(['ADDRESS'], printed())
    const body = {
      ...typed('12 Long Street'),
      values: { ...typed('12 Long Street').values, postcode: '1-0' },
    }
    expect((await page.call('POST', 'details/check', body)).body).toEqual({
      problems: [{ field: 'postcode', problem: 'UNUSUAL' }],
    })
    await page.do('POST', 'details', body)
  })

  test('is not asked for against a refusal, and a printed one is not corrected against it', async () => {
    const page = kiosk.page()
    await page.do('POST', 'session', { language: 'en' })
    await page.do('POST', 'consent', { approved: true, optional: [] })
    await page.showDocument(printed())
    const { evidences } = kiosk.app.appliance.store
    const { reference } = await page.view()
    const identityId = kiosk.visits().find((visit) => visit.reference === reference)?.identityId ?? ''
    const passport = evidences.list(identityId).find(({ family }) => family === 'IDDOCUMENT')!
    const address = { fullAddress: '12 Long Street, 1000 Utopia City', verified: false }
    // No passport prints one; a licence would.
    const document = { ...passport.content.document!, address }
    evidences.save({ ...passport, content: { ...passport.content, document } })
    const { fields } = await page.at('check')
    expect(fields.find(({ name }) => name === 'address')).toMatchObject({ editable: false })
    expect((await page.do('POST', 'check', {})).step.kind).toBe('portrait')
  })
})
