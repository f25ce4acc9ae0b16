/**
 * The server process is killed (SIGKILL) while it asks an issuing source or a bureau again, and a register of addresses for the first
 * time: after the restart the same questions are put, and their answers change the result. Real processes and sockets.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createKeys, startServerProcess } from '../../server/tools/demo/server-process.ts'
import { connectAddressRegister } from '../support/address-register.ts'
import { CLAIM, connectBureaus } from '../support/attribute-source.ts'
import { connectIssuer, LICENCE } from '../support/issuing-source.ts'

const START_MS = 300_000
/** A twentieth of a minute. */
const PAUSE_MINUTES = 0.05

const again = { timeoutMs: 10_000, askAgainMinutes: [PAUSE_MINUTES, PAUSE_MINUTES, PAUSE_MINUTES] }
type Status = readonly [evidenceId: string, status: string]
interface Shown {
  readonly evidenceId: string
  readonly evidenceStatus: { readonly status: string; readonly positiveIndicators: readonly string[] }
}

const HOME = { streetLine1: '12 LONG ST', postcode: '1000', city: 'UTOPIA CITY' }
const ADDRESS = {
  streetDetails: { streetLines: ['12 Long Street'] },
  postcode: '1000',
  city: 'Utopia City',
  country: 'UTO',
}

const CASES = [
  {
    source: 'issuing source',
    consent: 'GIV',
    path: '/id-documents',
    payload: LICENCE,
    connect: async () => {
      const { issuer, ...rest } = await connectIssuer(again)
      return { simulator: issuer, ...rest }
    },
    find: (identity: unknown) => (identity as { idDocuments: Shown[] }).idDocuments.at(0),
  },
  {
    source: 'bureau',
    consent: 'ID_CLAIM',
    path: '/claim',
    payload: CLAIM,
    connect: async () => {
      const { bureaus, ...rest } = await connectBureaus([{ options: again }])
      return { simulator: bureaus[0], ...rest }
    },
    find: (identity: unknown) => (identity as { claim?: Shown }).claim,
  },
] as const

test.each(CASES)(
  'a server that is killed while a source is asked again asks the same question after the restart and takes its answer: $source',
  async ({ consent, path, payload, connect, find }) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-crash-'))
    const { simulator, config, files } = await connect()
    const addresses = await connectAddressRegister([{ country: 'UTO', values: HOME }], again)
    const { register } = addresses
    const connectors = { ...config.connectors, ...addresses.config.connectors }
    const written = { ...files, ...addresses.files, 'config.json': JSON.stringify({ ...config, connectors }) }
    for (const [name, content] of Object.entries(written))
      writeFileSync(join(dataDir, name), content, { mode: 0o600 })
    let server = await startServerProcess(dataDir)
    try {
      const { relyingServiceKey: key } = await createKeys(dataDir, 'crash-test')
      const call = async (method: string, at: string, body?: object): Promise<unknown> => {
        const response = await fetch(server.url + at, {
          method,
          headers: { apikey: key, ...(body ? { 'content-type': 'application/json' } : {}) },
          ...(body ? { body: JSON.stringify(body) } : {}),
        })
        return response.json()
      }
      const findStatus = async (id: string): Promise<Status> => {
        const shown = find(await call('GET', `/v1/identities/${id}`))
        return [shown?.evidenceId ?? '', shown?.evidenceStatus.status ?? '']
      }
      const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
        while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50))
      }

      const { id } = (await call('POST', '/v1/identities', [])) as { id: string }
      await call('POST', `/v1/identities/${id}/consents`, [
        { type: consent, approved: true },
        { type: 'ADDRESS', approved: true },
      ])
      simulator.setFault('malformed')
      await call('POST', `/v1/identities/${id}${path}`, payload)
      await until(async () => (await findStatus(id))[1] === 'NOT_VERIFIED')
      const [evidenceId] = await findStatus(id)

      simulator.setFault('silent')
      register.setFault('silent')
      await call('POST', `/v1/identities/${id}/addresses`, ADDRESS)
      const findAddress = async () => {
        const { addresses: found } = (await call('GET', `/v1/identities/${id}`)) as { addresses: Shown[] }
        return found
      }
      await until(() => simulator.requests.length === 2 && register.requests.length === 1)
      const [{ evidenceId: addressId }] = await findAddress()
      process.kill(server.pid, 'SIGKILL')
      await new Promise((resolve) => setTimeout(resolve, 100))
      simulator.setFault(null)
      register.setFault(null)
      server = await startServerProcess(dataDir)
      await until(async () => (await findStatus(id))[1] === 'VERIFIED')
      expect((await findStatus(id))[0]).toBe(evidenceId)
      expect(simulator.requests).toHaveLength(3)
      expect(new Set(simulator.requests.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1)

      await until(async () => (await findAddress())[0].evidenceStatus.status === 'NOT_VERIFIED')
      const [address, ...further] = await findAddress()
      expect([address.evidenceId, further]).toEqual([addressId, []])
      expect(address.evidenceStatus.positiveIndicators).toContain('ADDRESS_EXISTENCE_OK')
      expect(register.requests).toHaveLength(2)
      expect(new Set(register.requests.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1)
    } finally {
      await server.stop()
      await simulator.close()
      await register.close()
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
  START_MS,
)
