/**
 * Configuration of the appliance's listeners and the reverse proxies before them. The main listener carries the kiosk, so
 * it only accepts local addresses. Network access needs a separate listener with TLS.
 */
import { isIP } from 'node:net'
import { z } from 'zod'
import { AppError, type FieldProblem } from '../errors.ts'
import { readTlsFiles, type TlsMaterial } from '../files/tls-files.ts'
import { isLoopbackHost } from '../listen-address.ts'
import { EVEN_WITH_PROBLEMS } from './even-with-problems.ts'

export const MainHost = z
  .string()
  .default('127.0.0.1')
  .refine(isLoopbackHost, {
    error: ({ input }) =>
      `${String(input)} is not an address of this machine alone, and this listener carries the kiosk. Remove host, or set it to 127.0.0.1. To open /v1 to a network, set listeners.api; to open the counter, set listeners.counter`,
  })
  .describe('Address to listen on: 127.0.0.1, ::1 or localhost')

const port = z.int().min(0).max(65535)

const Listener = z
  .strictObject({
    host: z
      .string()
      .refine(
        (host) => host === 'localhost' || isIP(host) !== 0,
        'an IP address is expected, such as 0.0.0.0',
      )
      .describe('Address to listen on'),
    port: port.describe('Port; 0 takes a free one'),
    tls: z
      .strictObject({ certificateFile: z.string().min(1), keyFile: z.string().min(1) })
      .optional()
      .describe('PEM files, relative to the data folder'),
    proxyTerminatesTls: z
      .boolean()
      .default(false)
      .describe('A reverse proxy terminates TLS; only the addresses in trustedProxies may connect'),
  })
  .refine(
    ({ host, tls, proxyTerminatesTls }) =>
      typeof host !== 'string' || isLoopbackHost(host) || tls || proxyTerminatesTls,
    {
      path: ['tls'],
      error:
        'this address can be reached from a network, and without TLS everyone there can read personal data. Set tls, or name a reverse proxy in trustedProxies and set proxyTerminatesTls',
      ...EVEN_WITH_PROBLEMS,
    },
  )

type ListenerConfig = Readonly<z.infer<typeof Listener>>

export const LISTENERS = ['api', 'counter'] as const
export type ListenerName = (typeof LISTENERS)[number]

export const Listeners = z
  .strictObject({
    api: Listener.optional().describe('Serves /v1, /docs and the capture endpoints'),
    counter: Listener.optional().describe('Serves the counter console'),
  })
  .prefault({})
  .describe('Further listeners for a network; none of them serves the kiosk')

/** True if the listener relies on a reverse proxy that the configuration does not name. */
export function lacksProxy(
  { listeners, trustedProxies }: { readonly listeners?: unknown; readonly trustedProxies?: unknown },
  name: ListenerName,
): boolean {
  const listener = (listeners as Partial<Record<ListenerName, ListenerConfig>> | undefined)?.[name]
  return listener?.proxyTerminatesTls === true && Array.isArray(trustedProxies) && trustedProxies.length === 0
}

export type ListenersTls = Readonly<Partial<Record<ListenerName, TlsMaterial>>>

/** Throws `configuration_invalid` with the problems of all listeners. */
export function readListenersTls({
  dataDir,
  listeners,
}: {
  readonly dataDir: string
  readonly listeners: z.infer<typeof Listeners>
}): ListenersTls {
  const read: Partial<Record<ListenerName, TlsMaterial>> = {}
  const problems: FieldProblem[] = []
  for (const name of LISTENERS) {
    const files = listeners[name]?.tls
    if (!files) continue
    try {
      read[name] = readTlsFiles(dataDir, files, `listeners.${name}.tls`)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      problems.push(...error.problems)
    }
  }
  if (problems.length > 0) throw new AppError('configuration_invalid', { field: 'listeners' }, { problems })
  return read
}
