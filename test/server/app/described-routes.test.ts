/** The description against the routers of a real appliance: what is mounted is described, what is described is mounted. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ANSWER_SECRET_FILE, ANSWERS_CONFIG } from '../../support/adjudication-service.ts'
import { CALLBACK_SECRET } from '../../support/biometric-server.ts'
import { watchMounting, type Mounting } from '../../support/mounted-routes.ts'
import { readDescription } from '../../support/openapi.ts'
import { startKioskApp, type KioskApp } from '../kiosk/kiosk-app.ts'

/** Screens of the appliance itself: pages, what they load, and the interfaces that only they call. */
const SCREENS = /^\w+ (\/|\/(kiosk|counter|docs|assets|brand)(\/.*)?)$/

let mounting: Mounting
let mounted: readonly string[]
let app: KioskApp
beforeAll(async () => {
  mounting = watchMounting()
  try {
    app = await startKioskApp({
      captureDir: import.meta.dirname,
      config: {
        kiosk: { journey: 'default' },
        connectors: {
          adjudication: ANSWERS_CONFIG,
          biometrics: {
            url: 'https://127.0.0.1:9/bio',
            callbackSecretFile: 'bio.secret',
            publicUrl: 'https://kiosk.example',
          },
        },
      },
      files: { 'bio.secret': `${CALLBACK_SECRET}\n`, ...ANSWER_SECRET_FILE },
    })
    mounted = mounting.list()
  } finally {
    mounting.stop()
  }
})
afterAll(() => app.close())

describe('the description that the appliance serves', () => {
  test('lists what is mounted, all of it and nothing else, but for the screens', async () => {
    const { body } = await app.app.json('GET', '/openapi.json', { key: null })
    const described = readDescription(body).operations.map(({ method, path }) => `${method} ${path}`)
    const open = mounted.filter((route) => !SCREENS.test(route) && !route.startsWith('HEAD '))
    expect(open).toContain('POST /capture/callbacks/adjudication')
    expect(open.length).toBeGreaterThan(60)
    expect([...described].sort()).toEqual(open)
  })

  test('is compared with routers that also have screens, which it leaves out', () => {
    expect(mounted).toEqual(
      expect.arrayContaining(['POST /kiosk/api/session', 'PUT /counter/api/me/language']),
    )
  })
})
