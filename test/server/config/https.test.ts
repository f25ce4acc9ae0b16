/** Every address that an operator configures is https, or http to this machine with `allowHttp`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadCentralConfig } from '../../../server/central/config.ts'
import { checkConfig } from '../../../server/config/config.ts'
import { AppError } from '../../../server/errors.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'counterproof-https-'))
})
afterEach(() => {
  rmSync(dataDir, { recursive: true })
})

/** The fields that the configuration is refused for. */
function problemsOf(load: () => unknown): readonly string[] {
  try {
    load()
    return []
  } catch (error) {
    if (error instanceof AppError) return error.problems.map(({ field }) => field ?? '')
    throw error
  }
}
function problemsOfAppliance(config: object): readonly string[] {
  return problemsOf(() => checkConfig(config, dataDir, 'config.json'))
}
function problemsOfCentralService(config: object): readonly string[] {
  writeFileSync(join(dataDir, 'central.json'), JSON.stringify(config))
  return problemsOf(() => loadCentralConfig({ dataDir }, { AWS_SECRET_ACCESS_KEY: 'secret' }))
}

interface Case {
  /** The field that the error names. */
  readonly field: string
  /** A whole configuration whose one plain address is this one. */
  readonly config: (address: string, allowHttp: object) => object
  readonly problems?: (config: object) => readonly string[]
}

const HTTPS = 'https://service.example'
const BIOMETRICS = { callbackSecretFile: 'secret', url: HTTPS, publicUrl: HTTPS }
const STAFF_PROVIDER = { issuer: HTTPS, address: HTTPS, clientId: 'c' }
const provider = (over: object) => ({ id: 'bank', issuer: HTTPS, clientId: 'c', ...over })
const CASES: readonly Case[] = [
  { field: 'connectors.sms.url', config: (url, allow) => ({ connectors: { sms: { url, ...allow } } }) },
  {
    field: 'connectors.biometrics.url',
    config: (url, allow) => ({ connectors: { biometrics: { ...BIOMETRICS, url, ...allow } } }),
  },
  {
    field: 'connectors.biometrics.publicUrl',
    config: (publicUrl, allow) => ({ connectors: { biometrics: { ...BIOMETRICS, publicUrl, ...allow } } }),
  },
  {
    field: 'connectors.adjudication.publicUrl',
    config: (publicUrl, allow) => ({
      connectors: { adjudication: { callbackSecretFile: 'secret', publicUrl, ...allow } },
    }),
  },
  {
    field: 'connectors.documentStatus.url',
    config: (url, allow) => ({ connectors: { documentStatus: { url, ...allow } } }),
  },
  {
    field: 'connectors.oidc.publicUrl',
    config: (publicUrl, allow) => ({ connectors: { oidc: { publicUrl, ...allow } } }),
  },
  {
    field: 'connectors.oidc.providers.0.issuer',
    config: (issuer, allow) => ({ connectors: { oidc: { providers: [provider({ issuer })], ...allow } } }),
  },
  {
    field: 'connectors.oidc.providers.0.allowedPostAuthRedirects.1',
    config: (address, allow) => ({
      connectors: {
        oidc: { providers: [provider({ allowedPostAuthRedirects: [HTTPS, address] })], ...allow },
      },
    }),
  },
  ...(['issuer', 'address'] as const).flatMap((name): Case[] => [
    {
      field: `counter.oidc.${name}`,
      config: (address, allow) => ({
        counter: {
          oidc: { ...STAFF_PROVIDER, roles: [{ value: 'x', role: 'officer' }], [name]: address, ...allow },
        },
      }),
    },
    {
      field: `staff.oidc.${name}`,
      config: (address, allow) => {
        const roles = [{ value: 'x', role: 'viewer', tenants: 'all' }]
        return { staff: { oidc: { ...STAFF_PROVIDER, roles, [name]: address, ...allow } } }
      },
      problems: problemsOfCentralService,
    },
  ]),
  {
    field: 'storage.endpoint',
    config: (endpoint, allow) => ({
      storage: { kind: 's3', endpoint, bucket: 'proofs', accessKeyId: 'id', ...allow },
    }),
    problems: problemsOfCentralService,
  },
]
const ALLOW = { allowHttp: true }

describe.each(CASES)('$field', ({ field, config, problems = problemsOfAppliance }) => {
  test('takes https', () => {
    expect(problems(config('https://service.example/path', {}))).toEqual([])
  })

  test.each(['http://127.0.0.1:8080', 'http://localhost', 'http://[::1]:1/path', 'http://service.example'])(
    'refuses %s without a switch',
    (address) => {
      expect(problems(config(address, {}))).toEqual([field])
    },
  )

  test.each(['http://127.0.0.1:8080', 'http://127.8.9.10', 'http://localhost', 'http://[::1]:1/path'])(
    'takes %s with allowHttp, because it stays on this machine',
    (address) => {
      expect(problems(config(address, ALLOW))).toEqual([])
    },
  )

  // @clause NIST-63A-4/3.5-channel
  test.each([
    'http://service.example',
    'http://10.0.0.7',
    'http://127.0.0.1.example',
    'http://localhost.example',
    'http://127.0.0.1@service.example',
    'http://0.0.0.0',
  ])('refuses %s with allowHttp, because others on the network could read it', (address) => {
    expect(new Set(problems(config(address, ALLOW)))).toEqual(new Set([field]))
  })
})

describe('signing.timestamp.url', () => {
  const field = 'signing.timestamp.url'
  const problems = (timestamp: object) => problemsOfAppliance({ signing: { timestamp } })

  test('refuses plain http without a switch', () => {
    expect(problems({ url: 'http://tsa.example' })).toEqual([field])
    expect(problems({ url: 'https://tsa.example' })).toEqual([])
  })

  test('takes plain http to any authority with allowHttp: answers are signed, requests hold a hash', () => {
    expect(problems({ url: 'http://tsa.example', allowHttp: true })).toEqual([])
  })

  test('never sends a bearer token over plain http to another machine', () => {
    const given = { allowHttp: true, tokenFile: 'tsa.token' }
    expect(problems({ url: 'http://tsa.example', ...given })).toEqual([field])
    expect(problems({ url: 'http://127.0.0.1:3161', ...given })).toEqual([])
  })
})

test('text that is no address is refused with its field, and not by a crash', () => {
  const files = { signingKeyFile: 'a.key', keyId: 'a' }
  const bureau = {
    id: 'b',
    name: 'B',
    url: 'bureau',
    ...files,
    countries: ['UTO'],
    sends: ['givenNames', 'surname'],
  }
  const config = {
    connectors: { bureaus: [bureau], documentStatus: { url: '127.0.0.1:8801', allowHttp: true } },
    antifraud: { watchlist: { sources: [{ name: 'eu', url: 'list' }] } },
  }
  expect(problemsOfAppliance(config)).toEqual(
    expect.arrayContaining([
      'connectors.bureaus.0.url',
      'connectors.documentStatus.url',
      'antifraud.watchlist.sources.0.url',
    ]),
  )
})
