/** The files that lock a kiosk machine: whole, consistent with the server, and taken by the programs that read them. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../../server/config/config.ts'

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
      '/etc/sysctl.d/60-counterproof.conf',
      '/etc/systemd/logind.conf.d/counterproof.conf',
      '/etc/systemd/system/counterproof-kiosk.service',
      '/etc/systemd/system/counterproof-kiosk.target',
      '/etc/systemd/system/counterproof.service',
      '/etc/sysusers.d/counterproof.conf',
      '/etc/tmpfiles.d/counterproof.conf',
      '/etc/udev/rules.d/70-counterproof-cameras.rules',
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
    ])
  })

  test.each([[['--prefix']], [['--prefix', 'relative']], [['--what']], [['--app', '']]])('refuses %j', (args) => {
    expect(install(...args).status).toBe(2)
  })

  test('and the package answer --help', () => {
    expect(install('--help').stdout).toContain('--dry-run')
    expect(execFileSync('bash', [join(FOLDER, 'package-deb.sh'), '--help'], { encoding: 'utf8' })).toContain('--out')
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

describe.skipIf(!hasSystemd)('the units (skipped where systemd-analyze is not installed)', () => {
  test('are taken by systemd without a word', () => {
    const target = join(prefix, 'units')
    const app = join(target, 'app')
    install('--prefix', target, '--app', '/app')
    // What the units name has to exist where they are checked.
    for (const name of ['counterproof.service', 'counterproof-kiosk.service']) {
      const path = join(target, 'etc/systemd/system', name)
      const text = readFileSync(path, 'utf8')
      writeFileSync(path, text.replaceAll('/app/', `${app}/`).replaceAll('/usr/bin/cage', '/bin/true'))
    }
    const units = filesBelow(join(target, 'etc/systemd/system')).map((name) => join(target, 'etc/systemd/system', name))
    const { status, stderr, stdout } = spawnSync('systemd-analyze', ['verify', ...units], { encoding: 'utf8' })
    // What is said of other units of this machine is not about ours.
    const ours = `${stderr}${stdout}`.split('\n').filter((line) => line.includes('counterproof'))
    expect({ status, ours }).toEqual({ status: 0, ours: [] })
  })

  test.each([
    ['counterproof.service', 25],
    ['counterproof-kiosk.service', 50],
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
