/**
 * Checks the files that options name, so that a start lists what is wrong with all of them. Reads no file's content into a message.
 */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { AppError, type FieldProblem } from '../errors.ts'
import type { OwnFileKind } from '../files/own-files.ts'
import { readSecretFile } from './secret-file.ts'

interface NamedFile {
  readonly kind: OwnFileKind
  /** Returns what is wrong with the content; null: nothing. */
  readonly findFault: (content: string) => string | null
}

const SECRET: NamedFile = { kind: 'secret', findFault: () => null }
const CERTIFICATES: NamedFile = { kind: 'public', findFault: findCertificateFault }
const PRIVATE_KEY: NamedFile = { kind: 'secret', findFault: findKeyFault }

/** The options of all services outside. The listeners' files are checked as a pair (`files/tls-files.ts`). */
const FILES: Readonly<Record<string, NamedFile>> = {
  tokenFile: SECRET,
  clientSecretFile: SECRET,
  callbackSecretFile: SECRET,
  passwordFile: SECRET,
  caFile: CERTIFICATES,
  certificateFile: CERTIFICATES,
  keyFile: PRIVATE_KEY,
  signingKeyFile: PRIVATE_KEY,
}
const CHECKED_ELSEWHERE = new Set(['listeners'])

/** @param options the configuration, or what was to be one: members of other types are passed over */
export function listFileProblems(
  options: unknown,
  dataDir: string,
  path: readonly string[] = [],
): readonly FieldProblem[] {
  if (typeof options !== 'object' || options === null) return []
  const problems = Object.entries(options).flatMap(([name, value]: [string, unknown]) => {
    if (path.length === 0 && CHECKED_ELSEWHERE.has(name)) return []
    const at = [...path, name]
    return typeof value === 'string' && Object.hasOwn(FILES, name)
      ? findProblems(() => readNamedFile(dataDir, value, at.join('.'), FILES[name]))
      : listFileProblems(value, dataDir, at)
  })
  return problems.length > 0 ? problems : findProblems(() => requirePair(options, dataDir, path))
}

function findProblems(check: () => void): readonly FieldProblem[] {
  try {
    check()
    return []
  } catch (error) {
    if (error instanceof AppError) return error.problems
    throw error
  }
}

function readNamedFile(dataDir: string, file: string, field: string, { kind, findFault }: NamedFile): void {
  const fault = findFault(readSecretFile(dataDir, file, field, kind))
  if (fault !== null) throw unusable(field, fault)
}

function unusable(field: string, message: string): AppError {
  return new AppError(
    'configuration_invalid',
    { field },
    { problems: [{ code: 'unusable', field, message }] },
  )
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

function findCertificateFault(content: string): string | null {
  const certificates = content.match(CERTIFICATE) ?? []
  const areReadable = certificates.every((pem) => canRead(() => new X509Certificate(pem)))
  return certificates.length > 0 && areReadable ? null : 'the file that it names holds no certificate in PEM'
}

function findKeyFault(content: string): string | null {
  return canRead(() => createPrivateKey(content))
    ? null
    : 'the file that it names holds no private key in PEM, or one with a passphrase'
}

function canRead(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}

function requirePair(options: object, dataDir: string, path: readonly string[]): void {
  const { certificateFile, keyFile } = options as { certificateFile?: unknown; keyFile?: unknown }
  if (typeof certificateFile !== 'string' || typeof keyFile !== 'string') return
  const field = [...path, 'keyFile'].join('.')
  const certificate = new X509Certificate(readSecretFile(dataDir, certificateFile, field, 'public'))
  const key = createPrivateKey(readSecretFile(dataDir, keyFile, field))
  if (!certificate.checkPrivateKey(key)) throw unusable(field, 'the key does not belong to certificateFile')
}
