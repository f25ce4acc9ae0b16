/** Killed (SIGKILL) at random moments while it erases: after the next start there is no half identity. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { verifyDeletionReceipt } from '../../server/proof/verify/deletion-receipt.ts'
import { KEYS_FILE } from '../../server/store/vault.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { scriptedVision } from '../server/app/scripted-vision.ts'

const KILLS = Number(process.env.ERASURE_KILLS ?? 12)
const CHILD = join(import.meta.dirname, 'erasing-appliance.ts')
/** Latest kill after an answer: about as long as an erasure takes. */
const MAX_WAIT_MS = 150

/** Runs until it is killed, a moment after so many answers since it was ready; the ids whose erasure was answered before. */
async function runAndKill(dataDir: string, answers: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, [CHILD, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  const ended = new Promise((resolve) => child.once('close', resolve))
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString('utf8')
      const [, since] = printed.split(/^ready$/m)
      if (since !== undefined && goneIn(since).length >= answers) resolve()
    })
    child.once('exit', () => reject(new Error('it ended by itself')))
  })
  await ready
  await new Promise((resolve) => setTimeout(resolve, Math.random() * MAX_WAIT_MS))
  child.kill('SIGKILL')
  await ended
  return goneIn(printed)
}

const goneIn = (printed: string): string[] => [...printed.matchAll(/^gone (\S+)$/gm)].map(([, id = '']) => id)

/** Begun and not ended, as the kill left it. */
function openErasures(dataDir: string): number {
  const db = new Database(join(dataDir, 'appliance.sqlite'), { readonly: true })
  const { n } = db
    .prepare<[], { n: number }>('SELECT count(*) n FROM erasures WHERE erased_at IS NULL')
    .get() as { n: number }
  db.close()
  return n
}

async function expectWhole(app: TestApp, gone: readonly string[]): Promise<void> {
  const { store } = app.appliance
  const ids = store.identities.listIds()
  expect(store.erasures.listOpen()).toEqual([])
  // Every identity has its key, and every key its identity.
  expect(ids.filter((id) => !store.vault.has(id))).toEqual([])
  expect(store.vault.count()).toBe(ids.length)
  for (const id of ids) {
    expect((await app.json('GET', `/v1/identities/${id}`)).status).toBe(200)
  }
  const { body: jwks } = await app.json('GET', '/.well-known/jwks.json')
  for (const id of gone) {
    expect(store.erasures.countRows(id)).toEqual({})
    const { body } = await app.json('GET', `/v1/deletion-receipts/${id}`)
    const { receipt } = body as { receipt: string }
    expect(verifyDeletionReceipt(receipt, { jwks })).toMatchObject({
      valid: true,
      receipt: { identityId: id },
    })
  }
  const listed = store.erasures.list(100_000)
  const events = store.events.after(0, 1_000_000).filter(({ type }) => type === 'identity.erased')
  expect(events.map(({ identityId }) => identityId).sort()).toEqual(
    listed.map(({ identityId }) => identityId),
  )
  expect(store.auditEvents()).toEqual([])
  const rows = (table: string) => {
    const db = new Database(join(app.dataDir, 'appliance.sqlite'), { readonly: true })
    const names = db.prepare<[], { id: string }>(`SELECT id FROM ${table}`).all()
    db.close()
    return names.map(({ id }) => `${id}.sealed`).sort()
  }
  for (const folder of ['images', 'proofs']) {
    expect(readdirSync(join(app.dataDir, folder)).sort()).toEqual(rows(folder))
  }
}

test(
  `killed ${KILLS} times while it erases, it never leaves half an identity`,
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-erasing-'))
    const config = { rateLimits: { relyingServicePerMinute: 1_000_000 } }
    writeFileSync(join(dataDir, 'config.json'), JSON.stringify(config))
    const answered: string[] = []
    let cutOff = 0
    let keysLeft = 0
    try {
      for (let kill = 0; kill < KILLS; kill++) {
        answered.push(...(await runAndKill(dataDir, kill % 4)))
        cutOff += openErasures(dataDir)
        keysLeft += keysWithoutIdentity(dataDir)
        // The check needs a start of its own now and then; in between, the next child carries on what was cut off.
        if (kill % 4 !== 3) continue
        const app = await startTestApp({ vision: scriptedVision(), dataDir })
        await app.runJobs()
        await expectWhole(app, answered)
        await app.stop()
      }
      process.stderr.write(
        `  ${KILLS} kills: ${answered.length} erasures answered, ${cutOff} cut off between two steps, ` +
          `${keysLeft} keys left without an identity\n`,
      )
      expect(answered.length).toBeGreaterThan(KILLS / 2)
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
  KILLS * 15_000,
)

function keysWithoutIdentity(dataDir: string): number {
  const db = new Database(join(dataDir, 'appliance.sqlite'), { readonly: true })
  db.prepare('ATTACH ? AS keys').run(join(dataDir, KEYS_FILE))
  const { n } = db
    .prepare<[], { n: number }>(
      'SELECT count(*) n FROM keys.identity_keys WHERE identity_id NOT IN (SELECT id FROM main.identities)',
    )
    .get() as { n: number }
  db.close()
  return n
}
