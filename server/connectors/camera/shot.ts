/**
 * Takes one picture with node-webcam, which runs fswebcam in a shell. Owns the command line, its time limit and its file.
 * Security: every part of the command line is a number or passed the allow-list (device-name.ts), and the whole line is
 * matched with a pattern before it runs.
 */
import { randomUUID } from 'node:crypto'
import { accessSync, constants, statfsSync } from 'node:fs'
import { chmod, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import nodeWebcam from 'node-webcam'
import type { CameraFault } from './choose.ts'
import { isSafePath, type DeviceName } from './device-name.ts'

export interface ShotSettings {
  readonly widthPx: number
  readonly heightPx: number
  /** Frames discarded before the picture while the camera adjusts its exposure. */
  readonly skipFrames: number
  readonly delaySeconds: number
  readonly rotateDeg: 0 | 90 | 180 | 270
  readonly timeoutMs: number
  readonly maxBytes: number
}

export type Shot =
  | { readonly kind: 'taken'; readonly jpeg: Uint8Array }
  | { readonly kind: 'fault'; readonly fault: CameraFault }

/** Absolute paths; null if a program is not installed. */
export interface ShotPrograms {
  readonly fswebcam: string
  /** Program of coreutils that terminates the camera's process in time, even if this process has died. */
  readonly timeout: string
}

/** Maximum quality of fswebcam. */
const JPEG_QUALITY = 95
/** Delay between SIGTERM and SIGKILL. */
const KILL_AFTER_S = 1
/** Exit code of `timeout` on expiry. */
const TIMED_OUT = 124
const FOLDER = 'counterproof-camera-'
/** A folder this much older than its picture was left by a crash. */
const LEFT_BEHIND_MS = 300_000
/** Numbers, safe paths and the used options: nothing with a meaning to a shell. */
const HARMLESS = /^[A-Za-z0-9 ._:/=-]+$/

export function findPrograms(env: NodeJS.ProcessEnv): ShotPrograms | null {
  const fswebcam = findProgram('fswebcam', env)
  const timeout = findProgram('timeout', env)
  return fswebcam && timeout ? { fswebcam, timeout } : null
}

/** Never rejects because of the camera. Throws TypeError for settings that the configuration would reject. */
export async function takeShot(
  programs: ShotPrograms,
  device: DeviceName,
  settings: ShotSettings,
): Promise<Shot> {
  const folder = await mkdtemp(join(pictureFolder(), FOLDER))
  try {
    await chmod(folder, 0o700)
    const file = join(folder, `${randomUUID()}.jpg`)
    const webcam = cameraFor(programs, device, settings)
    requireHarmless(webcam.generateSh(file))
    const error = await new Promise<unknown>((resolve) => webcam.capture(file, resolve))
    return error ? { kind: 'fault', fault: classifyFault(error) } : await readPicture(file, settings.maxBytes)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The shell's command line, for tests. */
export function commandLine(programs: ShotPrograms, device: DeviceName, settings: ShotSettings): string {
  const line = cameraFor(programs, device, settings).generateSh('/dev/shm/picture.jpg')
  requireHarmless(line)
  return line
}

function cameraFor({ fswebcam, timeout }: ShotPrograms, device: DeviceName, settings: ShotSettings) {
  const { widthPx, heightPx, skipFrames, delaySeconds, rotateDeg, timeoutMs } = settings
  for (const number of [widthPx, heightPx, skipFrames, delaySeconds, rotateDeg, timeoutMs])
    if (!Number.isInteger(number) || number < 0 || number > 1_000_000) throw new TypeError('no such setting')
  for (const path of [fswebcam, timeout])
    if (!isSafePath(path)) throw new TypeError('a program in a folder with an unusual name')
  const webcam = new nodeWebcam.FSWebcam({
    width: widthPx,
    height: heightPx,
    quality: JPEG_QUALITY,
    output: 'jpeg',
    device: device.text,
    skip: skipFrames,
    delay: delaySeconds,
    rotation: rotateDeg,
    callbackReturn: 'location',
    verbose: false,
  })
  // `exec` replaces the shell by `timeout`, so that no process remains between them.
  webcam.bin = `exec ${timeout} -k ${KILL_AFTER_S} ${(timeoutMs / 1000).toFixed(1)} ${fswebcam}`
  return webcam
}

function requireHarmless(line: string): void {
  if (!HARMLESS.test(line)) throw new TypeError('a command line with more than words')
}

/** node-webcam reports the shell's error, or its own for a missing device. */
function classifyFault(error: unknown): CameraFault {
  const { code, signal, message = '' } = error as { code?: unknown; signal?: unknown; message?: string }
  // `timeout` kills itself with the signal that it sent.
  if (code === TIMED_OUT || signal === 'SIGKILL') return 'TIMED_OUT'
  if (code === 126 || code === 127) return 'PROGRAM_MISSING'
  return faultIn(message) ?? 'NO_PICTURE'
}

/** Maps system messages that fswebcam repeats to faults. The text itself is never passed on. */
function faultIn(text: string): CameraFault | null {
  const meanings: readonly (readonly [RegExp, CameraFault])[] = [
    [/permission denied|not permitted/i, 'NOT_ALLOWED'],
    [/resource busy/i, 'CAMERA_BUSY'],
    [/no webcam found|no such (file|device)/i, 'CAMERA_MISSING'],
  ]
  return meanings.find(([words]) => words.test(text))?.[1] ?? null
}

/** fswebcam succeeds without a picture if the camera delivers none, so the file decides. */
async function readPicture(file: string, maxBytes: number): Promise<Shot> {
  const found = await stat(file).catch(() => null)
  if (!found?.isFile() || found.size > maxBytes) return { kind: 'fault', fault: 'NO_PICTURE' }
  const jpeg = new Uint8Array(await readFile(file))
  return isWholeJpeg(jpeg) ? { kind: 'taken', jpeg } : { kind: 'fault', fault: 'NO_PICTURE' }
}

/** Checks the markers at start and end (ITU-T T.81, B.1.1.3: SOI and EOI); the worker decodes it. */
function isWholeJpeg(bytes: Uint8Array): boolean {
  const [end, last] = bytes.subarray(-2)
  return bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff && end === 0xff && last === 0xd9
}

/** A folder in memory if there is one, so that a document's picture never reaches the disk. */
export function pictureFolder(env: NodeJS.ProcessEnv = process.env): string {
  const folders = [env.XDG_RUNTIME_DIR, '/dev/shm'].filter((path) => path !== undefined)
  const inMemory = folders.find((path) => isSafePath(path) && isWritable(path) && isInMemory(path))
  const fallback = isSafePath(tmpdir()) ? tmpdir() : '/tmp'
  return inMemory ?? fallback
}

/** TMPFS_MAGIC of Linux (statfs(2)). */
const TMPFS = 0x01021994

function isInMemory(path: string): boolean {
  try {
    return statfsSync(path).type === TMPFS
  } catch {
    return false
  }
}

/** Deletes remains of a crash. Never rejects. */
export async function removeLeftPictures(folder = pictureFolder()): Promise<void> {
  const names = await readdir(folder).catch((): string[] => [])
  for (const name of names.filter((entry) => entry.startsWith(FOLDER))) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => null)
    if (!found || Date.now() - found.mtimeMs < LEFT_BEHIND_MS || found.uid !== process.getuid?.()) continue
    await rm(path, { recursive: true, force: true }).catch(() => undefined)
  }
}

function findProgram(name: string, env: NodeJS.ProcessEnv): string | null {
  const folders = (env.PATH ?? '/usr/bin:/bin').split(delimiter).filter((folder) => isSafePath(folder))
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null
}

function isExecutable(path: string): boolean {
  return hasAccess(path, constants.X_OK)
}
function isWritable(path: string): boolean {
  return hasAccess(path, constants.W_OK)
}
function hasAccess(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}
