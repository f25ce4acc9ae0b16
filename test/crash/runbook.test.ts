/**
 * docs/RUNBOOK.md does what it says: its commands, taken from the page and run by a shell, bring an appliance back whose
 * disk is gone, whose master key is gone, whose identity keys are gone, whose database is damaged.
 */
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { extractArchive } from '../../server/proof/multipart.ts'
import { verifyProof } from '../../server/proof/verify.ts'
import { KEYS_FILE } from '../../server/store/vault.ts'
import { scriptedVision } from '../server/app/scripted-vision.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { runCommand } from '../support/command.ts'

const ROOT = join(import.meta.dirname, '../..')
const PAGE = readFileSync(join(ROOT, 'docs/RUNBOOK.md'), 'utf8')
/** Several commands, each a process, on a machine that does five other things. */
const STEP_MS = 300_000

let folder: string
const place = (name: string): string => join(folder, name)

function shellOf(block: string) {
  const commands = new RegExp(`\`\`\`sh ${block}\\n([^]*?)\`\`\``).exec(PAGE)?.[1]
  if (commands === undefined) throw new TypeError(`the page has no block ${block}`)
  const env = {
    ...process.env,
    npm_config_loglevel: 'error',
    DATA: place('data'),
    BACKUPS: place('backups'),
    SAFE: place('safe'),
    SHARES: place('shares'),
  }
  return { args: ['-euo', 'pipefail', '-c', commands], options: { cwd: ROOT, env } }
}

/** Runs the block of that name as the reader would, in one shell. Throws with its words when it fails. */
function follow(block: string): string {
  const { args, options } = shellOf(block)
  return execFileSync('bash', args, { ...options, encoding: 'utf8' })
}

/** The same for a block that starts the appliance: stops it when it listens. */
async function followUntilReady(block: string): Promise<void> {
  const { args, options } = shellOf(block)
  const child = spawn('bash', args, { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')))
  const ended = new Promise((resolve) => child.once('close', resolve))
  const listens = new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      if (chunk.toString('utf8').includes('listening on')) resolve()
    })
    child.once('close', () => reject(new Error(said)))
  })
  await listens
  // The whole group: npm starts a shell, which starts the appliance.
  process.kill(-(child.pid ?? 0), 'SIGTERM')
  await ended
}

function removeKeys(): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(place(`data/${KEYS_FILE}${suffix}`), { force: true })
}

async function createIdentity(app: TestApp): Promise<string> {
  const { body } = await app.json('POST', '/v1/identities', { body: new FormData() })
  return (body as { id: string }).id
}

async function withAppliance<T>(work: (app: TestApp) => Promise<T>): Promise<T> {
  const app = await startTestApp({ dataDir: place('data'), vision: scriptedVision() })
  try {
    return await work(app)
  } finally {
    await app.stop()
  }
}

async function proofOf(app: TestApp, id: string): Promise<{ sha256: string; valid: boolean }> {
  const answer = await app.call('GET', `/v1/identities/${id}/proof`)
  const archive = extractArchive(new Uint8Array(await answer.arrayBuffer()))
  if (!archive) throw new TypeError(`no archive: ${answer.status}`)
  const jwks: unknown = await (await app.call('GET', '/.well-known/jwks.json')).json()
  const { valid } = await verifyProof(archive, { jwks })
  return { sha256: createHash('sha256').update(archive).digest('hex'), valid }
}

let sealed: { id: string; sha256: string }
let open: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'counterproof-runbook-'))
  for (const name of ['backups', 'safe', 'shares']) mkdirSync(place(name))
  mkdirSync(place('data'), { mode: 0o700 })
  // A free port for the appliance that the page has the reader start.
  writeFileSync(place('data/config.json'), JSON.stringify({ port: 0 }), { mode: 0o600 })
  // The doctor looks for the models that a first start makes; the scripted vision of this appliance makes none.
  expect((await runCommand(['models'])).status).toBe(0)
  await withAppliance(async (app) => {
    const id = await createIdentity(app)
    sealed = { id, ...(await proofOf(app, id)) }
    open = await createIdentity(app)
    // Like an appliance that has run for a while and makes one every day.
    expect((await runCommand(['audit', 'checkpoint', '--data', place('data')])).status).toBe(0)
    follow('prepare')
    follow('backup')
    follow('check')
    expect(follow('doctor')).toMatch(/^17 checks: 0 WRONG/m)
  })
}, STEP_MS * 3)
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

const isAsBefore = async (): Promise<void> => {
  await withAppliance(async (app) => {
    expect(await proofOf(app, sealed.id)).toEqual({ sha256: sealed.sha256, valid: true })
    expect((await app.call('GET', `/v1/identities/${open}`)).status).toBe(200)
  })
  follow('check')
}

test(
  'a machine whose disk is gone is rebuilt from three shares and the backup: the same proof, byte for byte',
  async () => {
    rmSync(place('data'), { recursive: true })
    follow('rebuild')
    await isAsBefore()
  },
  STEP_MS,
)

test(
  'a master key that is gone comes back from three other shares; until then the appliance refuses to start',
  async () => {
    rmSync(place('data/keys/kek.key'))
    await expect(startTestApp({ dataDir: place('data'), vision: scriptedVision() })).rejects.toThrow(
      'key_unavailable',
    )
    follow('master-key')
    await isAsBefore()
  },
  STEP_MS,
)

test(
  'keys of the identities that are gone come back alone; until then the appliance refuses to start',
  async () => {
    removeKeys()
    await expect(startTestApp({ dataDir: place('data'), vision: scriptedVision() })).rejects.toMatchObject({
      details: { identitiesLost: 2 },
    })
    follow('restore-keys')
    await isAsBefore()
  },
  STEP_MS,
)

test(
  'where no copy is new enough the older one is taken, the loss of the rest is accepted, and a new copy is made',
  async () => {
    let late = ''
    await withAppliance(async (app) => {
      late = await createIdentity(app)
    })
    removeKeys()
    expect(() => follow('restore-keys')).toThrow('--older-keys')
    follow('older-keys')
    await followUntilReady('accept-loss')
    await isAsBefore()
    await withAppliance(async (app) => {
      expect(app.appliance.store.identities.listIds()).not.toContain(late)
      const { body } = await app.json('GET', `/v1/deletion-receipts/${late}`)
      expect(body).toMatchObject({ reason: 'LOST' })
      // The runbook continues with this generation alone.
      for (const name of readdirSync(place('backups'))) rmSync(join(place('backups'), name))
      follow('backup-after-loss')
    })
    removeKeys()
    follow('restore-keys')
    await isAsBefore()
  },
  STEP_MS,
)

test(
  'a damaged database is set aside and restored with the keys that lie there',
  async () => {
    mkdirSync(place('aside'))
    for (const name of ['appliance.sqlite', 'appliance.sqlite-wal', 'appliance.sqlite-shm']) {
      try {
        renameSync(place(`data/${name}`), place(`aside/${name}`))
      } catch {
        // After a clean stop there is no log beside the database.
      }
    }
    writeFileSync(place('data/note'), 'what else lies there stays')
    follow('damaged')
    await isAsBefore()
  },
  STEP_MS,
)

test(
  'after the signing key is replaced new proofs bear the new one, and the old ones still verify',
  async () => {
    follow('signing-key')
    await isAsBefore()
    await withAppliance(async (app) => {
      expect((await proofOf(app, open)).valid).toBe(true)
      const { keys } = (await (await app.call('GET', '/.well-known/jwks.json')).json()) as { keys: unknown[] }
      expect(keys).toHaveLength(2)
    })
  },
  STEP_MS,
)
