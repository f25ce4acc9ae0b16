/** The alert rules and the dashboard of the central service: they name what the service reports, and fire on its faults. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { ALARM_KINDS } from '../../server/central/kiosks/alarms.ts'
import { addAlarm, addKiosk, addTenant, aStatus, startOffice } from '../central/head-office/support.ts'

const FOLDER = join(import.meta.dirname, '../../deploy/monitoring')
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8')
const [rules, ruleTests] = [read('alerts.yml'), read('alerts.test.yml')]

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[]
}
const dashboard = JSON.parse(read('dashboard.json')) as Dashboard
const shown = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
const alerted = [...rules.matchAll(/^ +expr: (.+)$/gm)].map(([, expr]) => expr)
const namesIn = (exprs: readonly string[]) => [
  ...new Set(exprs.flatMap((expr) => expr.match(/counterproof_\w+/g) ?? [])),
]

let metrics: string
beforeAll(async () => {
  const metricsToken = 'a-token-for-prometheus'
  const office = await startOffice({ options: { metricsToken } })
  await addTenant(office, 'a')
  const kiosks = [40, 2].map((backlog) => addKiosk(office, 'a', { status: aStatus({ backlog }) }))
  const [kiosk] = await Promise.all(kiosks)
  await addAlarm(office, 'a', kiosk, 'GAP')
  const answer = await fetch(`${office.url}/metrics`, {
    headers: { authorization: `Bearer ${metricsToken}` },
  })
  metrics = await answer.text()
  await office.stop()
})

test.each([...namesIn(alerted), ...namesIn(shown)])('%s is reported by the central service', (name) => {
  const metric = name.replace(/_bucket$/, '')
  expect(metrics).toContain(`# TYPE ${metric} `)
})

test('the proofs that wait on all kiosks are one sum, however many kiosks there are', () => {
  expect(metrics).toContain('counterproof_backlog 42')
})

test('the rules name alarms that exist', () => {
  const named = alerted.flatMap((expr) =>
    [...expr.matchAll(/kind=~?"([A-Z_|]+)"/g)].flatMap(([, kinds]) => kinds.split('|')),
  )
  expect(named.length).toBeGreaterThan(0)
  expect(ALARM_KINDS).toEqual(expect.arrayContaining(named))
})

test('each alert has a test in which it fires, and one in which it does not', () => {
  const names = [...rules.matchAll(/alert: (\w+)/g)].map(([, name]) => name)
  for (const name of names) {
    expect(ruleTests).toMatch(new RegExp(`alertname: ${name}\\n +exp_alerts:\\n +- exp_labels`))
    expect(ruleTests).toMatch(new RegExp(`alertname: ${name}, exp_alerts: \\[\\]`))
  }
})

const hasPromtool = spawnSync('promtool', ['--version']).status === 0
describe.skipIf(!hasPromtool)('Prometheus (skipped where promtool is not installed)', () => {
  test.each([
    ['check', 'rules', 'alerts.yml'],
    ['test', 'rules', 'alerts.test.yml'],
    ['check', 'config', '--syntax-only', 'prometheus.yml'],
  ])('accepts: promtool %s %s %s', (...words) => {
    const { status, stdout, stderr } = spawnSync('promtool', words.filter(Boolean), {
      cwd: FOLDER,
      encoding: 'utf8',
    })
    expect({ status, said: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, said: '' })
  })
})
