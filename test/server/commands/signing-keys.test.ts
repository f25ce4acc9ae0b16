import { execFileSync } from 'node:child_process'
import { createPublicKey } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compactVerify, importJWK, type JWK } from 'jose'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { main } from '../../../server/cli.ts'
import { loadConfig } from '../../../server/config/config.ts'
import { loadKek } from '../../../server/config/kek.ts'
import { openStore, type Store } from '../../../server/store/open.ts'
import { runCommand } from '../../support/command.ts'
import { collectOutput } from '../../support/output.ts'

let folder: string
let dataDir: string
let output: ReturnType<typeof collectOutput>
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signing-keys-'))
  dataDir = join(folder, 'data')
  openStore(dataDir, loadKek(loadConfig({ dataDir }))).close()
  output = collectOutput()
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

const file = (name: string): string => join(folder, name)

async function command(...argv: string[]): Promise<{ status: number; text: string }> {
  output.text = ''
  const status = await main(['signing-keys', ...argv, '--data', dataDir])
  return { status, text: output.text }
}

async function json<T>(...argv: string[]): Promise<T> {
  const { status, text } = await command(...argv, '--json')
  expect({ status, text: status === 0 ? '' : text }).toEqual({ status: 0, text: '' })
  return JSON.parse(text) as T
}

function withStore<T>(look: (store: Store) => T): T {
  const store = openStore(dataDir, loadKek(loadConfig({ dataDir })))
  try {
    return look(store)
  } finally {
    store.close()
  }
}

const create = () => json<{ kid: string; fingerprint: string }>('create')
const states = async () => {
  const { keys } = await json<{ keys: { kid: string; state: string }[] }>('list')
  return keys.map(({ kid, state }) => [kid, state])
}

describe('signing-keys', () => {
  test('makes the first key before the first start, and another only by rotation', async () => {
    const { kid, fingerprint } = await create()
    expect(fingerprint).toMatch(/^([0-9a-f]{4} ){15}[0-9a-f]{4}$/)
    expect(await command('create')).toEqual({
      status: 1,
      text: 'A key is in use or waits for its time; `rotate` makes the next one.\n',
    })
    const next = await json<{ kid: string; activeFrom: string; retired: string }>(
      'rotate',
      '--publish-days',
      '3',
    )
    expect(next.retired).toBe(kid)
    expect(Math.round((Date.parse(next.activeFrom) - Date.now()) / 86_400_000)).toBe(3)
    expect(await states()).toEqual([
      [kid, 'ACTIVE'],
      [next.kid, 'PENDING'],
    ])
    expect(await command('rotate')).toMatchObject({ status: 1 })
    expect(await command('retire', next.kid)).toEqual({ status: 0, text: 'retired\n' })
    expect(await states()).toEqual([
      [kid, 'ACTIVE'],
      [next.kid, 'RETIRED'],
    ])
    expect(withStore((store) => store.auditEvents())).toEqual([])
  })

  test('exports what the server publishes, as a key set and as PEM, and a revoked key no more', async () => {
    const { kid: first } = await create()
    const { inUse: second } = await json<{ inUse: string }>(
      'revoke',
      first,
      '--since',
      '2026-03-01T10:00:00Z',
    )
    const { keys } = await json<{ keys: (JWK & { kid: string })[] }>('export')
    expect(keys.map(({ kid }) => kid)).toEqual([second])
    expect(keys[0]).not.toHaveProperty('d')
    const { text } = await command('export', '--pem')
    expect(createPublicKey(text).export({ format: 'jwk' })).toMatchObject({ n: keys[0].n })
  })

  test.each([
    [['rotate', '--publish-days=-1'], 2],
    [['rotate', '--publish-days', '1.5'], 2],
    [['rotate', '--publish-days', '366'], 2],
    [['rotate', '--witness', 'A'], 2],
    [['rotate', '--ceremony'], 2],
    [['retire'], 2],
    [['revoke', 'nobody', '--since', 'yesterday'], 2],
    [['revoke', 'nobody', '--since', '2026-13-40'], 2],
    [['revoke', 'nobody'], 2],
    [['revoke', 'nobody', '--since', '2026-01-01'], 1],
    [['csr', 'nobody'], 1],
    [['certify', 'nobody', '--chain', '/nowhere'], 1],
    [['polish'], 2],
    [[], 2],
    [['--help'], 0],
  ])('%j ends with %d and says why', async (argv, status) => {
    await create()
    const ended = await command(...argv)
    expect(ended.status).toBe(status)
    expect(ended.text.length).toBeGreaterThan(20)
    expect(await states()).toHaveLength(1)
  })

  test('takes a key whose id begins with a hyphen for a key', async () => {
    await create()
    const kid = `-${'x'.repeat(42)}`
    expect(await command('retire', kid)).toEqual({
      status: 1,
      text: 'There is no signing key of that id; see `list`.\n',
    })
  })

  test('puts all that it does down to an operator, by ids alone', async () => {
    const { kid } = await create()
    await json('revoke', kid, '--since', '2026-03-01')
    const events = withStore((store) => store.events.after(0, 100)).filter(({ type }) =>
      type.startsWith('key.'),
    )
    expect(events.map(({ type, actor }) => [type, actor])).toEqual([
      ['key.created', 'operator'],
      ['key.activated', 'operator'],
      ['key.revoked', 'operator'],
      ['key.created', 'operator'],
      ['key.activated', 'operator'],
    ])
  })
})

describe('a key ceremony', () => {
  const ceremony = (...more: string[]) => [
    'signing-keys',
    'create',
    '--ceremony',
    '--record',
    file('record'),
    ...more,
  ]
  const fingerprintIn = (said: string): string => /(?:[0-9a-f]{4} ){15}[0-9a-f]{4}/.exec(said)?.[0] ?? ''
  /** Two people: `type` turns the fingerprint that was read aloud into what is typed. */
  const people = (first: string, second: string, type: (fingerprint: string) => string) => {
    let fingerprint = ''
    return (said: string): string | null => {
      fingerprint = fingerprintIn(said) || fingerprint
      if (said.endsWith('first person: ')) return first
      if (said.endsWith('second person: ')) return second
      return said.endsWith('Fingerprint: ') ? type(fingerprint) : null
    }
  }

  test('asks for two names, has the fingerprint typed back, and leaves a record that the new key signed', async () => {
    const answer = people('Ada Byron', 'Grace Hopper', (fingerprint) =>
      fingerprint.toUpperCase().replaceAll(' ', ''),
    )
    const { status, out, err } = await runCommand([...ceremony(), '--data', dataDir, '--json'], { answer })
    expect({ status, err: status === 0 ? '' : err }).toEqual({ status: 0, err: '' })
    const { kid, record, fingerprint } = JSON.parse(out) as {
      kid: string
      record: string
      fingerprint: string
    }
    expect(statSync(record).mode & 0o777).toBe(0o600)
    const { statement, signature } = JSON.parse(readFileSync(record, 'utf8')) as {
      statement: object
      signature: string
    }
    expect(statement).toMatchObject({
      type: 'counterproof-key-ceremony',
      kid,
      fingerprint,
      fingerprintTypedBack: true,
      previousKid: null,
      witnesses: ['Ada Byron', 'Grace Hopper'],
    })
    const { keys } = await json<{ keys: JWK[] }>('export')
    const { payload } = await compactVerify(signature, await importJWK(keys[0], 'RS256'))
    expect(JSON.parse(Buffer.from(payload).toString('utf8'))).toEqual(statement)
    // The names are in the record, and nowhere in the data folder.
    for (const path of readdirSync(dataDir, { recursive: true, encoding: 'utf8' })) {
      if (!statSync(join(dataDir, path)).isFile()) continue
      const bytes = readFileSync(join(dataDir, path))
      for (const name of ['Ada', 'Hopper']) expect(bytes.includes(name)).toBe(false)
    }
  })

  test.each([
    ['the fingerprint is not typed back', people('A', 'B', () => 'ffff'), 'The key was thrown away'],
    ['the same person comes twice', people('Ada', ' ada ', (f) => f), 'two people of different names'],
    ['a name is missing', people('Ada', '', (f) => f), 'two people of different names'],
  ])('makes no key when %s', async (_, answer, sentence) => {
    const { status, err } = await runCommand([...ceremony(), '--data', dataDir], { answer })
    expect([status, err]).toEqual([1, expect.stringContaining(sentence)])
    expect(existsSync(file('record'))).toBe(false)
    expect(withStore((store) => store.signingKeys.list())).toEqual([])
  })

  test('makes no key without an answer', async () => {
    const { status, err } = await runCommand([...ceremony(), '--data', dataDir])
    expect([status, err]).toEqual([1, expect.stringContaining('No answer came.')])
    expect(withStore((store) => store.signingKeys.list())).toEqual([])
  })

  test('run by a script says in its record that no person read the fingerprint', async () => {
    const argv = [
      'create',
      '--ceremony',
      '--unattended',
      '--record',
      file('record'),
      '--witness',
      'A',
      '--witness',
      'B',
    ]
    const { record } = await json<{ record: string }>(...argv)
    expect(JSON.parse(readFileSync(record, 'utf8'))).toMatchObject({
      statement: { fingerprintTypedBack: false },
    })
  })

  test('whose record cannot be written makes no key', async () => {
    writeFileSync(file('record'), 'a file where the folder should be')
    const argv = [
      'create',
      '--ceremony',
      '--unattended',
      '--record',
      file('record'),
      '--witness',
      'A',
      '--witness',
      'B',
    ]
    expect(await command(...argv)).toEqual({
      status: 1,
      text: expect.stringMatching(/^A part of the path is a file, not a folder\. .*ENOTDIR.*\n$/) as string,
    })
    expect(withStore((store) => store.signingKeys.list())).toEqual([])
  })
})

describe('certificates', () => {
  const openssl = (...argv: string[]): void => {
    execFileSync('openssl', argv, { cwd: folder, stdio: 'pipe' })
  }
  /** A root and below it an authority that certifies keys. */
  const makeAuthorities = (): void => {
    const strong = ['-newkey', 'rsa:2048', '-nodes', '-sha256']
    openssl(
      'req',
      '-x509',
      ...strong,
      '-keyout',
      'root.key',
      '-out',
      'root.pem',
      '-days',
      '30',
      '-subj',
      '/CN=Root',
    )
    openssl('req', ...strong, '-keyout', 'ca.key', '-out', 'ca.csr', '-subj', '/CN=Issuing')
    writeFileSync(file('ca.ext'), 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign')
    sign('ca.csr', 'root', 'ca.pem', 'ca.ext')
    writeFileSync(file('leaf.ext'), 'basicConstraints=CA:FALSE\nkeyUsage=critical,digitalSignature')
  }
  const sign = (csr: string, by: string, out: string, extensions: string): void =>
    openssl(
      ...[
        'x509',
        '-req',
        '-in',
        csr,
        '-CA',
        `${by}.pem`,
        '-CAkey',
        `${by}.key`,
        '-CAcreateserial',
        '-sha256',
      ],
      ...['-days', '20', '-out', out, '-extfile', extensions],
    )
  const chainOf = (...names: string[]): string => {
    writeFileSync(file('chain.pem'), names.map((name) => readFileSync(file(name), 'utf8')).join(''))
    return file('chain.pem')
  }
  const request = async (kid: string, ...more: string[]): Promise<void> => {
    const { status, text } = await command('csr', kid, ...more)
    expect(status).toBe(0)
    writeFileSync(file('key.csr'), text)
  }

  test('are asked for with a request that openssl verifies, and the chain that comes back is kept', async () => {
    const { kid } = await create()
    await request(kid, '--subject', 'CN=Branch 7, O=Example & Co, C=NL')
    makeAuthorities()
    const shown = execFileSync('openssl', ['req', '-verify', '-noout', '-subject', '-in', file('key.csr')], {
      encoding: 'utf8',
      stdio: 'pipe',
    })
    expect(shown.trim()).toBe('subject=CN = Branch 7, O = Example & Co, C = NL')
    sign('key.csr', 'ca', 'key.pem', 'leaf.ext')
    const { sha256 } = await json<{ sha256: string }>(
      'certify',
      kid,
      '--chain',
      chainOf('key.pem', 'ca.pem', 'root.pem'),
    )
    expect(sha256).toMatch(/^[0-9a-f]{64}$/)
    const kept = withStore((store) => store.signingKeys.find(kid)?.certificateChain ?? '')
    writeFileSync(file('kept.pem'), kept)
    openssl('verify', '-CAfile', 'root.pem', '-untrusted', 'kept.pem', 'kept.pem')
    const events = withStore((store) => store.events.after(0, 100))
    expect(events.at(-1)).toMatchObject({
      type: 'key.certified',
      actor: 'operator',
      body: { kid, certificateSha256: sha256 },
    })
  })

  test('are refused with a sentence when they do not fit the key, the order or the time', async () => {
    const { kid } = await create()
    await request(kid)
    makeAuthorities()
    sign('key.csr', 'ca', 'key.pem', 'leaf.ext')
    sign('key.csr', 'ca', 'key-as-ca.pem', 'ca.ext')
    sign('key.csr', 'root', 'key-of-root.pem', 'leaf.ext')
    openssl(
      'req',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      'other.key',
      '-out',
      'other.csr',
      '-subj',
      '/CN=Other',
    )
    sign('other.csr', 'ca', 'other.pem', 'leaf.ext')
    writeFileSync(file('empty.pem'), '')
    const certify = async (...names: string[]) =>
      (await command('certify', kid, '--chain', chainOf(...names))).text
    const refusals = [
      [['empty.pem'], 'The file holds no certificate'],
      [['other.pem', 'ca.pem'], 'The first certificate is of another key.'],
      [['ca.pem', 'key.pem'], 'The chain is not in order'],
      [['key.pem'], 'The issuer is missing'],
      [['key.pem', 'root.pem'], 'was not issued by the next certificate'],
      [['key-of-root.pem', 'ca.pem', 'root.pem'], 'was not issued by the next certificate'],
      [['key-as-ca.pem', 'ca.pem'], 'not one for signatures'],
    ] as const
    for (const [names, sentence] of refusals) expect(await certify(...names)).toContain(sentence)
    vi.useFakeTimers({ now: Date.now() + 25 * 86_400_000, toFake: ['Date'] })
    try {
      expect(await certify('key.pem', 'ca.pem')).toContain('was not valid at')
    } finally {
      vi.useRealTimers()
    }
    expect(withStore((store) => store.signingKeys.find(kid)?.certificateChain)).toBeNull()
  })

  test.each(['Branch 7', 'CN=', 'XY=1', 'CN=a, C=Netherlands'])(
    'are not asked for in the name of %j',
    async (subject) => {
      const { kid } = await create()
      expect(await command('csr', kid, '--subject', subject)).toMatchObject({ status: 1 })
    },
  )
})

test('with a master key that others may read, nothing is done', async () => {
  const { kid } = await create()
  chmodSync(join(dataDir, 'keys', 'kek.key'), 0o644)
  expect(await command('list')).toMatchObject({
    status: 1,
    text: expect.stringContaining('others may read the key file') as string,
  })
  chmodSync(join(dataDir, 'keys', 'kek.key'), 0o600)
  expect(await states()).toEqual([[kid, 'ACTIVE']])
})
