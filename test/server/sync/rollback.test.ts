/** New settings are on trial until a start with them has succeeded. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../server/clock.ts'
import { loadConfig, type Config } from '../../../server/config/config.ts'
import { silentLog } from '../../../server/log.ts'
import { openStore } from '../../../server/store/open.ts'
import { bundleAtStart, markBundleProven, startOrRollBack } from '../../../server/sync/bundle-at-start.ts'
import { AT, openTestStore, type TestStore } from '../../support/store.ts'

let t: TestStore
beforeEach(() => {
  t = openTestStore()
})
afterEach(() => t.close())

/** Stores a bundle as after its verification and application. */
function applied(version: number, digits: number): void {
  const content = { version, settings: { otp: { digits } }, policies: {}, watchlists: {} }
  const payload = Buffer.from(JSON.stringify(content)).toString('base64url')
  t.store.bundles.add(version, `head.${payload}.signature`, AT)
  t.store.bundles.apply(version, AT)
}

/** A start of an appliance that ends with these settings, or fails over them. */
async function start(fails: (config: Config) => boolean, killed = false): Promise<number> {
  t.store.close()
  const startOnce = async ({ config }: { config: Config }): Promise<number> => {
    const store = openStore(t.dataDir, t.kek)
    try {
      const inForce = bundleAtStart(store, config, systemClock, silentLog)
      if (fails(inForce.config)) throw new Error('does not start')
      if (!killed) markBundleProven(store)
      return inForce.config.otp.digits
    } finally {
      store.close()
    }
  }
  const config = loadConfig({ dataDir: t.dataDir })
  try {
    return await startOrRollBack({ config, kek: t.kek, log: silentLog }, startOnce)
  } finally {
    t.store = openStore(t.dataDir, t.kek)
  }
}

const states = () => t.store.bundles.list().map(({ version, state }) => [version, state])

describe('a start', () => {
  test('without a bundle has the settings of the machine', async () => {
    expect(await start(() => false)).toBe(6)
  })

  test('with settings that it fails over uses those before, and the new ones are refused for good', async () => {
    applied(1, 7)
    expect(await start(() => false)).toBe(7)
    applied(2, 8)
    expect(await start(({ otp }) => otp.digits === 8)).toBe(7)
    expect(states()).toEqual([
      [2, 'REFUSED'],
      [1, 'APPLIED'],
    ])
    expect(t.store.bundles.find(2)?.problems).toEqual(['the start with it failed: internal'])
    expect(await start(() => false)).toBe(7)
  })

  test('with the first bundle there ever was falls back to the settings of the machine', async () => {
    applied(1, 8)
    expect(await start(({ otp }) => otp.digits === 8)).toBe(6)
    expect(states()).toEqual([[1, 'REFUSED']])
  })

  test('that fails for another reason (a port in use) compares it with no bundle', async () => {
    applied(1, 7)
    await start(() => false)
    applied(2, 8)
    await expect(start(() => true)).rejects.toThrow('does not start')
    expect(states()).toEqual([
      [2, 'APPLIED'],
      [1, 'SUPERSEDED'],
    ])
    expect(await start(() => false)).toBe(8)
  })

  test('with settings that have proven themselves is not rolled back', async () => {
    applied(1, 7)
    await start(() => false)
    await expect(start(() => true)).rejects.toThrow('does not start')
    expect(states()).toEqual([[1, 'APPLIED']])
  })

  test('that ends without a word again and again (killed by the new settings) is rolled back', async () => {
    applied(1, 7)
    await start(() => false)
    applied(2, 8)
    for (let kills = 0; kills < 3; kills++) expect(await start(() => false, true)).toBe(8)
    expect(await start(() => false)).toBe(7)
    expect(t.store.bundles.find(2)?.problems).toEqual(['no start with it has succeeded'])
  })

  test('with settings that have proven themselves keeps them, however often a later one ends without a word', async () => {
    applied(1, 7)
    await start(() => false)
    for (let kills = 0; kills < 5; kills++) expect(await start(() => false, true)).toBe(7)
    expect(states()).toEqual([[1, 'APPLIED']])
  })

  test('with settings that this version does not know goes back without failing first', async () => {
    applied(1, 7)
    await start(() => false)
    applied(2, 99)
    expect(await start(() => false)).toBe(7)
    expect(t.store.bundles.find(2)?.state).toBe('REFUSED')
  })
})
