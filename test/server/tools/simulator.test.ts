/** `npm run simulator`: each service is a program of its own with its real protocol, and ends when it is told to. */
import { spawn, type ChildProcess } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { main } from '../../../server/cli.ts'
import { openCamaraOperator } from '../../../server/connectors/operator/camara-operator.ts'
import type { Carrier, PasscodeMessage } from '../../../server/connectors/carrier.ts'
import { openSmsCarrier } from '../../../server/connectors/sms/carrier.ts'
import { openMailServer } from '../../../server/connectors/smtp/mail-server.ts'
import { openVoiceGateway } from '../../../server/connectors/voice/voice-gateway.ts'
import { readSpecimenContracts } from '../../../server/tools/simulator/operator.ts'
import { StaffOptionsSchema } from '../../../server/central/head-office/index.ts'
import { freePort } from '../../../server/tools/bench/crash/processes.ts'
import { StaffBrowser } from '../../central/head-office/staff-bench.ts'
import { addTenant, startOffice } from '../../central/head-office/support.ts'
import { aMessage } from '../../support/passcode-message.ts'
import { collectOutput } from '../../support/output.ts'

const RUN = join(import.meta.dirname, '../../../server/run.mjs')
const folder = mkdtempSync(join(tmpdir(), 'simulator-'))
afterAll(() => rmSync(folder, { recursive: true }))
const clock = { now: () => new Date() }

let running: ChildProcess | null = null
afterEach(() => void running?.kill('SIGKILL'))

interface Output {
  /** Resolves with the first match in what it prints. */
  find(pattern: RegExp): Promise<RegExpExecArray>
  readonly ended: Promise<number | null>
}

function run(...args: readonly string[]): Output {
  const child = spawn(process.execPath, [RUN, 'simulator', ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  running = child
  return watchOutput(child)
}

function watchOutput(child: ChildProcess): Output {
  let printed = ''
  const waiting: (() => void)[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      printed += chunk.toString('utf8')
      for (const look of waiting) look()
    })
  }
  return {
    find: (pattern) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = pattern.exec(printed)
          if (found) resolve(found)
        }
        waiting.push(look)
        look()
      }),
    ended: new Promise((resolve) => child.once('exit', resolve)),
  }
}

const addressOf = async (output: Output): Promise<URL> =>
  new URL((await output.find(/listening on (\S+)/))[1])

const SMPP = {
  kind: 'smpp',
  tls: null,
  systemId: 'counterproof',
  password: 'secret',
  systemType: '',
  sender: 'Bank',
  reports: false,
  timeoutMs: 5000,
  enquireMs: 30_000,
  window: 1,
} as const

const HTTP = { token: null, timeoutMs: 5000 }
const MAIL = {
  security: 'none',
  login: null,
  from: { name: 'Bank', address: 'bank@mail.example' },
  authorities: null,
  clientCertificate: null,
  timeoutMs: 5000,
} as const

test.each<[string, PasscodeMessage['to'], (url: URL) => Carrier]>([
  ['sms', '+33639980001', ({ href: url }) => openSmsCarrier({ kind: 'http', url, ...HTTP }, clock)],
  [
    'smpp',
    '+33639980001',
    ({ hostname: host, port }) => openSmsCarrier({ ...SMPP, host, port: Number(port) }, clock),
  ],
  [
    'smtp',
    'anna@mail.example',
    ({ hostname: host, port }) => openMailServer({ ...MAIL, host, port: Number(port) }, clock),
  ],
  [
    'voice',
    '+33139980001',
    ({ href: url }) => openVoiceGateway({ url, ...HTTP, callbackSecrets: null }, clock),
  ],
])(
  '%s takes a message, prints it as the applicant gets it, and ends when it is told to',
  async (name, to, open) => {
    const output = run(name)
    const carrier = open(await addressOf(output))
    expect((await carrier.send(aMessage({ to, subject: 'Code' }))).kind).toBe('accepted')
    await output.find(new RegExp(`${to.replace('+', '\\+')}: 012345 is your code`))
    carrier.close()
    running?.kill('SIGTERM')
    expect(await output.ended).toBe(0)
  },
)

test('SIGTERM to npm run simulator ends the simulator', async () => {
  const argv = ['run', '--silent', 'simulator', '--', 'register']
  running = spawn('npm', argv, { cwd: join(RUN, '../..'), stdio: ['ignore', 'pipe', 'ignore'] })
  const { href } = await addressOf(watchOutput(running))
  running.kill('SIGTERM')
  await once(running, 'close')
  await expect(fetch(href)).rejects.toThrow()
})

test('operator knows the specimen persons, and further records of a file', async () => {
  const file = join(folder, 'records.json')
  const further = { phoneNumber: '+33639980301', values: { name: 'Erika Mustermann' }, simChangedHours: 1 }
  writeFileSync(file, JSON.stringify([further]))
  const { origin: url } = await addressOf(run('operator', '--records', file))
  const operator = openCamaraOperator(
    {
      url,
      token: null,
      oauth: { tokenUrl: `${url}/token`, clientId: 'a', clientSecret: 'b', scope: null },
      timeoutMs: 5000,
      matchPath: '/kyc-match/v0.3',
      simSwapPath: '/sim-swap/v2',
      simSwapHours: 240,
      sends: ['name'],
      askAgainMinutes: [],
    },
    clock,
  )
  const [{ phoneNumber, values }] = readSpecimenContracts()
  expect(
    (await operator.ask({ phoneNumber, values: { name: values.name ?? '' } }, 'r1')).answer,
  ).toMatchObject({
    person: { answer: { name: 'true' } },
    simSwapped: { answer: false },
  })
  expect(
    (await operator.ask({ phoneNumber: further.phoneNumber, values: { name: 'Erika Mustermann' } }, 'r2'))
      .answer,
  ).toMatchObject({ person: { answer: { name: 'true' } }, simSwapped: { answer: true } })
  operator.close()
})

test('oidc signs staff of a central service in, in the groups that are named, and out again', async () => {
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  const redirect = `${address}/staff/callback`
  const { origin } = await addressOf(
    run('oidc', '--redirect', redirect, '--group', 'it-admins', '--group', 'x'),
  )
  const roles = [{ value: 'it-admins', role: 'administrator' as const, tenants: 'all' as const }]
  const given = { address, issuer: origin, clientId: 'counterproof', allowHttp: true, roles }
  const { oidc } = StaffOptionsSchema.parse({ oidc: { ...given, clientSecretFile: 'keys/oidc-secret' } })
  const office = await startOffice({
    config: { port, staff: { oidc: oidc ? { ...oidc, clientSecret: 'secret' } : null } },
  })
  try {
    await addTenant(office, 'acme')
    const browser = new StaffBrowser(address)
    expect(await browser.signIn('account-1')).toBe('../fleet/')
    const { person } = await browser.session()
    expect(person?.name).toMatch(/^\S+ .*\S$/)
    expect(person?.tenants).toMatchObject([{ tenantId: 'acme' }])
    expect(person?.tenants[0].scopes).toContain('fleet:write')
    const { url } = await browser.signOut()
    expect(new URL(url ?? '').searchParams.get('post_logout_redirect_uri')).toBe(`${address}/fleet/`)
  } finally {
    await office.stop()
  }
})

test('issuer needs the key that the requests are signed with', async () => {
  expect(await run('issuer').ended).toBe(2)
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const file = join(folder, 'key.pem')
  writeFileSync(file, publicKey.export({ type: 'spki', format: 'pem' }))
  const url = await addressOf(run('issuer', '--key', file))
  const body = JSON.stringify({})
  expect((await fetch(`${url.origin}/document-comparisons`, { method: 'POST', body })).status).toBe(401)
})

test('a wrong file or address is told in one sentence with status 2', async () => {
  const put = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const spki = (curve: string) =>
    generateKeyPairSync('ec', { namedCurve: curve }).publicKey.export({
      type: 'spki',
      format: 'pem',
    }) as string
  const missing = join(folder, 'missing')
  const text = put('text', 'hello')
  const otherCurve = put('p384.pem', spki('P-384'))
  const noRecords = put('records.json', '[{"phoneNumber": 7, "values": {}}]')
  const cases: readonly (readonly [string[], string])[] = [
    [['issuer', '--key', missing], `--key: ${missing} is missing or cannot be read`],
    [['bureau', '--key', text], `--key: ${text} holds no public key (P-256) in PEM.`],
    [['bureau', '--key', otherCurve], `--key: ${otherCurve} holds no public key (P-256) in PEM.`],
    [['operator', '--records', missing], `--records: ${missing} is missing or cannot be read`],
    [['operator', '--records', text], `--records: ${text} holds no JSON`],
    [['operator', '--records', noRecords], `--records: ${noRecords} at 0.phoneNumber: `],
    [['oidc'], '--redirect is needed: http://HOST:PORT/oidc/callback'],
    [['oidc', '--redirect', 'my kiosk'], '--redirect is the address to which a browser returns: '],
    [['oidc', '--redirect', 'javascript:/oidc/callback'], '--redirect is the address'],
    [['oidc', '--redirect', 'http://127.0.0.1:8717/'], '--redirect is the address'],
  ]
  for (const [args, sentence] of cases) {
    const output = collectOutput()
    expect(await main(['simulator', ...args])).toBe(2)
    vi.restoreAllMocks()
    expect(output.text).toContain(sentence)
    expect(output.text.split('\n')).toEqual([expect.any(String), 'See --help.', ''])
  }
})

test.each(['issuer-au', 'issuer-us'])('%s runs with its faults', async (name) => {
  const { href } = await addressOf(run(name, '--fault', 'rate-limit'))
  expect((await fetch(href, { method: 'POST', body: '<a/>' })).status).toBe(429)
})

test('a fault is named, and an unknown one is refused with those that there are', async () => {
  const url = await addressOf(run('sms', '--fault', 'error'))
  expect((await fetch(url, { method: 'POST', body: JSON.stringify(aMessage()) })).status).toBe(500)
  running?.kill('SIGKILL')
  const refused = run('smpp', '--fault', 'earthquake')
  await refused.find(/--fault is one of silent, slow/)
  expect(await refused.ended).toBe(2)
})

test('--help names every service and its faults', async () => {
  const output = run('--help')
  for (const name of [
    'issuer',
    'issuer-au',
    'issuer-us',
    'bureau',
    'address-register',
    'card-ownership',
    'operator',
    'sms',
    'smpp',
  ]) {
    await output.find(new RegExp(`^  ${name} `, 'm'))
    await output.find(new RegExp(`of ${name}: \\S+`))
  }
  expect(await output.ended).toBe(0)
})
