/** An appliance whose biometric server is configured with what the configuration requires and nothing else. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CALLBACK_SECRET } from '../../support/biometric-server.ts'
import { startClockedApp, type ClockedApp } from '../app/clocked-app.ts'
import { aPassport } from '../app/scripted-vision.ts'
import { startKioskApp, type KioskApp } from './kiosk-app.ts'

const FILES = { 'bio.secret': `${CALLBACK_SECRET}\n` }
const configOf = (journey: string) => ({
  kiosk: { journey },
  connectors: {
    biometrics: {
      // Nothing listens there: a session that is left to it cannot be opened.
      url: 'https://127.0.0.1:9/bio',
      callbackSecretFile: 'bio.secret',
      publicUrl: 'https://kiosk.example',
    },
  },
})

let kiosk: KioskApp
let assured: ClockedApp
beforeAll(async () => {
  kiosk = await startKioskApp({ config: configOf('default'), files: FILES })
  assured = await startClockedApp({ config: configOf('high-assurance'), files: FILES })
})
afterAll(async () => {
  await kiosk.close()
  await assured.close()
})

describe('a biometric server with the defaults of the configuration', () => {
  test('lets the appliance start, with every kind of liveness in the journey of the kiosk', async () => {
    for (const { app } of [kiosk, assured]) expect((await app.call('GET', '/healthcheck')).status).toBe(200)
  })

  test('gets the sessions that the API opens, of every type', async () => {
    for (const type of ['LIVENESS_PASSIVE', 'LIVENESS_PASSIVE_VIDEO', 'LIVENESS_ACTIVE', 'LIVENESS_MLC']) {
      const id = await kiosk.anIdentity(['PORTRAIT'])
      const path = `/v1/identities/${id}/attributes/portrait/capture-session?mode=nativeSDK`
      const { status, body } = await kiosk.app.json('POST', path, { payload: { type } })
      expect([type, status, body]).toMatchObject([type, 503, { errors: [{ code: '1021' }] }])
    }
  })

  test('gets none of the kiosk: the appliance carries it out, and the portrait is proven live', async () => {
    const page = kiosk.page()
    await page.begin()
    await page.showDocument(aPassport())
    await page.do('POST', 'check', {})
    const { step } = await page.showFace()
    expect(step.kind).not.toBe('portrait')
    const [{ identityId }] = kiosk.visits()
    const portrait = kiosk.app.appliance.store.evidences
      .list(identityId ?? '')
      .find(({ family }) => family === 'PORTRAIT')
    expect(portrait).toMatchObject({ status: 'VERIFIED' })
  })
})
