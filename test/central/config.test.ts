/** The configuration of the central service: what holds without a word, what is refused, and which source wins. */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { getDefaultDataDir, loadCentralConfig } from '../../server/central/config.ts'
import { AppError } from '../../server/errors.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'counterproof-central-config-'))
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const MIB = 1024 * 1024
const load = (file: unknown = undefined, env: NodeJS.ProcessEnv = {}, flags: object = {}) => {
  const text = typeof file === 'string' ? file : JSON.stringify(file)
  if (file !== undefined) writeFileSync(join(dataDir, 'central.json'), text, { mode: 0o600 })
  return loadCentralConfig({ dataDir, ...flags }, env)
}
/** Fields with what is wrong. */
const problemsOf = (file: unknown, env: NodeJS.ProcessEnv = {}) => {
  try {
    load(file, env)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    expect([error.code, error.details]).toEqual(['configuration_invalid', { file: 'central.json' }])
    return error.problems.map(({ field }) => field)
  }
  return []
}

test('without a file everything has a value that is safe', () => {
  const config = load()
  expect(config).toEqual({
    dataDir,
    host: '127.0.0.1',
    port: 8727,
    trustedProxies: [],
    database: { kind: 'embedded', dataDir },
    masterKeyFile: join(dataDir, 'keys', 'centre.key'),
    retention: { deliveryDays: 30 },
    storage: { kind: 'database' },
    gapGraceSeconds: 600,
    offlineAfterHours: 24,
    clockToleranceSeconds: 300,
    abandonedUploadDays: 14,
    maxPacketBytes: 512 * MIB,
    unfinishedUploads: 8,
    unfinishedBytes: 2048 * MIB,
    verifications: Math.min(64, Math.max(2, availableParallelism())),
    verificationSandbox: 'auto',
    http: { headersTimeoutMs: 10_000, requestTimeoutMs: 300_000, maxConnections: 2_000, leaveSeconds: 0 },
    headOffice: {
      callsPerMinute: 600,
      openCallsPerMinute: 60,
      metricsToken: null,
      notSeenAfterMinutes: 30,
      backlogLateAfterHours: 24,
      webhooks: {
        allowHttp: false,
        allowPrivateAddresses: false,
        timeoutMs: 15_000,
        firstPauseMs: 5_000,
        giveUpAfterHours: 24,
        pollMs: 30_000,
        concurrency: 16,
      },
      verifyMaxBytes: 64 * MIB,
      verifyArrivingBytes: 256 * MIB,
      verifyTimeoutMs: 10_000,
    },
    staff: { oidc: null },
    releaseKeys: [],
    logLevel: 'info',
  })
  expect(Object.isFrozen(config)).toBe(true)
})

describe('a value', () => {
  test.each<[string, object]>([
    ['host', { host: '' }],
    ['port', { port: -1 }],
    ['port', { port: 65_536 }],
    ['tls.keyFile', { tls: { certificateFile: 'a.pem' } }],
    ['tls.certificateFile', { tls: { certificateFile: '', keyFile: 'a.key' } }],
    ['database.url', { database: { url: 'mysql://somewhere' } }],
    ['database.url', { database: { url: 'x postgres://somewhere' } }],
    ['database.connections', { database: { connections: 1 } }],
    ['database.connections', { database: { connections: 501 } }],
    ['masterKeyFile', { masterKeyFile: '' }],
    ['releaseKeys.1', { releaseKeys: ['a.pem', ''] }],
    ['releaseKeys.0', { releaseKeys: ['missing.pem'] }],
    ['retention.days', { retention: { days: 0 } }],
    ['retention.accessLogMonths', { retention: { accessLogMonths: 0 } }],
    ['retention.deliveryDays', { retention: { deliveryDays: 0 } }],
    ['storage.kind', { storage: { kind: 'floppy' } }],
    ['gapGraceSeconds', { gapGraceSeconds: -1 }],
    ['offlineAfterHours', { offlineAfterHours: 0 }],
    ['clockToleranceSeconds', { clockToleranceSeconds: 0 }],
    ['abandonedUploadDays', { abandonedUploadDays: 0 }],
    ['maxPacketBytes', { maxPacketBytes: 1_023 }],
    ['maxPacketBytes', { maxPacketBytes: 512 * MIB + 1 }],
    ['unfinishedUploads', { unfinishedUploads: 0 }],
    ['unfinishedBytes', { unfinishedBytes: 1_023, maxPacketBytes: 1_024 }],
    ['unfinishedBytes', { unfinishedBytes: 512 * MIB - 1 }],
    ['verifications', { verifications: 0 }],
    ['verifications', { verifications: 65 }],
    ['verificationSandbox', { verificationSandbox: 'maybe' }],
    ['http.headersTimeoutMs', { http: { headersTimeoutMs: 99 } }],
    ['http.requestTimeoutMs', { http: { requestTimeoutMs: 99 } }],
    ['http.maxConnections', { http: { maxConnections: 0 } }],
    ['headOffice.callsPerMinute', { headOffice: { callsPerMinute: 0 } }],
    ['headOffice.metricsToken', { headOffice: { metricsToken: 'x'.repeat(15) } }],
    ['headOffice.webhooks.timeoutMs', { headOffice: { webhooks: { timeoutMs: 30_001 } } }],
    ['headOffice.webhooks.timeoutMs', { headOffice: { webhooks: { timeoutMs: 99 } } }],
    ['headOffice.webhooks.concurrency', { headOffice: { webhooks: { concurrency: 201 } } }],
    ['headOffice.verifyMaxBytes', { headOffice: { verifyMaxBytes: 1_023 } }],
    ['logLevel', { logLevel: 'loud' }],
    ['central.json', { unknown: 1 }],
    ['http', { http: { unknown: 1 } }],
    ['headOffice.webhooks', { headOffice: { webhooks: { unknown: 1 } } }],
  ])('of %s that is none is refused by its field: %j', (field, file) => {
    expect(problemsOf(file)).toContain(field)
  })

  test.each([
    { port: 0 },
    { port: 65_535 },
    { database: { url: 'postgresql://host/db', connections: 2 } },
    { database: { url: 'postgres://host/db', connections: 500 } },
    { gapGraceSeconds: 0 },
    { maxPacketBytes: 1_024, unfinishedBytes: 1_024 },
    { unfinishedBytes: 512 * MIB },
    { verifications: 64 },
    { headOffice: { metricsToken: 'x'.repeat(16), webhooks: { timeoutMs: 30_000, concurrency: 200 } } },
  ])('at its limit is taken: %j', (file) => {
    expect(problemsOf(file)).toEqual([])
  })

  test('is refused with all the others at once', () => {
    expect(problemsOf({ port: -1, verifications: 0, logLevel: 'loud' })).toEqual([
      'port',
      'verifications',
      'logLevel',
    ])
  })
})

describe('an address that can be reached from a network', () => {
  test.each<[object, string[]]>([
    [{ host: '0.0.0.0' }, ['tls']],
    [{ host: '192.0.2.7' }, ['tls']],
    [{ host: '0.0.0.0', tls: { certificateFile: 'a.pem', keyFile: 'a.key' } }, []],
    [{ host: '0.0.0.0', trustedProxies: ['10.0.0.5'] }, []],
    [{ host: 'localhost' }, []],
    [{ host: '::1' }, []],
  ])('demands TLS, or a proxy that brings it: %j %j', (file, problems) => {
    expect(problemsOf(file)).toEqual(problems)
  })
})

describe('storage in S3', () => {
  const s3 = (over: object = {}) => ({
    storage: {
      kind: 's3',
      endpoint: 'https://s3.example',
      bucket: 'proofs',
      accessKeyId: 'id',
      ...over,
    },
  })
  const SECRET = { AWS_SECRET_ACCESS_KEY: 'from the environment' }

  test('has defaults, and its secret from the environment', () => {
    expect(load(s3(), SECRET).storage).toMatchObject({
      kind: 's3',
      endpoint: 'https://s3.example',
      bucket: 'proofs',
      accessKeyId: 'id',
      region: 'us-east-1',
      prefix: 'counterproof',
      timeoutMs: 60_000,
      secretAccessKey: 'from the environment',
    })
  })

  test('has its secret from a file before that, without the line’s end', () => {
    writeFileSync(join(dataDir, 's3.secret'), ' from the file\n', { mode: 0o600 })
    expect(load(s3({ secretAccessKeyFile: 's3.secret' }), SECRET).storage).toMatchObject({
      secretAccessKey: 'from the file',
    })
  })

  test('is refused without a secret, with an empty file and with a file that is not there', () => {
    const field = 'storage.secretAccessKeyFile'
    expect(problemsOf(s3())).toEqual([field])
    writeFileSync(join(dataDir, 'empty'), '\n', { mode: 0o600 })
    expect(problemsOf(s3({ secretAccessKeyFile: 'empty' }), SECRET)).toEqual([field])
    expect(problemsOf(s3({ secretAccessKeyFile: 'absent' }), SECRET)).toEqual([field])
  })

  test('takes the id of its key from the environment where the file has none', () => {
    const env = { ...SECRET, AWS_ACCESS_KEY_ID: 'from the environment' }
    expect(load(s3({ accessKeyId: undefined }), env).storage).toMatchObject({
      accessKeyId: 'from the environment',
    })
    expect(load(s3(), env).storage).toMatchObject({ accessKeyId: 'id' })
    expect(load({}, env).storage).toEqual({ kind: 'database' })
    expect(problemsOf(s3({ accessKeyId: undefined }), SECRET)).toEqual(['storage.accessKeyId'])
  })

  test.each([
    ['abc', true],
    ['a.b-c.9', true],
    ['a'.repeat(63), true],
    ['a'.repeat(64), false],
    ['ab', false],
    ['Abc', false],
    ['-abc', false],
    ['abc-', false],
    ['a_c', false],
  ])('may have a bucket called %j: %s', (bucket, isOne) => {
    expect(problemsOf(s3({ bucket }), SECRET)).toEqual(isOne ? [] : ['storage.bucket'])
  })

  test.each([
    ['', true],
    ['A_b-9', true],
    ['a'.repeat(100), true],
    ['a'.repeat(101), false],
    ['a/b', false],
  ])('may have the prefix %j: %s', (prefix, isOne) => {
    expect(problemsOf(s3({ prefix }), SECRET)).toEqual(isOne ? [] : ['storage.prefix'])
  })
})

describe('a source', () => {
  test('is a flag before the environment, and the environment before the file', () => {
    const file = { host: 'localhost', port: 1, logLevel: 'error', masterKeyFile: 'file.key' }
    const env = {
      CENTRE_HOST: '127.0.0.2',
      CENTRE_PORT: '2',
      CENTRE_LOG_LEVEL: 'warn',
      CENTRE_KEY_FILE: '/keys/env.key',
    }
    expect(load(file)).toMatchObject({
      host: 'localhost',
      port: 1,
      logLevel: 'error',
      masterKeyFile: join(dataDir, 'file.key'),
    })
    expect(load(file, env)).toMatchObject({
      host: '127.0.0.2',
      port: 2,
      logLevel: 'warn',
      masterKeyFile: '/keys/env.key',
    })
    const flags = { host: '127.0.0.3', port: 3, logLevel: 'debug' }
    expect(load(file, env, flags)).toMatchObject(flags)
    expect(load(file, env, { host: undefined, port: undefined })).toMatchObject({
      host: '127.0.0.2',
      port: 2,
    })
  })

  test('of trusted proxies is a list with commas', () => {
    expect(load({}, { CENTRE_TRUSTED_PROXIES: '10.0.0.5, 10.1.0.0/16' }).trustedProxies).toEqual([
      '10.0.0.5',
      '10.1.0.0/16',
    ])
  })

  test('of the database’s address is the environment, beside the other settings of the file', () => {
    const env = { DATABASE_URL: 'postgres://env/db' }
    expect(load({ database: { url: 'postgres://file/db', connections: 7 } }, env).database).toEqual({
      kind: 'postgres',
      url: 'postgres://env/db',
      connections: 7,
    })
    const pooled = { ...env, DATABASE_LISTEN_URL: 'postgres://env-itself/db' }
    expect(load({}, pooled).database).toMatchObject({
      url: 'postgres://env/db',
      listenUrl: 'postgres://env-itself/db',
    })
    expect(load({ database: { url: 'postgres://file/db' } }).database).toMatchObject({
      url: 'postgres://file/db',
      connections: 10,
    })
    // An address holds a password: neither it nor its place in the file is repeated.
    expect(problemsOf({}, { DATABASE_URL: 'secret' })).toEqual(['DATABASE_URL'])
    expect(problemsOf({}, { ...env, DATABASE_LISTEN_URL: 'secret' })).toEqual(['DATABASE_LISTEN_URL'])
  })

  test('of the time to leave and of the token for metrics is the environment, beside the other settings of the file', () => {
    const file = { http: { maxConnections: 5 }, headOffice: { callsPerMinute: 7 } }
    const env = { CENTRE_LEAVE_SECONDS: '5', CENTRE_METRICS_TOKEN: 'a-token-for-prometheus' }
    expect(load(file, env)).toMatchObject({
      http: { maxConnections: 5, leaveSeconds: 5 },
      headOffice: { callsPerMinute: 7, metricsToken: 'a-token-for-prometheus' },
    })
    expect(problemsOf({}, { CENTRE_LEAVE_SECONDS: 'soon', CENTRE_METRICS_TOKEN: 'short' })).toEqual([
      'http.leaveSeconds',
      'headOffice.metricsToken',
    ])
  })

  test('that is no JSON object is refused by the name of the file', () => {
    for (const text of ['[1]', 'null', '"text"', '{', '']) expect(problemsOf(text)).toEqual(['central.json'])
  })
})

test('the data folder is named, or lies where the system keeps such things', () => {
  expect(getDefaultDataDir({ CENTRE_DATA: '/srv/centre', XDG_DATA_HOME: '/x', HOME: '/h' })).toBe(
    '/srv/centre',
  )
  expect(getDefaultDataDir({ XDG_DATA_HOME: '/x', HOME: '/h' })).toBe('/x/counterproof-central')
  expect(getDefaultDataDir({ HOME: '/h' })).toBe('/h/.local/share/counterproof-central')
})

describe('the OpenID provider of staff', () => {
  const README = readFileSync(join(import.meta.dirname, '../../server/central/README.md'), 'utf8')
  const [, example = ''] = /```json\n(\{\n {2}"staff"[^`]+)```/.exec(README) ?? []

  test('is configured as the README shows', () => {
    mkdirSync(join(dataDir, 'keys'), { mode: 0o700 })
    writeFileSync(join(dataDir, 'keys/oidc-secret'), 'the secret\n', { mode: 0o600 })
    expect(load(example).staff.oidc).toEqual({
      address: 'https://central.example',
      issuer: 'https://login.example/realms/bank',
      clientId: 'counterproof-central',
      clientSecret: 'the secret',
      scope: 'openid profile',
      nameClaim: 'name',
      rolesClaim: ['realm_access', 'roles'],
      sessionMinutes: 480,
      idleMinutes: 30,
      timeoutMs: 10_000,
      roles: (JSON.parse(example) as { staff: { oidc: { roles: unknown } } }).staff.oidc.roles,
    })
  })

  test('is refused with every problem at once', () => {
    const oidc = {
      address: 'http://central.example/?a=b',
      issuer: 'http://login.example',
      scope: 'profile',
      sessionMinutes: 1,
      roles: [
        { value: 'x', role: 'owner', tenants: 'all' },
        { value: '', role: 'viewer', tenants: ['Not A Tenant'] },
      ],
      password: 'no such option',
    }
    expect(problemsOf({ staff: { oidc } }).toSorted()).toEqual([
      'staff.oidc',
      'staff.oidc.address',
      'staff.oidc.address',
      'staff.oidc.clientId',
      'staff.oidc.issuer',
      'staff.oidc.roles.0.role',
      'staff.oidc.roles.1.tenants.0',
      'staff.oidc.roles.1.value',
      'staff.oidc.scope',
      'staff.oidc.sessionMinutes',
    ])
  })

  test('is refused if the file with the secret is missing or others may read it', () => {
    expect(problemsOf(example)).toEqual(['staff.oidc.clientSecretFile'])
    mkdirSync(join(dataDir, 'keys'))
    chmodSync(join(dataDir, 'keys'), 0o755)
    writeFileSync(join(dataDir, 'keys/oidc-secret'), 'the secret')
    chmodSync(join(dataDir, 'keys/oidc-secret'), 0o644)
    expect(problemsOf(example)).toEqual(['staff.oidc.clientSecretFile'])
  })
})
