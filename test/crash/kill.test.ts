/**
 * The server process is killed (SIGKILL) in the middle of a proofing and started again on the same folder. Real
 * processes, real pictures; nothing in the product helps this test.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RelyingService } from '../../server/tools/demo/client.ts'
import {
  createKeys,
  startServerProcess,
  type Keys,
  type ServerProcess,
} from '../../server/tools/demo/server-process.ts'
import { defaultSpecimen } from '../../server/tools/demo/specimens.ts'
import { extractArchive } from '../../server/proof/multipart.ts'
import { verifyProof } from '../../server/proof/verify.ts'
import { liveClient } from '../support/live-client.ts'

const START_AND_VERIFY_MS = 300_000

let dataDir: string
let server: ServerProcess
let keys: Keys | null = null
let service: RelyingService

const boot = async (): Promise<void> => {
  server = await startServerProcess(dataDir)
  keys ??= await createKeys(dataDir, 'crash-test')
  service = new RelyingService(server.url, keys)
}
const killAndRestart = async (): Promise<void> => {
  process.kill(server.pid, 'SIGKILL')
  await new Promise((resolve) => setTimeout(resolve, 100))
  await boot()
}
const newIdentity = async (): Promise<string> => {
  const { id } = await service.createIdentity([])
  await service.consent(id, ['PORTRAIT'])
  return id
}
/** Calls like a capture component: without a key. */
const callsTo = (url: () => string): Parameters<typeof liveClient>[0] => ({
  call: (method, path, { body, headers, payload } = {}) =>
    fetch(url() + path, {
      method,
      headers: { ...(payload === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      body: payload === undefined ? (body ?? null) : JSON.stringify(payload),
    }),
})
/** Reads beside the running server: SQLite allows it. */
const count = (sql: string, ...values: string[]): number => {
  const db = new Database(join(dataDir, 'appliance.sqlite'), { readonly: true })
  const row = db.prepare<string[], { n: number }>(`SELECT count(*) n FROM ${sql}`).get(...values)
  db.close()
  return row?.n ?? 0
}
const eventsOf = (identityId: string, type: string): number =>
  count('events WHERE identity_id = ? AND type = ?', identityId, type)
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** Moments from before the claim of the job to the saving of the result; `bench:crash` draws many others. */
const MOMENTS: readonly ((identityId: string) => Promise<void>)[] = [
  async () => undefined,
  // The worker has the picture, which takes it seconds.
  async (id) => {
    await until(() => count(`jobs WHERE identity_id = ? AND state = 'running'`, id) > 0)
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(eventsOf(id, 'evidence.decided')).toBe(0)
  },
  (id) => until(() => eventsOf(id, 'evidence.decided') > 0),
]

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'counterproof-crash-'))
  await boot()
}, START_AND_VERIFY_MS)
afterAll(async () => {
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

// First: it asks whether any picture lies on the disk.
test(
  'a portrait session that a killed server was in ends with 1610, and nothing of it is on the disk',
  async () => {
    const id = await newIdentity()
    const { sessionId } = await service.openPortraitSession(id, { type: 'LIVENESS_PASSIVE_VIDEO' })
    const component = liveClient(
      callsTo(() => server.url),
      sessionId,
    )
    await component.begin()
    const face = readFileSync(defaultSpecimen().portrait)
    expect(await component.send(face)).toMatchObject({ status: 200, body: { sequence: 2 } })
    await killAndRestart()
    expect((await component.send(face)).status).toBe(404)
    const { portrait } = await service.identity(id)
    expect(portrait?.evidenceStatus).toMatchObject({ status: 'NOT_VERIFIED', errors: [{ code: '1610' }] })
    expect(readdirSync(join(dataDir, 'images'))).toEqual([])
  },
  START_AND_VERIFY_MS,
)

test(
  'a second server on the same folder is refused and leaves the first one alone',
  async () => {
    await expect(startServerProcess(dataDir)).rejects.toThrow(/another server runs on this data folder/)
    expect((await service.createIdentity([])).id).toMatch(/^[0-9a-f-]{36}$/)
  },
  START_AND_VERIFY_MS,
)

describe('a server that is killed', () => {
  test(
    'while a document is verified decides it once after the restart',
    async () => {
      const { document } = defaultSpecimen()
      for (const moment of MOMENTS) {
        const id = await newIdentity()
        const evidence = await service.submitDocument(id, document, undefined)
        await moment(id)
        await killAndRestart()
        const decided = await service.waitForEvidence(id, evidence.id)
        expect(decided).toMatchObject({ status: 'VERIFIED', type: 'PASSPORT' })
        expect(eventsOf(id, 'evidence.decided')).toBe(1)
        expect((await service.identity(id)).idDocuments).toHaveLength(1)
      }
    },
    START_AND_VERIFY_MS,
  )

  test(
    'while its proof is fetched seals exactly one, which verifies and repeats byte for byte',
    async () => {
      const { document, portrait } = defaultSpecimen()
      const id = await newIdentity()
      await service.waitForEvidence(id, (await service.submitDocument(id, document, undefined)).id)
      await service.waitForEvidence(id, (await service.submitPortrait(id, portrait)).id)
      const interrupted = service.proof(id).catch(() => null)
      await new Promise((resolve) => setTimeout(resolve, 15))
      await killAndRestart()
      await interrupted
      const [first, second] = [await service.proof(id), await service.proof(id)]
      expect(Buffer.from(second).equals(first)).toBe(true)
      const archive = extractArchive(first)
      const report = archive && (await verifyProof(archive, { jwks: await service.jwks() }))
      expect(report).toMatchObject({ valid: true, identityId: id, levelOfAssurance: 'LOA1' })
      expect(eventsOf(id, 'proof.sealed')).toBe(1)
    },
    START_AND_VERIFY_MS,
  )
})
