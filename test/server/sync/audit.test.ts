/** Sent, refused and repeated proofs: the audit log matches the outbox. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { verifyAudit } from '../../../server/audit/verify.ts'
import { loadConfig } from '../../../server/config/config.ts'
import { loadKek } from '../../../server/config/kek.ts'
import {
  startScriptedCentralService,
  type ScriptedCentralService,
} from '../../support/scripted-central-service.ts'
import { startKiosk, until, type TestKiosk } from './kiosk.ts'

let central: ScriptedCentralService
let kiosk: TestKiosk
beforeEach(async () => {
  central = await startScriptedCentralService()
  kiosk = await startKiosk()
})
afterEach(async () => {
  await kiosk.close()
  await central.close()
})

test('every row of the outbox and every receipt fits the log, beside the running kiosk', async () => {
  await kiosk.seal()
  await kiosk.join(central)
  await kiosk.seal()
  const erased = await kiosk.seal()
  await until(() => kiosk.store.outbox.summary().backlog === 0)
  await kiosk.app.call('DELETE', `/v1/identities/${erased.identityId}`)
  await kiosk.app.runJobs()
  const kek = loadKek(loadConfig({ dataDir: kiosk.dataDir }))
  const report = await verifyAudit({ dataDir: kiosk.dataDir, kek })
  expect(report.findings).toEqual([])
  expect(report.checked).toMatchObject({ outbox: 3, erasures: 1 })
})
