/** Bundles of the central service that do not fit this kiosk: one kiosk refuses one after another. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RESOURCES_DIR } from '../../../server/config/resources.ts'
import {
  startScriptedCentralService,
  type ScriptedCentralService,
} from '../../support/scripted-central-service.ts'
import { startKiosk, until, type TestKiosk } from './kiosk.ts'

const POLICY = JSON.parse(readFileSync(join(RESOURCES_DIR, 'policies/default.json'), 'utf8')) as object

let central: ScriptedCentralService
let kiosk: TestKiosk
let version = 1
beforeAll(async () => {
  central = await startScriptedCentralService()
  kiosk = await startKiosk()
  await central.signBundle({ version })
  await kiosk.join(central)
  await until(() => stateOf(1)?.state === 'APPLIED')
})
afterAll(async () => {
  await kiosk.close()
  await central.close()
})

const stateOf = (of: number) => kiosk.store.bundles.find(of)

test.each([
  [
    'a setting that is not for the central service',
    { settings: { port: 1 } },
    'settings.port: is not for the central service to decide',
  ],
  [
    'the file of TLS authorities',
    { settings: { sync: { caFile: '/tmp/ca.pem' } } },
    'settings.sync.caFile: is not for the central service to decide',
  ],
  ['a value out of range', { settings: { otp: { digits: 1 } } }, 'settings.otp.digits: must be at least'],
  ['an option that does not exist', { settings: { otp: { size: 1 } } }, "settings.otp: has no option 'size'"],
  [
    'a policy that is none',
    { policies: { default: { id: 'default' } } },
    'policies/default:version: is missing',
  ],
  [
    'a policy under another name',
    { policies: { mild: POLICY } },
    'policies/mild: does not equal the id inside the file',
  ],
])(
  'a bundle with %s is refused as a whole and reported; the one before stays',
  async (_, content, problem) => {
    const refused = ++version
    await central.signBundle({ version: refused, ...content })
    await until(() => stateOf(refused)?.state === 'REFUSED')
    expect(stateOf(refused)?.problems.join('\n')).toContain(problem)
    expect(stateOf(1)?.state).toBe('APPLIED')
    expect(kiosk.store.bundles.applied()?.version).toBe(1)
    const reported = () =>
      central.statuses.findLast(({ bundleProblems }) => bundleProblems[0] === `version ${refused}`)
    await until(() => reported() !== undefined)
    expect(reported()).toMatchObject({ bundleVersion: 1 })
  },
)
