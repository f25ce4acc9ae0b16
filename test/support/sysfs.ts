/** A folder that looks like Linux's /sys with cameras, and a /dev in which all of them are devices. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import type { SystemRoots } from '../../server/connectors/camera/devices.ts'

export interface FakeCamera {
  readonly vendor: string
  readonly product: string
  readonly serial?: string
  readonly name?: string
  /** The port it is plugged into. */
  readonly port?: string
  /** A camera has a node for pictures and, often, one for metadata. */
  readonly nodes: readonly number[]
  /** Folder of /sys/devices; default: a USB controller on PCI. */
  readonly below?: string
  /** udev's capabilities of each node; without them there is no record. */
  readonly capabilities?: readonly string[]
}

export interface FakeSystem {
  readonly roots: SystemRoots
  plug(camera: FakeCamera): void
  unplug(node: number): void
  remove(): void
}

const VIDEO_MAJOR = 81

export function fakeSystem(...cameras: readonly FakeCamera[]): FakeSystem {
  const root = mkdtempSync(join(tmpdir(), 'counterproof-sysfs-'))
  const roots: SystemRoots = {
    sys: join(root, 'sys'),
    dev: '/dev',
    udev: join(root, 'udev'),
    isCharacterDevice: async () => true,
  }
  const classFolder = join(roots.sys, 'class', 'video4linux')
  mkdirSync(classFolder, { recursive: true })
  mkdirSync(roots.udev)
  const plug = ({
    vendor,
    product,
    serial,
    name,
    port = '1-2',
    nodes,
    capabilities,
    below,
  }: FakeCamera): void => {
    const device = join(roots.sys, 'devices', below ?? 'pci0000:00/0000:00:14.0/usb1', port)
    const face = join(device, `${port}:1.0`)
    mkdirSync(face, { recursive: true })
    writeFileSync(join(device, 'idVendor'), `${vendor}\n`)
    writeFileSync(join(device, 'idProduct'), `${product}\n`)
    writeFileSync(join(device, 'manufacturer'), 'Example Optics\n')
    writeFileSync(join(device, 'product'), 'Desk Camera\n')
    if (serial !== undefined) writeFileSync(join(device, 'serial'), `${serial}\n`)
    for (const [index, node] of nodes.entries()) {
      const folder = join(face, 'video4linux', `video${node}`)
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'name'), `${name ?? 'Desk Camera: Desk Camera'}\n`)
      writeFileSync(join(folder, 'index'), `${index}\n`)
      writeFileSync(join(folder, 'dev'), `${VIDEO_MAJOR}:${node}\n`)
      symlinkSync(relative(folder, face), join(folder, 'device'))
      symlinkSync(relative(classFolder, folder), join(classFolder, `video${node}`))
      const told = capabilities?.[index]
      if (told !== undefined)
        writeFileSync(
          join(roots.udev, `c${VIDEO_MAJOR}:${node}`),
          `I:12\nE:ID_V4L_VERSION=2\nE:ID_V4L_CAPABILITIES=${told}\n`,
        )
    }
  }
  for (const camera of cameras) plug(camera)
  return {
    roots,
    plug,
    unplug: (node) => rmSync(join(classFolder, `video${node}`)),
    remove: () => rmSync(root, { recursive: true }),
  }
}
