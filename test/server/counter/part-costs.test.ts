/** The cost of a missing or faulty part on the Devices page: derived only from the policy in force. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { DevicesView } from '../../../server/counter/contract/devices.ts'
import type { Policy } from '../../../server/proofing/assurance/policy.ts'
import { healthReporter } from '../../../server/workflows/health/report-health.ts'
import { openConsole, type ConsoleBench } from './console-bench.ts'

let its: ConsoleBench
beforeEach(async () => {
  its = await openConsole()
})
afterEach(() => its.close())

const devices = async () => (await its.as(['officer']).call<DevicesView>('GET', 'devices')).body
const costOf = async (name: string) => {
  const part = (await devices()).parts.find((one) => one.name === name)
  expect(part, name).toBeDefined()
  return part?.cost
}
function changePolicy(change: (policy: Policy) => Partial<Policy>): void {
  const policy = its.ctx.policy(its.ctx.config.tenant.id)
  its.ctx.usePolicies(new Map([[policy.id, { ...policy, ...change(policy) }]]))
}
function importRegister(date: string): void {
  its.ctx.store.documentRegisters.replace(
    { name: 'lost', sha256: 'a'.repeat(64), date, coversDeaths: false, importedAt: its.now() },
    [],
  )
}

test('a register of lost documents that is not set up costs the level whose rule asks for it', async () => {
  expect(await costOf('documentStatus')).toEqual({ most: 'LOA2', otherwise: 'LOA3' })
  for (const name of ['watchlists', 'oidc', 'backup', 'disk']) expect(await costOf(name)).toBeNull()
})

test('the same part costs nothing under a policy that does not ask for it', async () => {
  changePolicy(({ scales, profiles }) => ({
    scales: scales.map((rule) => ({ ...rule, requires: ['DUPLICATE_DOCUMENT'] })),
    submissions: [
      ...its.ctx.policy(its.ctx.config.tenant.id).submissions,
      { name: 'duplicates', evidence: 'ANTIFRAUD', checks: ['DUPLICATE_DOCUMENT'], needs: ['ANTIFRAUD'] },
    ],
    profiles: profiles.map((profile) => ({
      ...profile,
      pieces: profile.pieces.map((piece) => ({
        ...piece,
        requires: (piece.requires ?? []).filter((check) => !check.startsWith('DOCUMENT_STATUS')),
      })),
    })),
  }))
  expect(await costOf('documentStatus')).toBeNull()
})

test('tampering costs the cap of the policy, and part and fault tell the same level', async () => {
  await its.as(['officer']).call('POST', 'devices/ledger/tampering', { kind: 'SEAL_BROKEN' })
  const cost = { most: 'LOA0', otherwise: 'LOA3' }
  expect(await costOf('inspection')).toEqual(cost)
  const { faults, reach } = await devices()
  expect(faults.map(({ fault, cost: its }) => [fault, its])).toEqual([['TAMPERED', cost]])
  expect(reach).toMatchObject({ now: 'LOA0', withoutFaults: 'LOA2', highest: 'LOA4' })
  changePolicy(({ caps }) => ({ caps: { ...caps, TAMPER_EVIDENCE_UNVERIFIED: 'LOA1' } }))
  expect(await costOf('inspection')).toEqual({ ...cost, most: 'LOA1' })
})

test('a network whose file was refused costs what its fault costs; one that no rule asks for costs nothing', async () => {
  const health = await its.ctx.vision.health({})
  const capabilities = [
    { name: 'face-matching', state: 'DOWN', models: [], refused: ['face-embedding'] },
    { name: 'presentation-attack-detection', state: 'NOT_INSTALLED', models: [], refused: [] },
  ]
  Object.assign(its.ctx, {
    vision: {
      health: async () => ({ ...health, capabilities }),
      isolation: () => ({ gap: null }),
      restarts: () => ({ crashed: 0, hung: 0, grown: 0 }),
    },
  })
  its.workflows.health = healthReporter(its.ctx)
  expect(await costOf('vision-face-matching')).toEqual({ most: 'LOA0', otherwise: 'LOA3' })
  expect(await costOf('vision-presentation-attack-detection')).toBeNull()
})

test('a list of lost documents that is too old costs the level, and the machine does not promise it', async () => {
  importRegister('2026-03-01')
  expect((await devices()).reach).toMatchObject({ now: 'LOA3', withoutFaults: 'LOA3' })
  expect(await costOf('documentStatus')).toBeNull()
  importRegister('2020-01-01')
  expect((await devices()).reach).toMatchObject({ now: 'LOA2', withoutFaults: 'LOA3' })
  expect(await costOf('documentStatus')).toEqual({ most: 'LOA2', otherwise: 'LOA3' })
})
