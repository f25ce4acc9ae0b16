/** Options of the mail server that sends passcodes. */
import { z } from 'zod'
import type { MailServerSettings } from '../connectors/smtp/mail-server.ts'
import { isLoopbackAddress } from '../outgoing/service-address.ts'
import { parseEmailAddress } from '../proofing/email-address.ts'
import { EVEN_WITH_PROBLEMS } from './even-with-problems.ts'
import { readSecretFile } from './secret-file.ts'
import { readClientCertificate, serviceOptions } from './service-options.ts'
import { textLike } from './text-forms.ts'

const { caFile, clientCertificate, timeoutMs } = serviceOptions(15_000)

export const SmtpConnector = z
  .strictObject({
    url: textLike(
      /^smtps?:\/\/(\[[\da-f:]+\]|[\w.-]+):\d{1,5}$/i,
      'must be smtp://HOST:PORT or smtps://HOST:PORT',
    ).describe(
      'smtp://HOST:PORT, where the connection becomes TLS by STARTTLS, or smtps://HOST:PORT with TLS from the start',
    ),
    allowPlain: z
      .boolean()
      .default(false)
      .describe(
        'No TLS, for smtp:// addresses of this machine alone, such as a mail server beside the appliance',
      ),
    user: z.string().min(1).max(200).optional().describe('Name for the login at the mail server'),
    passwordFile: z.string().min(1).optional().describe('File with the password of the login'),
    from: z
      .string()
      .refine((text) => parseEmailAddress(text) !== null, 'must be an e-mail address')
      .describe('Address of the sender'),
    fromName: textLike(
      /^[\p{L}\p{N}][\p{L}\p{M}\p{N} .&'-]{0,63}$/u,
      'must be letters and digits, 64 at most',
    )
      .optional()
      .describe('Name of the sender'),
    caFile,
    clientCertificate,
    timeoutMs,
  })
  .superRefine(({ url, allowPlain }, ctx) => {
    if (!allowPlain || !URL.canParse(url) || (/^smtp:/i.test(url) && isLoopbackAddress(url))) return
    const message = 'only an smtp:// address of this machine may do without TLS'
    ctx.addIssue({ code: 'custom', path: ['allowPlain'], message, input: undefined })
  }, EVEN_WITH_PROBLEMS)
  .superRefine(({ user, passwordFile }, ctx) => {
    if ((user === undefined) === (passwordFile === undefined)) return
    const [path, message] =
      user === undefined
        ? ['user', 'is needed beside passwordFile']
        : ['passwordFile', 'is needed beside user']
    ctx.addIssue({ code: 'custom', path: [path], message, input: undefined })
  }, EVEN_WITH_PROBLEMS)
type SmtpOptions = z.infer<typeof SmtpConnector>

/** Throws `configuration_invalid` with the field of a file that cannot be used. */
export function readMailServerSettings(smtp: SmtpOptions, dataDir: string): MailServerSettings {
  const section = 'connectors.smtp'
  const { url, allowPlain, user, passwordFile, from, fromName } = smtp
  const { hostname, port, protocol } = new URL(url)
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port),
    security: protocol === 'smtps:' ? 'tls' : allowPlain ? 'none' : 'starttls',
    login:
      user === undefined || passwordFile === undefined
        ? null
        : { user, password: readSecretFile(dataDir, passwordFile, `${section}.passwordFile`) },
    from: { name: fromName ?? '', address: parseEmailAddress(from) ?? from },
    authorities:
      smtp.caFile === undefined ? null : readSecretFile(dataDir, smtp.caFile, `${section}.caFile`, 'public'),
    clientCertificate: readClientCertificate(smtp.clientCertificate, dataDir, section),
    timeoutMs: smtp.timeoutMs,
  }
}
