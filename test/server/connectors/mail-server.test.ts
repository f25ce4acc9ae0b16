/** The mail connector against the simulated mail server, on a real socket: what goes out, what counts as accepted, and every fault. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { LANGUAGES } from '../../../renderer/locales/index.ts'
import { join } from 'node:path'
import { RESOURCES_DIR } from '../../../server/config/resources.ts'
import { SmtpConnector } from '../../../server/config/smtp.ts'
import type { Carrier } from '../../../server/connectors/carrier.ts'
import { loadPasscodeTexts } from '../../../server/connectors/passcode-texts.ts'
import { openMailServer, type MailServerSettings } from '../../../server/connectors/smtp/mail-server.ts'
import { startSmtp, type SmtpFault, type SmtpSimulator } from '../../../server/tools/simulator/smtp.ts'
import { makeCertificateAuthority, SIGNER_EXTENSIONS } from '../../support/certificate-authority.ts'
import { aMessage } from '../../support/passcode-message.ts'

const NOON = new Date('2026-03-01T12:00:00Z')
const clock = { now: () => NOON }
const LOGIN = { user: 'counterproof', password: 'secret' }
const MESSAGE = aMessage({ to: 'anna@mail.example', subject: 'Your verification code' })
const PERSONAL = [MESSAGE.to, '012345', LOGIN.password]

interface Certificates {
  readonly authority: string
  readonly other: string
  readonly valid: { readonly cert: string; readonly key: string }
  readonly expired: { readonly cert: string; readonly key: string }
}
let certificates: Certificates
let server: SmtpSimulator
let implicit: SmtpSimulator
beforeAll(async () => {
  const [ours, other] = [makeCertificateAuthority('Mail'), makeCertificateAuthority('Another')]
  const issue = (name: string, period?: readonly [string, string]) => {
    const extensions = [...SIGNER_EXTENSIONS, 'subjectAltName = IP:127.0.0.1']
    const { pem: cert, keyFile } = ours.issue({ name, extensions, ...(period ? { period } : {}) })
    return { cert, key: readFileSync(keyFile, 'utf8') }
  }
  certificates = {
    authority: ours.root.pem,
    other: other.root.pem,
    valid: issue('valid'),
    expired: issue('expired', ['20200101000000Z', '20210101000000Z']),
  }
  ours.remove()
  other.remove()
  server = await startSmtp({ port: 0, tls: certificates.valid, login: LOGIN })
  implicit = await startSmtp({ port: 0, tls: { ...certificates.valid, isImplicit: true }, login: LOGIN })
})
afterAll(async () => {
  await server.close()
  await implicit.close()
})
const opened: Carrier[] = []
afterEach(() => {
  for (const carrier of opened.splice(0)) carrier.close()
  server.setFault(null)
})

function open(over: Partial<MailServerSettings> = {}, url = server.url): Carrier {
  const { hostname, port, protocol } = new URL(url)
  const carrier = openMailServer(
    {
      host: hostname,
      port: Number(port),
      security: protocol === 'smtps:' ? 'tls' : 'starttls',
      login: LOGIN,
      from: { name: 'Bank & Söhne', address: 'no-reply@bank.example' },
      authorities: certificates.authority,
      clientCertificate: null,
      timeoutMs: 10_000,
      ...over,
    },
    clock,
  )
  opened.push(carrier)
  return carrier
}

describe('a message', () => {
  test('goes out over TLS after a login, with the headers of an automatic message', async () => {
    expect(await open().send(MESSAGE)).toMatchObject({ kind: 'accepted', effort: { tries: 1 } })
    const { from, to, raw, text, isOverTls, user } = server.messages.at(-1) ?? { raw: '' }
    expect({ from, to, isOverTls, user }).toEqual({
      from: 'no-reply@bank.example',
      to: MESSAGE.to,
      isOverTls: true,
      user: LOGIN.user,
    })
    expect(text).toContain(MESSAGE.text)
    const header = raw.slice(0, raw.indexOf('\r\n\r\n'))
    expect(header).toContain(`To: ${MESSAGE.to}`)
    expect(header).toContain('Subject: Your verification code')
    expect(header).toContain('Auto-Submitted: auto-generated')
    expect(header).toContain('Content-Language: en')
    expect(header).toContain(`Message-ID: <${MESSAGE.requestId}@bank.example>`)
    expect(header).toContain('Date: Sun, 01 Mar 2026 12:00:00')
    expect(open().health()).toEqual({ status: 'UP', detail: 'configured' })
  })

  test('goes out over a connection that is TLS from the start', async () => {
    expect((await open({}, implicit.url).send(MESSAGE)).kind).toBe('accepted')
    expect(implicit.messages.at(-1)?.isOverTls).toBe(true)
  })

  test('says the code in each language of the screens', async () => {
    const write = loadPasscodeTexts('email', join(RESOURCES_DIR, 'texts', 'email.json'))
    const carrier = open()
    for (const { tag } of LANGUAGES) {
      const written = write('493817', tag)
      expect(written.language).toBe(tag)
      expect((await carrier.send({ ...MESSAGE, ...written })).kind).toBe('accepted')
      expect(server.messages.at(-1)?.text.replaceAll('\r\n', '\n')).toContain(written.text)
      expect(server.lastCode()).toBe('493817')
    }
  })

  test.each([
    'anna@mail.example>\r\nRCPT TO:<eve@evil.example',
    'anna@mail.example\r\nBcc: eve@evil.example',
    'Anna <eve@evil.example>',
    '"anna"@mail.example',
  ])('to a stored address %j that was never one is not sent', async (to) => {
    const before = server.commands.length
    expect((await open().send({ ...MESSAGE, to })).kind).toBe('request-refused')
    expect(server.commands).toHaveLength(before)
  })

  test('is not configured where no server is', async () => {
    const none = openMailServer(undefined, clock)
    expect(await none.send(MESSAGE)).toMatchObject({ kind: 'not-configured' })
  })
})

describe('a mail server that', () => {
  /** Tries one message, and that neither address nor code nor password is told. */
  const tryOnce = async (carrier: Carrier) => {
    const outcome = await carrier.send(MESSAGE)
    const told = JSON.stringify([outcome, carrier.health()])
    for (const value of PERSONAL) expect(told).not.toContain(value)
    expect(carrier.health().status).toBe(outcome.kind === 'accepted' ? 'UP' : 'DEGRADED')
    return outcome
  }

  test.each<[SmtpFault, { readonly kind: string; readonly reason?: string; readonly replyCode?: number }]>([
    ['silent', { kind: 'unavailable', reason: 'timeout' }],
    ['slow', { kind: 'unavailable', reason: 'timeout' }],
    ['unanswered', { kind: 'unavailable', reason: 'timeout' }],
    ['drop', { kind: 'unavailable', reason: 'unreachable' }],
    ['half', { kind: 'unavailable', reason: 'unreachable' }],
    ['malformed', { kind: 'unavailable', reason: 'malformed' }],
    ['too-large', { kind: 'unavailable', reason: 'malformed' }],
    ['throttle', { kind: 'unavailable', reason: 'throttled', replyCode: 451 }],
    ['system-error', { kind: 'unavailable', reason: 'throttled', replyCode: 421 }],
    ['reject', { kind: 'request-refused', replyCode: 550 }],
    ['reject-message', { kind: 'request-refused', replyCode: 554 }],
    ['wrong-password', { kind: 'credentials-refused', replyCode: 535 }],
    ['no-tls', { kind: 'unavailable', reason: 'certificate-refused' }],
  ])('has the fault %s: %j', async (fault, expected) => {
    server.setFault(fault)
    const isTimedOut = 'reason' in expected && expected.reason === 'timeout'
    expect(await tryOnce(open(isTimedOut ? { timeoutMs: 250 } : {}))).toMatchObject(expected)
  })

  test('offers no TLS gets neither login nor message', async () => {
    server.setFault('no-tls')
    const before = server.commands.length
    await tryOnce(open())
    expect(server.commands.slice(before)).not.toContain('AUTH')
    expect(server.commands.slice(before)).not.toContain('MAIL')
  })

  test.each([
    ['of another authority', () => open({ authorities: certificates.other })],
    ['of another authority, from the start', () => open({ authorities: certificates.other }, implicit.url)],
  ])('has a certificate %s gets nothing', async (_name, carrier) => {
    const before = server.messages.length + implicit.messages.length
    expect(await tryOnce(carrier())).toMatchObject({ kind: 'unavailable', reason: 'certificate-refused' })
    expect(server.messages.length + implicit.messages.length).toBe(before)
  })

  test('has an expired certificate gets nothing', async () => {
    const old = await startSmtp({ port: 0, tls: certificates.expired, login: LOGIN })
    expect(await tryOnce(open({}, old.url))).toMatchObject({ reason: 'certificate-refused' })
    expect(old.messages).toEqual([])
    await old.close()
  })

  test('is down is unreachable', async () => {
    const gone = createServer()
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve))
    const { port } = gone.address() as { port: number }
    await new Promise((resolve) => gone.close(resolve))
    expect(await tryOnce(open({ port }))).toMatchObject({ kind: 'unavailable', reason: 'unreachable' })
  })

  test.each([999, 354, 250])(
    'answers RCPT with %i where no such answer belongs: that is no word about the address',
    async (code) => {
      const odd = createServer((socket) => {
        socket.write('220 odd\r\n')
        socket.on('data', (bytes: Buffer) => {
          const command = bytes.toString('latin1')
          if (/^(?:EHLO|MAIL)/.test(command)) socket.write('250 ok\r\n')
          // Text that is no message follows the accepted recipient.
          else socket.write(/^DATA/.test(command) ? '999 odd\r\n' : `${code} odd\r\n`)
        })
        socket.on('error', () => undefined)
      })
      await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve))
      const { port } = odd.address() as { port: number }
      const plain = { port, security: 'none', login: null } as const
      expect(await tryOnce(open(plain))).toMatchObject({ kind: 'unavailable', reason: 'unexpected-answer' })
      await new Promise((resolve) => odd.close(resolve))
    },
  )

  test('answers after the close of the appliance is not waited for', async () => {
    server.setFault('silent')
    const carrier = open()
    const sent = carrier.send(MESSAGE)
    await vi.waitFor(() => undefined)
    carrier.close()
    expect(await sent).toMatchObject({ kind: 'unavailable', reason: 'unreachable' })
  })
})

describe('the configuration', () => {
  const from = 'no-reply@bank.example'
  const problemsOf = (options: object) =>
    (SmtpConnector.safeParse(options).error?.issues ?? []).map(({ path }) => path.join('.'))

  test('has TLS unless it is a server of this machine', () => {
    expect(problemsOf({ url: 'smtp://mail.example:587', from })).toEqual([])
    expect(problemsOf({ url: 'smtps://mail.example:465', from })).toEqual([])
    expect(problemsOf({ url: 'smtp://127.0.0.1:25', from, allowPlain: true })).toEqual([])
    expect(problemsOf({ url: 'smtp://mail.example:25', from, allowPlain: true })).toEqual(['allowPlain'])
    expect(problemsOf({ url: 'smtps://127.0.0.1:465', from, allowPlain: true })).toEqual(['allowPlain'])
  })

  test.each([
    [{ url: 'http://mail.example:587', from }, 'url'],
    [{ url: 'smtp://user:secret@mail.example:587', from }, 'url'],
    [{ url: 'smtp://mail.example', from }, 'url'],
    [{ url: 'smtp://mail.example:587', from: 'Bank <no-reply@bank.example>' }, 'from'],
    [{ url: 'smtp://mail.example:587', from, fromName: 'Bank\r\nBcc: eve@evil.example' }, 'fromName'],
    [{ url: 'smtp://mail.example:587', from, fromName: 'Bank <eve@evil.example>' }, 'fromName'],
    [{ url: 'smtp://mail.example:587', from, user: 'bank' }, 'passwordFile'],
    [{ url: 'smtp://mail.example:587', from, passwordFile: 'keys/mail' }, 'user'],
  ])('%j names the option %s', (options, option) => {
    expect(problemsOf(options)).toEqual([option])
  })
})
