/** The audit log of a whole appliance, from its first start to an older database put in its place. */
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { verifyAudit } from '../../../server/audit/verify.ts'
import { loadConfig } from '../../../server/config/config.ts'
import { loadKek } from '../../../server/config/kek.ts'
import { extractArchive } from '../../../server/proof/multipart.ts'
import { APPLIANCE } from '../../../server/store/scope.ts'
import { startProofing, type ProofingClient } from './proofing-client.ts'
import { aPassport } from './scripted-vision.ts'

let client: ProofingClient
beforeEach(async () => {
  client = await startProofing()
})
afterEach(() => client.close())

const dataDir = () => client.app.dataDir
const verify = (options = {}) => {
  const config = loadConfig({ dataDir: dataDir() })
  return verifyAudit({ dataDir: dataDir(), kek: loadKek(config), ...options })
}
const types = () => client.app.appliance.store.events.after(0, 1000).map(({ type }) => type)

async function aProof(): Promise<{ id: string; archive: Uint8Array }> {
  const id = await client.anIdentity()
  await client.document(id, aPassport())
  const answer = await client.app.call('GET', `/v1/identities/${id}/proof`)
  expect(answer.status).toBe(200)
  const archive = extractArchive(Buffer.from(await answer.arrayBuffer()))
  return { id, archive: archive ?? Buffer.alloc(0) }
}

test('a proofing, a proof and an erasure leave a log that verifies beside the running appliance', async () => {
  const { archive } = await aProof()
  const erased = await aProof()
  expect((await client.app.call('DELETE', `/v1/identities/${erased.id}`)).status).toBe(204)
  await client.app.runJobs()
  const report = await verify()
  expect(report.findings).toEqual([])
  expect(report.checked).toMatchObject({ proofs: 1, erasures: 1 })

  const given = join(dataDir(), 'taken')
  mkdirSync(given)
  writeFileSync(join(given, 'proof.zip'), archive)
  writeFileSync(join(given, 'erased.zip'), erased.archive)
  expect((await verify({ proofsDir: given })).findings).toEqual([])
})

test('every event of a caller names the calling application; an event without a caller names the appliance', async () => {
  const { id } = await aProof()
  const { store } = client.app.appliance
  const { applicationId } = store.identities.find(APPLIANCE, id) ?? { applicationId: '' }
  const authors = new Map(
    store.events
      .after(0, 1000)
      .filter((event) => event.identityId === id)
      .map(({ type, actor }) => [type, actor]),
  )
  const caller = `RELYING_SERVICE:${applicationId}`
  expect(Object.fromEntries(authors)).toMatchObject({
    'identity.created': caller,
    'consent.recorded': caller,
    'evidence.submitted': caller,
    'evidence.decided': 'appliance',
    'identity.evaluated': 'appliance',
    'proof.sealed': caller,
    'proof.retrieved': caller,
  })
})

test('an older database put in place is noted at the next start, shown, and found by any proof', async () => {
  await aProof()
  const earlier = join(dataDir(), 'earlier.sqlite')
  await client.app.appliance.store.backup(earlier)
  const { archive } = await aProof()
  await client.app.stop()
  expect((await verify()).findings).toEqual([])
  for (const suffix of ['-wal', '-shm']) rmSync(join(dataDir(), `appliance.sqlite${suffix}`), { force: true })
  copyFileSync(earlier, join(dataDir(), 'appliance.sqlite'))
  expect((await verify()).findings).toMatchObject([{ table: 'audit-head.json', problem: 'set_back' }])

  await client.restart()
  expect(types()).toContain('audit.set_back')
  const { body } = await client.app.json('GET', '/healthcheck', { key: null })
  expect(body).toMatchObject({ components: { audit: { status: 'DEGRADED' } } })
  const given = join(dataDir(), 'taken')
  mkdirSync(given)
  writeFileSync(join(given, 'proof.zip'), archive)
  const { findings } = await verify({ proofsDir: given })
  expect(findings.map(({ table, problem }) => `${table} ${problem}`)).toEqual(
    expect.arrayContaining(['events set_back', 'file made_up']),
  )
})

test('starts and stops are in the log, with the version and what was configured', async () => {
  await client.restart()
  expect(types().filter((type) => type.startsWith('appliance.'))).toEqual([
    'appliance.started',
    'appliance.stopped',
    'appliance.started',
  ])
})
