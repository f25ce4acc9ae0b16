/** A certificate authority made by openssl in a temporary folder, which is deleted with its keys. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Issued {
  readonly pem: string
  readonly der: Buffer
  /** File of its private key, if the authority created it. */
  readonly keyFile: string
  readonly certificateFile: string
}

export interface IssueOptions {
  readonly name: string
  /** Replaces the subject derived from the name. */
  readonly subject?: string
  /** Lines of an openssl extension section: `keyUsage = critical, digitalSignature`. */
  readonly extensions: readonly string[]
  /** PEM of the key to certify; default: a new RSA key. A public key does not allow `period`. */
  readonly privateKey?: string
  readonly publicKey?: string
  /** First and last time in openssl's format: `20260101000000Z`. Default: ten years from now. */
  readonly period?: readonly [string, string]
  /** The issuer; a root signs itself. */
  readonly issuer?: Issued
  readonly hash?: 'sha256' | 'sha1'
}

export interface CertificateAuthority {
  readonly folder: string
  readonly root: Issued
  /** Signed by the root unless another issuer is named. */
  issue(options: IssueOptions): Issued
  remove(): void
}

export const CA_EXTENSIONS = [
  'basicConstraints = critical, CA:TRUE',
  'keyUsage = critical, keyCertSign, cRLSign',
]
export const SIGNER_EXTENSIONS = [
  'basicConstraints = critical, CA:FALSE',
  'keyUsage = critical, digitalSignature',
]
export const TSA_EXTENSIONS = [...SIGNER_EXTENSIONS, 'extendedKeyUsage = critical, timeStamping']

/** `period`: of the root. */
export function makeCertificateAuthority(
  name: string,
  period?: IssueOptions['period'],
): CertificateAuthority {
  const folder = mkdtempSync(join(tmpdir(), 'authority-'))
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  let made = 0
  const issue = (options: IssueOptions): Issued => {
    const base = join(folder, `certificate-${made++}`)
    const { privateKey, publicKey, issuer, period, hash = 'sha256' } = options
    if (privateKey === undefined) openssl('genrsa', '-out', `${base}.key`, '2048')
    else writeFileSync(`${base}.key`, privateKey)
    writeFileSync(`${base}.ext`, [...options.extensions, ''].join('\n'))
    const subject = options.subject ?? `/O=Counterproof tests/CN=${options.name}`
    openssl('req', '-new', '-key', `${base}.key`, '-subj', subject, '-out', `${base}.csr`)
    const common = ['-in', `${base}.csr`, '-extfile', `${base}.ext`, '-out', `${base}.pem`]
    const signer = issuer
      ? ['-CA', issuer.certificateFile, '-CAkey', issuer.keyFile, '-CAcreateserial']
      : ['-signkey', `${base}.key`]
    if (publicKey !== undefined) {
      writeFileSync(`${base}.pub`, publicKey)
      signer.push('-force_pubkey', `${base}.pub`)
    }
    if (period === undefined) openssl('x509', '-req', ...common, ...signer, '-days', '3650', `-${hash}`)
    else {
      const [from, to] = period
      const by = issuer
        ? ['-cert', issuer.certificateFile, '-keyfile', issuer.keyFile]
        : ['-selfsign', '-keyfile', `${base}.key`]
      writeFileSync(`${base}.cnf`, configuration(base))
      writeFileSync(`${base}.index`, '')
      const times = ['-startdate', from, '-enddate', to]
      openssl('ca', '-batch', '-notext', '-config', `${base}.cnf`, ...common, ...by, ...times, '-md', hash)
    }
    openssl('x509', '-in', `${base}.pem`, '-outform', 'DER', '-out', `${base}.der`)
    return {
      pem: readFileSync(`${base}.pem`, 'utf8'),
      der: readFileSync(`${base}.der`),
      keyFile: `${base}.key`,
      certificateFile: `${base}.pem`,
    }
  }
  const root = issue({ name, extensions: CA_EXTENSIONS, ...(period ? { period } : {}) })
  return {
    folder,
    root,
    issue: (options) => issue({ issuer: root, ...options }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** The configuration of `openssl ca`, the only command that can choose the period. */
function configuration(base: string): string {
  return `
[ca]
default_ca = here
[here]
database = ${base}.index
new_certs_dir = ${join(base, '..')}
rand_serial = yes
unique_subject = no
policy = any
[any]
organizationName = optional
commonName = supplied
`
}
