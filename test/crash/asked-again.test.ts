/**
 * The server process is killed (SIGKILL) while it asks an issuing source or a bureau again, and a register of addresses for the first
 * time: after the restart the same questions are put, and their answers change the result. Real processes and sockets.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createKeys, startServerProcess } from '../../server/tools/demo/server-process.ts'
import type { QuestionSimulator } from '../../server/tools/simulator/question-simulator.ts'
import { connectAddressRegister } from '../support/address-register.ts'
import { CLAIM, connectBureaus } from '../support/attribute-source.ts'
import { connectIssuer, LICENCE } from '../support/issuing-source.ts'

const START_MS = 300_000
/** A twentieth of a minute. */
const PAUSE_MINUTES = 0.05

const again = { timeoutMs: 60_000, askAgainMinutes: [PAUSE_MINUTES, PAUSE_MINUTES, PAUSE_MINUTES] }
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

/** A source, the evidence that it is asked about, and how the identity shows the evidence. */
interface Case {
  readonly simulator: QuestionSimulator
  readonly consent: string
  readonly path: string
  readonly payload: object
  readonly find: (identity: unknown) => Shown | undefined
}

test(
  'a server that is killed while an issuing source and a bureau are asked again asks the same questions after the restart and takes their answers',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-crash-'))
    const licences = await connectIssuer(again)
    const claims = await connectBureaus([{ options: again }])
    const addresses = await connectAddressRegister([{ country: 'UTO', values: HOME }], again)
    const { register } = addresses
    const sources = [licences, claims, addresses]
    const connectors = Object.assign({}, ...sources.map(({ config }) => config.connectors)) as object
    const config = JSON.stringify({ ...licences.config, connectors })
    const written = Object.assign({ 'config.json': config }, ...sources.map(({ files }) => files)) as object
    for (const [name, content] of Object.entries(written) as [string, string][])
      writeFileSync(join(dataDir, name), content, { mode: 0o600 })
    const issuing: Case = {
      simulator: licences.issuer,
      consent: 'GIV',
      path: '/id-documents',
      payload: LICENCE,
      find: (identity) => (identity as { idDocuments: Shown[] }).idDocuments.at(0),
    }
    const bureau: Case = {
      simulator: claims.bureaus[0],
      consent: 'ID_CLAIM',
      path: '/claim',
      payload: CLAIM,
      find: (identity) => (identity as { claim?: Shown }).claim,
    }
    const cases = [issuing, bureau]
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
      const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
        while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50))
      }
      const createIdentity = async (consent: string): Promise<string> => {
        const { id } = (await call('POST', '/v1/identities', [])) as { id: string }
        await call('POST', `/v1/identities/${id}/consents`, [{ type: consent, approved: true }])
        return id
      }
      /** Asked once, with a faulty answer; the next question gets none. */
      const begin = async ({ simulator, consent, path, payload, find }: Case) => {
        const id = await createIdentity(consent)
        const findStatus = async (): Promise<Status> => {
          const shown = find(await call('GET', `/v1/identities/${id}`))
          return [shown?.evidenceId ?? '', shown?.evidenceStatus.status ?? '']
        }
        simulator.setFault('malformed')
        await call('POST', `/v1/identities/${id}${path}`, payload)
        await until(async () => (await findStatus())[1] === 'NOT_VERIFIED')
        simulator.setFault('silent')
        const [evidenceId] = await findStatus()
        return { evidenceId, findStatus }
      }
      const begun = await Promise.all(cases.map(begin))

      // An identity of its own: the appliance asks the questions of one identity one after the other.
      const id = await createIdentity('ADDRESS')
      register.setFault('silent')
      await call('POST', `/v1/identities/${id}/addresses`, ADDRESS)
      const findAddress = async () => {
        const { addresses: found } = (await call('GET', `/v1/identities/${id}`)) as { addresses: Shown[] }
        return found
      }
      await until(
        () =>
          cases.every(({ simulator }) => simulator.requests.length === 2) && register.requests.length === 1,
      )
      const [{ evidenceId: addressId, evidenceStatus: asked }] = await findAddress()
      expect(asked.status).toBe('PROCESSING')
      process.kill(server.pid, 'SIGKILL')
      await new Promise((resolve) => setTimeout(resolve, 100))
      for (const { simulator } of cases) simulator.setFault(null)
      register.setFault(null)
      server = await startServerProcess(dataDir)
      for (const [index, { evidenceId, findStatus }] of begun.entries()) {
        await until(async () => (await findStatus())[1] === 'VERIFIED')
        expect((await findStatus())[0]).toBe(evidenceId)
        const { requests } = cases[index].simulator
        expect(requests).toHaveLength(3)
        expect(new Set(requests.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1)
      }

      await until(async () => (await findAddress())[0].evidenceStatus.status !== 'PROCESSING')
      const [address, ...further] = await findAddress()
      expect([address.evidenceId, further]).toEqual([addressId, []])
      expect(address.evidenceStatus.positiveIndicators).toContain('ADDRESS_EXISTENCE_OK')
      expect(register.requests).toHaveLength(2)
      expect(new Set(register.requests.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1)
    } finally {
      await server.stop()
      await Promise.all([...cases.map(({ simulator }) => simulator.close()), register.close()])
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
  START_MS,
)
