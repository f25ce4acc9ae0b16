/** Reads the dates of the certificates that the configuration names and of the signing keys. */
import { X509Certificate } from 'node:crypto'
import { resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { readOwnFile } from '../files/own-files.ts'
import type { Certificate, CertificateUse, Peer } from './facts.ts'

const PEM = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g
/** A file of authorities may hold the public ones of a whole system. */
const MAX_CERTIFICATES = 500

export interface SigningCertificate {
  readonly kid: string
  /** PEM, the key's own certificate first. */
  readonly chain: string
}

export function measureCertificates(
  config: Config,
  signing: readonly SigningCertificate[],
  peers: readonly Peer[],
): readonly Certificate[] {
  return [
    ...listFiles(config, config.dataDir, ''),
    ...signing.map(({ kid, chain }) => readEarliest('signing', `the signing key ${kid}`, chain)),
    ...peers.flatMap(({ field, validTo }) =>
      validTo ? [{ use: 'peer' as const, name: field, validFrom: new Date(0), validTo }] : [],
    ),
  ]
}

function listFiles(options: unknown, dataDir: string, path: string): readonly Certificate[] {
  if (typeof options !== 'object' || options === null) return []
  return Object.entries(options).flatMap(([name, value]: [string, unknown]) => {
    const field = path === '' ? name : `${path}.${name}`
    if (typeof value !== 'string') return listFiles(value, dataDir, field)
    if (name !== 'certificateFile' && name !== 'caFile') return []
    const use = name === 'caFile' ? 'authority' : field.startsWith('listeners.') ? 'listener' : 'client'
    return [readEarliest(use, field, readText(resolve(dataDir, value)))]
  })
}

function readText(path: string): string {
  try {
    return readOwnFile(path, 'public').toString('utf8')
  } catch {
    // The check of the configuration says why.
    return ''
  }
}

/** A chain is valid as long as each of its certificates is. Of several authorities, the one that expires first is shown. */
function readEarliest(use: CertificateUse, name: string, pem: string): Certificate {
  const all = (pem.match(PEM) ?? []).slice(0, MAX_CERTIFICATES).flatMap((text) => {
    try {
      return [new X509Certificate(text)]
    } catch {
      return []
    }
  })
  const [first] = all.sort((a, b) => a.validToDate.getTime() - b.validToDate.getTime())
  if (!first) return { use, name, validFrom: null, validTo: null }
  return { use, name, validFrom: first.validFromDate, validTo: first.validToDate }
}
