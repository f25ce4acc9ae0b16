/** The unit, the image and the compose files of the central service. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadCentralConfig } from '../../server/central/config.ts'

const FOLDER = join(import.meta.dirname, '../../deploy')
const UNIT = join(FOLDER, 'systemd/counterproof-central.service')
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

test.skipIf(!hasSystemd)('systemd accepts the unit, which stays below 3.2 of exposure', () => {
  const folder = mkdtempSync(join(tmpdir(), 'counterproof-unit-'))
  const path = join(folder, 'counterproof-central.service')
  // The program that the unit names must exist where the unit is verified.
  const text = readFileSync(UNIT, 'utf8').replace('/usr/lib/counterproof/bin/counterproof', '/bin/true')
  writeFileSync(path, text)
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' })
  const ours = `${stderr}${stdout}`.split('\n').filter((line) => line.includes('counterproof-central'))
  const judged = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=32', path])
  rmSync(folder, { recursive: true })
  expect({ status, ours, judged: judged.status }).toEqual({ status: 0, ours: [], judged: 0 })
})

test('the image builder explains itself, and refuses what it does not understand', () => {
  const build = (...args: string[]) =>
    spawnSync('bash', [join(FOLDER, 'image/build.sh'), ...args], { encoding: 'utf8' })
  const [helped, misspelt, without] = [build('--help'), build('--bass'), build('--deb', '/nowhere.deb')]
  expect([helped.status, misspelt.status, without.status]).toEqual([0, 2, 1])
  expect(helped.stdout).toContain('--base-from-debian')
  expect(misspelt.stderr).toContain('--bass')
  expect(without.stderr).toContain('npm run package:deb')
})

test.each(['compose.yaml', 'compose.s3.yaml'])(
  '%s mounts files that exist, or that the README makes',
  (name) => {
    const readme = readFileSync(join(FOLDER, 'README.md'), 'utf8')
    const mounted = [...readFileSync(join(FOLDER, name), 'utf8').matchAll(/- \.\/([^:]+):/g)].map(
      ([, file]) => file,
    )
    expect(mounted.length).toBeGreaterThan(1)
    for (const file of mounted) if (!existsSync(join(FOLDER, file ?? ''))) expect(readme).toContain(file)
  },
)

test('the instances of compose.s3.yaml take the settings that it mounts', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'counterproof-compose-'))
  cpSync(join(FOLDER, 'central.s3.json'), join(dataDir, 'central.json'))
  const env = { AWS_ACCESS_KEY_ID: 'central', AWS_SECRET_ACCESS_KEY: 'secret' }
  const { storage } = loadCentralConfig({ dataDir }, env)
  rmSync(dataDir, { recursive: true })
  expect(storage).toMatchObject({ kind: 's3', endpoint: 'https://s3:7070', bucket: 'proofs' })
})
