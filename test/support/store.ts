/** A real store in a temporary folder, with one tenant, application and identity. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { v7 as uuidv7 } from 'uuid'
import type { Evidence } from '../../server/proofing/evidence.ts'
import { createEvidence } from '../../server/proofing/evidence.ts'
import type { Identity } from '../../server/proofing/identity.ts'
import { createKey } from '../../server/store/crypto.ts'
import { openStore, type Store } from '../../server/store/open.ts'
import { layMigrated } from './migrated-database.ts'

export const AT = new Date('2026-03-01T10:00:00.000Z')

export interface TestStore {
  readonly dataDir: string
  readonly kek: Buffer
  store: Store
  /** Closes and opens again, as a restart would. */
  reopen(): Store
  /** Creates one for the application of this name (default: `test`), and the application if it is missing. */
  addIdentity(application?: string): Identity
  /** Id of the application `test`, which owns these identities. */
  readonly applicationId: string
  close(): void
}

export function openTestStore(): TestStore {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-store-'))
  const kek = createKey()
  layMigrated(dataDir)
  const prepare = (isNew = false): Store => {
    // A new store has no keys.
    const store = openStore(dataDir, kek, { anyKeys: isNew })
    store.tenants.ensure({ id: 'tenant', name: 'Test', mode: 'test', policyId: 'default' }, AT)
    return store
  }
  const test: TestStore = {
    dataDir,
    kek,
    store: prepare(true),
    reopen: () => {
      test.store.close()
      test.store = prepare()
      return test.store
    },
    get applicationId() {
      return test.store.apiKeys.ensureApplication('tenant', 'test', AT)
    },
    addIdentity: (application = 'test') => {
      const applicationId = test.store.apiKeys.ensureApplication('tenant', application, AT)
      const identity = anIdentity(applicationId)
      test.store.transaction(() => test.store.identities.add(identity, []))
      return identity
    },
    close: () => {
      test.store.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  return test
}

export function anIdentity(applicationId = 'app', over: Partial<Identity> = {}): Identity {
  return {
    id: uuidv7(),
    tenantId: 'tenant',
    applicationId,
    status: 'EXPECTING_INPUT',
    mode: 'test',
    isTest: true,
    levelOfAssurance: 'LOA0',
    upgradePaths: {},
    assessment: null,
    nameReferenceId: null,
    portraitReferenceId: null,
    previousProofId: null,
    createdAt: AT,
    evaluatedAt: AT,
    revision: 1,
    ...over,
  }
}

export function anEvidence(identityId: string, over: Partial<Evidence> = {}): Evidence {
  const evidence = createEvidence({
    id: uuidv7(),
    identityId,
    family: 'IDDOCUMENT',
    type: 'PASSPORT',
    strength: 'LEVEL4',
    submittedAt: AT,
    content: {},
  })
  return { ...evidence, ...over }
}
