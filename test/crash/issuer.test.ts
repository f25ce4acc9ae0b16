/**
 * The server process is killed (SIGKILL) while it asks an issuing source again: after the restart the same question is put, and
 * its answer changes the result. Real processes and sockets.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createKeys, startServerProcess } from '../../server/tools/demo/server-process.ts'
import { connectIssuer, LICENCE } from '../support/issuing-source.ts'

const START_MS = 300_000
/** A twentieth of a minute. */
const PAUSE_MINUTES = 0.05

test(
  'a server that is killed while a source is asked again asks the same question after the restart and takes its answer',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-crash-'))
    const pauses = [PAUSE_MINUTES, PAUSE_MINUTES, PAUSE_MINUTES]
    const { issuer, config, files } = await connectIssuer({ timeoutMs: 60_000, askAgainMinutes: pauses })
    for (const [name, content] of Object.entries({ ...files, 'config.json': JSON.stringify(config) }))
      writeFileSync(join(dataDir, name), content, { mode: 0o600 })
    let server = await startServerProcess(dataDir)
    try {
      const { relyingServiceKey: key } = await createKeys(dataDir, 'crash-test')
      const call = async (method: string, path: string, payload?: object): Promise<unknown> => {
        const response = await fetch(server.url + path, {
          method,
          headers: { apikey: key, ...(payload ? { 'content-type': 'application/json' } : {}) },
          ...(payload ? { body: JSON.stringify(payload) } : {}),
        })
        return response.json()
      }
      const findStatus = async (id: string) => {
        const { idDocuments } = (await call('GET', `/v1/identities/${id}`)) as {
          idDocuments: { evidenceId: string; evidenceStatus: { status: string } }[]
        }
        return idDocuments.map(({ evidenceId, evidenceStatus }) => [evidenceId, evidenceStatus.status])
      }
      const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
        while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50))
      }

      const { id } = (await call('POST', '/v1/identities', [])) as { id: string }
      await call('POST', `/v1/identities/${id}/consents`, [{ type: 'GIV', approved: true }])
      issuer.setFault('malformed')
      await call('POST', `/v1/identities/${id}/id-documents`, LICENCE)
      await until(async () => (await findStatus(id))[0]?.[1] === 'NOT_VERIFIED')
      const decided = await findStatus(id)

      issuer.setFault('silent')
      await until(() => issuer.requests.length === 2)
      process.kill(server.pid, 'SIGKILL')
      await new Promise((resolve) => setTimeout(resolve, 100))
      issuer.setFault(null)
      server = await startServerProcess(dataDir)
      await until(async () => (await findStatus(id))[0][1] === 'VERIFIED')
      expect((await findStatus(id)).map(([evidenceId]) => evidenceId)).toEqual([decided[0][0]])
      expect(issuer.requests).toHaveLength(3)
      expect(new Set(issuer.requests.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1)
    } finally {
      await server.stop()
      await issuer.close()
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
  START_MS,
)
