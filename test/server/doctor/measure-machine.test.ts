/** The measurements of the doctor on trees of files as systems have them, and with programs that answer as the real ones do. */
import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  isClockSynchronised,
  measurePower,
  measurePrinter,
  measureSpeech,
  NotMeasurable,
} from '../../../server/doctor/measure-machine.ts'
import { measureUpdates } from '../../../server/doctor/measure-updates.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'counterproof-machine-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, text: string, mode = 0o600): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text, { mode })
}

/** A program on the path of the measurement. */
function install(name: string, script: string): NodeJS.ProcessEnv {
  write(`bin/${name}`, `#!/bin/sh\n${script}\n`, 0o700)
  return { PATH: `${join(root, 'bin')}:/usr/bin:/bin` }
}

test('power: mains and battery of sysfs, and not the battery of a mouse', async () => {
  const supply = 'sys/class/power_supply'
  for (const [path, text] of [
    ['AC/type', 'Mains'],
    ['AC/online', '0'],
    ['BAT0/type', 'Battery'],
    ['BAT0/capacity', '12'],
    ['BAT0/status', 'Discharging'],
    ['mouse/type', 'Battery'],
    ['mouse/scope', 'Device'],
    ['mouse/capacity', '3'],
  ])
    write(`${supply}/${path}`, `${text}\n`)
  expect(await measurePower(root)).toEqual([
    { name: 'AC', kind: 'MAINS', isOnline: false, chargePercent: null, isDischarging: false },
    { name: 'BAT0', kind: 'BATTERY', isOnline: null, chargePercent: 12, isDischarging: true },
  ])
})

test('speech: the voices of Speech Dispatcher, without the modules that speak nothing', async () => {
  write('usr/lib/x86_64-linux-gnu/speech-dispatcher-modules/sd_espeak-ng', '')
  write('usr/lib/x86_64-linux-gnu/speech-dispatcher-modules/sd_dummy', '')
  const env = install('speech-dispatcher', 'exit 0')
  expect(await measureSpeech(env, root)).toEqual({ isInstalled: true, modules: ['espeak-ng'] })
})

test.each([
  ['printer receipts is idle.  enabled since Mon', true],
  ['printer receipts disabled since Mon -\n\tPaused', false],
])('printer: CUPS says "%s"', async (said, isEnabled) => {
  const env = install(
    'lpstat',
    `if [ "$1" = -d ]; then echo "system default destination: receipts"; else echo "${said}"; fi`,
  )
  expect(await measurePrinter(env)).toEqual({ name: 'receipts', isEnabled })
})

test('printer: CUPS without a default printer names none', async () => {
  const env = install('lpstat', 'echo "no system default destination"')
  expect(await measurePrinter(env)).toEqual({ name: null, isEnabled: false })
})

test('printer: a program that is missing or fails cannot be measured', async () => {
  await expect(measurePrinter({ PATH: root })).rejects.toThrow(new NotMeasurable('lpstat is not installed.'))
  const env = install('lpstat', 'exit 1')
  await expect(measurePrinter(env)).rejects.toThrow(new NotMeasurable('lpstat does not answer.'))
})

test.each([
  ['echo yes', true],
  ['echo no', false],
  ['exit 1', null],
])('clock: timedatectl says "%s"', async (script, isSynchronised) => {
  expect(await isClockSynchronised(install('timedatectl', script))).toBe(isSynchronised)
})

test('updates: keys by kind and by who may write them, the last result, and how long a request has waited', async () => {
  const pem = (type: 'ed25519' | 'x25519') =>
    (type === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('x25519')).publicKey
      .export({ type: 'spki', format: 'pem' })
      .toString()
  const keys = 'etc/counterproof/release-keys'
  write(`${keys}/a-vendor.pem`, pem('ed25519'))
  write(`${keys}/b-open.pem`, pem('ed25519'))
  chmodSync(join(root, keys, 'b-open.pem'), 0o666)
  write(`${keys}/c-other.pem`, pem('x25519'))
  symlinkSync(join(root, keys, 'a-vendor.pem'), join(root, keys, 'd-link.pem'))
  write(`${keys}/notes.txt`, 'no key')
  write('usr/sbin/counterproof-update', '')
  write('data/updates/request.json', '{}')
  utimesSync(join(root, 'data/updates/request.json'), new Date(1_000_000), new Date(1_000_000))
  write('data-update/result.json', '{')
  const places = { releaseKeys: join(root, keys), updater: join(root, 'usr/sbin/counterproof-update') }
  const found = await measureUpdates(join(root, 'data'), true, new Date(1_060_000), places)
  const isOfRoot = process.getuid?.() === 0
  expect({ ...found, keys: found.keys.map(({ kind, isSafe }) => [kind, isSafe]) }).toEqual({
    isInstalled: true,
    isOffered: true,
    keys: [
      ['FOLDER', isOfRoot],
      ['FOLDER', isOfRoot],
      ['KEY', isOfRoot],
      ['KEY', false],
      ['NO_KEY', isOfRoot],
      ['KEY', false],
    ],
    last: 'UNREADABLE',
    requestAgeMs: 60_000,
    underWayAgeMs: null,
  })
  const nothing = await measureUpdates(join(root, 'other'), false, new Date(), {
    releaseKeys: join(root, 'no'),
    updater: join(root, 'no'),
  })
  expect(nothing).toEqual({
    isInstalled: false,
    isOffered: false,
    keys: [],
    last: null,
    requestAgeMs: null,
    underWayAgeMs: null,
  })
})
