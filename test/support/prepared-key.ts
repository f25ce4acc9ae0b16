/**
 * A signing key for an appliance that starts for the first time, given as `npm run signing-keys -- create` gives it. Making
 * one of 3072 bits takes a quarter of a second of a core, and the tests start more than a thousand appliances.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../server/clock.ts'
import type { Config } from '../../server/config/config.ts'
import { loadKek } from '../../server/config/kek.ts'
import { addSigningKey } from '../../server/keys/rotation.ts'
import { makeSigningKey, type NewSigningKey } from '../../server/keys/signing-key.ts'
import { openStore } from '../../server/store/open.ts'
import { layMigrated } from './migrated-database.ts'

/** Appliances that run beside each other have different keys. */
const KEYS = 4
const made: Promise<NewSigningKey>[] = []
let given = 0

function nextKey(): Promise<NewSigningKey> {
  const place = given++ % KEYS
  return (made[place] ??= makeSigningKey('key-file', () => {
    throw new TypeError('a key in a file needs no token')
  }))
}

/** Leaves alone what has started before, and an appliance whose keys lie elsewhere. */
export async function giveSigningKey(config: Config, clock: Clock): Promise<void> {
  const { dataDir, kek, signing } = config
  if (kek.source !== 'key-file' || signing.source !== 'key-file') return
  if (existsSync(join(dataDir, 'appliance.sqlite'))) return
  const key = await nextKey()
  const kekBytes = loadKek(config)
  layMigrated(dataDir)
  const store = openStore(dataDir, kekBytes, { anyKeys: true })
  try {
    addSigningKey(store, key, clock.now())
  } finally {
    store.close()
  }
}
