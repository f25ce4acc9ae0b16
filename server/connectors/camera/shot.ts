/**
 * One picture by node-webcam, which runs fswebcam through a shell. Owns: the command line, its time and its file.
 * Never: a text from outside in that command line: every part of it is a number or has passed the allow-list
 * (device-name.ts), and the line is compared with a pattern of its own before it runs.
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
  /** Thrown away before the picture: until then a camera finds its exposure. */
  readonly skipFrames: number
  readonly delaySeconds: number
  readonly rotateDeg: 0 | 90 | 180 | 270
  readonly timeoutMs: number
  readonly maxBytes: number
}

export type Shot =
  | { readonly kind: 'taken'; readonly jpeg: Uint8Array }
  | { readonly kind: 'fault'; readonly fault: CameraFault }

/** Absolute paths; null where one of them is not installed. */
export interface ShotPrograms {
  readonly fswebcam: string
  /** Of coreutils: it ends the camera's process in time, even if this process is gone by then. */
  readonly timeout: string
}

/** The best that fswebcam takes. */
const JPEG_QUALITY = 95
/** Between the polite end and the other one. */
const KILL_AFTER_S = 1
/** What `timeout` ends with when time was over. */
const TIMED_OUT = 124
const FOLDER = 'counterproof-camera-'
/** A folder that outlived its picture by so much was left behind by a crash. */
const LEFT_BEHIND_MS = 300_000
/** Numbers, safe paths and the options that we use: nothing that a shell would take for more than words. */
const HARMLESS = /^[A-Za-z0-9 ._:/=-]+$/

export function findPrograms(env: NodeJS.ProcessEnv): ShotPrograms | null {
  const fswebcam = findProgram('fswebcam', env)
  const timeout = findProgram('timeout', env)
  return fswebcam && timeout ? { fswebcam, timeout } : null
}

/** Never rejects for what a camera does. Throws TypeError for settings that no configuration lets through. */
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
    return error ? { kind: 'fault', fault: faultOf(error) } : await readPicture(file, settings.maxBytes)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The line for the shell, for tests that compare it with what a shell would do. */
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
  // `exec`: the shell becomes the program that watches the time, so that nothing is left between the two.
  webcam.bin = `exec ${timeout} -k ${KILL_AFTER_S} ${(timeoutMs / 1000).toFixed(1)} ${fswebcam}`
  return webcam
}

function requireHarmless(line: string): void {
  if (!HARMLESS.test(line)) throw new TypeError('a command line with more than words')
}

/** node-webcam gives the shell's error, or one of its own for a device that is not there. */
function faultOf(error: unknown): CameraFault {
  const { code, signal, message = '' } = error as { code?: unknown; signal?: unknown; message?: string }
  // `timeout` ends itself by the signal that it had to send.
  if (code === TIMED_OUT || signal === 'SIGKILL') return 'TIMED_OUT'
  if (code === 126 || code === 127) return 'PROGRAM_MISSING'
  return faultIn(message) ?? 'NO_PICTURE'
}

/** The words of the system that fswebcam repeats. Only what they mean continues, never the text. */
function faultIn(text: string): CameraFault | null {
  const meanings: readonly (readonly [RegExp, CameraFault])[] = [
    [/permission denied|not permitted/i, 'NOT_ALLOWED'],
    [/resource busy/i, 'CAMERA_BUSY'],
    [/no webcam found|no such (file|device)/i, 'CAMERA_MISSING'],
  ]
  return meanings.find(([words]) => words.test(text))?.[1] ?? null
}

/** fswebcam ends well without a picture when the camera gives none: what lies there decides. */
async function readPicture(file: string, maxBytes: number): Promise<Shot> {
  const found = await stat(file).catch(() => null)
  if (!found?.isFile() || found.size > maxBytes) return { kind: 'fault', fault: 'NO_PICTURE' }
  const jpeg = new Uint8Array(await readFile(file))
  return isWholeJpeg(jpeg) ? { kind: 'taken', jpeg } : { kind: 'fault', fault: 'NO_PICTURE' }
}

/** Begins and ends as a JPEG does (ITU-T T.81, B.1.1.3: SOI and EOI); the worker decodes it. */
function isWholeJpeg(bytes: Uint8Array): boolean {
  const [end, last] = bytes.subarray(-2)
  return bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff && end === 0xff && last === 0xd9
}

/** In memory where there is such a place: a picture of a document never reaches the disk. */
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

/** Whatever a crash has left. Never rejects. */
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
