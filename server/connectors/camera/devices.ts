/**
 * Which cameras are plugged in, as the kernel tells: name, USB identity, whether a node gives pictures. Owns: reading
 * sysfs. Never: opening a camera, or deciding which one is the right one. What cannot be read is null, never a guess.
 */
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { CameraIdentity } from '../../proofing/antifraud/device-integrity.ts'

export interface CameraDevice {
  /** /dev/videoN */
  readonly path: string
  /** As the driver calls it. */
  readonly name: string
  /** Null: not on USB. */
  readonly usb: (CameraIdentity & { readonly maker: string | null; readonly model: string | null }) | null
  /** Port of the machine, as `1-2.3`: the same as long as nobody moves the plug. */
  readonly port: string | null
  /** False for the nodes of a camera that carry no picture (metadata). */
  readonly captures: boolean
  /** False: the node in /dev is missing, or is no device. */
  readonly ready: boolean
}

/** Where the kernel shows itself; tests bring a tree of their own. */
export interface SystemRoots {
  readonly sys: string
  readonly dev: string
  /** udev's own notes. */
  readonly udev: string
  isCharacterDevice(path: string): Promise<boolean>
}

export const SYSTEM_ROOTS: SystemRoots = {
  sys: '/sys',
  dev: '/dev',
  udev: '/run/udev/data',
  isCharacterDevice: (path) =>
    stat(path).then(
      (found) => found.isCharacterDevice(),
      () => false,
    ),
}

/** An interface of a USB device lies one folder below it, behind a hub or not; a bridge of video makes one more. */
const LEVELS_UP = 4
const NODE = /^video(\d{1,3})$/

/** In the order of their numbers; empty where there is no camera. Never rejects. */
export async function listCameras(roots: SystemRoots = SYSTEM_ROOTS): Promise<readonly CameraDevice[]> {
  const folder = join(roots.sys, 'class', 'video4linux')
  const names = await readdir(folder).catch((): string[] => [])
  const numbers = names.flatMap((name) => NODE.exec(name)?.[1] ?? []).map(Number)
  return Promise.all(numbers.sort((a, b) => a - b).map((number) => readDevice(roots, folder, number)))
}

async function readDevice(roots: SystemRoots, folder: string, number: number): Promise<CameraDevice> {
  const node = join(folder, `video${number}`)
  const [name, index, numbers, usb, ready] = await Promise.all([
    readLine(join(node, 'name')),
    readLine(join(node, 'index')),
    readLine(join(node, 'dev')),
    findUsb(join(node, 'device')),
    roots.isCharacterDevice(join(roots.dev, `video${number}`)),
  ])
  return {
    path: `/dev/video${number}`,
    name: name ?? `video${number}`,
    usb: usb?.identity ?? null,
    port: usb?.port ?? null,
    captures: await givesPictures(roots, numbers, index),
    ready,
  }
}

/** udev has asked the driver; without udev's note, the first node of a camera is the one with pictures. */
async function givesPictures(
  { udev }: SystemRoots,
  numbers: string | null,
  index: string | null,
): Promise<boolean> {
  const note = numbers === null ? null : await readFile(join(udev, `c${numbers}`), 'utf8').catch(() => null)
  const told = /^E:ID_V4L_CAPABILITIES=(.*)$/m.exec(note ?? '')?.[1]
  return told === undefined ? index === null || index === '0' : told.split(':').includes('capture')
}

interface Usb {
  readonly identity: NonNullable<CameraDevice['usb']>
  readonly port: string
}

/** The first folder on the way up that has a vendor: the USB device that the video interface belongs to. */
async function findUsb(link: string): Promise<Usb | null> {
  let folder = await realpath(link).catch(() => null)
  for (let level = 0; folder !== null && level < LEVELS_UP; level++, folder = dirname(folder)) {
    const [vendor, product] = await Promise.all([
      readLine(join(folder, 'idVendor')),
      readLine(join(folder, 'idProduct')),
    ])
    if (vendor === null || product === null) continue
    const [serial, maker, model] = await Promise.all(
      ['serial', 'manufacturer', 'product'].map((name) => readLine(join(folder as string, name))),
    )
    const identity = { vendor, product, ...(serial === null ? {} : { serial }), maker, model }
    return { identity, port: folder.slice(folder.lastIndexOf('/') + 1) }
  }
  return null
}

/** A file of sysfs holds one line; what a device says of itself is cut to what a screen can show. */
async function readLine(path: string): Promise<string | null> {
  const text = await readFile(path, 'utf8').catch(() => null)
  // eslint-disable-next-line no-control-regex -- what a plug says of itself must not steer a terminal
  const line = text?.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ').trim()
  return line ? line.slice(0, 100) : null
}
