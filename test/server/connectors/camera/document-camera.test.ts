import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { loadCameraLimits } from '../../../../server/config/cameras.ts'
import { readDeviceName } from '../../../../server/connectors/camera/device-name.ts'
import {
  openDocumentCamera,
  type DocumentCamera,
  type DocumentCameraOptions,
} from '../../../../server/connectors/camera/document-camera.ts'
import {
  findPrograms,
  pictureFolder,
  removeLeftPictures,
  takeShot,
  type Shot,
  type ShotPrograms,
} from '../../../../server/connectors/camera/shot.ts'
import { fakeSystem, type FakeSystem } from '../../../support/sysfs.ts'

const installed = findPrograms(process.env)
const DESK = { vendor: '046d', product: '085e', serial: 'AB12', nodes: [0, 1] }
const PIN = { vendor: '046d', product: '085e', serial: 'AB12' }
const SHOT = {
  widthPx: 640,
  heightPx: 480,
  skipFrames: 0,
  delaySeconds: 0,
  rotateDeg: 0,
  timeoutMs: 5000,
  maxBytes: 5_000_000,
} as const
const LOOK = { widthPx: 1920, heightPx: 1080, luminanceMean: 130, clippedShare: 0.01, edgeWidthPx: 3 }
const NOW = new Date('2026-11-21T09:00:00Z')
const LEFT = 'counterproof-camera-'

let folder: string
let system: FakeSystem
const open: DocumentCamera[] = []
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'document-camera-'))
})
afterEach(async () => {
  for (const camera of open.splice(0)) await camera.close()
})
afterAll(() => rmSync(folder, { recursive: true }))

function openCamera(
  changes: Partial<DocumentCameraOptions> = {},
  device: string | null = 'TEST',
  pin?: typeof PIN,
) {
  const wish = { device: device === null ? null : readDeviceName(device), pin }
  const camera = openDocumentCamera({
    settings: { wish, shot: SHOT, preview: { ...SHOT, widthPx: 320, heightPx: 240 } },
    facePin: undefined,
    limits: loadCameraLimits(),
    look: async () => LOOK,
    clock: { now: () => NOW },
    ...changes,
  })
  open.push(camera)
  return camera
}

const mine = () => readdirSync(pictureFolder()).filter((name) => name.startsWith(LEFT))

describe.skipIf(!installed)(
  "a picture by fswebcam (skipped where Debian's fswebcam is not installed)",
  () => {
    test('of a drawn card comes whole, as an upload that says what it claims to be, and leaves no file', async () => {
      const before = mine()
      const outcome = await openCamera().take()
      if (outcome.kind !== 'taken') return expect.unreachable(outcome.fault)
      expect(outcome).toMatchObject({ camera: null, takenAt: NOW, picture: { declaredType: 'image/jpeg' } })
      expect(await sharp(outcome.picture.bytes).metadata()).toMatchObject({
        format: 'jpeg',
        width: 640,
        height: 480,
      })
      expect(mine()).toEqual(before)
    })

    test('of a file shows what lies in the file', async () => {
      const path = join(folder, 'green.png')
      await sharp({ create: { width: 640, height: 480, channels: 3, background: '#00c000' } })
        .png()
        .toFile(path)
      const outcome = await openCamera({}, `FILE:${path}`).take()
      if (outcome.kind !== 'taken') return expect.unreachable(outcome.fault)
      const { channels } = await sharp(outcome.picture.bytes).stats()
      expect(channels.map(({ mean }) => Math.round(mean / 32))).toEqual([0, 6, 0])
    })

    test('in preview is small, and the same one for all who ask at once', async () => {
      let shots = 0
      const camera = openCamera({
        shoot: (...call) => {
          shots++
          return takeShot(...call)
        },
      })
      const [first, second] = await Promise.all([camera.preview(), camera.preview()])
      expect(second).toBe(first)
      expect(shots).toBe(1)
      if (first.kind !== 'taken') return expect.unreachable(first.fault)
      expect(await sharp(first.picture.bytes).metadata()).toMatchObject({ width: 320, height: 240 })
    })

    test.each([
      ['that is not there', 'FILE:/nowhere/at-all.jpg'],
      ['that is no picture', 'FILE:/etc/hostname'],
      ['that no machine has', '/dev/video255'],
    ])('of a source %s is a fault and not a failure', async (_, device) => {
      const present = { kind: 'video', text: device, number: 255 } as const
      const shot = await takeShot(installed!, readDeviceName(device) ?? present, SHOT)
      expect(shot.kind).toBe('fault')
      expect(mine()).toEqual([])
    })
  },
)

/** True unless the process is a zombie: an ended process that was not reaped still has a folder. */
function isRunning(pid: string): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

/** A program in fswebcam's place. */
function program(script: string): () => ShotPrograms {
  const path = join(folder, `camera-${Math.random().toString(36).slice(2)}`)
  writeFileSync(path, `#!/bin/sh\nfor last; do :; done\n${script}\n`)
  chmodSync(path, 0o755)
  return () => ({ fswebcam: path, timeout: '/usr/bin/timeout' })
}

describe.skipIf(!existsSync('/usr/bin/timeout'))('a camera that misbehaves', () => {
  test('by hanging is ended in time, with every process and file of it', async () => {
    const pid = join(folder, 'hanging.pid')
    const programs = program(`echo $$ > ${pid}; trap '' TERM; while :; do sleep 0.2; done`)
    const startedAt = performance.now()
    const outcome = await openCamera({
      programs,
      settings: {
        wish: { device: readDeviceName('TEST'), pin: undefined },
        shot: { ...SHOT, timeoutMs: 1000 },
        preview: SHOT,
      },
    }).take()
    expect(outcome).toEqual({ kind: 'fault', fault: 'TIMED_OUT' })
    expect(performance.now() - startedAt).toBeLessThan(60_000)
    await vi.waitFor(() => expect(isRunning(readFileSync(pid, 'utf8').trim())).toBe(false), {
      timeout: 60_000,
    })
    expect(mine()).toEqual([])
  })

  test.each([
    ['gives nothing and says all is well', 'exit 0', 'NO_PICTURE'],
    ['gives text', 'echo hello > "$last"', 'NO_PICTURE'],
    ['gives half a picture', `printf '\\377\\330\\377\\340half' > "$last"`, 'NO_PICTURE'],
    ['gives more than an upload may have', 'head -c 6000000 /dev/zero > "$last"', 'NO_PICTURE'],
    ['gives a link to another file', 'ln -s /etc/passwd "$last"', 'NO_PICTURE'],
    ['is in use', 'echo "Error opening device: Device or resource busy" >&2; exit 1', 'CAMERA_BUSY'],
    ['may not be opened', 'echo "open: Permission denied" >&2; exit 1', 'NOT_ALLOWED'],
    ['was pulled out', 'echo "stat: No such file or directory" >&2', 'CAMERA_MISSING'],
    ['ends badly', 'exit 3', 'NO_PICTURE'],
    ['cannot be started', 'exit 127', 'PROGRAM_MISSING'],
  ])('and %s is a fault with its own name', async (_, script, fault) => {
    expect(await openCamera({ programs: program(script) }).take()).toEqual({ kind: 'fault', fault })
    expect(mine()).toEqual([])
  })

  test('without a program is distinguished from a camera without a picture', async () => {
    expect(await openCamera({ programs: () => null }).take()).toEqual({
      kind: 'fault',
      fault: 'PROGRAM_MISSING',
    })
  })
})

describe('one camera for many who ask', () => {
  test('takes one picture at a time, lets one wait and refuses the third', async () => {
    const shots: ((shot: Shot) => void)[] = []
    let running = 0
    let most = 0
    const camera = openCamera({
      programs: () => ({ fswebcam: '/usr/bin/fswebcam', timeout: '/usr/bin/timeout' }),
      shoot: async () => {
        most = Math.max(most, ++running)
        const shot = await new Promise<Shot>((resolve) => shots.push(resolve))
        running--
        return shot
      },
    })
    const [first, second, third] = [camera.take(), camera.take(), camera.take()]
    expect(await third).toEqual({ kind: 'fault', fault: 'CAMERA_BUSY' })
    for (const taken of [first, second]) {
      while (shots.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
      shots.shift()!({ kind: 'taken', jpeg: new Uint8Array([1]) })
      expect((await taken).kind).toBe('taken')
    }
    expect(most).toBe(1)
  })

  test('takes none once it is closed, and none where none is configured', async () => {
    const camera = openCamera()
    await camera.close()
    expect(await camera.take()).toEqual({ kind: 'fault', fault: 'NOT_CONFIGURED' })
    const none = openCamera({ settings: null })
    expect(none.isConfigured).toBe(false)
    expect(await none.take()).toEqual({ kind: 'fault', fault: 'NOT_CONFIGURED' })
    expect(await none.preview()).toEqual({ kind: 'fault', fault: 'NOT_CONFIGURED' })
    expect(await none.health()).toEqual({
      status: 'UP',
      detail: 'no camera is connected to this machine',
      standing: 'NOT_KNOWN',
    })
    system = fakeSystem(DESK)
    expect(await openCamera({ settings: null, roots: system.roots }).health()).toEqual({
      status: 'UP',
      detail: 'seen by the screens alone, which report them to the applicant',
    })
    system.remove()
  })

  test('sweeps away what a crash has left, and leaves alone what is being taken', async () => {
    const old = join(folder, `${LEFT}old`)
    const fresh = join(folder, `${LEFT}fresh`)
    for (const path of [old, fresh]) mkdirSync(path)
    utimesSync(old, new Date(Date.now() - 3_600_000), new Date(Date.now() - 3_600_000))
    await removeLeftPictures(folder)
    expect([existsSync(old), existsSync(fresh)]).toEqual([false, true])
  })
})

describe('the health of the cameras', () => {
  let count = 0
  const pinned = (changes: Partial<DocumentCameraOptions> = {}) =>
    openCamera(
      {
        roots: system.roots,
        programs: () => ({ fswebcam: '/usr/bin/fswebcam', timeout: '/usr/bin/timeout' }),
        shoot: async () => ({ kind: 'taken', jpeg: new Uint8Array([count++ % 256]) }),
        ...changes,
      },
      null,
      PIN,
    )
  afterEach(() => system.remove())

  test('is up when the pinned camera is there and its test was passed, and says nothing that names a port', async () => {
    system = fakeSystem(DESK)
    const camera = pinned()
    expect((await camera.health()).detail).toBe('document camera: connected, not tested yet')
    expect(await camera.selfTest()).toMatchObject({ kind: 'tested', test: { passed: true, isSharp: true } })
    expect(await camera.health()).toEqual({
      status: 'UP',
      detail: 'document camera: tested 2026-11-21T09:00:00.000 UTC',
    })
  })

  test('is down with another camera in its place, and up again when the right one is back', async () => {
    system = fakeSystem({ ...DESK, serial: 'other' })
    const camera = pinned()
    expect(await camera.take()).toEqual({ kind: 'fault', fault: 'WRONG_CAMERA' })
    expect(await camera.health()).toMatchObject({ status: 'DOWN' })
    system.unplug(0)
    system.plug({ ...DESK, port: '1-7', nodes: [4] })
    expect(await camera.take()).toMatchObject({ kind: 'taken', camera: PIN })
    expect(await camera.health()).toMatchObject({ status: 'UP' })
  })

  test('is degraded while the camera is unplugged', async () => {
    system = fakeSystem()
    expect(await pinned().health()).toEqual({
      status: 'DEGRADED',
      detail: 'document camera: not connected',
    })
  })

  test('is degraded when two pictures are the same to the byte', async () => {
    system = fakeSystem(DESK)
    const camera = pinned({ shoot: async () => ({ kind: 'taken', jpeg: new Uint8Array([7]) }) })
    expect(await camera.selfTest()).toMatchObject({ kind: 'tested', test: { findings: ['FROZEN'] } })
    expect((await camera.health()).detail).toContain('its picture never changes')
  })

  test('is degraded when the picture cannot be measured', async () => {
    system = fakeSystem(DESK)
    const camera = pinned({ look: () => Promise.reject(new Error('not an image')) })
    expect(await camera.selfTest()).toMatchObject({ test: { passed: false, findings: ['NOT_MEASURED'] } })
  })

  test("sees whether the browser's pinned camera is there", async () => {
    system = fakeSystem(DESK)
    expect(await pinned({ facePin: { vendor: '32e4', product: '9230' } }).health()).toMatchObject({
      status: 'DOWN',
      detail: expect.stringContaining(
        'face camera: the pinned camera is missing, but another is connected',
      ) as string,
    })
    system.plug({ vendor: '32e4', product: '9230', nodes: [8], port: '1-9' })
    expect((await pinned({ facePin: { vendor: '32e4', product: '9230' } }).health()).status).toBe('UP')
  })

  // @clause NIST-63A-4/3.14-sensor
  test('is down while a program acts as a camera, although the pinned one is connected', async () => {
    system = fakeSystem(DESK)
    expect((await pinned().health()).status).toBe('UP')
    system.plug({ vendor: '32e4', product: '9230', nodes: [9], port: 'loop', below: 'virtual/video4linux' })
    expect(await pinned().health()).toMatchObject({
      status: 'DOWN',
      detail: expect.stringContaining('a program of this machine acts as a camera') as string,
    })
  })
})
