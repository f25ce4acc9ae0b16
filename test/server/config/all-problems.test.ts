/** A start lists every problem of the configuration and of the files that it names in one go. */
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../../server/clock.ts'
import { CONFIG_FILE, loadConfig } from '../../../server/config/config.ts'
import { AppError } from '../../../server/errors.ts'
import { openServices } from '../../../server/open-connectors.ts'
import { makeCertificateAuthority, type CertificateAuthority } from '../../support/certificate-authority.ts'

const URL_OUTSIDE = 'https://elsewhere.example'
let dataDir: string
let authority: CertificateAuthority
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'counterproof-problems-'))
  authority = makeCertificateAuthority('Problems')
})
afterAll(() => {
  rmSync(dataDir, { recursive: true, force: true })
  authority.remove()
})

const put = (name: string, content: string) => writeFileSync(join(dataDir, name), content, { mode: 0o600 })
function startProblems(config: object) {
  put(CONFIG_FILE, JSON.stringify(config))
  try {
    openServices(loadConfig({ dataDir }), systemClock).sms.close()
  } catch (error) {
    if (error instanceof AppError) return error.problems.map(({ field, message }) => ({ field, message }))
    throw error
  }
  return []
}

test('an unknown option, rules about several options, and missing files of several services are listed together', () => {
  const fields = startProblems({
    colour: 'red',
    uploads: { maxFileBytes: 'x', applicationBudgetBytes: 9, serverBudgetBytes: 1 },
    tenant: { id: 'Bad Id' },
    connectors: {
      sms: { url: 'http://elsewhere.example', tokenFile: 'no-sms', timeoutMs: 'x' },
      operator: {
        url: URL_OUTSIDE,
        tokenFile: 'no-operator',
        oauth: { tokenUrl: 'http://elsewhere.example', clientId: 'a' },
        sends: 'x',
      },
      bureaus: [
        { id: 'a', url: 'http://elsewhere.example', signingKeyFile: 'no-key' },
        { id: 'a', url: 7 },
      ],
      oidc: { providers: [{ issuer: 'http://elsewhere.example' }], timeoutMs: 0 },
    },
    antifraud: { watchlist: { sources: [{ name: 'eu', everyHours: 'x' }, { name: 'eu' }] } },
  }).map(({ field }) => field)
  for (const field of [
    CONFIG_FILE,
    'uploads.maxFileBytes',
    'uploads.serverBudgetBytes',
    'tenant.id',
    'connectors.sms.url',
    'connectors.sms.timeoutMs',
    'connectors.sms.tokenFile',
    'connectors.operator.sends',
    'connectors.operator.tokenFile',
    'connectors.operator.oauth.tokenUrl',
    'connectors.operator.oauth.clientSecretFile',
    'connectors.bureaus',
    'connectors.bureaus.0.url',
    'connectors.bureaus.0.signingKeyFile',
    'connectors.bureaus.1.url',
    'connectors.oidc.timeoutMs',
    'connectors.oidc.providers.0.issuer',
    'antifraud.watchlist.sources.0.everyHours',
    'antifraud.watchlist.sources.0.url',
    'antifraud.watchlist.sources.1.name',
  ])
    expect(fields).toContain(field)
})

test('all missing files and unusable contents of a valid configuration are listed together', () => {
  put('two-tokens', 'one two')
  const problems = startProblems({
    connectors: {
      sms: { url: URL_OUTSIDE, tokenFile: 'no-sms', caFile: 'no-ca' },
      operator: { url: URL_OUTSIDE, tokenFile: 'two-tokens' },
      documentStatus: { url: URL_OUTSIDE, tokenFile: 'no-register' },
    },
  })
  expect(problems.map(({ field }) => field).sort()).toEqual([
    'connectors.documentStatus.tokenFile',
    'connectors.operator.tokenFile',
    'connectors.sms.caFile',
    'connectors.sms.tokenFile',
  ])
})

test('a file that is no certificate, no key, or a key of another certificate is refused with its field', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  const client = authority.issue({ name: 'client', extensions: [], privateKey: pem })
  put('text', 'hello')
  put('broken.pem', '-----BEGIN CERTIFICATE-----\naGVsbG8=\n-----END CERTIFICATE-----')
  put('ca.pem', authority.root.pem)
  const withFiles = (caFile: string, certificateFile: string, keyFile: string) =>
    startProblems({
      connectors: {
        operator: { url: URL_OUTSIDE, caFile, clientCertificate: { certificateFile, keyFile } },
      },
    }).map(({ field, message }) => `${field?.replace('connectors.operator.', '')}: ${message}`)
  const { certificateFile, keyFile } = client
  expect(withFiles('ca.pem', certificateFile, keyFile)).toEqual([])
  expect(withFiles('text', 'broken.pem', 'text')).toEqual([
    'clientCertificate.certificateFile: the file that it names holds no certificate in PEM',
    'clientCertificate.keyFile: the file that it names holds no private key in PEM, or one with a passphrase',
    'caFile: the file that it names holds no certificate in PEM',
  ])
  expect(withFiles('ca.pem', certificateFile, authority.root.keyFile)).toEqual([
    'clientCertificate.keyFile: the key does not belong to certificateFile',
  ])
})

test.each(['documentStatus', 'fraudRegister', 'issuerAu', 'issuerUs', 'operator', 'sms', 'biometrics'])(
  'the plain address of %s is listed beside another mistake of its section',
  (section) => {
    const connectors = { [section]: { url: 'http://elsewhere.example', timeoutMs: 'x' } }
    const fields = startProblems({ connectors }).map(({ field }) => field)
    expect(fields).toContain(`connectors.${section}.timeoutMs`)
    expect(fields).toContain(`connectors.${section}.url`)
  },
)
