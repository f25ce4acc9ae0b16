/**
 * Phone numbers and e-mail addresses under attack and under SIGKILL: a real server process with a simulated SMSC, mail server and operator, over
 * real sockets. Guesses over many connections get no attempt more than the limit, and a killed server loses nothing.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { Pool } from 'undici'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { RelyingService } from '../../server/tools/demo/client.ts'
import {
  createKeys,
  startServerProcess,
  type Keys,
  type ServerProcess,
} from '../../server/tools/demo/server-process.ts'
import { defaultSpecimen } from '../../server/tools/demo/specimens.ts'
import {
  readSpecimenContracts,
  startOperator,
  type OperatorSimulator,
} from '../../server/tools/simulator/operator.ts'
import { startSmpp, type SmppSimulator } from '../../server/tools/simulator/smpp.ts'
import { startSmtp, type SmtpSimulator } from '../../server/tools/simulator/smtp.ts'

const LONG_MS = 300_000
const PATIENCE = { timeout: 60_000, interval: 50 }
/** The whole space of a code of four digits takes minutes: GUESSES=10000. */
const GUESSES = Number(process.env.GUESSES ?? 1_000)
const CONNECTIONS = 64
const ATTEMPTS = 5

let dataDir: string
let smsc: SmppSimulator
let mail: SmtpSimulator
let operator: OperatorSimulator
let server: ServerProcess
let keys: Keys | null = null

interface ContactState {
  readonly verified: boolean
  readonly otp: { readonly status: string }
  readonly errors: readonly { readonly code: string }[]
}

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'counterproof-phone-'))
  smsc = await startSmpp({ port: 0 })
  mail = await startSmtp({ port: 0 })
  operator = await startOperator({ port: 0, contracts: readSpecimenContracts() })
  const write = (name: string, text: string) => writeFileSync(join(dataDir, name), text, { mode: 0o600 })
  write('smpp.password', 'secret\n')
  write('operator.secret', 'secret\n')
  const config = {
    rateLimits: { relyingServicePerMinute: 1e7, userAgentPerMinute: 1e7, otpPerMinute: 1e7 },
    otp: { digits: 4, attempts: ATTEMPTS },
    connectors: {
      sms: {
        kind: 'smpp',
        url: smsc.url,
        allowPlain: true,
        systemId: 'counterproof',
        passwordFile: 'smpp.password',
        sender: 'Bank',
      },
      smtp: { url: mail.url, allowPlain: true, from: 'no-reply@bank.example' },
      operator: {
        url: operator.url,
        allowHttp: true,
        oauth: {
          tokenUrl: `${operator.url}/token`,
          clientId: 'branch',
          clientSecretFile: 'operator.secret',
        },
      },
    },
  }
  write('config.json', JSON.stringify(config))
  server = await startServerProcess(dataDir)
  keys = await createKeys(dataDir, 'phone-test')
}, LONG_MS)
afterEach(() => {
  smsc.setFault(null)
  mail.setFault(null)
  operator.setFault(null)
})
afterAll(async () => {
  await server.stop()
  await Promise.all([smsc.close(), mail.close(), operator.close()])
  rmSync(dataDir, { recursive: true, force: true })
})

const killAndRestart = async (): Promise<void> => {
  process.kill(server.pid, 'SIGKILL')
  await new Promise((resolve) => setTimeout(resolve, 100))
  server = await startServerProcess(dataDir)
}
const service = (): RelyingService => {
  if (!keys) throw new Error('no keys')
  return new RelyingService(server.url, keys)
}
const anIdentity = async (...consents: string[]): Promise<string> => {
  const { id } = await service().createIdentity([])
  await service().consent(id, ['MOBILE_OTP', 'EMAIL_OTP', ...consents])
  return id
}
type Kind = 'mobile' | 'email'
const at = (id: string, path = '', kind: Kind = 'mobile') =>
  `/v1/identities/${id}/contact-details/${kind}${path}`
async function call(
  method: string,
  path: string,
  payload?: object,
): Promise<{ status: number; body: string }> {
  const response = await fetch(server.url + path, {
    method,
    headers: { apikey: keys?.relyingServiceKey ?? '', 'content-type': 'application/json' },
    ...(payload ? { body: JSON.stringify(payload) } : {}),
  })
  return { status: response.status, body: await response.text() }
}
async function read(id: string, kind: Kind): Promise<ContactState> {
  const { body } = await call('GET', at(id, '', kind))
  return (JSON.parse(body) as { contactDetails: Record<Kind, ContactState> }).contactDetails[kind]
}
const mobileOf = (id: string) => read(id, 'mobile')
const becomes = (id: string, expected: object, kind: Kind = 'mobile') =>
  vi.waitFor(async () => expect(await read(id, kind)).toMatchObject(expected), PATIENCE)
const submitNumber = async (id: string, value: string, kind: Kind = 'mobile'): Promise<void> => {
  expect((await call('POST', at(id, '', kind), { value })).status).toBe(200)
}
const typeCode = async (id: string, value: string, kind: Kind = 'mobile'): Promise<number> =>
  (await call('POST', at(id, '/otp', kind), { value })).status
const readCode = (index: number) => /\d{4}/.exec(smsc.messages.at(index)?.text ?? '')?.[0] ?? ''
const count = (sql: string, ...values: string[]): number => {
  const db = new Database(join(dataDir, 'appliance.sqlite'), { readonly: true })
  const row = db.prepare<string[], { n: number }>(`SELECT count(*) n FROM ${sql}`).get(...values)
  db.close()
  return row?.n ?? 0
}

const BRUTE_FORCE = [
  { kind: 'mobile', to: '+33639980201', guesses: GUESSES, operation: 'OTP_VERIFICATION' },
  { kind: 'email', to: 'brute@mail.example', guesses: 300, operation: 'EMAIL_OTP_VERIFICATION' },
] as const

test.each(BRUTE_FORCE)(
  `$guesses guesses at a code to $to over ${CONNECTIONS} connections are compared ${ATTEMPTS} times, and the right code is refused then`,
  { timeout: LONG_MS },
  async ({ kind, to, guesses: space, operation }) => {
    const id = await anIdentity()
    await submitNumber(id, to, kind)
    await becomes(id, { otp: { status: 'PENDING' } }, kind)
    const right = kind === 'mobile' ? readCode(-1) : mail.lastCode()
    const guesses = Array.from({ length: space }, (_, n) => String(n).padStart(4, '0'))
    const wrong = guesses.map((guess, n) => (guess === right ? guesses[(n + 1) % space] : guess))
    const pool = new Pool(server.url, { connections: CONNECTIONS, pipelining: 1 })
    const answers = await Promise.all(
      wrong.map(async (value) => {
        const { statusCode, body } = await pool.request({
          method: 'POST',
          path: at(id, '/otp', kind),
          headers: {
            apikey: keys?.relyingServiceKey ?? '',
            'content-type': 'application/json',
            'user-agent': 'brute-force/1',
          },
          body: JSON.stringify({ value }),
        })
        const text = await body.text()
        return statusCode === 204 ? '204' : `${statusCode} ${/"code":"(\w+)"/.exec(text)?.[1] ?? ''}`
      }),
    )
    await pool.close()
    const counts = Object.fromEntries(
      [...new Set(answers)].map((answer) => [answer, answers.filter((one) => one === answer).length]),
    )
    expect(counts).toEqual({ '204': ATTEMPTS, '400 1117': space - ATTEMPTS })
    expect(await call('POST', at(id, '/otp', kind), { value: right })).toMatchObject({ status: 400 })
    expect(await read(id, kind)).toMatchObject({ otp: { status: 'ERROR' }, errors: [{ code: '1117' }] })
    expect(count('operations WHERE identity_id = ? AND name = ?', id, operation)).toBe(ATTEMPTS)
  },
)

test(
  'a server that is killed between a message and its report sends no second one, and takes the report after the restart',
  async () => {
    smsc.setFault('no-report')
    const id = await anIdentity()
    await submitNumber(id, '+33639980202')
    await vi.waitFor(
      () => expect(count('otps WHERE identity_id = ? AND message_id IS NOT NULL', id)).toBe(1),
      PATIENCE,
    )
    const sent = smsc.messages.length
    const binds = smsc.binds
    await killAndRestart()
    await vi.waitFor(() => expect(smsc.binds).toBeGreaterThan(binds), PATIENCE)
    expect((await mobileOf(id)).otp.status).toBe('PROCESSING')
    smsc.report(sent)
    await becomes(id, { otp: { status: 'PENDING' } })
    expect(smsc.messages).toHaveLength(sent)
    expect(await typeCode(id, readCode(-1))).toBe(204)
    expect((await mobileOf(id)).otp.status).toBe('DONE')
  },
  LONG_MS,
)

test(
  'a server that is killed before the SMSC answered sends a new code, and the last one is valid',
  async () => {
    smsc.setFault('silent')
    const id = await anIdentity()
    const before = smsc.messages.length
    await submitNumber(id, '+33639980203')
    await vi.waitFor(() => expect(smsc.messages).toHaveLength(before + 1), PATIENCE)
    process.kill(server.pid, 'SIGKILL')
    smsc.setFault(null)
    server = await startServerProcess(dataDir)
    await becomes(id, { otp: { status: 'PENDING' } })
    expect(smsc.messages).toHaveLength(before + 2)
    const [first, last] = [readCode(-2), readCode(-1)]
    if (first !== last) expect(await typeCode(id, first)).toBe(204)
    expect((await mobileOf(id)).otp.status).toBe('PENDING')
    expect(await typeCode(id, last)).toBe(204)
    expect((await mobileOf(id)).otp.status).toBe('DONE')
  },
  LONG_MS,
)

test(
  'a server that is killed between the sending of an e-mail and its note sends a new code, and the last one is valid',
  async () => {
    mail.setFault('unanswered')
    const id = await anIdentity()
    const before = mail.messages.length
    await submitNumber(id, 'killed@mail.example', 'email')
    await vi.waitFor(() => expect(mail.messages).toHaveLength(before + 1), PATIENCE)
    process.kill(server.pid, 'SIGKILL')
    mail.setFault(null)
    server = await startServerProcess(dataDir)
    await becomes(id, { otp: { status: 'PENDING' } }, 'email')
    expect(mail.messages).toHaveLength(before + 2)
    const [first, last] = mail.messages.slice(before).map(({ text }) => /\d{4}/.exec(text)?.[0] ?? '')
    if (first !== last) expect(await typeCode(id, first, 'email')).toBe(204)
    expect((await read(id, 'email')).otp.status).toBe('PENDING')
    expect(await typeCode(id, last, 'email')).toBe(204)
    expect(await read(id, 'email')).toMatchObject({ verified: false, otp: { status: 'DONE' } })
    expect(count("jobs WHERE identity_id = ? AND state IN ('ready', 'running', 'failed')", id)).toBe(0)
  },
  LONG_MS,
)

test(
  'a server that is killed while the operator is asked asks again, and the specimen person owns the number',
  async () => {
    const [{ phoneNumber }] = readSpecimenContracts()
    const id = await anIdentity('ID_DOCUMENT', 'MOBILE')
    const document = await service().submitDocument(id, defaultSpecimen().document, undefined)
    await service().waitForEvidence(id, document.id)
    await submitNumber(id, phoneNumber)
    await becomes(id, { otp: { status: 'PENDING' } })
    operator.setFault('silent')
    const before = operator.requests.length
    expect(await typeCode(id, readCode(-1))).toBe(204)
    await vi.waitFor(() => expect(operator.requests.length).toBeGreaterThan(before), PATIENCE)
    expect(
      count("evidences WHERE identity_id = ? AND family = 'CONTACT' AND status = 'PROCESSING'", id),
    ).toBe(1)
    operator.setFault(null)
    await killAndRestart()
    await becomes(id, { verified: true, otp: { status: 'DONE' } })
    expect(count("evidences WHERE identity_id = ? AND family = 'CONTACT' AND status = 'VERIFIED'", id)).toBe(
      1,
    )
    expect(count("jobs WHERE identity_id = ? AND state IN ('ready', 'running', 'failed')", id)).toBe(0)
    // The tokens and questions after the restart carry the same correlator.
    const correlators = operator.requests.slice(before).map(({ correlator }) => correlator)
    expect(new Set(correlators).size).toBe(1)
  },
  LONG_MS,
)
