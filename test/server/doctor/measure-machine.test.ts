/** The measurements of the doctor on trees of files as systems have them, and with programs that answer as the real ones do. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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
