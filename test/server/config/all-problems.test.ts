/** A start lists every problem of the configuration and of the files that it names in one go. */
import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../../server/clock.ts'
import { checkConfig, CONFIG_FILE, loadConfig } from '../../../server/config/config.ts'
import { listUnaskedServices } from '../../../server/config/unasked-services.ts'
import { AppError } from '../../../server/errors.ts'
import { start } from '../../../server/index.ts'
import { openServices } from '../../../server/open-connectors.ts'
import { addProblemsOfNamedFiles } from '../../../server/setting-problems.ts'
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
  'an address of %s that is plain, or has a password, a query or a fragment, is listed beside another mistake of its section',
  (section) => {
    for (const url of [
      'http://elsewhere.example',
      'https://user:pw@elsewhere.example',
      'https://elsewhere.example/?key=1',
      'https://elsewhere.example/#part',
    ]) {
      const fields = startProblems({ connectors: { [section]: { url, timeoutMs: 'x' } } }).map(
        ({ field }) => field,
      )
      expect(fields).toContain(`connectors.${section}.timeoutMs`)
      expect(fields).toContain(`connectors.${section}.url`)
    }
  },
)

test('an address with a password or a query, an unknown country and missing values are listed beside other mistakes', () => {
  const source = {
    id: 'a',
    name: 'A',
    signingKeyFile: 'no-key',
    keyId: 'a',
    url: 'https://ada:secret@elsewhere.example/?key=1',
    timeoutMs: 'x',
  }
  const problems = startProblems({
    connectors: {
      issuers: [
        { ...source, covers: [{ documentTypes: ['PASSPORT'], countries: ['ZZZ', 'UTO', 'RKS'] }], sends: [] },
      ],
      addressRegisters: [{ ...source, countries: ['FRA', 'D<<'], sends: ['address'] }],
      operator: { url: `${URL_OUTSIDE}#part`, timeoutMs: 'x' },
    },
    signing: { timestamp: { url: `${URL_OUTSIDE}/?key=1`, timeoutMs: 'x' } },
  })
  const fields = problems.map(({ field }) => field)
  for (const field of [
    'connectors.issuers.0.url',
    'connectors.issuers.0.timeoutMs',
    'connectors.issuers.0.covers.0.countries.0',
    'connectors.issuers.0.sends',
    'connectors.addressRegisters.0.url',
    'connectors.addressRegisters.0.countries.1',
    'connectors.operator.url',
    'connectors.operator.timeoutMs',
    'signing.timestamp.url',
  ])
    expect(fields).toContain(field)
  expect(fields.filter((field) => field?.includes('countries'))).toHaveLength(2)
  expect(JSON.stringify(problems)).not.toContain('secret')
})

const BROKEN = {
  tenant: { id: 'default', name: 'Test', mode: 'test', policy: 'none' },
  kiosk: { journey: 'broken' },
  brand: 'missing',
}
function putBrokenFiles(): void {
  for (const folder of ['journeys', 'policies']) mkdirSync(join(dataDir, folder), { recursive: true })
  put('journeys/broken.json', JSON.stringify({ colour: 'red' }))
}
const listFields = (error: unknown): readonly string[] =>
  error instanceof AppError ? error.problems.map(({ field }) => field ?? '') : []

test('a start lists policy, journey, brand, certificate and connector together', async () => {
  putBrokenFiles()
  const listeners = { api: { host: '127.0.0.1', port: 0, tls: { certificateFile: 'no', keyFile: 'no' } } }
  const connectors = { sms: { url: URL_OUTSIDE, tokenFile: 'two-tokens' } }
  put(CONFIG_FILE, JSON.stringify({ ...BROKEN, listeners, connectors, logLevel: 'silent' }))
  const error: unknown = await start({ config: loadConfig({ dataDir }) }).catch((cause: unknown) => cause)
  expect(listFields(error)).toEqual(
    expect.arrayContaining([
      'tenant.policy',
      'broken.json:',
      'brand',
      'listeners.api.tls.certificateFile',
      'connectors.sms.tokenFile',
    ]),
  )
})

test('services that no enabled feature asks are found, with the feature', () => {
  const issuerAu = { name: 'DVS', url: URL_OUTSIDE, agencyCode: 'A1' }
  const { connectors, tenant } = checkConfig(
    { connectors: { issuerAu, sms: { url: URL_OUTSIDE } } },
    dataDir,
    CONFIG_FILE,
  )
  expect(listUnaskedServices({ connectors, tenant })).toEqual([
    { service: 'connectors.issuerAu', feature: 'tenant.features.issuerVerification' },
  ])
  const features = { ...tenant.features, issuerVerification: true }
  expect(listUnaskedServices({ connectors, tenant: { ...tenant, features } })).toEqual([])
})

test('a config.json that is not valid itself hides no problem of policy, journey and brand', () => {
  putBrokenFiles()
  put(CONFIG_FILE, JSON.stringify({ ...BROKEN, colour: 'red' }))
  put('policies/own.json', '{')
  const error = addProblemsOfNamedFiles(new AppError('configuration_invalid'), dataDir)
  rmSync(join(dataDir, 'policies'), { recursive: true })
  expect(listFields(error)).toEqual(expect.arrayContaining(['policies/own.json', 'broken.json:', 'brand']))
})
