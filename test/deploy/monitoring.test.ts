/** The alert rules and the dashboards of the central service and of the kiosks: they name what is reported, and fire on faults. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { ALARM_KINDS } from '../../server/central/kiosks/alarms.ts'
import { makePrivateFolder } from '../../server/files/own-files.ts'
import { VISIT_OUTCOMES } from '../../server/store/visits.ts'
import { addAlarm, addKiosk, addTenant, aStatus, startOffice } from '../central/head-office/support.ts'
import { scriptedVision } from '../server/app/scripted-vision.ts'
import { SHARING_TENANT, startTestApp } from '../support/app.ts'

const FOLDER = join(import.meta.dirname, '../../deploy/monitoring')
const TOKEN = 'a-token-for-prometheus'
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8')

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[]
}

function readRules(prefix: string) {
  const [rules, ruleTests] = [read(`${prefix}alerts.yml`), read(`${prefix}alerts.test.yml`)]
  const dashboard = JSON.parse(read(`${prefix}dashboard.json`)) as Dashboard
  const shown = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
  const alerted = [...rules.matchAll(/^ +expr: (.+)$/gm)].map(([, expr]) => expr)
  const exprs = [...alerted, ...shown]
  const metrics = exprs.flatMap((expr) => expr.match(/\b(?:counterproof|process|nodejs)_\w+/g) ?? [])
  return { rules, ruleTests, alerted, exprs, metrics: [...new Set(metrics)] }
}
const central = readRules('')
const kiosk = readRules('kiosk-')

const ask = async (url: string): Promise<string> =>
  (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })).text()

describe('the central service', () => {
  let metrics: string
  beforeAll(async () => {
    const office = await startOffice({ options: { metricsToken: TOKEN } })
    await addTenant(office, 'a')
    const kiosks = [40, 2].map((backlog) => addKiosk(office, 'a', { status: aStatus({ backlog }) }))
    const [first] = await Promise.all(kiosks)
    await addAlarm(office, 'a', first, 'GAP')
    metrics = await ask(office.url)
    await office.stop()
  })

  test.each(central.metrics)('reports %s', (name) => {
    expect(metrics).toContain(`# TYPE ${name.replace(/_bucket$/, '')} `)
  })

  test('the proofs that wait on all kiosks are one sum, however many kiosks there are', () => {
    expect(metrics).toContain('counterproof_backlog 42')
  })

  test('the rules name alarms that exist', () => {
    const named = central.alerted.flatMap((expr) =>
      [...expr.matchAll(/kind=~?"([A-Z_|]+)"/g)].flatMap(([, kinds]) => kinds.split('|')),
    )
    expect(named.length).toBeGreaterThan(0)
    expect(ALARM_KINDS).toEqual(expect.arrayContaining(named))
  })
})

describe('a kiosk', () => {
  let metrics: string
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'counterproof-monitoring-'))
    const dataDir = join(folder, 'data')
    makePrivateFolder(dataDir)
    writeFileSync(join(dataDir, 'token'), TOKEN, { mode: 0o600 })
    writeFileSync(
      join(dataDir, 'config.json'),
      JSON.stringify({ tenant: SHARING_TENANT, metrics: { tokenFile: 'token' } }),
    )
    const result = {
      id: 'rollout-1',
      state: 'ROLLED_BACK',
      reason: 'START_FAILED',
      from: '0.1.0',
      to: '0.2.0',
      at: '2026-11-30T10:00:00Z',
    }
    makePrivateFolder(`${dataDir}-update`)
    writeFileSync(join(`${dataDir}-update`, 'result.json'), JSON.stringify(result))
    const app = await startTestApp({ dataDir, vision: scriptedVision() })
    try {
      metrics = await ask(app.url)
    } finally {
      await app.close()
      rmSync(folder, { recursive: true })
    }
  })

  test.each(kiosk.metrics)('reports %s', (name) => {
    expect(metrics).toContain(`# TYPE ${name.replace(/_(bucket|count)$/, '')} `)
  })

  test('the parts that the rules name are parts of the health report', () => {
    const named = kiosk.alerted.flatMap((expr) =>
      [...expr.matchAll(/component[=!]~"([a-z|]+)"/g)].flatMap(([, parts]) => parts.split('|')),
    )
    expect(named.length).toBeGreaterThan(0)
    for (const part of named)
      expect(metrics).toContain(`counterproof_component{component="${part}",state="DOWN"}`)
  })

  test('the outcomes of visits that the dashboard names exist', () => {
    const named = kiosk.exprs.flatMap((expr) =>
      [...expr.matchAll(/outcome=~"([A-Z_|]+)"/g)].flatMap(([, outcomes]) => outcomes.split('|')),
    )
    expect(named.length).toBeGreaterThan(0)
    expect(VISIT_OUTCOMES).toEqual(expect.arrayContaining(named))
  })

  test('the end of the last update is reported with its reason', () => {
    expect(metrics).toContain('counterproof_update_result{state="ROLLED_BACK",reason="START_FAILED"} 1')
  })
})

test.each([
  ['central service', central],
  ['kiosk', kiosk],
])(
  'each alert of the %s has a test in which it fires, and one in which it does not',
  (_, { rules, ruleTests }) => {
    const names = [...rules.matchAll(/alert: (\w+)/g)].map(([, name]) => name)
    for (const name of names) {
      expect(ruleTests).toMatch(new RegExp(`alertname: ${name}\\n +exp_alerts:\\n +- exp_labels`))
      expect(ruleTests).toMatch(new RegExp(`alertname: ${name}, exp_alerts: \\[\\]`))
    }
  },
)

const hasPromtool = spawnSync('promtool', ['--version']).status === 0
describe.skipIf(!hasPromtool)('Prometheus (skipped where promtool is not installed)', () => {
  test.each([
    ['check', 'rules', 'alerts.yml'],
    ['check', 'rules', 'kiosk-alerts.yml'],
    ['test', 'rules', 'alerts.test.yml'],
    ['test', 'rules', 'kiosk-alerts.test.yml'],
    ['check', 'config', '--syntax-only', 'prometheus.yml'],
  ])('accepts: promtool %s %s %s', (...words) => {
    const { status, stdout, stderr } = spawnSync('promtool', words.filter(Boolean), {
      cwd: FOLDER,
      encoding: 'utf8',
    })
    expect({ status, said: status === 0 ? '' : stdout + stderr }).toEqual({ status: 0, said: '' })
  })
})
