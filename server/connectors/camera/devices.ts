/**
 * Lists connected cameras from sysfs: name, USB identity, and whether a node captures pictures. Opens no camera and does
 * not select one. Unreadable facts are null.
 */
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { CameraIdentity } from '../../proofing/antifraud/device-integrity.ts'

export interface CameraDevice {
  /** /dev/videoN */
  readonly path: string
  /** Name reported by the driver. */
  readonly name: string
  /** Null if it is not on USB. */
  readonly usb: (CameraIdentity & { readonly maker: string | null; readonly model: string | null }) | null
  /** USB port such as `1-2.3`: constant while the plug stays in place. */
  readonly port: string | null
  /** False for metadata nodes of a camera. */
  readonly captures: boolean
  /** False if the node in /dev is missing or no device. */
  readonly ready: boolean
  /** A program of this machine, or another machine, feeds the pictures: no lens is behind this node. */
  readonly isSoftware: boolean
}

/** Locations of sysfs, /dev and udev; tests provide their own tree. */
export interface SystemRoots {
  readonly sys: string
  readonly dev: string
  /** udev database. */
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

/** A USB interface is one folder below its device, with or without a hub; a video bridge adds another level. */
const LEVELS_UP = 4
const NODE = /^video(\d{1,3})$/
/**
 * Folders of sysfs below which no lens is: v4l2loopback (`virtual`), the kernel's test driver (`vivid`), and USB devices that
 * a program pretends (`dummy_hcd`) or that another machine lends (`vhci_hcd`, USB/IP).
 */
const SOFTWARE = /\/devices\/(?:virtual|platform\/(?:vivid|dummy_hcd|vhci_hcd))[./]/

/** Sorted by number; empty without cameras. Never rejects. */
export async function listCameras(roots: SystemRoots = SYSTEM_ROOTS): Promise<readonly CameraDevice[]> {
  const folder = join(roots.sys, 'class', 'video4linux')
  const names = await readdir(folder).catch((): string[] => [])
  const numbers = names.flatMap((name) => NODE.exec(name)?.[1] ?? []).map(Number)
  return Promise.all(numbers.sort((a, b) => a - b).map((number) => readDevice(roots, folder, number)))
}

async function readDevice(roots: SystemRoots, folder: string, number: number): Promise<CameraDevice> {
  const node = join(folder, `video${number}`)
  const [name, index, numbers, usb, ready, place] = await Promise.all([
    readLine(join(node, 'name')),
    readLine(join(node, 'index')),
    readLine(join(node, 'dev')),
    findUsb(join(node, 'device')),
    roots.isCharacterDevice(join(roots.dev, `video${number}`)),
    realpath(node).catch(() => ''),
  ])
  return {
    path: `/dev/video${number}`,
    name: name ?? `video${number}`,
    usb: usb?.identity ?? null,
    port: usb?.port ?? null,
    captures: await givesPictures(roots, numbers, index),
    ready,
    isSoftware: SOFTWARE.test(place),
  }
}

/** udev has queried the driver; without a udev entry the first node of a camera is the capturing one. */
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

/** The first parent folder with a vendor: the USB device of the video interface. */
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

/** A sysfs file has one line; device strings are shortened for display. */
async function readLine(path: string): Promise<string | null> {
  const text = await readFile(path, 'utf8').catch(() => null)
  // oxlint-disable-next-line no-control-regex -- the text of a device must not control a terminal
  const line = text?.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ').trim()
  return line ? line.slice(0, 100) : null
}
