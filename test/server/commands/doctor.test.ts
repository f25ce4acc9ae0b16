/** `npm run doctor` on installations that are really broken: each defect is a sentence with its cost and what to do. */
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { main } from '../../../server/cli.ts'
import { placeKeyInFile } from '../../../server/config/kek.ts'
import type { CheckName, CheckResult, DoctorReport } from '../../../server/doctor/report.ts'
import { createKey } from '../../../server/store/crypto.ts'
import { openStore } from '../../../server/store/open.ts'
import { defaultModelsDir } from '../../../server/vision/packs.ts'
import { scriptedVision } from '../app/scripted-vision.ts'
import { startTestApp } from '../../support/app.ts'
import { makeCertificateAuthority, SIGNER_EXTENSIONS } from '../../support/certificate-authority.ts'
import { collectOutput } from '../../support/output.ts'

const folders: string[] = []
const makeFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-doctor-'))
  folders.push(folder)
  return folder
}
let dataDir: string
beforeEach(() => {
  dataDir = makeFolder()
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

async function examine(folder = dataDir): Promise<DoctorReport & { readonly status: number }> {
  const output = collectOutput()
  const status = await main(['doctor', '--data', folder, '--json'])
  return { ...(JSON.parse(output.text) as DoctorReport), status }
}

const getCheck = ({ checks }: DoctorReport, name: CheckName): CheckResult => {
  const found = checks.find(({ check }) => check === name)
  if (!found) throw new TypeError(`no check ${name}`)
  return found
}

const setUp = (config: object): void =>
  writeFileSync(join(dataDir, 'config.json'), JSON.stringify(config), { mode: 0o600 })

test('a model file that was changed costs the level that the policy caps', async () => {
  const models = makeFolder()
  cpSync(defaultModelsDir(), models, { recursive: true })
  appendFileSync(join(models, 'blazeface-256.onnx'), 'x')
  vi.stubEnv('COUNTERPROOF_MODELS', models)
  const report = await examine()
  const { state, findings } = getCheck(report, 'models')
  expect(state).toBe('WRONG')
  expect(findings[0]?.what).toContain(
    'The model blazeface-256 is not the file that models/manifest.json pins',
  )
  expect(findings[0]?.cost).toContain(
    'PORTRAIT evidence carries FACE_MODELS_UNVERIFIED; the policy default then allows at most LOA0.',
  )
  expect(findings[0]?.remedy).toContain('npm run models')
  expect(report.status).toBe(2)
})

test('a master key that other users can read is named with its mode, and is not changed', async () => {
  mkdirSync(join(dataDir, 'keys'), { mode: 0o700 })
  const key = join(dataDir, 'keys', 'kek.key')
  writeFileSync(key, 'a secret')
  chmodSync(key, 0o644)
  const report = await examine()
  expect(getCheck(report, 'keys')).toMatchObject({
    state: 'WRONG',
    findings: [
      {
        what: `Other users can read ${key} (mode 0644).`,
        remedy: expect.stringContaining(`chmod 600 '${key}'`) as string,
      },
    ],
  })
  expect(JSON.stringify(report)).not.toContain('a secret')
  expect(statSync(key).mode & 0o777).toBe(0o644)
})

test('an open data folder, and files in it that other users can change, are named', async () => {
  chmodSync(dataDir, 0o755)
  writeFileSync(join(dataDir, 'outbox'), '')
  chmodSync(join(dataDir, 'outbox'), 0o666)
  const { findings } = getCheck(await examine(), 'permissions')
  expect(findings.map(({ what }) => what)).toEqual([
    'Other users can read the data folder (mode 0755).',
    'Entries of the data folder are open to other users (1): outbox.',
  ])
})

test('a certificate of a listener that has expired costs the connections of that listener', async () => {
  const authority = makeCertificateAuthority('doctor')
  try {
    const period = ['20240101000000Z', '20250101000000Z'] as const
    const old = authority.issue({ name: 'old', extensions: SIGNER_EXTENSIONS, period })
    copyFileSync(old.certificateFile, join(dataDir, 'tls.pem'))
    copyFileSync(old.keyFile, join(dataDir, 'tls.key'))
    chmodSync(join(dataDir, 'tls.key'), 0o600)
    const tls = { certificateFile: 'tls.pem', keyFile: 'tls.key' }
    setUp({ listeners: { api: { host: '127.0.0.1', port: 0, tls } } })
    const report = await examine()
    expect(getCheck(report, 'configuration').state).toBe('OK')
    expect(getCheck(report, 'certificates')).toEqual({
      check: 'certificates',
      state: 'WRONG',
      findings: [
        {
          state: 'WRONG',
          what: 'The certificate of listeners.api.tls.certificateFile expired on 2025-01-01.',
          cost: 'Browsers and relying services refuse the connection.',
          remedy: 'Replace the file with a new certificate and restart the appliance.',
        },
      ],
    })
  } finally {
    authority.remove()
  }
})

test('a machine that has no bubblewrap is told what a decoder could reach', async () => {
  vi.stubEnv('PATH', makeFolder())
  const { state, findings } = getCheck(await examine(), 'sandbox')
  expect(state).toBe('WARNING')
  expect(findings[0]).toMatchObject({
    what: 'bubblewrap is not installed.',
    remedy: 'Run: sudo apt install bubblewrap',
  })
})

test('a service that refuses the connection costs its indicator; one that answers is reached', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  const { port } = server.address() as AddressInfo
  const url = (path: string, at: number) => `http://127.0.0.1:${at}${path}`
  setUp({
    signing: { timestamp: { url: url('/tsa', port), allowHttp: true } },
    connectors: { documentStatus: { url: url('/a-path', 1), allowHttp: true } },
  })
  const { findings } = getCheck(await examine(), 'network')
  server.close()
  expect(findings).toEqual([
    expect.objectContaining({
      state: 'WRONG',
      what: 'connectors.documentStatus cannot be reached at 127.0.0.1:1: it refuses the connection.',
      cost: 'Evidence and fraud checks carry CONNECTOR_UNVERIFIED; the policy default then allows at most LOA2.',
    }),
    expect.objectContaining({ state: 'OK' }),
  ])
})

test('a clock behind the newest time that the data has shown costs CLOCK_UNVERIFIED', async () => {
  const database = join(dataDir, 'appliance.sqlite')
  writeFileSync(database, '')
  const ahead = new Date('2099-01-01T00:00:00Z')
  utimesSync(database, ahead, ahead)
  const { state, findings } = getCheck(await examine(), 'clock')
  expect(state).toBe('WRONG')
  expect(findings[0]?.what).toContain('the data folder already showed 2099-01-01')
  expect(findings[0]?.cost).toContain('CLOCK_UNVERIFIED')
})

const canMount = process.getuid?.() === 0
test.runIf(canMount)('a full disk says that new proofings are refused', async () => {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=0700', 'tmpfs', dataDir])
  try {
    const { state, findings } = getCheck(await examine(), 'disk')
    expect(state).toBe('WRONG')
    expect(findings[0]).toMatchObject({
      what: 'The disk of the data has 1 MB free, less than sync.freeze.freeMegabytes (500).',
      cost: 'New proofings are refused until there is space.',
    })
  } finally {
    execFileSync('umount', [dataDir])
  }
})

test('a config.json that is not valid is named by option, and checks that need it are NOT_CHECKED', async () => {
  setUp({ port: 'x', readers: { enabled: true } })
  const report = await examine()
  expect(getCheck(report, 'configuration').findings[0]?.what).toMatch(/^port: /)
  for (const name of ['cameras', 'reader', 'network', 'certificates'] as const)
    expect(getCheck(report, name)).toMatchObject({
      state: 'NOT_CHECKED',
      findings: [{ what: 'config.json is not valid, so this could not be checked.' }],
    })
})

test('the doctor runs beside a running appliance, uses its health report, and needs no key', async () => {
  const app = await startTestApp({ dataDir, vision: scriptedVision() })
  try {
    chmodSync(join(dataDir, 'keys', 'kek.key'), 0o000)
    const { findings } = getCheck(await examine(), 'appliance')
    expect(findings[0]?.what).toMatch(/^The appliance answers, version /)
  } finally {
    await app.close()
  }
})

test('a folder that does not exist is refused, and is not made', async () => {
  const output = collectOutput()
  expect(await main(['doctor', '--data', join(dataDir, 'mistyped')])).toBe(2)
  expect(output.text).toContain('There is no data folder')
})

describe('what refuses the next start is WRONG', () => {
  let made: string
  beforeAll(() => {
    made = makeFolder()
    const kek = createKey()
    placeKeyInFile(made, kek)
    const store = openStore(made, kek)
    store.vault.setOwner(store.applianceId)
    store.close()
  })
  beforeEach(() => cpSync(made, dataDir, { recursive: true }))
  const place = (...names: string[]) => join(dataDir, ...names)

  test('and a sound installation has a sound database and keys', async () => {
    const report = await examine()
    expect([getCheck(report, 'keys').state, getCheck(report, 'database').state]).toEqual(['OK', 'OK'])
  })

  test.each([
    ['zz', 'it is not 64 hex digits', /the key is not 64 hex digits/],
    ['a'.repeat(64), 'it is that of another database', /it does not belong to this database/],
  ])('a master key %s: %s', async (text, _, words) => {
    writeFileSync(place('keys', 'kek.key'), text)
    const report = await examine()
    expect(getCheck(report, 'keys')).toMatchObject({
      state: 'WRONG',
      findings: [{ what: expect.stringMatching(words) as string }],
    })
    expect(JSON.stringify(report)).not.toContain('aaaaaaaa')
  })

  test.each([
    ['missing', null, /missing or empty beside its keys/],
    ['random bytes', Buffer.alloc(9_000, 'random'), /is damaged \(SQLITE_NOTADB\)/],
  ])('a database that is %s', async (_, content, words) => {
    rmSync(place('appliance.sqlite'))
    if (content) writeFileSync(place('appliance.sqlite'), content)
    const { state, findings } = getCheck(await examine(), 'database')
    expect([state, findings[0]?.what]).toEqual(['WRONG', expect.stringMatching(words)])
  })

  test('a folder or a database that its owner may not write', async () => {
    chmodSync(place('appliance.sqlite'), 0o400)
    chmodSync(dataDir, 0o500)
    const { state, findings } = getCheck(await examine(), 'permissions')
    expect(state).toBe('WRONG')
    expect(findings[0]?.what).toContain('. (mode 0500), appliance.sqlite (mode 0400)')
    chmodSync(dataDir, 0o700)
  })

  test.runIf(canMount)('a file system that takes no writes', async () => {
    execFileSync('mount', ['--bind', dataDir, dataDir])
    execFileSync('mount', ['-o', 'remount,ro,bind', dataDir])
    try {
      const { state, findings } = getCheck(await examine(), 'permissions')
      expect([state, findings[0]?.what]).toEqual([
        'WRONG',
        'The file system of the data folder takes no writes.',
      ])
    } finally {
      execFileSync('umount', [dataDir])
    }
  })
})
