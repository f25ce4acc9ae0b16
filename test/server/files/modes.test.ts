/** Whose files they are and who may read them: what the product writes, and what it takes of what lies there. */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { loadCentralConfig } from '../../../server/central/config.ts'
import { createCentralService } from '../../../server/central/index.ts'
import { systemClock } from '../../../server/clock.ts'
import { checkConfig, loadConfig, type Config } from '../../../server/config/config.ts'
import { readOwnFile } from '../../../server/files/own-files.ts'
import { makePublicFolder, replacePublicFolder } from '../../../server/files/public-folder.ts'
import { silentLog } from '../../../server/log.ts'
import { openAdjudication, openServices, registeredProviders } from '../../../server/open-connectors.ts'
import { createKey } from '../../../server/store/crypto.ts'
import { openStore } from '../../../server/store/open.ts'
import { openWebhookSender } from '../../../server/webhooks/open.ts'
import { collectOutput } from '../../support/output.ts'

const RUN = join(import.meta.dirname, '..', '..', '..', 'server', 'run.mjs')
const isRoot = process.getuid?.() === 0

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'counterproof-modes-'))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(dataDir, { recursive: true })
})

const modeOf = (path: string): number => lstatSync(path).mode & 0o777
const inData = (name: string): string => join(dataDir, name)
function put(name: string, content: string, mode: number): string {
  writeFileSync(inData(name), content)
  chmodSync(inData(name), mode)
  return inData(name)
}

/** Runs a command in its own process, with a umask that allows writing for all. */
function command(...argv: string[]): { status: number | null; out: string; err: string } {
  const started = spawnSync('sh', ['-c', 'umask 0; exec "$@"', 'sh', process.execPath, RUN, ...argv], {
    encoding: 'utf8',
  })
  return { status: started.status, out: started.stdout, err: started.stderr }
}

/** Paths below the data folder, itself included, that others may do anything with. */
function openToOthers(): string[] {
  const below = readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
  return ['.', ...below].filter((name) => (modeOf(inData(name)) & 0o077) !== 0)
}

describe('whatever the umask of who starts it', () => {
  test('the appliance writes for its user alone', () => {
    const folder = inData('new')
    expect(command('keys', 'create', '--application', 'bank', '--data', folder, '--new').status).toBe(0)
    expect(readdirSync(folder)).toContain('appliance.sqlite')
    expect(openToOthers()).toEqual([])
  })

  test('so does the central service with its embedded database, whose older files are closed, with a line that names them', () => {
    expect(command('central', 'tenants', 'create', 'acme', '--data', dataDir).status).toBe(0)
    expect(readdirSync(inData('postgres'))).toContain('PG_VERSION')
    expect(openToOthers()).toEqual([])
    for (const name of readdirSync(dataDir, { recursive: true, encoding: 'utf8' }))
      if (!name.startsWith('keys'))
        chmodSync(inData(name), lstatSync(inData(name)).isDirectory() ? 0o755 : 0o666)
    const { status, err, out } = command('central', 'tenants', 'list', '--data', dataDir)
    expect([status, out]).toEqual([0, expect.stringContaining('acme')])
    expect(err).toMatch(
      new RegExp(`${inData('postgres')} and \\d+ files and folders in it were open to others`),
    )
    expect(openToOthers()).toEqual([])
    // The database lays some of its files out again each time: that is no news.
    expect(command('central', 'tenants', 'list', '--data', dataDir).err).toBe('')
    expect(openToOthers()).toEqual([])
  })
})

describe('settings', () => {
  const take = (file: string): Promise<unknown> =>
    Promise.resolve().then(() =>
      file === 'config.json' ? loadConfig({ dataDir }) : loadCentralConfig({ dataDir }, {}),
    )

  test.each(['config.json', 'central.json'])(
    'that others may write are refused: %s, by name',
    async (file) => {
      const path = put(file, '{"port": 1}', 0o666)
      await expect(take(file)).rejects.toMatchObject({
        code: 'configuration_invalid',
        problems: [
          {
            field: file,
            message: expect.stringContaining(`${path}: others may write it (mode 0666)`) as string,
          },
        ],
      })
      chmodSync(path, 0o620)
      await expect(take(file)).rejects.toThrow('configuration_invalid')
    },
  )

  test.each(['config.json', 'central.json'])(
    'that others may read are closed: %s, with a line',
    async (file) => {
      const output = collectOutput()
      const path = put(file, '{"port": 1}', 0o644)
      expect(await take(file)).toMatchObject({ port: 1 })
      expect(modeOf(path)).toBe(0o600)
      expect(output.text).toContain(`${path} was open to others (mode 0644). Its mode is 0600 now.`)
    },
  )

  test('in a folder to which others may write are refused: another user could have placed them', async () => {
    put('config.json', '{}', 0o600)
    chmodSync(dataDir, 0o777)
    await expect(take('config.json')).rejects.toThrow('configuration_invalid')
    chmodSync(dataDir, 0o700)
    await take('config.json')
  })

  test('stop the command before anything is made', () => {
    put('config.json', '{}', 0o666)
    const { status, err } = command('keys', 'create', '--application', 'bank', '--data', dataDir)
    expect([status, err]).toEqual([
      1,
      expect.stringContaining(`${inData('config.json')}: others may write it`),
    ])
    expect(readdirSync(dataDir)).toEqual(['config.json'])
  })
})

describe('a secret in a file of its own', () => {
  const url = 'https://elsewhere.example'
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const configOf = (part: object): Config => checkConfig(part, dataDir, 'config.json')
  const openings: readonly (readonly [field: string, open: () => unknown])[] = [
    [
      'connectors.sms.tokenFile',
      () => openServices(configOf({ connectors: { sms: { url, tokenFile: 's' } } }), systemClock),
    ],
    [
      'connectors.biometrics.callbackSecretFile',
      () =>
        openServices(
          configOf({ connectors: { biometrics: { url, publicUrl: url, callbackSecretFile: 's' } } }),
          systemClock,
        ),
    ],
    [
      'connectors.biometrics.tokenFile',
      () =>
        openServices(
          configOf({
            connectors: { biometrics: { url, publicUrl: url, tokenFile: 's', callbackSecretFile: 'good' } },
          }),
          systemClock,
        ),
    ],
    [
      'connectors.documentStatus.tokenFile',
      () => openServices(configOf({ connectors: { documentStatus: { url, tokenFile: 's' } } }), systemClock),
    ],
    [
      'signing.timestamp.tokenFile',
      () => openServices(configOf({ signing: { timestamp: { url, tokenFile: 's' } } }), systemClock),
    ],
    [
      'connectors.oidc.providers.0.clientSecretFile',
      () =>
        registeredProviders(
          configOf({
            connectors: {
              oidc: { providers: [{ id: 'a', issuer: url, clientId: 'b', clientSecretFile: 's' }] },
            },
          }),
        ),
    ],
    [
      'connectors.adjudication.callbackSecretFile',
      () =>
        openAdjudication(
          configOf({ connectors: { adjudication: { publicUrl: url, callbackSecretFile: 's' } } }),
          undefined as never,
          systemClock,
        ),
    ],
  ]

  test.each(openings)(
    '%s is refused where others may write it, and read as it is in a folder that is closed to them',
    async (field, open) => {
      put('good', secret, 0o600)
      const path = put('s', secret, 0o602)
      const opened = () => Promise.resolve().then(open)
      await expect(opened()).rejects.toMatchObject({
        code: 'configuration_invalid',
        problems: [{ field, message: expect.stringContaining(`${path}: others may write it`) as string }],
      })
      chmodSync(path, 0o644)
      await opened()
      expect(modeOf(path)).toBe(0o644)
    },
  )

  test('that others can read is refused with the command to run, and its mode stays: it may be the wrong file', () => {
    mkdirSync(inData('open'))
    chmodSync(inData('open'), 0o755)
    const path = put('open/s', secret, 0o644)
    symlinkSync(path, inData('link'))
    for (const named of [path, inData('link')])
      expect(() => readOwnFile(named, 'secret')).toThrow(
        `others may read it (mode 0644): if this is the right file, run chmod 600 ${named}`,
      )
    expect(modeOf(path)).toBe(0o644)
    chmodSync(path, 0o400)
    expect(readOwnFile(path, 'secret').toString()).toBe(secret)
  })

  test('of the central service is treated alike: the key of TLS', async () => {
    put('cert.pem', 'no certificate', 0o644)
    const path = put('key.pem', 'no key', 0o666)
    put('central.json', '{"tls": {"certificateFile": "cert.pem", "keyFile": "key.pem"}, "port": 0}', 0o600)
    await expect(
      createCentralService({ config: loadCentralConfig({ dataDir }, {}), log: silentLog }),
    ).rejects.toMatchObject({
      code: 'configuration_invalid',
      problems: [
        {
          field: 'tls.keyFile',
          message: expect.stringContaining(`${path}: others may write it`) as string,
        },
      ],
    })
  })

  test('of the central service is treated alike: the key of the storage', () => {
    const path = put('s3', 'secret', 0o622)
    const storage = {
      kind: 's3',
      endpoint: url,
      bucket: 'proofs',
      accessKeyId: 'a',
      secretAccessKeyFile: 's3',
    }
    put('central.json', JSON.stringify({ storage }), 0o600)
    const problem = { message: expect.stringContaining(`${path}: others may write it`) as string }
    expect(() => loadCentralConfig({ dataDir }, {})).toThrow(
      expect.objectContaining({ problems: [expect.objectContaining(problem)] }) as Error,
    )
  })

  test.skipIf(!isRoot)(
    'of another user is refused; one that root gave to a group is taken and stays as it is (root)',
    () => {
      const path = put('s', secret, 0o600)
      chownSync(path, 4711, 4711)
      expect(() => readOwnFile(path, 'secret')).toThrow('it belongs to another user (uid 4711)')
      chownSync(path, 0, 4711)
      chmodSync(path, 0o640)
      expect(readOwnFile(path, 'secret').toString()).toBe(secret)
      expect(modeOf(path)).toBe(0o640)
      chownSync(path, 0, 0)
      chmodSync(dataDir, 0o755)
      // A credential of systemd, which an access list opens to the service.
      chmodSync(path, 0o440)
      expect(readOwnFile(path, 'secret').toString()).toBe(secret)
      chmodSync(path, 0o644)
      expect(() => readOwnFile(path, 'secret')).toThrow('others may read it (mode 0644)')
    },
  )
})

test('certificates of authorities may be readable by every user, but writable by the owner alone', async () => {
  const path = put('ca.pem', readFileSync(join(import.meta.dirname, '../../../LICENSE'), 'utf8'), 0o644)
  readOwnFile(path, 'public')
  expect(modeOf(path)).toBe(0o644)
  chmodSync(path, 0o666)
  const webhooks = checkConfig({ webhooks: { caFile: 'ca.pem' } }, dataDir, 'config.json')
  expect(() => openWebhookSender(webhooks)).toThrow(
    expect.objectContaining({
      problems: [
        expect.objectContaining({
          message: expect.stringContaining(`${path}: others may write it`) as string,
        }),
      ],
    }) as Error,
  )
})

describe('the data folder', () => {
  test('is refused where others may write to it, and closed where they may look into it', () => {
    const output = collectOutput()
    const kek = createKey()
    chmodSync(dataDir, 0o770)
    expect(() => openStore(dataDir, kek)).toThrow(
      expect.objectContaining({
        code: 'configuration_invalid',
        details: expect.objectContaining({ folder: dataDir }) as unknown,
      }) as Error,
    )
    expect(readdirSync(dataDir)).toEqual([])
    chmodSync(dataDir, 0o755)
    openStore(dataDir, kek).close()
    expect(output.text).toContain(`${dataDir} was open to others (mode 0755). Its mode is 0700 now.`)
    expect(openToOthers()).toEqual([])
  })

  test('has its databases and folders closed that an older version left open', () => {
    const output = collectOutput()
    const kek = createKey()
    openStore(dataDir, kek).close()
    const open = ['appliance.sqlite', join('keys', 'identity-keys.sqlite')]
    for (const name of open) chmodSync(inData(name), 0o644)
    chmodSync(inData('images'), 0o755)
    openStore(dataDir, kek).close()
    for (const name of [...open, 'images'])
      expect(output.text).toContain(`${inData(name)} was open to others`)
    expect(openToOthers()).toEqual([])
  })

  test.skipIf(!isRoot)('of another user is refused, even to root (root)', () => {
    chownSync(dataDir, 4711, 4711)
    expect(() => openStore(dataDir, createKey())).toThrow('configuration_invalid')
    chownSync(dataDir, 0, 0)
  })
})

describe('a public folder', () => {
  test('is readable whatever the umask: a new folder, and all that is built into it', async () => {
    const umask = process.umask(0o077)
    try {
      makePublicFolder(inData('out/models'))
      await replacePublicFolder(inData('out/renderer'), (fresh) => {
        mkdirSync(join(fresh, 'kiosk'))
        writeFileSync(join(fresh, 'kiosk', 'index.html'), '')
      })
    } finally {
      process.umask(umask)
    }
    const modes = ['out', 'out/models', 'out/renderer', 'out/renderer/kiosk', 'out/renderer/kiosk/index.html']
    expect(modes.map((name) => modeOf(inData(name)))).toEqual([0o755, 0o755, 0o755, 0o755, 0o644])
    expect(statSync(dataDir).mode & 0o777).toBe(0o700)
  })
})
