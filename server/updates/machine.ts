/**
 * Changes the machine for the root updater: dpkg, systemctl, the copy of the database. Decides nothing. Touches the data folder
 * only as the folder's owner, so that a link of a server that was taken over leads root nowhere.
 */
import { spawnSync } from 'node:child_process'
import { lstatSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { DATA_FOLDER, getUpdatePaths } from './paths.ts'
import type { PackageFacts } from './rules.ts'
import { DATABASE } from '../files/database-files.ts'

const { folder: UPDATER_FOLDER } = getUpdatePaths(DATA_FOLDER)
const DATABASES = [DATABASE, 'keys/identity-keys.sqlite']
const FILES = DATABASES.flatMap((name) => [name, `${name}-wal`]).join(' ')
const MAX_OUTPUT_BYTES = 1024 * 1024
/** Ten minutes in total. */
const MAX_TRIES = 200
const LOCKED_MS = 3000

const COPY = `umask 077; rm -rf updates/before; mkdir -p updates/before/keys
for file in ${FILES}; do [ ! -f "$file" ] || cp -p "$file" "updates/before/$file"; done; sync`
const PUT_BACK = `umask 077; test -d updates/before
for file in ${FILES} ${DATABASES.map((name) => `${name}-shm`).join(' ')}; do rm -f "$file"; done
for file in ${FILES}; do [ ! -f "updates/before/$file" ] || cp -p "updates/before/$file" "$file"; done; sync`

/** Throws with the last lines of the program if it fails. */
function run(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    env: { ...process.env, ...env, LC_ALL: 'C' },
    maxBuffer: MAX_OUTPUT_BYTES,
  })
  if (error) throw error
  if (status !== 0) throw new Error(`${program} ${args[0]} failed: ${stderr.trim().slice(-2000)}`)
  return stdout
}

/** The one way to systemd. */
export function controlService(
  verb: 'start' | 'stop' | 'try-restart',
  unit: 'counterproof' | 'counterproof-kiosk',
): void {
  run('systemctl', [verb, `${unit}.service`])
}

export function isServiceWanted(): boolean {
  const asks = ['is-active', 'is-enabled'] as const
  return asks.some((ask) => spawnSync('systemctl', ['--quiet', ask, 'counterproof.service']).status === 0)
}

/** Null: it is not installed, or only in part. */
export function findInstalledVersion(): string | null {
  const format = '${db:Status-Abbrev} ${Version}'
  const { stdout } = spawnSync('dpkg-query', ['-W', '-f', format, 'counterproof'], { encoding: 'utf8' })
  const [, status, version = ''] = /^(\S+)\s+(\S+)/.exec(stdout ?? '') ?? []
  return status === 'ii' ? version : null
}

export function readArchitecture(): string {
  return run('dpkg', ['--print-architecture']).trim()
}

export function readPackage(path: string): PackageFacts {
  const field = (name: string): string => run('dpkg-deb', ['-f', path, name]).trim()
  return {
    name: field('Package'),
    version: field('Version'),
    architecture: field('Architecture'),
    installedKilobytes: Number(field('Installed-Size')) || 0,
  }
}

/**
 * Waits while another program, such as an automatic upgrade of Debian, uses dpkg. Files of /etc that the administrator changed
 * stay. `COUNTERPROOF_UPDATE` tells the package's scripts who restarts the server.
 */
export async function installPackage(path: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      run('dpkg', ['--force-confdef', '--force-confold', '--install', path], {
        DEBIAN_FRONTEND: 'noninteractive',
        COUNTERPROOF_UPDATE: '1',
      })
      return
    } catch (error) {
      if (tries === MAX_TRIES || !/lock was locked by another process/.test(String(error))) throw error
      await wait(LOCKED_MS)
    }
  }
}

/**
 * Packs the installed version again, if its package was not kept: the first update after an installation by apt. Leaves out the
 * files of /etc, which dpkg keeps with what it knows of them.
 */
export function packInstalled(target: string): void {
  run('/bin/sh', [
    '-ec',
    `tree=$(mktemp -d ${UPDATER_FOLDER}/tree.XXXXXX); trap 'rm -rf "$tree"' EXIT; chmod 0755 "$tree"
    dpkg-query -L counterproof | grep -v '^/etc/' | tar -C / --no-recursion -c --files-from - | tar -C "$tree" -x
    mkdir "$tree/DEBIAN"; dpkg-query -s counterproof | sed '/^Status:/d; /^Conffiles:/,/^[^ ]/{/^Conffiles:/d; /^ /d}' >"$tree/DEBIAN/control"
    for script in preinst postinst prerm postrm; do
      [ ! -f "/var/lib/dpkg/info/counterproof.$script" ] || cp -p "/var/lib/dpkg/info/counterproof.$script" "$tree/DEBIAN/$script"
    done
    dpkg-deb -Zzstd -z1 --build "$tree" "$1.new" >&2; mv "$1.new" "$1"`,
    'pack',
    target,
  ])
}

export function measureFreeBytes(): number {
  const free = [UPDATER_FOLDER, DATA_FOLDER, '/usr'].map((folder) => {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  })
  return Math.min(...free)
}

export function measureDatabases(): number {
  const sizes = DATABASES.map(
    (name) => lstatSync(join(DATA_FOLDER, name), { throwIfNoEntry: false })?.size ?? 0,
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

function runAsOwner(program: string, args: readonly string[]): string {
  const { uid, gid } = lstatSync(DATA_FOLDER)
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    uid,
    gid,
    cwd: DATA_FOLDER,
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    maxBuffer: MAX_OUTPUT_BYTES,
  })
  if (error) throw error
  if (status !== 0) throw new Error(`a step in the data folder failed: ${stderr.trim().slice(-2000)}`)
  return stdout
}

/** Only while the server is stopped. */
export const copyDatabases = (): unknown => runAsOwner('/bin/sh', ['-ec', COPY])
export const putDatabasesBack = (): unknown => runAsOwner('/bin/sh', ['-ec', PUT_BACK])
/** The copy holds keys of identities, so that it must not outlive the update. */
export const discardCopy = (): unknown => runAsOwner('/bin/rm', ['-rf', 'updates/before'])
export const discardRequest = (): unknown => runAsOwner('/bin/rm', ['-f', 'updates/request.json'])

/** Open visits at kiosk and counter, and captures that a restart would end. The schema is the one of this version. */
export function countVisits(): number {
  if (!lstatSync(join(DATA_FOLDER, DATABASE), { throwIfNoEntry: false })?.isFile()) return 0
  const count = `
    const { DatabaseSync } = require('node:sqlite')
    const db = new DatabaseSync('${DATABASE}', { readOnly: true })
    const [visits, captures] = [
      'SELECT count(*) AS n FROM visits WHERE ended_at IS NULL',
      "SELECT count(*) AS n FROM capture_sessions WHERE state = 'OPEN'",
    ].map((query) => db.prepare(query).get().n)
    console.log(visits + captures)`
  return Number(runAsOwner(process.execPath, ['--no-warnings', '-e', count]))
}
