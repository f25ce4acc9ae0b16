/**
 * SMTP client of the mail server that delivers passcodes: one connection for each message. nodemailer speaks the protocol; this
 * file decides what an answer means. Addresses and texts are passed on, neither stored nor logged.
 */
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { Clock } from '../../clock.ts'
import { isCertificateFault } from '../../outgoing/answer.ts'
import { parseEmailAddress } from '../../proofing/email-address.ts'
import { NO_CARRIER, type Carrier, type CarrierOutcome, type PasscodeMessage } from '../carrier.ts'
import { waitOutside } from '../service/outside-wait.ts'
import { createServiceHealth } from '../service/service-health.ts'

export interface MailServerSettings {
  readonly host: string
  readonly port: number
  /** `starttls`: the connection ends unless it becomes TLS. `none`: only for this machine. */
  readonly security: 'tls' | 'starttls' | 'none'
  /** Null: the server knows this machine without a password. */
  readonly login: { readonly user: string; readonly password: string } | null
  readonly from: { readonly name: string; readonly address: string }
  /** PEM of the only accepted certificate authorities; null: public ones. */
  readonly authorities: string | null
  readonly clientCertificate: { readonly certificate: string; readonly key: string } | null
  /** For the whole exchange. */
  readonly timeoutMs: number
}

/** Replies of SMTP have at most 512 octets a line; some servers greet with several lines. */
const MAX_REPLY_BYTES = 64 * 1024

/** A failed exchange as nodemailer tells it. Its message quotes the server, so it is not passed on. */
interface Failure {
  readonly code?: string
  /** The code of the error of the system or of TLS, if `code` is another one. */
  readonly originalCode?: string
  /** Code of the server's reply. */
  readonly responseCode?: number
}

export function openMailServer(settings: MailServerSettings | undefined, clock: Clock): Carrier {
  if (!settings) return NO_CARRIER
  const health = createServiceHealth(clock, 'the last message was not accepted')
  const closing = new AbortController()
  return {
    send: (message) =>
      waitOutside(async () => {
        const from = performance.now()
        const outcome = await deliver(settings, message, clock.now(), closing.signal)
        health.note(describe(outcome))
        return { ...outcome, effort: { tries: 1, durationMs: Math.round(performance.now() - from) } }
      }),
    health: health.read,
    close: () => closing.abort(),
  }
}

/** Never rejects. */
async function deliver(
  settings: MailServerSettings,
  message: PasscodeMessage,
  date: Date,
  closing: AbortSignal,
): Promise<CarrierOutcome> {
  // Stored data is untrusted: an address must not end the command or the header that holds it.
  if (parseEmailAddress(message.to) !== message.to) return { kind: 'request-refused' }
  const late = AbortSignal.timeout(settings.timeoutMs)
  const over = AbortSignal.any([late, closing])
  const connection = connect(settings)
  const ended = Promise.withResolvers<never>()
  // An error may come while no command waits for an answer.
  connection.on('error', (error: Failure) => ended.reject(error as Error))
  over.addEventListener('abort', () => ended.reject(new Error('aborted')), { once: true })
  ended.promise.catch(() => undefined)
  try {
    over.throwIfAborted()
    await Promise.race([ended.promise, exchange(connection, settings, message, date)])
    connection.quit()
    return { kind: 'accepted' }
  } catch (error) {
    if (late.aborted) return { kind: 'unavailable', reason: 'timeout' }
    return toOutcome(error as Failure)
  } finally {
    connection.close()
  }
}

function connect({
  host,
  port,
  security,
  from,
  authorities,
  clientCertificate,
  timeoutMs,
}: MailServerSettings) {
  return new SMTPConnection({
    host,
    port,
    name: getDomain(from.address),
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    tls: {
      minVersion: 'TLSv1.2',
      ...(authorities === null ? {} : { ca: authorities }),
      ...(clientCertificate ? { cert: clientCertificate.certificate, key: clientCertificate.key } : {}),
    },
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    socketCloseTimeout: 0,
    maxResponseSize: MAX_REPLY_BYTES,
    logger: false,
  })
}

async function exchange(
  connection: SMTPConnection,
  { login, from }: MailServerSettings,
  { to, subject, text, language, requestId }: PasscodeMessage,
  date: Date,
): Promise<void> {
  const letter = new MailComposer({
    from,
    to: { name: '', address: to },
    subject,
    text,
    date,
    messageId: `<${requestId}@${getDomain(from.address)}>`,
    // RFC 3834: no out-of-office note answers it.
    headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': language },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const bytes = await letter.compile().build()
  await callBack((done) => connection.connect(done))
  if (login) await callBack((done) => connection.login({ user: login.user, pass: login.password }, done))
  await callBack((done) => connection.send({ from: from.address, to: [to] }, bytes, done))
}

const callBack = (act: (done: (error?: Error | null) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => act((error) => (error ? reject(error) : resolve())))

const getDomain = (address: string): string => address.slice(address.lastIndexOf('@') + 1)

/** RFC 4954 section 6: authentication is missing, too weak, or failed. */
const LOGIN_REFUSED = [530, 534, 535, 538]
/** RFC 5321 section 4.2.3: the server or the mailbox is busy, as a server with a grey list also says. */
const BUSY = [421, 450, 451, 452]

/** A reply of another class says nothing about the address (RFC 5321 section 4.2.1). */
const isRefusal = (replyCode: number): boolean => replyCode >= 500 && replyCode < 600

function toOutcome(failure: Failure): CarrierOutcome {
  const { code = '', originalCode, responseCode: replyCode = 0 } = failure
  const told = replyCode > 0 ? { replyCode } : {}
  if (BUSY.includes(replyCode)) return { kind: 'unavailable', reason: 'throttled', ...told }
  if (replyCode >= 400 && replyCode < 500)
    return { kind: 'unavailable', reason: 'unexpected-answer', ...told }
  if (LOGIN_REFUSED.includes(replyCode) || code === 'EAUTH' || code === 'ENOAUTH')
    return { kind: 'credentials-refused', ...told }
  // It is not known who would receive the passcode without TLS.
  if (code === 'ETLS' || isCertificateFault(failure) || isCertificateFault({ code: originalCode }))
    return { kind: 'unavailable', reason: 'certificate-refused', ...told }
  if (code === 'EENVELOPE' || code === 'EMESSAGE')
    return replyCode === 0 || isRefusal(replyCode)
      ? { kind: 'request-refused', ...told }
      : { kind: 'unavailable', reason: 'unexpected-answer', ...told }
  if (code === 'EPROTOCOL')
    return { kind: 'unavailable', reason: replyCode > 0 ? 'unexpected-answer' : 'malformed', ...told }
  return { kind: 'unavailable', reason: code === 'ETIMEDOUT' ? 'timeout' : 'unreachable', ...told }
}

function describe(outcome: CarrierOutcome): string | null {
  if (outcome.kind === 'accepted') return null
  const trouble = outcome.kind === 'unavailable' ? outcome.reason : outcome.kind
  const replyCode = 'replyCode' in outcome ? outcome.replyCode : undefined
  return replyCode === undefined ? trouble : `${trouble} (SMTP ${replyCode})`
}
