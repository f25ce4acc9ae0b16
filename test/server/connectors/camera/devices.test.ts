import { afterEach, describe, expect, test } from 'vitest'
import { chooseCamera } from '../../../../server/connectors/camera/choose.ts'
import { readDeviceName } from '../../../../server/connectors/camera/device-name.ts'
import { listCameras } from '../../../../server/connectors/camera/devices.ts'
import { fakeSystem, type FakeCamera, type FakeSystem } from '../../../support/sysfs.ts'

const DESK: FakeCamera = { vendor: '046d', product: '085e', serial: 'AB12', nodes: [0, 1] }
const FACE: FakeCamera = { vendor: '32e4', product: '9230', port: '1-4.1', nodes: [2], name: 'Face: Face' }
let system: FakeSystem
afterEach(() => system.remove())

describe('the cameras that are plugged in', () => {
  test('are told with their USB identity, their port and whether a node gives pictures', async () => {
    system = fakeSystem(DESK, FACE)
    const made = { maker: 'Example Optics', model: 'Desk Camera' }
    expect(await listCameras(system.roots)).toEqual([
      {
        path: '/dev/video0',
        name: 'Desk Camera: Desk Camera',
        usb: { vendor: '046d', product: '085e', serial: 'AB12', ...made },
        port: '1-2',
        captures: true,
        ready: true,
        isSoftware: false,
      },
      expect.objectContaining({ path: '/dev/video1', captures: false }),
      {
        path: '/dev/video2',
        name: 'Face: Face',
        usb: { vendor: '32e4', product: '9230', ...made },
        port: '1-4.1',
        captures: true,
        ready: true,
        isSoftware: false,
      },
    ])
  })

  test('are asked again every time: one that was plugged in later is there, one that was taken is not', async () => {
    system = fakeSystem(DESK)
    const paths = async () => (await listCameras(system.roots)).map(({ path }) => path)
    expect(await paths()).toEqual(['/dev/video0', '/dev/video1'])
    system.plug(FACE)
    system.unplug(0)
    expect(await paths()).toEqual(['/dev/video1', '/dev/video2'])
  })

  test("give pictures where udev's note says so, whatever the number of the node", async () => {
    system = fakeSystem({ ...DESK, capabilities: [':', ':capture:'] })
    expect((await listCameras(system.roots)).map(({ captures }) => captures)).toEqual([false, true])
  })

  // @clause NIST-63A-4/3.14-sensor
  test.each([
    ['v4l2loopback', 'virtual/video4linux', true],
    ['the test driver of the kernel', 'platform/vivid.0', true],
    ['a USB device that a program pretends', 'platform/dummy_hcd.0/usb3', true],
    ['a USB device of another machine', 'platform/vhci_hcd.0/usb5', true],
    ['the USB controller of a board without PCI', 'platform/soc/fe980000.usb/usb1', false],
  ])('are distinguished from %s, whatever their name', async (_name, below, isSoftware) => {
    system = fakeSystem({ ...FACE, below })
    expect(await listCameras(system.roots)).toEqual([
      expect.objectContaining({ name: 'Face: Face', isSoftware }),
    ])
  })

  test('are none on a machine that has no camera, which is no failure', async () => {
    system = fakeSystem()
    expect(await listCameras({ ...system.roots, sys: '/nowhere' })).toEqual([])
    expect(await listCameras(system.roots)).toEqual([])
  })

  test('cannot steer a terminal by what they call themselves', async () => {
    system = fakeSystem({ ...DESK, name: '\u001b[2JDesk\u0007' })
    expect((await listCameras(system.roots))[0]?.name).toBe('[2JDesk')
  })
})

describe('the camera that is meant', () => {
  const pin = { vendor: '046D', product: '085e', serial: 'AB12' }
  const choose = async (wish: { device?: string; pin?: typeof pin | { vendor: string; product: string } }) =>
    chooseCamera(
      { device: wish.device === undefined ? null : readDeviceName(wish.device), pin: wish.pin },
      await listCameras(system.roots),
    )
  const identity = { vendor: '046d', product: '085e', serial: 'AB12' }

  test('is found by its pin wherever it was plugged in, and only its node with pictures', async () => {
    system = fakeSystem({ ...FACE, nodes: [0] }, { ...DESK, nodes: [5, 6] })
    expect(await choose({ pin })).toEqual({ kind: 'camera', device: '/dev/video5', camera: identity })
  })

  test('is the node that was named, with what it says of itself', async () => {
    system = fakeSystem(DESK, FACE)
    expect(await choose({ device: '/dev/video0' })).toEqual({
      kind: 'camera',
      device: '/dev/video0',
      camera: identity,
    })
    expect(await choose({ device: '/dev/video1' })).toEqual({ kind: 'fault', fault: 'CAMERA_MISSING' })
    expect(await choose({ device: '/dev/video9' })).toEqual({ kind: 'fault', fault: 'CAMERA_MISSING' })
  })

  test('is missed by name when it is not there, or another one stands in its place', async () => {
    system = fakeSystem(FACE)
    expect(await choose({ pin })).toEqual({ kind: 'fault', fault: 'WRONG_CAMERA' })
    expect(await choose({ device: '/dev/video2', pin })).toEqual({ kind: 'fault', fault: 'WRONG_CAMERA' })
    system.unplug(2)
    expect(await choose({ pin })).toEqual({ kind: 'fault', fault: 'CAMERA_MISSING' })
  })

  test('of a kind of which there are two has to be named by its serial number', async () => {
    system = fakeSystem(DESK, { ...DESK, port: '1-3', serial: 'CD34', nodes: [3] })
    const kind = { vendor: '046d', product: '085e' }
    expect(await choose({ pin: kind })).toEqual({ kind: 'fault', fault: 'SEVERAL_CAMERAS' })
    expect(await choose({ pin })).toMatchObject({ device: '/dev/video0' })
  })

  test('that is pinned is never a file', async () => {
    system = fakeSystem(DESK)
    expect(await choose({ device: 'TEST', pin })).toEqual({ kind: 'fault', fault: 'WRONG_CAMERA' })
    expect(await choose({ device: 'TEST' })).toEqual({ kind: 'camera', device: 'TEST', camera: null })
  })

  test('whose node in /dev is missing is not there', async () => {
    system = fakeSystem(DESK)
    const present = await listCameras({ ...system.roots, isCharacterDevice: async () => false })
    expect(chooseCamera({ device: null, pin }, present)).toEqual({ kind: 'fault', fault: 'CAMERA_MISSING' })
  })
})
