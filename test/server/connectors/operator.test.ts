/** CAMARA's KYC Match and SIM Swap against the simulator, on a real socket: what leaves, and what counts as an answer. */
import { readFileSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  openCamaraOperator,
  type CamaraSettings,
} from '../../../server/connectors/operator/camara-operator.ts'
import type { MobileOperator } from '../../../server/connectors/operator/operator.ts'
import {
  readSpecimenContracts,
  startOperator,
  type OperatorSimulator,
} from '../../../server/tools/simulator/operator.ts'
import { makeCertificateAuthority, SIGNER_EXTENSIONS } from '../../support/certificate-authority.ts'

const [ALBA] = readSpecimenContracts()
const REQUEST = '01890a5d-ac96-874b-8cce-000000000001'
const SWAPPED = { ...ALBA, phoneNumber: '+33639980101', simChangedHours: 100 }
const NO_BIRTH = { phoneNumber: '+33639980102', values: { ...ALBA.values, birthdate: undefined } }
const { givenName = '', familyName = '', birthdate = '', idDocument = '' } = ALBA.values
const question = (change: object = {}, phoneNumber = ALBA.phoneNumber) => ({
  phoneNumber,
  values: { givenName, familyName, birthdate, ...change },
})
const clock = { now: () => new Date() }

let simulator: OperatorSimulator
let operator: MobileOperator
const open = (change: Partial<CamaraSettings> = {}): MobileOperator =>
  openCamaraOperator(
    {
      url: simulator.url,
      token: null,
      oauth: {
        tokenUrl: `${simulator.url}/token`,
        clientId: 'branch',
        clientSecret: 'secret',
        scope: 'kyc-match:match sim-swap:check',
      },
      timeoutMs: 300,
      matchPath: '/kyc-match/v0.3',
      simSwapPath: '/sim-swap/v2',
      simSwapHours: 240,
      sends: ['givenName', 'familyName', 'birthdate'],
      askAgainMinutes: [1],
      ...change,
    },
    clock,
  )
beforeAll(async () => {
  simulator = await startOperator({ port: 0, contracts: [...readSpecimenContracts(), SWAPPED, NO_BIRTH] })
  operator = open()
})
afterEach(() => simulator.setFault(null))
afterAll(async () => {
  operator.close()
  await simulator.close()
})

describe('an operator', () => {
  test('answers for each value, with the number and the names in the body alone', async () => {
    const before = simulator.requests.length
    expect(await operator.ask(question(), REQUEST)).toEqual({
      answer: {
        person: { kind: 'answered', answer: { givenName: 'true', familyName: 'true', birthdate: 'true' } },
        simSwapped: { kind: 'answered', answer: false },
      },
      calls: [
        { api: 'kyc-match', trouble: null, tries: 1, durationMs: expect.any(Number) as number },
        { api: 'sim-swap', trouble: null, tries: 1, durationMs: expect.any(Number) as number },
      ],
    })
    const asked = simulator.requests.slice(before).toSorted((a, b) => a.path.localeCompare(b.path))
    expect(asked.map(({ path, correlator }) => [path, correlator])).toEqual([
      ['/kyc-match/v0.3/match', REQUEST],
      ['/sim-swap/v2/check', REQUEST],
    ])
    expect(asked.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { phoneNumber: ALBA.phoneNumber, givenName, familyName, birthdate },
      { phoneNumber: ALBA.phoneNumber, maxAge: 240 },
    ])
    expect(operator.health()).toEqual({ status: 'UP', detail: 'configured' })
  })

  test('says what differs, what it does not know, and that a SIM was changed lately', async () => {
    expect((await operator.ask(question({ familyName: 'Other' }), REQUEST)).answer).toMatchObject({
      person: { answer: { givenName: 'true', familyName: 'false' } },
    })
    expect((await operator.ask(question({}, NO_BIRTH.phoneNumber), REQUEST)).answer).toMatchObject({
      person: { answer: { birthdate: 'not_available' } },
    })
    expect((await operator.ask(question({}, SWAPPED.phoneNumber), REQUEST)).answer).toMatchObject({
      simSwapped: { kind: 'answered', answer: true },
    })
    const earlier = open({ simSwapHours: 24 })
    expect((await earlier.ask(question({}, SWAPPED.phoneNumber), REQUEST)).answer).toMatchObject({
      simSwapped: { kind: 'answered', answer: false },
    })
    earlier.close()
  })

  test('that does not know the number has no record, and works', async () => {
    const unknown = { kind: 'no-record', trouble: 'number-unknown' }
    expect((await operator.ask(question({}, '+33639989999'), REQUEST)).answer).toMatchObject({
      person: unknown,
      simSwapped: unknown,
    })
    expect(operator.health().status).toBe('UP')
  })

  test('that demands the document number says so; a wrong one is an answer', async () => {
    simulator.setFault('document-number')
    expect((await operator.ask(question(), REQUEST)).answer).toMatchObject({
      person: { kind: 'no-record', trouble: 'document-number-required' },
      simSwapped: { kind: 'answered' },
    })
    expect((await operator.ask(question({ idDocument: 'FR0000000' }), REQUEST)).answer).toMatchObject({
      person: { kind: 'answered', answer: { idDocument: 'false' } },
    })
    expect((await operator.ask(question({ idDocument }), REQUEST)).answer).toMatchObject({
      person: { kind: 'answered', answer: { idDocument: 'true', familyName: 'true' } },
    })
  })
})

test.each([
  ['silent', { trouble: 'timeout' }, 2],
  ['slow', { trouble: 'timeout' }, 2],
  ['error', { trouble: 'unexpected-answer', httpStatus: 500 }, 6],
  ['rate-limit', { trouble: 'unexpected-answer', httpStatus: 429 }, 6],
  ['refuse', { trouble: 'credentials-refused', httpStatus: 401 }, 2],
  ['half', { trouble: 'unreachable' }, 6],
  ['malformed', { trouble: 'malformed' }, 2],
] as const)('an operator that is %s answers neither question, after %s', async (fault, expected, tries) => {
  simulator.setFault(fault)
  const before = simulator.requests.length
  const unanswered = { kind: 'unanswered', ...expected }
  const { trouble } = expected
  const { answer, calls } = await operator.ask(question(), REQUEST)
  expect(answer).toEqual({ person: unanswered, simSwapped: unanswered })
  expect(calls).toMatchObject([
    { trouble, tries: tries / 2 },
    { trouble, tries: tries / 2 },
  ])
  expect(simulator.requests.length - before).toBe(tries)
  expect(operator.health().status).toBe('DEGRADED')
})

test('an answer about a value that was not sent is no answer', async () => {
  simulator.setFault('unasked')
  expect((await operator.ask(question(), REQUEST)).answer).toMatchObject({
    person: { kind: 'unanswered', trouble: 'malformed' },
  })
})

test('without a token nothing is asked', async () => {
  simulator.setFault('no-token')
  const stranger = open()
  const before = simulator.requests.length
  expect((await stranger.ask(question(), REQUEST)).answer).toMatchObject({
    person: { trouble: 'credentials-refused' },
  })
  expect(simulator.requests.length).toBe(before)
  stranger.close()
})

test('an operator that is down, or shows a certificate of another authority, is asked nothing that it can read', async () => {
  const down = open({ url: 'http://127.0.0.1:9', oauth: null, token: 'x' })
  expect((await down.ask(question(), REQUEST)).answer).toMatchObject({ person: { trouble: 'unreachable' } })
  down.close()

  const [right, wrong] = [makeCertificateAuthority('Right'), makeCertificateAuthority('Wrong')]
  const extensions = [...SIGNER_EXTENSIONS, 'subjectAltName = IP:127.0.0.1']
  const { pem: cert, keyFile } = wrong.issue({ name: 'operator', extensions, issuer: wrong.root })
  const bodies: string[] = []
  const server = createTlsServer({ cert, key: readFileSync(keyFile) }, (req) => {
    bodies.push(req.url ?? '')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const settings = { url: `https://127.0.0.1:${port}`, oauth: null, token: 'x', authorities: right.root.pem }
  const impostor = open(settings)
  expect((await impostor.ask(question(), REQUEST)).answer).toMatchObject({
    person: { trouble: 'certificate-refused' },
  })
  expect(bodies).toEqual([])
  impostor.close()
  server.close()
  right.remove()
  wrong.remove()
})
