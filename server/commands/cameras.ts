/**
 * `npm run cameras`: lists the connected cameras, tests the document camera, and shows the configuration to
 * write.
 */
import { systemClock } from '../clock.ts'
import { loadCameraLimits } from '../config/cameras.ts'
import type { Config } from '../config/config.ts'
import { isPinned } from '../connectors/camera/choose.ts'
import { readDeviceName } from '../connectors/camera/device-name.ts'
import { listCameras, type CameraDevice } from '../connectors/camera/devices.ts'
import { openCamera } from '../open-connectors.ts'
import type { CameraTest } from '../proofing/camera-test.ts'
import { startVision } from '../vision/client.ts'
import { defaultModelsDir } from '../vision/packs.ts'
import { readConfig, printResult } from './appliance.ts'
import { readAction } from './read-action.ts'
import { getAction, refuseMore, UsageError } from './usage.ts'

const HELP = `Cameras of this machine.

  npm run cameras -- list [--data DIR] [--json]
  npm run cameras -- test [--device NAME] [--data DIR] [--json]
  npm run cameras -- pin --device /dev/videoN [--for document|face] [--data DIR] [--json]

  list      lists the connected cameras, and which of them the configuration has pinned
  test      takes two pictures with the document camera and measures them: black, white, frozen, blurred, too small
  pin       prints the configuration that pins the camera by vendor, product and serial number; paste it into config.json
  --device  /dev/videoN; for test also TEST or FILE:/absolute/path instead of a camera
  --for     the camera's use: above the counter (document) or in the kiosk (face). Default: document
  --data    the appliance's data folder (default: ~/.local/share/counterproof)
  --json    prints the result as one JSON object

One program at a time can read a camera: do not test while an applicant is being proofed.
Exit status: 0 no problem, 1 no camera, or it failed its test, 2 wrong use.

Example: npm run cameras -- pin --device /dev/video0 --for document
`

interface Asked {
  readonly device: string | undefined
  readonly for: string | undefined
}
interface Told {
  readonly result: unknown
  readonly words: string
  readonly code: number
}

const ACTIONS: Readonly<Record<string, (config: Config, asked: Asked) => Promise<Told>>> = { list, test, pin }

export async function run(argv: string[]): Promise<number> {
  const command = readAction(argv, HELP, {
    device: { type: 'string' },
    for: { type: 'string' },
    data: { type: 'string' },
    json: { type: 'boolean', default: false },
  })
  if ('status' in command) return command.status
  const { name, positionals, values } = command
  const [, ...more] = positionals
  const action = getAction(ACTIONS, name)
  refuseMore(more)
  const told = await action(readConfig(values), { device: values.device, for: values.for })
  printResult(values.json, told.result, told.words)
  return told.code
}

async function list({ cameras }: Config): Promise<Told> {
  const present = await listCameras()
  const listRoles = (device: CameraDevice): readonly string[] =>
    (['document', 'face'] as const).filter((role) => {
      const wanted = cameras[role]?.pin
      return wanted !== undefined && isPinned(wanted, device)
    })
  const rows = present.map((device) => ({ ...device, pinnedFor: listRoles(device) }))
  const words = rows.length > 0 ? rows.map(formatCamera).join('') : 'No camera is plugged in.\n'
  return { result: { cameras: rows }, words, code: rows.length > 0 ? 0 : 1 }
}

function formatCamera({
  path,
  name,
  usb,
  port,
  captures,
  ready,
  isSoftware,
  pinnedFor,
}: CameraDevice & { pinnedFor: readonly string[] }) {
  const identity = usb
    ? `${usb.vendor}:${usb.product} ${usb.serial ?? 'without serial number'}`
    : 'not on USB'
  const state = [
    ...(captures ? [] : ['no pictures from this node']),
    ...(ready ? [] : ['its device node is missing']),
    ...(isSoftware ? ['fed by a program, not by a lens'] : []),
    ...pinnedFor.map((role) => `pinned as ${role} camera`),
  ]
  return `${[path, name, identity, port === null ? '' : `port ${port}`, ...state].filter(Boolean).join('  ')}\n`
}

const FAULT_HINTS: Readonly<Record<string, string>> = {
  NOT_CONFIGURED: 'name a camera with --device, or cameras.document in config.json',
  CAMERA_MISSING: 'it is not plugged in, or has no node in /dev',
  WRONG_CAMERA: 'another camera than the pinned one is plugged in',
  SEVERAL_CAMERAS: 'several cameras fit: pin one by its serial number',
  CAMERA_BUSY: 'another program has it open, a browser perhaps',
  NOT_ALLOWED: 'this user is not in the group video',
  TIMED_OUT: 'it gave no picture in time',
  NO_PICTURE: 'what it gave is no picture',
  PROGRAM_MISSING: 'install fswebcam: sudo apt install fswebcam',
}

async function test(config: Config, { device }: Asked): Promise<Told> {
  const given = device === undefined ? null : readDeviceName(device)
  if (device !== undefined && given === null)
    throw new UsageError('--device takes /dev/videoN, TEST or FILE:/absolute/path')
  const asked: Config = given ? { ...config, cameras: { document: cameraAt(config, given.text) } } : config
  const vision = await startVision({ modelsDir: defaultModelsDir(), packs: ['core'], log: () => undefined })
  const camera = openCamera(asked, vision, systemClock)
  try {
    const outcome = await camera.selfTest()
    if (outcome.kind === 'fault') {
      const words = `No picture: ${FAULT_HINTS[outcome.fault] ?? outcome.fault}.\n`
      return { result: { passed: false, fault: outcome.fault }, words, code: 1 }
    }
    const { passed } = outcome.test
    return {
      result: { fault: null, ...outcome.test },
      words: describeTest(outcome.test),
      code: passed ? 0 : 1,
    }
  } finally {
    await camera.close()
    await vision.close()
  }
}

/** A camera that is only tested need not be the configured one. */
function cameraAt({ cameras }: Config, device: string): NonNullable<Config['cameras']['document']> {
  const usual = {
    widthPx: 1920,
    heightPx: 1080,
    skipFrames: 10,
    delaySeconds: 0,
    rotateDeg: 0,
    timeoutMs: 15_000,
  } as const
  return { ...usual, ...cameras.document, pin: undefined, device }
}

function describeTest({ passed, findings, isSharp, measured }: CameraTest): string {
  const head = passed ? 'The test was passed.' : `The test was not passed: ${findings.join(', ')}.`
  if (!measured) return `${head}\n`
  const { darkLuminance, clippedShare, maxEdgeWidthPerPicture } = loadCameraLimits()
  const longSide = Math.max(measured.widthPx, measured.heightPx)
  const edge =
    measured.edgeWidthPx === null
      ? 'no edge in the picture: lay a document under the camera to test its focus'
      : `${measured.edgeWidthPx.toFixed(1)} px (at most ${(maxEdgeWidthPerPicture * longSide).toFixed(1)})`
  return [
    head,
    `  size       ${measured.widthPx} x ${measured.heightPx}`,
    `  light      ${measured.luminanceMean.toFixed(0)} of 255 (at least ${darkLuminance})`,
    `  white      ${(measured.clippedShare * 100).toFixed(1)} % (at most ${clippedShare * 100} %)`,
    `  sharpness  ${edge}${isSharp === null ? '' : isSharp ? '' : ': blurred'}`,
    '',
  ].join('\n')
}

async function pin(_config: Config, { device, for: role = 'document' }: Asked): Promise<Told> {
  if (role !== 'document' && role !== 'face') throw new UsageError('--for takes document or face')
  if (device === undefined || readDeviceName(device)?.kind !== 'video')
    throw new UsageError('pin needs --device /dev/videoN; `list` shows which there are')
  const found = (await listCameras()).find(({ path }) => path === device)
  if (!found?.usb) {
    const words = found
      ? 'This camera is not on USB and says nothing of itself: it cannot be pinned.\n'
      : 'There is no such camera.\n'
    return { result: { pin: null }, words, code: 1 }
  }
  const { vendor, product, serial } = found.usb
  const identity = { vendor, product, ...(serial === undefined ? {} : { serial }) }
  const config = { cameras: { [role]: { pin: identity } } }
  const warning =
    serial === undefined ? 'It tells no serial number: another one of the same kind would pass for it.\n' : ''
  return { result: config, words: `${JSON.stringify(config, null, 2)}\n${warning}`, code: 0 }
}
