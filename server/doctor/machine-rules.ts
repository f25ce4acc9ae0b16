/** Judges the machine and its devices: clock, cameras, reader, sandbox, speech, printer, power. Pure. */
import type { ReaderFault } from '../chip-reader/messages.ts'
import type { Camera, MachineFacts, SandboxGap } from './facts.ts'
import { notChecked, ok, warning, wrong, type Finding } from './report.ts'
import { whenMeasured, judgeReported, describeEffect } from './rules-tools.ts'

/** Tolerance for file systems that round times, and for a server that writes while the doctor looks. */
const CLOCK_TOLERANCE_MS = 60_000

const LOW_CHARGE_PERCENT = 20

const CHECKLIST = 'counter → Set-up list'

export function judgeClock(facts: MachineFacts): readonly Finding[] {
  const reported = judgeReported(facts, 'clock', describeEffect(facts, 'CLOCK_UNSURE'))
  return whenMeasured(facts.clock, ({ isSynchronised, newestFileAt }) => {
    const confirmed = judgeConfirmedTime(facts)
    const findings = [...reported, ...confirmed]
    if (newestFileAt && newestFileAt.getTime() > facts.at.getTime() + CLOCK_TOLERANCE_MS)
      findings.push(
        wrong(
          `The clock is behind: the data folder already showed ${newestFileAt.toISOString()}.`,
          describeEffect(facts, 'CLOCK_UNSURE'),
          'Set the clock: timedatectl set-ntp true; then run: npm run audit -- verify',
        ),
      )
    if (isSynchronised === false)
      findings.push(
        warning(
          'No time server sets the clock of this machine.',
          'The time of proofs can drift; a clock in doubt makes rules about dates use the least favourable time.',
          'Run: timedatectl set-ntp true',
        ),
      )
    if (isSynchronised === null && confirmed.length === 0)
      findings.push(notChecked('The system does not tell whether a time server sets the clock.'))
    return findings.length > 0
      ? findings
      : [ok('A time server sets the clock, and it is not behind the data.')]
  })
}

/** Empty: the central service has not confirmed the time. */
function judgeConfirmedTime(facts: MachineFacts): readonly Finding[] {
  const known = facts.time.kind === 'measured' ? facts.time.value : null
  if (known?.statement.source !== 'CENTRE') return []
  const { earliest, latest } = known.statement
  const offMs = known.wall.getTime() - (earliest.getTime() + latest.getTime()) / 2
  const toleratedMs = CLOCK_TOLERANCE_MS + (latest.getTime() - earliest.getTime()) / 2
  if (Math.abs(offMs) <= toleratedMs)
    return [ok('The clock of the machine agrees with the time that the central service confirmed.')]
  const minutes = Math.round(Math.abs(offMs) / 60_000)
  const effect = describeEffect(facts, 'CLOCK_UNSURE')
  return [
    wrong(
      `The clock of the machine is ${minutes} minute${minutes === 1 ? '' : 's'} ${offMs < 0 ? 'behind' : 'ahead of'} the time that the central service confirmed.`,
      `The appliance counts on by the confirmed time until the machine is restarted.${effect === null ? '' : ` Then: ${effect}`}`,
      'Set the clock: timedatectl set-ntp true',
    ),
  ]
}

const CAMERA_COSTS = {
  document: 'Officers cannot photograph documents with it.',
  face: 'The kiosk takes no portrait with it.',
} as const

const CAMERA_REMEDIES: Readonly<Record<string, string>> = {
  CAMERA_MISSING: 'Connect the camera; npm run cameras -- list shows what the machine sees.',
  WRONG_CAMERA: 'Connect the pinned camera, or pin the new one: npm run cameras -- pin',
  SEVERAL_CAMERAS: 'Pin one camera by its serial number: npm run cameras -- pin',
}

export function judgeCameras(facts: MachineFacts): readonly Finding[] {
  const reported = judgeReported(facts, 'cameras', describeEffect(facts, 'CAMERA_MISSING'))
  return [
    ...whenMeasured(facts.cameras, ({ named, present }) => {
      if (named.length > 0) return named.flatMap((camera) => judgeCamera(facts, camera))
      if (present === 0)
        return [
          warning(
            'No camera is connected to this machine.',
            'The kiosk takes no portrait and no picture of a document; applicants need their own phone.',
            'Connect the camera; npm run cameras -- list shows what the machine sees.',
          ),
        ]
      return [notChecked('config.json names no camera (cameras.document, cameras.face).')]
    }),
    ...reported,
  ]
}

function judgeCamera(facts: MachineFacts, { use, pin, fault }: Camera): readonly Finding[] {
  if (fault !== null)
    return [
      wrong(
        `The ${use} camera gives no picture: ${fault}.`,
        [CAMERA_COSTS[use], describeEffect(facts, 'CAMERA_MISSING')].filter(Boolean).join(' '),
        CAMERA_REMEDIES[fault] ?? 'Test it: npm run cameras -- test',
      ),
    ]
  if (pin === null)
    return [
      warning(
        `The ${use} camera is connected and not pinned.`,
        'The check DEVICE_INTEGRITY cannot tell this camera from another one.',
        'Pin it by its serial number: npm run cameras -- pin',
      ),
    ]
  return [ok(`The pinned ${use} camera is connected.`)]
}

const READER_FAULTS: Readonly<Partial<Record<ReaderFault, readonly [what: string, remedy: string]>>> = {
  no_daemon: ['pcscd does not run.', 'Install pcscd and libccid, then: systemctl enable --now pcscd.socket'],
  protocol_unknown: ['The appliance does not know this version of pcscd.', 'Use pcsc-lite 1.8.24 or later.'],
  not_allowed: [
    'The system does not allow this user to use readers.',
    'Add a rule for polkit: docs/install.md, "Reader of chips".',
  ],
  process_ended: ['The process that reads chips ended.', 'Test the reader: npm run readers -- test'],
}

const NO_CHIP =
  'No chip is read, so its indicators (NFC_*) are missing and the levels that require a chip are out of reach.'

export function judgeReader({ readers }: MachineFacts): readonly Finding[] {
  return whenMeasured(readers, (state) => {
    if (!state) return [notChecked('readers.enabled is off: no chip of a document is read.')]
    if (state.kind === 'unavailable') {
      const [what, remedy] = READER_FAULTS[state.fault] ?? [
        `The readers do not work: ${state.fault}.`,
        'Test the reader: npm run readers -- test',
      ]
      return [wrong(what, NO_CHIP, remedy)]
    }
    const count = state.readers.filter(({ isChosen }) => isChosen).length
    return count === 0
      ? [
          wrong(
            'No reader is connected, or none with the configured name.',
            NO_CHIP,
            'Connect it; npm run readers -- list shows the names.',
          ),
        ]
      : [
          ok(
            `${count} reader${count === 1 ? ' is' : 's are'} connected. Only a document shows that it reads: npm run readers -- test`,
          ),
        ]
  })
}

const SANDBOX_WORDS: Readonly<Record<SandboxGap, readonly [what: string, remedy: string]>> = {
  OFF: ['vision.sandbox is off.', 'Set vision.sandbox to auto or required.'],
  NOT_SUPPORTED: ['This system has no sandbox.', 'Use Linux on x64 or arm64.'],
  NOT_INSTALLED: ['bubblewrap is not installed.', 'Run: sudo apt install bubblewrap'],
  REFUSED: [
    'bubblewrap is installed, and the system lets it make no namespaces.',
    'Allow user namespaces to the service (resources/kiosk/README.md).',
  ],
}

export function judgeSandbox({ sandbox }: MachineFacts): readonly Finding[] {
  return whenMeasured(sandbox, ({ gap, complaint }) => {
    if (gap === null)
      return [ok('The workers run in bubblewrap: no network, no data folder, system-call filter.')]
    const [what, remedy] = SANDBOX_WORDS[gap]
    const said = complaint === '' ? '' : ` It says: ${complaint}`
    const cost = 'A manipulated picture that takes over a decoder can reach all that the server can.'
    return [warning(`${what}${said}`, cost, remedy)]
  })
}

export function judgeSpeech({ speech }: MachineFacts): readonly Finding[] {
  const cost = 'The kiosk offers no speech, so an applicant who cannot read the screen needs an officer.'
  const remedy = 'Run: sudo apt install speech-dispatcher speech-dispatcher-espeak-ng'
  return whenMeasured(speech, ({ isInstalled, modules }) => {
    if (!isInstalled) return [warning('Speech Dispatcher is not installed.', cost, remedy)]
    if (modules.length === 0) return [warning('Speech Dispatcher has no voice.', cost, remedy)]
    return [
      ok(
        `Speech Dispatcher has voices of ${modules.join(', ')}. Only a person hears the loudspeaker: ${CHECKLIST}.`,
      ),
    ]
  })
}

export function judgePrinter({ printer }: MachineFacts): readonly Finding[] {
  const cost = 'The applicant gets no printed receipt, only its QR code.'
  return whenMeasured(printer, ({ name, isEnabled }) => {
    if (name === null) return [warning('CUPS has no default printer.', cost, 'Set it: lpadmin -d NAME')]
    if (!isEnabled)
      return [
        warning(
          `The printer ${name} is stopped.`,
          cost,
          `Check paper and cable, then run: cupsenable ${name}`,
        ),
      ]
    return [
      ok(`The printer ${name} is the default and accepts jobs. Only a person sees the paper: ${CHECKLIST}.`),
    ]
  })
}

export function judgePower({ power }: MachineFacts): readonly Finding[] {
  return whenMeasured(power, (supplies) => {
    if (supplies.length === 0)
      return [notChecked('The machine tells nothing of its power: it has no battery and no USB supply unit.')]
    const mains = supplies.filter(({ kind, isOnline }) => kind === 'MAINS' && isOnline !== null)
    const isCut =
      mains.length > 0
        ? mains.every(({ isOnline }) => isOnline === false)
        : supplies.some((one) => one.isDischarging)
    const charge = Math.min(...supplies.map(({ chargePercent }) => chargePercent ?? 100))
    const cost = 'When it is empty, the visit under way ends; the appliance continues it after the start.'
    const remedy = 'Check the plug, the power supply and the fuse.'
    if (!isCut) return [ok('The machine runs on mains power.')]
    return charge < LOW_CHARGE_PERCENT
      ? [wrong(`The machine runs on a battery that has ${charge} %.`, cost, remedy)]
      : [warning(`The machine runs on a battery (${charge} %).`, cost, remedy)]
  })
}
