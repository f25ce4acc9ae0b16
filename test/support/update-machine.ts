/**
 * A small machine for the root updater: real dpkg and real files in bubblewrap, tiny packages whose server answers only
 * /healthcheck, and a systemctl that starts and stops it. Needs root.
 */
import { createHash, type KeyPairKeyObjectResult } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { execFileSync, spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getReleaseFileName, signRelease, type ReleaseManifest } from '../../server/updates/manifest.ts'
import type { UpdateResult } from '../../server/updates/rules.ts'

const ROOT = join(import.meta.dirname, '../..')
const works = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0

export const hasUpdateMachine =
  process.getuid?.() === 0 &&
  works('dpkg-deb', '--version') &&
  works('bwrap', '--ro-bind', '/', '/', '--unshare-net', 'true')

/** The server of a package: changes the database as a migration would, then answers or ends. */
const SERVER = `
const { DatabaseSync } = require('node:sqlite')
const { existsSync, readFileSync, writeFileSync } = require('node:fs')
const version = readFileSync('/opt/counterproof/version', 'utf8').trim()
const db = new DatabaseSync('/var/lib/counterproof/appliance.sqlite')
db.exec('CREATE TABLE IF NOT EXISTS test_starts (version TEXT)')
db.prepare('INSERT INTO test_starts VALUES (?)').run(version)
db.close()
if (existsSync('/opt/counterproof/broken')) process.exit(1)
const up = { status: 'UP' }
const body = JSON.stringify({ version, components: { database: up, vision: up, jobs: up, audit: up } })
require('node:http').createServer((_, res) => res.end(body)).listen(8717, '127.0.0.1', () => {
  writeFileSync('/run/server.up', '')
})
`
/** As systemd with Type=notify: `start` returns when the server is ready, and fails if it ends. */
const SYSTEMCTL = `#!/bin/sh
[ "$1" != stop ] || [ ! -e /opt/hold-dpkg ] || { perl -e "$HOLD" >/dev/null 2>&1 & sleep 0.5; }
case "$1 $2" in
  'stop counterproof.service') [ ! -f /run/server.pid ] || kill "$(cat /run/server.pid)" 2>/dev/null || true; rm -f /run/server.pid ;;
  'start counterproof.service')
    rm -f /run/server.up
    "$NODE" --no-warnings /opt/counterproof/server.cjs >/dev/null 2>&1 &
    echo $! >/run/server.pid
    while [ ! -f /run/server.up ]; do kill -0 "$(cat /run/server.pid)" 2>/dev/null || exit 1; sleep 0.05; done ;;
esac
`

/** Holds dpkg's lock for some seconds, as an automatic upgrade of Debian does. */
const HOLD = `use Fcntl; open(my $file, ">", "/var/lib/dpkg/lock-frontend");
fcntl($file, F_SETLK, pack("s s l! l! i", F_WRLCK, 0, 0, 0, 0)) or die; sleep 3`

interface PackageOptions {
  readonly isBroken?: boolean
  readonly hasBrokenScript?: boolean
  readonly key?: KeyPairKeyObjectResult
}

export interface UpdateMachine {
  readonly dataDir: string
  readonly folder: string
  readonly keysFolder: string
  makePackage(
    version: string,
    options?: PackageOptions,
  ): { readonly deb: string; readonly release: string; readonly sha256: string }
  /** As the unprivileged server leaves them. */
  download(made: { readonly deb: string; readonly release: string; readonly sha256: string }): void
  update(
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): { readonly status: number | null; readonly result: UpdateResult | null; readonly stderr: string }
  installedVersion(): string
  installByDpkg(deb: string): void
  /** Another program begins from now on to use dpkg when the server stops. */
  holdDpkg(): void
  copyDatabases(): void
  close(): void
}

export function makeUpdateMachine(
  vendor: KeyPairKeyObjectResult,
  prepare: (dataDir: string) => void,
): UpdateMachine {
  const root = mkdtempSync(join(tmpdir(), 'counterproof-machine-'))
  const at = (...names: string[]): string => join(root, ...names)
  for (const name of [
    'var-lib/dpkg/info',
    'var-lib/dpkg/updates',
    'var-lib/dpkg/triggers',
    'var-log',
    'opt',
    'run',
    'bin',
    'made',
  ])
    mkdirSync(at(name), { recursive: true })
  const keysFolder = at('etc/counterproof/release-keys')
  mkdirSync(keysFolder, { recursive: true, mode: 0o755 })
  for (const name of ['status', 'available']) writeFileSync(at('var-lib/dpkg', name), '')
  for (const name of ['passwd', 'group', 'ld.so.cache', 'nsswitch.conf'])
    if (existsSync(join('/etc', name))) copyFileSync(join('/etc', name), at('etc', name))
  writeFileSync(join(keysFolder, 'vendor.pem'), vendor.publicKey.export({ type: 'spki', format: 'pem' }))
  writeFileSync(at('bin/systemctl'), SYSTEMCTL)
  chmodSync(at('bin/systemctl'), 0o755)
  const dataDir = at('var-lib/counterproof')
  mkdirSync(dataDir, { mode: 0o700 })
  prepare(dataDir)

  const binds = [
    ['var-lib', '/var/lib'],
    ['var-log', '/var/log'],
    ['etc', '/etc'],
    ['opt', '/opt'],
    ['run', '/run'],
  ]
  const inside = (program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    spawnSync(
      'bwrap',
      [
        ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--bind', root, root],
        ...binds.flatMap(([from = '', to = '']) => ['--bind', at(from), to]),
        ...['--unshare-net', '--unshare-pid', '--die-with-parent', program, ...args],
      ],
      {
        encoding: 'utf8',
        env: {
          PATH: `${at('bin')}:/usr/sbin:/usr/bin:/sbin:/bin`,
          NODE: process.execPath,
          HOLD,
          TMPDIR: '/run',
          COUNTERPROOF_DRAIN_MINUTES: '0',
          COUNTERPROOF_HEALTH_SECONDS: '60',
          ...env,
        },
      },
    )

  const makePackage: UpdateMachine['makePackage'] = (
    version,
    { isBroken, hasBrokenScript, key = vendor } = {},
  ) => {
    const architecture = execFileSync('dpkg', ['--print-architecture'], { encoding: 'utf8' }).trim()
    const tree = at('made', `tree-${version}`)
    mkdirSync(join(tree, 'DEBIAN'), { recursive: true })
    mkdirSync(join(tree, 'opt/counterproof'), { recursive: true })
    writeFileSync(join(tree, 'opt/counterproof/version'), `${version}\n`)
    writeFileSync(join(tree, 'opt/counterproof/server.cjs'), SERVER)
    if (isBroken) writeFileSync(join(tree, 'opt/counterproof/broken'), '')
    writeFileSync(
      join(tree, 'DEBIAN/control'),
      `Package: counterproof\nVersion: ${version}\nArchitecture: ${architecture}\nMaintainer: Test <test@localhost>\nDescription: test\n`,
    )
    if (hasBrokenScript) writeFileSync(join(tree, 'DEBIAN/postinst'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    const deb = at('made', `counterproof_${version}_${architecture}.deb`)
    execFileSync('chmod', ['-R', 'u=rwX,go=rX', tree])
    execFileSync('dpkg-deb', ['-Znone', '--root-owner-group', '--build', tree, deb], { stdio: 'pipe' })
    rmSync(tree, { recursive: true })
    const content = readFileSync(deb)
    const manifest = {
      format: 'counterproof-release',
      version,
      minimumFrom: '0.1.0',
      architecture,
      sha256: createHash('sha256').update(content).digest('hex'),
      bytes: content.length,
      createdAt: '2026-11-30T10:00:00Z',
    } as ReleaseManifest
    const release = at('made', getReleaseFileName(manifest))
    writeFileSync(release, signRelease(manifest, key.privateKey, key.publicKey))
    return { deb, release, sha256: manifest.sha256 }
  }

  return {
    dataDir,
    folder: at('var-lib/counterproof-update'),
    keysFolder,
    makePackage,
    download: ({ deb, release, sha256 }) => {
      const downloads = join(dataDir, 'updates')
      mkdirSync(downloads, { recursive: true })
      copyFileSync(deb, join(downloads, `${sha256}.deb`))
      copyFileSync(release, join(downloads, `${sha256}.release.json`))
      writeFileSync(
        join(downloads, 'request.json'),
        JSON.stringify({ id: 'wish-1', sha256, action: 'install' }),
      )
    },
    update: (args, env) => {
      const { status, stdout, stderr } = inside(
        process.execPath,
        ['--no-warnings', join(ROOT, 'server/updates/main.ts'), ...args],
        env,
      )
      const result = stdout.trim() === '' ? null : (JSON.parse(stdout) as UpdateResult)
      return { status, result, stderr }
    },
    installedVersion: () =>
      inside('dpkg-query', ['-W', '-f', '${Version} ${db:Status-Abbrev}', 'counterproof']).stdout.trim(),
    holdDpkg: () => writeFileSync(at('opt/hold-dpkg'), ''),
    installByDpkg: (deb) => {
      const { status, stderr } = inside('dpkg', ['--install', deb])
      if (status !== 0) throw new Error(stderr)
    },
    copyDatabases: () => {
      const code = `import('${join(ROOT, 'server/updates/machine.ts')}').then(({ copyDatabases }) => copyDatabases())`
      const { status, stderr } = inside(process.execPath, ['--no-warnings', '-e', code])
      if (status !== 0) throw new Error(stderr)
    },
    close: () => rmSync(root, { recursive: true, force: true }),
  }
}
