/** Connects to each service that the configuration names, and reads its certificate. Sends no byte of an applicant and no credential. */
import { readFile } from 'node:fs/promises'
import { connect, isIP, type Socket } from 'node:net'
import { resolve } from 'node:path'
import { connect as connectTls, rootCertificates, type TLSSocket } from 'node:tls'
import type { Config } from '../config/config.ts'
import type { Peer, PeerOutcome } from './facts.ts'

const PATIENCE_MS = 4_000
/** Members of config.json that name a service; others name this server or pages of others. */
const ADDRESS_OPTIONS: readonly string[] = ['url', 'tokenUrl', 'issuer']
const PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80, 'smtps:': 465, 'smtp:': 587 }
/** Protocols that begin with TLS. */
const TLS: readonly string[] = ['https:', 'smtps:', 'smpps:']

interface Wish {
  readonly field: string
  readonly url: URL
  readonly caFile: string | undefined
}

export async function measurePeers(config: Config): Promise<readonly Peer[]> {
  const wishes = [
    ...listWishes(config.connectors, 'connectors'),
    ...listWishes(config.signing, 'signing'),
    ...listWishes(config.antifraud, 'antifraud'),
    ...listWishes(config.counter, 'counter'),
    ...listWishes(config.traces, 'traces'),
  ]
  return Promise.all(wishes.map((wish) => measurePeer(wish, config.dataDir)))
}

function listWishes(options: unknown, path: string, outerCa?: string): readonly Wish[] {
  if (typeof options !== 'object' || options === null) return []
  const own = (options as { readonly caFile?: unknown }).caFile
  const caFile = typeof own === 'string' ? own : outerCa
  return Object.entries(options).flatMap(([name, value]: [string, unknown]) => {
    const field = `${path}.${name}`
    if (typeof value !== 'string') return listWishes(value, field, caFile)
    if (!ADDRESS_OPTIONS.includes(name) || !URL.canParse(value)) return []
    return [{ field: name === 'url' ? path : field, url: new URL(value), caFile }]
  })
}

async function measurePeer({ field, url, caFile }: Wish, dataDir: string): Promise<Peer> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = Number(url.port) || (PORTS[url.protocol] ?? 0)
  const place = `${url.hostname}:${port}`
  const own = caFile === undefined ? null : await readFile(resolve(dataDir, caFile), 'utf8').catch(() => null)
  const isTls = TLS.includes(url.protocol)
  const socket = isTls
    ? connectTls({
        host,
        port,
        ...(isIP(host) === 0 ? { servername: host } : {}),
        ...(own === null ? {} : { ca: [...rootCertificates, own] }),
        // An untrusted certificate is a finding with its dates. No data is sent.
        rejectUnauthorized: false,
      })
    : connect({ host, port })
  try {
    await waitForConnection(socket, isTls ? 'secureConnect' : 'connect')
    if (!isTls) return { field, place, outcome: 'REACHED', validTo: null }
    const { authorized } = socket as TLSSocket
    const validTo = new Date((socket as TLSSocket).getPeerCertificate().valid_to)
    return {
      field,
      place,
      outcome: authorized ? 'REACHED' : 'CERTIFICATE_REFUSED',
      validTo: Number.isNaN(validTo.getTime()) ? null : validTo,
    }
  } catch (error) {
    return { field, place, outcome: toOutcome(error), validTo: null }
  } finally {
    socket.destroy()
  }
}

function waitForConnection(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((done, fail) => {
    socket.setTimeout(PATIENCE_MS, () => fail(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })))
    socket.once(event, () => done())
    // A second error may follow when the socket is destroyed.
    socket.on('error', fail)
  })
}

const OUTCOMES: Readonly<Record<string, PeerOutcome>> = {
  ENOTFOUND: 'NAME_UNKNOWN',
  EAI_AGAIN: 'NAME_UNKNOWN',
  ECONNREFUSED: 'REFUSED',
  ETIMEDOUT: 'TIMED_OUT',
  EHOSTUNREACH: 'TIMED_OUT',
  ENETUNREACH: 'TIMED_OUT',
}

function toOutcome(error: unknown): PeerOutcome {
  const { code } = error as NodeJS.ErrnoException
  return OUTCOMES[code ?? ''] ?? 'FAILED'
}
