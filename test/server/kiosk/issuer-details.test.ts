/** A walk-in visit whose document lacks a number that its issuer needs: the kiosk asks for it, and the issuer is asked. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { connectIssuer, NUMBERED, type ConnectedIssuer } from '../../support/issuing-source.ts'
import { aPassport } from '../app/scripted-vision.ts'
import { CHECK, CONSENT, DOCUMENT, PORTRAIT, startKioskApp, type KioskApp, type Page } from './kiosk-app.ts'

let issuer: ConnectedIssuer['issuer']
let kiosk: KioskApp
beforeAll(async () => {
  const sends = ['documentNumber', 'surname', 'givenName', 'dateOfBirth', 'cardNumber']
  const connected = await connectIssuer({ sends, needs: ['cardNumber'] })
  issuer = connected.issuer
  kiosk = await startKioskApp({
    config: connected.config,
    files: connected.files,
    journey: { steps: [CONSENT, DOCUMENT, CHECK, { kind: 'details' }, PORTRAIT] },
  })
})
afterAll(async () => {
  await kiosk.close()
  await issuer.close()
})
beforeEach(() => issuer.setFault(null))

async function showPassport(optional: readonly string[]): Promise<Page> {
  const page = kiosk.page()
  await page.do('POST', 'session', { language: 'en' })
  await page.do('POST', 'consent', { approved: true, optional })
  await page.showDocument(aPassport({ documentNumber: NUMBERED.values.documentNumber }))
  await page.do('POST', 'check', {})
  return page
}
const cardNumber = 'P123 4567'

test('the kiosk asks for the number with the name of the source, and the issuer then confirms the document', async () => {
  const before = issuer.requests.length
  const page = await showPassport(['GIV'])
  const { step } = await page.do('GET', 'visit')
  expect(step).toEqual({ kind: 'details', source: 'Licence office', fields: ['cardNumber'] })
  expect(issuer.requests).toHaveLength(before)

  await page.do('POST', 'details', { values: { cardNumber } })
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
  await page.do('POST', 'details', { values: { cardNumber } })
  await kiosk.app.runJobs()
  expect(await page.do('GET', 'visit')).toMatchObject({ step: { kind: 'portrait' }, notice: 'ISSUER_SILENT' })
})

test('the step is not shown without the consent, and a value of another form is refused', async () => {
  expect((await (await showPassport([])).do('GET', 'visit')).step.kind).toBe('portrait')
  const page = await showPassport(['GIV'])
  const { status } = await page.call('POST', 'details', { values: { cardNumber: '<script>' } })
  expect(status).toBe(400)
  expect((await page.call('POST', 'details', { values: {} })).status).toBe(400)
})
