/** A bundle as the central service signed it: taken in force, refused with its problems, or not believed at all. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { exportJWK, generateKeyPair } from 'jose'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { loadConfig, type Config } from '../../../server/config/config.ts'
import { RESOURCES_DIR } from '../../../server/config/resources.ts'
import { silentLog } from '../../../server/log.ts'
import type { Policy } from '../../../server/proofing/assurance/policy.ts'
import { signStatement, type StatementKey } from '../../../server/protocol/statements.ts'
import type { Bundle, CentralTrust } from '../../../server/protocol/wire.ts'
import {
  appliedBody,
  readContent,
  refusedBody,
  takeBundle,
  validateBundle,
} from '../../../server/sync/bundles.ts'
import { openTestStore, type TestStore } from '../../support/store.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const POLICY = JSON.parse(readFileSync(join(RESOURCES_DIR, 'policies/default.json'), 'utf8')) as object

let t: TestStore
let own: Config
let key: StatementKey
let trust: CentralTrust
let used: ReadonlyMap<string, Policy>[]
beforeAll(async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  key = { kid: 'statements', privateKey }
  trust = { statementKeys: { keys: [await exportJWK(publicKey)] } } as CentralTrust
})
beforeEach(() => {
  t = openTestStore()
  own = loadConfig({ dataDir: t.dataDir })
  used = []
})
afterEach(() => t.close())

const signed = (over: Partial<Bundle> = {}, by = key) =>
  signStatement(
    'bundle',
    {
      tenantId: 'branch',
      version: 1,
      createdAt: NOW.getTime(),
      settings: {},
      policies: {},
      watchlists: {},
      ...over,
    },
    by,
  )
const take = (jws: string, running = own) => {
  const usePolicies = (policies: ReadonlyMap<string, Policy>) => void used.push(policies)
  const ctx = { store: t.store, clock: { now: () => NOW }, log: silentLog, usePolicies }
  return takeBundle(ctx, { jws, tenantId: 'branch', trust }, own, running)
}
const entries = () =>
  t.store.events.after(0, 100).map(({ type, body, actor, at }) => ({ type, body, actor, at }))
const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex')

describe('a bundle that fits', () => {
  test('is in force with its policies, and the log notes its bytes as the central service’s doing', async () => {
    const strict = { ...POLICY, version: 'head-office-7' }
    const jws = await signed({ version: 3, policies: { default: strict } })
    expect(await take(jws)).toBe(false)
    expect(t.store.bundles.applied()).toMatchObject({ version: 3, jws, receivedAt: NOW, appliedAt: NOW })
    expect(used).toHaveLength(1)
    expect(used[0].get('default')?.version).toBe('head-office-7')
    expect(entries()).toEqual([
      { type: 'bundle.applied', body: { version: 3, sha256: sha256Of(jws) }, actor: 'centre', at: NOW },
    ])
  })

  test('waits for a restart where its settings are others than those that run', async () => {
    const settings = { otp: { digits: 9 } }
    expect(await take(await signed({ version: 1, settings }))).toBe(true)
    expect(
      await take(await signed({ version: 2, settings }), { ...own, otp: { ...own.otp, digits: 9 } }),
    ).toBe(false)
    // Back to those of the machine, while the others run.
    expect(await take(await signed({ version: 3 }), { ...own, otp: { ...own.otp, digits: 9 } })).toBe(true)
  })

  test('has to have a higher number than every one before, refused ones too', async () => {
    await take(await signed({ version: 5 }))
    await take(await signed({ version: 8, settings: { port: 1 } }))
    for (const version of [4, 5, 7, 8]) {
      expect(await take(await signed({ version, settings: { otp: { digits: 9 } } }))).toBe(false)
    }
    expect(t.store.bundles.list().map(({ version, state }) => [version, state])).toEqual([
      [8, 'REFUSED'],
      [5, 'APPLIED'],
    ])
    expect(entries()).toHaveLength(2)
    expect(used).toHaveLength(1)
  })
})

describe('a bundle that does not fit', () => {
  test('is refused with its problems, noted by their hash, and nothing of it counts', async () => {
    const first = await signed({ version: 1 })
    await take(first)
    const jws = await signed({ version: 2, settings: { port: 1, otp: { digits: 9 } } })
    expect(await take(jws)).toBe(false)
    const problems = ['settings.port: is not for the central service to decide']
    expect(t.store.bundles.find(2)).toMatchObject({ state: 'REFUSED', problems, receivedAt: NOW })
    expect(t.store.bundles.applied()?.version).toBe(1)
    expect(used).toHaveLength(1)
    const problemsSha256 = sha256Of(JSON.stringify(problems))
    expect(entries().at(-1)).toEqual({
      type: 'bundle.refused',
      body: { version: 2, sha256: sha256Of(jws), problems: 1, problemsSha256 },
      actor: 'centre',
      at: NOW,
    })
  })

  test.each<[string, () => Promise<string>]>([
    ['for another tenant', () => signed({ tenantId: 'other' })],
    [
      'by another key',
      async () => signed({}, { kid: 'statements', privateKey: (await generateKeyPair('ES256')).privateKey }),
    ],
    ['that is no statement', async () => 'a.b.c'],
  ])('%s is not believed and not even kept', async (_, jws) => {
    await expect(take(await jws())).rejects.toMatchObject({
      code: 'statement_refused',
      details: { kind: 'bundle' },
    })
    expect(t.store.bundles.latest()).toBeNull()
    expect(entries()).toEqual([])
    expect(used).toEqual([])
  })
})

describe('what a bundle comes to on this machine', () => {
  test('is the settings of the machine with those of the central service over them, and all policies', () => {
    const strict = { ...POLICY, id: 'strict', version: '7' }
    const validated = validateBundle({ settings: { otp: { digits: 8 } }, policies: { strict } }, own)
    if (validated.problems) throw new Error(validated.problems.join())
    expect(validated.config).toEqual({ ...own, otp: { ...own.otp, digits: 8 } })
    expect(validated.policies.get('strict')?.version).toBe('7')
    expect([...validated.policies.keys()]).toContain('default')
  })

  test('is refused where the policy in use is not among all of them', () => {
    const elsewhere = { ...own, tenant: { ...own.tenant, policy: 'gone' } }
    expect(validateBundle({ settings: {}, policies: {} }, elsewhere).problems).toEqual([
      'policies: the policy in use is not among them',
    ])
  })

  test('names the problems of policies and of settings together, fifty at most, each no longer than 500 letters', () => {
    const { problems } = validateBundle(
      { settings: { port: 1 }, policies: { mild: { ...POLICY, id: 'other' } } },
      own,
    )
    expect(problems).toEqual([
      'policies/mild: does not equal the id inside the file',
      'settings.port: is not for the central service to decide',
    ])
    const strange = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`setting${index}`, 1]))
    const many = validateBundle({ settings: strange, policies: {} }, own).problems ?? []
    expect(many).toHaveLength(50)
    expect(many[49]).toBe('settings.setting49: is not for the central service to decide')
    const [long] = validateBundle({ settings: { ['x'.repeat(600)]: 1 }, policies: {} }, own).problems ?? []
    expect(long).toBe(`settings.${'x'.repeat(491)}`)
  })
})

describe('what the log notes of a bundle', () => {
  test('has no hash where the bundle is not kept', () => {
    expect(appliedBody(t.store, 7)).toEqual({ version: 7 })
    expect(refusedBody(t.store, 7)).toEqual({ version: 7, problems: 0, problemsSha256: sha256Of('[]') })
  })
})

test('the content of a bundle that is kept can be read after its key was retired', async () => {
  const jws = await signed({ version: 4, settings: { otp: { digits: 9 } } })
  expect(readContent(jws)).toMatchObject({ version: 4, settings: { otp: { digits: 9 } } })
})
