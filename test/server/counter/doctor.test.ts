/** The examination of the machine at the counter: for administrators, with the running appliance's own parts. */
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DoctorReport } from '../../../server/counter/contract/doctor.ts'
import { CHECKS } from '../../../server/doctor/report.ts'
import { startCounterApp, type CounterApp, type CounterBrowser } from '../../support/counter.ts'

let counter: CounterApp
let administrator: CounterBrowser
beforeAll(async () => {
  counter = await startCounterApp()
  administrator = await counter.signedIn('administrator')
})
afterAll(() => counter.close())

test('an administrator sees every check, and a defect that appeared since the start', async () => {
  const key = join(counter.app.dataDir, 'keys', 'kek.key')
  chmodSync(key, 0o644)
  const { status, body } = await administrator.call<DoctorReport>('POST', 'doctor')
  expect(status).toBe(200)
  expect(body.checks.map(({ check }) => check)).toEqual(CHECKS)
  expect(body.checks.find(({ check }) => check === 'keys')).toMatchObject({ state: 'WRONG' })
  const appliance = body.checks.find(({ check }) => check === 'appliance')
  expect(appliance?.findings[0]?.what).toMatch(/^The appliance answers/)
})

test('calls at the same time share one examination', async () => {
  const answers = await Promise.all([1, 2, 3].map(() => administrator.call<DoctorReport>('POST', 'doctor')))
  expect(new Set(answers.map(({ body }) => body.at)).size).toBe(1)
})
