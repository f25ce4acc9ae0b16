/** Options of the SMS carrier: an HTTP gateway, or an SMSC. */
import { z } from 'zod'
import type { CarrierSettings } from '../connectors/sms/carrier.ts'
import { isLoopbackAddress } from '../outgoing/service-address.ts'
import { EVEN_WITH_PROBLEMS } from './even-with-problems.ts'
import { readSecretFile } from './secret-file.ts'
import {
  readClientCertificate,
  readServiceSettings,
  serviceOptions,
  serviceSchema,
} from './service-options.ts'
import { textLike } from './text-forms.ts'

const GatewayOptions = serviceSchema({ kind: z.literal('http').optional(), ...serviceOptions(10_000) })

const { caFile, clientCertificate, timeoutMs } = serviceOptions(10_000)
const SmscOptions = z
  .strictObject({
    kind: z.literal('smpp'),
    url: textLike(/^smpps?:\/\/(\[[\da-f:]+\]|[\w.-]+):\d{1,5}$/i, 'must be smpps://HOST:PORT').describe(
      'smpps://HOST:PORT; smpp:// without TLS only for this machine, with allowPlain',
    ),
    allowPlain: z
      .boolean()
      .default(false)
      .describe('Permits smpp:// for addresses of this machine, such as the entry of a tunnel'),
    systemId: z.string().min(1).max(15),
    passwordFile: z.string().min(1).describe('File with the password, 8 characters at most'),
    systemType: z.string().max(12).default(''),
    sender: textLike(
      /^(\+\d{1,15}|[A-Za-z0-9 ]{1,11})$/,
      'must be + with up to 15 digits, or up to 11 letters and digits',
    ).describe('Sender that phones show: a number, a short code or a name'),
    reports: z.boolean().default(true).describe('Asks for delivery reports'),
    window: z.int().min(1).max(100).default(10).describe('Messages without an answer at the same time'),
    enquireSeconds: z.int().min(1).max(600).default(30).describe('A silent connection is asked this often'),
    caFile,
    clientCertificate,
    timeoutMs,
  })
  .superRefine(({ url, allowPlain }, ctx) => {
    if (!URL.canParse(url) || /^smpps:/i.test(url) || (allowPlain && isLoopbackAddress(url))) return
    const message = isLoopbackAddress(url)
      ? 'a connection without TLS is refused; use smpps, or set allowPlain for a service on this machine'
      : 'a connection without TLS would send passcodes readable over the network; use smpps'
    ctx.addIssue({ code: 'custom', path: ['url'], message, input: undefined })
  }, EVEN_WITH_PROBLEMS)

export const SmsConnector = z.discriminatedUnion('kind', [GatewayOptions, SmscOptions])
type SmsOptions = z.infer<typeof SmsConnector>

/** Throws `configuration_invalid` with the field of a file that cannot be used. */
export function readCarrierSettings(sms: SmsOptions, dataDir: string): CarrierSettings {
  if (sms.kind !== 'smpp') return { kind: 'http', ...readServiceSettings(sms, dataDir, 'connectors.sms') }
  const { url, systemId, passwordFile, systemType, sender, reports, window, enquireSeconds } = sms
  const read = (file: string, name: string, kind: 'secret' | 'public') =>
    readSecretFile(dataDir, file, `connectors.sms.${name}`, kind)
  const { hostname, port, protocol } = new URL(url)
  return {
    kind: 'smpp',
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port),
    tls:
      protocol === 'smpps:'
        ? {
            authorities: sms.caFile === undefined ? null : read(sms.caFile, 'caFile', 'public'),
            clientCertificate: readClientCertificate(sms.clientCertificate, dataDir, 'connectors.sms'),
          }
        : null,
    systemId,
    password: read(passwordFile, 'passwordFile', 'secret'),
    systemType,
    sender,
    reports,
    window,
    enquireMs: enquireSeconds * 1000,
    timeoutMs: sms.timeoutMs,
  }
}
