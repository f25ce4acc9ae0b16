/** Measures the machine: clock, voice, printer, power. Reads files of the system and asks its own programs, each with a time limit. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'
import type { PowerSupply, Printer } from './facts.ts'

const run = promisify(execFile)
const PATIENCE_MS = 3_000
const USUAL_PATH = '/usr/local/bin:/usr/bin:/bin'

/** A fact that this machine does not tell; the message is a sentence. */
export class NotMeasurable extends Error {
  override readonly name = 'NotMeasurable'
}

/** @throws NotMeasurable if the program is missing, fails or takes too long */
async function ask(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  try {
    const { stdout } = await run(program, args, {
      timeout: PATIENCE_MS,
      maxBuffer: 64 * 1024,
      env: { ...env, LC_ALL: 'C' },
    })
    return stdout
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    throw new NotMeasurable(`${program} ${isMissing ? 'is not installed' : 'does not answer'}.`)
  }
}

/** Null: the system does not tell. */
export async function isClockSynchronised(env: NodeJS.ProcessEnv): Promise<boolean | null> {
  const answer = await ask('timedatectl', ['show', '--property=NTPSynchronized', '--value'], env).catch(
    () => '',
  )
  return answer.trim() === 'yes' ? true : answer.trim() === 'no' ? false : null
}

const MODULE = /^sd_([a-z0-9-]{1,40})$/
/** Modules that speak nothing. */
const SILENT = ['dummy', 'generic']

export async function measureSpeech(env: NodeJS.ProcessEnv, root = '/') {
  const folders = await readdir(join(root, 'usr/lib')).catch((): string[] => [])
  const places = ['', ...folders.filter((name) => name.endsWith('-linux-gnu'))].map((name) =>
    join(root, 'usr/lib', name, 'speech-dispatcher-modules'),
  )
  const names = (await Promise.all(places.map((place) => readdir(place).catch((): string[] => [])))).flat()
  const modules = names
    .flatMap((name) => MODULE.exec(name)?.[1] ?? [])
    .filter((name) => !SILENT.includes(name))
  return { isInstalled: isOnPath('speech-dispatcher', env), modules: [...new Set(modules)].sort() }
}

function isOnPath(name: string, { PATH = USUAL_PATH }: NodeJS.ProcessEnv): boolean {
  return PATH.split(delimiter)
    .filter(isAbsolute)
    .some((folder) => existsSync(join(folder, name)))
}

/** @throws NotMeasurable if CUPS is missing or does not answer */
export async function measurePrinter(env: NodeJS.ProcessEnv): Promise<Printer> {
  const name =
    /^system default destination: ([\w.-]{1,127})$/m.exec(await ask('lpstat', ['-d'], env))?.[1] ?? null
  if (name === null) return { name, isEnabled: false }
  const state = await ask('lpstat', ['-p', name], env)
  return { name, isEnabled: /^printer \S+ (?!disabled)/m.test(state) }
}

/** Supplies of the machine itself: sysfs lists batteries of mice and keyboards with the scope Device. */
export async function measurePower(root = '/'): Promise<readonly PowerSupply[]> {
  const folder = join(root, 'sys/class/power_supply')
  const names = await readdir(folder).catch((): string[] => [])
  const supplies = await Promise.all(names.sort().map((name) => readSupply(join(folder, name), name)))
  return supplies.filter((supply) => supply !== null)
}

async function readSupply(folder: string, name: string): Promise<PowerSupply | null> {
  const read = (file: string) =>
    readFile(join(folder, file), 'utf8').then(
      (text) => text.trim(),
      () => null,
    )
  const [type, scope, online, capacity, status] = await Promise.all(
    ['type', 'scope', 'online', 'capacity', 'status'].map(read),
  )
  if (scope === 'Device' || (type !== 'Mains' && type !== 'Battery' && type !== 'UPS')) return null
  return {
    name,
    kind: type === 'Mains' ? 'MAINS' : 'BATTERY',
    isOnline: online === null ? null : online === '1',
    chargePercent: capacity !== null && /^\d{1,3}$/.test(capacity) ? Number(capacity) : null,
    isDischarging: status === 'Discharging',
  }
}
