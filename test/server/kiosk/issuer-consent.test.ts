/** A walk-in visit at a kiosk whose tenant has issuers asked: one more question, and the issuer confirms the document. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectIssuer, type ConnectedIssuer } from '../../support/issuing-source.ts'
import { aPassport } from '../app/scripted-vision.ts'
import { startKioskApp, type KioskApp } from './kiosk-app.ts'

let issuer: ConnectedIssuer['issuer']
let kiosk: KioskApp
beforeAll(async () => {
  const connected = await connectIssuer({})
  issuer = connected.issuer
  kiosk = await startKioskApp({ config: connected.config, files: connected.files })
})
afterAll(async () => {
  await kiosk.close()
  await issuer.close()
})

test('the kiosk names the source and the values, and only a yes has the issuer asked', async () => {
  const asked = kiosk.page()
  const { step } = await asked.do('POST', 'session', { language: 'en' })
  const values = ['documentType', 'issuingCountry', 'issuingState', 'documentNumber', 'surname', 'givenName']
  expect(step).toMatchObject({
    kind: 'consent',
    optional: ['GIV'],
    disclosures: { GIV: [{ name: 'Licence office', values: [...values, 'dateOfBirth'] }] },
  })
  await asked.do('POST', 'consent', { approved: true, optional: ['GIV'] })
  await asked.showDocument(aPassport())
  expect(issuer.requests).toHaveLength(1)

  const declined = kiosk.page()
  await declined.begin()
  await declined.showDocument(aPassport())
  expect(issuer.requests).toHaveLength(1)
})
