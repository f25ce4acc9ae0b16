/**
 * The rules of the doctor: measured facts → findings. Pure. Each sentence says what is wrong, what it costs the applicant or the
 * proof, and what to do. A fact that could not be measured is NOT_CHECKED.
 */
import type { ReaderFault } from '../chip-reader/messages.ts'
import type { Fault } from '../proofing/assurance/faults.ts'
import { findFaults, type EnvironmentFacts } from '../proofing/antifraud/faults.ts'
import { LOW_DISK_BYTES } from '../proofing/freeze.ts'
import { RELEASE_KEYS_FOLDER } from '../updates/paths.ts'
import { REASONS } from '../updates/rules.ts'
import type { LastSync } from '../workflows/health/last-sync.ts'
import type {
  Camera,
  Certificate,
  CertificateUse,
  Disk,
  Effect,
  HealthComponent,
  KeyFile,
  MachineFacts,
  Measured,
  Models,
  Peer,
  PeerOutcome,
  SandboxGap,
  Updates,
} from './facts.ts'
import {
  CHECKS,
  findWorstState,
  notChecked,
  ok,
  warning,
  wrong,
  type CheckName,
  type CheckResult,
  type Finding,
} from './report.ts'

/** Bits of a file mode: rights of users other than the owner. */
const OTHERS = 0o077
const OTHERS_WRITE = 0o022
const DAY_MS = 86_400_000
/** Time to order a certificate in an organisation. */
const EXPIRES_SOON_DAYS = 30
/** Tolerance for file systems that round times, and for a server that writes while the doctor looks. */
const CLOCK_TOLERANCE_MS = 60_000
const LOW_CHARGE_PERCENT = 20
const MAX_NAMED = 5
const NOTHING_NEW = 'Nothing new may begin, and proofings under way are not sealed.'

const CHECKLIST = 'counter → Set-up list'

export function judgeMachine(facts: MachineFacts): readonly CheckResult[] {
  return CHECKS.map((check) => {
    const findings = RULES[check](facts)
    return { check, state: findWorstState(findings.map(({ state }) => state)), findings }
  })
}

const RULES: Readonly<Record<CheckName, (facts: MachineFacts) => readonly Finding[]>> = {
  configuration: judgeConfiguration,
  appliance: judgeAppliance,
  permissions: judgePermissions,
  keys: judgeKeys,
  database: judgeDatabase,
  models: judgeModels,
  disk: (facts) => judgeEach(facts.disks, judgeDisk),
  clock: judgeClock,
  cameras: judgeCameras,
  reader: judgeReader,
  network: judgeNetwork,
  certificates: judgeCertificates,
  sandbox: judgeSandbox,
  speech: judgeSpeech,
  printer: judgePrinter,
  power: judgePower,
  updates: judgeUpdates,
}

/** An unmeasured fact is never judged. */
function whenMeasured<T>(fact: Measured<T>, judge: (value: T) => readonly Finding[]): readonly Finding[] {
  return fact.kind === 'measured' ? judge(fact.value) : [notChecked(fact.reason)]
}

function judgeEach<T>(
  fact: Measured<readonly T[]>,
  judge: (value: T) => readonly Finding[],
): readonly Finding[] {
  return whenMeasured(fact, (values) => values.flatMap(judge))
}

function judgeConfiguration({ settingProblems }: MachineFacts): readonly Finding[] {
  if (settingProblems.length === 0) return [ok('config.json and the files that it names are valid.')]
  return settingProblems.map(({ field, message }) =>
    wrong(
      `${field}: ${message}.`,
      'The next start of the appliance is refused.',
      'Correct this option; server/config/README.md describes each one.',
    ),
  )
}

/** Parts of the health report that another check judges. */
const JUDGED_APART: Readonly<Record<string, CheckName>> = {
  disk: 'disk',
  clock: 'clock',
  cameras: 'cameras',
  readers: 'reader',
  sandbox: 'sandbox',
  sms: 'network',
  smtp: 'network',
  voice: 'network',
  operator: 'network',
  biometrics: 'network',
  documentStatus: 'network',
  fraudRegister: 'network',
  bureaus: 'network',
  addressRegisters: 'network',
  cardOwnership: 'network',
  issuers: 'network',
  sync: 'network',
  webhooks: 'network',
}

function judgeAppliance({ health, sync }: MachineFacts): readonly Finding[] {
  return whenMeasured(health, (report) => {
    if (!report)
      return [
        notChecked(
          'No appliance runs on this data folder, so its jobs, backups, audit log and lists were not checked.',
          'Start the appliance and run the doctor again.',
        ),
      ]
    const troubles = Object.entries(report.components).flatMap(([name, component]) =>
      Object.hasOwn(JUDGED_APART, name) ? [] : judgeComponent(name, component),
    )
    return [ok(`The appliance answers, version ${report.version}.`), ...judgeFreeze(sync), ...troubles]
  })
}

/** A stop by the central service is a finding of the network. */
function judgeFreeze(sync: MachineFacts['sync']): readonly Finding[] {
  const last = sync.kind === 'measured' ? sync.value : null
  if (!last || last.stop !== null || last.frozen.length === 0) return []
  return [
    wrong(
      `Nothing new may begin: ${last.frozen.join(', ')}.`,
      'No applicant can begin a proofing.',
      'docs/RUNBOOK.md says what to do for each reason.',
    ),
  ]
}

function judgeComponent(name: string, { status, detail }: HealthComponent, cost: string | null = null) {
  if (status === 'UP') return []
  const what = `The appliance reports ${name} as ${status}: ${detail ?? 'without detail'}.`
  const remedy = 'Counter → Devices explains the part and its cost; docs/RUNBOOK.md has the repairs.'
  return [status === 'DOWN' ? wrong(what, cost, remedy) : warning(what, cost, remedy)]
}

/** Judges the part of a running appliance; empty: none runs, or the part works. */
function judgeReported({ health }: MachineFacts, name: string, cost: string | null): readonly Finding[] {
  const component = health.kind === 'measured' && health.value ? health.value.components[name] : undefined
  return component ? judgeComponent(name, component, cost) : []
}

function judgePermissions({ permissions }: MachineFacts): readonly Finding[] {
  return whenMeasured(permissions, ({ folder, mode, isReadOnly, locked, open, foreign, seen, isWhole }) => {
    const findings: Finding[] = []
    if (isReadOnly)
      findings.push(
        wrong(
          'The file system of the data folder takes no writes.',
          'Nothing can be stored: no visit begins, and a start is refused.',
          'Read the log of the system for a fault of the disk, then mount it for writing.',
        ),
      )
    if (locked.length > 0)
      findings.push(
        wrong(
          `The user of the appliance may not use ${nameSome(locked.map(({ name, mode: own }) => `${name} (mode ${formatMode(own)})`))}.`,
          'The appliance cannot store what it must, and a start is refused.',
          `Run the doctor as the user of the appliance; if you did, run: chmod -R u+rwX '${folder}', or give the entries to that user with chown.`,
        ),
      )
    if ((mode & OTHERS) !== 0)
      findings.push(
        wrong(
          `Other users can ${(mode & OTHERS_WRITE) === 0 ? 'read' : 'change'} the data folder (mode ${formatMode(mode)}).`,
          (mode & OTHERS_WRITE) === 0
            ? 'They can copy encrypted evidence and settings.'
            : 'They can replace evidence, settings and keys; the next start is refused.',
          `Look through the folder, then run: chmod 700 '${folder}'`,
        ),
      )
    if (open.length > 0)
      findings.push(
        wrong(
          `Entries of the data folder are open to other users (${open.length}): ${nameSome(open)}.`,
          'Other users may have read or changed them.',
          `Look through them, then run: chmod -R go-rwx '${folder}'`,
        ),
      )
    if (foreign.length > 0)
      findings.push(
        wrong(
          `Entries of the data folder belong to another user (${foreign.length}): ${nameSome(foreign)}.`,
          'That user can change them, and the appliance may be unable to write them.',
          `Look through them, then give them to the owner of '${folder}' with chown.`,
        ),
      )
    if (!isWhole)
      findings.push(notChecked(`Only the first ${seen} entries of the data folder were looked at.`))
    return findings.length > 0 ? findings : [ok(`Only the owner can open the data folder (${seen} entries).`)]
  })
}

function judgeKeys({ keys }: MachineFacts): readonly Finding[] {
  return whenMeasured(keys, ({ source, hasDatabase, masterKey, files, closed }) => {
    const findings = files.flatMap(judgeKeyFile)
    if (closed.length > 0)
      findings.push(
        wrong(
          `This user may not read ${nameSome(closed)}.`,
          'A start is refused, and no identity can be opened.',
          'Run the doctor as the user of the appliance; if you did, give the keys to that user with chown.',
        ),
      )
    if (masterKey && masterKey.problem !== null)
      findings.push(
        wrong(
          `The master key ${masterKey.place} is refused: ${masterKey.problem}.`,
          'No identity and no proof of this appliance can be opened, and a start is refused.',
          `Move the file away, then restore the key of this database: npm run kek -- restore (docs/RUNBOOK.md)`,
        ),
      )
    if (masterKey && !masterKey.isThere && closed.length === 0)
      findings.push(
        hasDatabase
          ? wrong(
              `The master key ${masterKey.place} is missing beside an existing database.`,
              'No identity and no proof of this appliance can be opened, and a start is refused.',
              'Restore it from its shares: npm run kek -- restore',
            )
          : notChecked('There is no master key yet; the first start makes it.'),
      )
    if (source === 'shell')
      findings.push(notChecked('The shell keeps the master key; this command cannot see it.'))
    if (source === 'pkcs11')
      findings.push(notChecked('The master key is in a token, which answers only to its PIN.'))
    if (source === null)
      findings.push(notChecked('config.json is not valid, so the source of the master key is not known.'))
    if (files.length > 0 && findings.every(({ state }) => state !== 'WRONG'))
      findings.unshift(ok(`Only the owner can read the files of keys (${files.length}).`))
    return findings
  })
}

function judgeDatabase({ database }: MachineFacts): readonly Finding[] {
  return whenMeasured(database, ({ path, kind, code, keysProblem }) => {
    const restore = 'Restore a backup: docs/RUNBOOK.md, "The database is damaged".'
    const cost =
      'A start is refused; proofs that the central service does not have are lost without a backup.'
    if (kind === 'NONE') return [notChecked('There is no database yet; the first start makes it.')]
    if (kind === 'LOST') return [wrong(`${path} is missing or empty beside its keys.`, cost, restore)]
    if (kind === 'DAMAGED') return [wrong(`${path} is damaged (${code ?? 'unknown'}).`, cost, restore)]
    if (kind === 'REFUSED')
      return [
        wrong(
          `${path} or the file of the identity keys cannot be opened (${code ?? 'unknown'}).`,
          'A start is refused.',
          'Check the disk, the owner and the mode of both files: the checks permissions, keys and disk say more.',
        ),
      ]
    if (keysProblem !== null)
      return [
        wrong(
          `${keysProblem}.`,
          'A start is refused, so that no identity is lost unnoticed.',
          'Restore the newest copy: npm run backup -- restore-keys (docs/RUNBOOK.md, "The keys of the identities are gone")',
        ),
      ]
    return [
      ok(
        'The database can be read, and the keys of the identities fit it. npm run audit -- verify reads all of it.',
      ),
    ]
  })
}

function judgeKeyFile({ path, mode, isForeign }: KeyFile): Finding[] {
  const cost = 'A copy of the keys opens every identity on this disk and in its backups; a start is refused.'
  const remedy = (command: string) =>
    `Find out who may have copied the file (docs/RUNBOOK.md, keys), then run: ${command} '${path}'`
  return [
    ...((mode & OTHERS) === 0
      ? []
      : [wrong(`Other users can read ${path} (mode ${formatMode(mode)}).`, cost, remedy('chmod 600'))]),
    ...(isForeign ? [wrong(`${path} belongs to another user.`, cost, remedy('chown'))] : []),
  ]
}

const MODEL_FAULTS = [
  'FACE_MODELS_MISSING',
  'LIVENESS_MODELS_MISSING',
  'PAD_MODEL_MISSING',
  'READING_MODELS_MISSING',
]

function judgeModels(facts: MachineFacts): readonly Finding[] {
  return whenMeasured(facts.models, (models) => {
    const { files, wantsExtended } = models
    const isWanted = ({ pack }: (typeof files)[number]) => pack === 'core' || wantsExtended
    const refused = files.filter((file) => file.state === 'refused' && isWanted(file))
    const missing = files.filter((file) => file.state === 'missing' && file.pack === 'core')
    const findings = [
      ...[...refused, ...missing].map(({ id, path, state }, index) =>
        wrong(
          state === 'refused'
            ? `The model ${id} is not the file that models/manifest.json pins: ${path}.`
            : `The model ${id} is missing: ${path}.`,
          // The cost is that of all of them together.
          index === 0 ? describeModelCost(facts, models) : null,
          state === 'refused'
            ? 'Delete the file, then run: npm run models (core) or npm run models -- download (extended)'
            : 'Make it: npm run models. A first start also makes the core models.',
        ),
      ),
    ]
    const lacking = files.filter((file) => file.state === 'missing' && file.pack === 'extended')
    if (wantsExtended && lacking.length > 0)
      findings.push(
        warning(
          `Models of the extended pack are not installed: ${nameSome(lacking.map(({ id }) => id))}.`,
          'One network compares faces instead of two, and single pictures get no attack detection.',
          'Install them: npm run models -- download; or set vision.packs to core.',
        ),
      )
    const ready = files.filter(({ state }) => state === 'ready').length
    return findings.length > 0 ? findings : [ok(`${ready} models have the hashes of the manifest.`)]
  })
}

function describeModelCost(facts: MachineFacts, { abilities }: Models): string | null {
  const environment: EnvironmentFacts = {
    abilities,
    clock: 'CENTRE',
    connectorsDown: [],
    silentForMs: null,
    offlineHours: 0,
    inspection: 'NOT_DEMANDED',
    tampered: false,
    watchlistOutdated: false,
    registerOutdated: false,
  }
  const faults = [
    ...findFaults(environment, { touched: 'PORTRAIT', live: true }),
    ...findFaults(environment, { touched: 'IDDOCUMENT' }),
  ].filter((fault) => MODEL_FAULTS.includes(fault))
  return [...new Set(faults)].map((fault) => describeEffect(facts, fault)).join(' ') || null
}

function judgeDisk({ use, path, freeBytes, freeFiles, isOfData, freezeBytes }: Disk): readonly Finding[] {
  if (freeBytes === null)
    return [
      wrong(
        `The folder of the ${use} is missing: ${path}.`,
        'No backup is made, so a dead disk takes the open proofings with it.',
        'Mount the disk, or correct backup in config.json.',
      ),
    ]
  const space = `The disk of the ${use} has ${Math.floor(freeBytes / 1_000_000)} MB free`
  const findings: Finding[] = []
  if (use === 'data' && freeBytes < freezeBytes)
    findings.push(
      wrong(
        `${space}, less than sync.freeze.freeMegabytes (${Math.floor(freezeBytes / 1_000_000)}).`,
        'New proofings are refused until there is space.',
        'Free space on the disk; npm run retention -- list shows what is stored and why.',
      ),
    )
  else if (freeBytes < LOW_DISK_BYTES)
    findings.push(
      warning(
        `${space}.`,
        use === 'data' ? 'New proofings are refused soon.' : 'The next backup may fail.',
        'Free space on the disk, or use a larger one.',
      ),
    )
  if (freeFiles === 0)
    findings.push(
      wrong(
        `The file system of the ${use} can hold no more files.`,
        'No evidence can be stored, and submissions are refused.',
        'Delete files on this file system that the appliance does not need.',
      ),
    )
  if (use !== 'data' && isOfData)
    findings.push(
      warning(
        `The ${use} are on the disk of the data.`,
        'A dead disk takes the data and its backups.',
        'Name a folder on another disk in config.json (backup).',
      ),
    )
  return findings.length > 0 ? findings : [ok(`${space}.`)]
}

function judgeClock(facts: MachineFacts): readonly Finding[] {
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

function judgeCameras(facts: MachineFacts): readonly Finding[] {
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

function judgeReader({ readers }: MachineFacts): readonly Finding[] {
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

const PEER_WORDS: Readonly<Record<Exclude<PeerOutcome, 'REACHED'>, readonly [what: string, remedy: string]>> =
  {
    NAME_UNKNOWN: ['its name is not known', 'Check the name in config.json and the DNS of this machine.'],
    REFUSED: ['it refuses the connection', 'Check the port in config.json, and that the service runs.'],
    TIMED_OUT: ['it does not answer', 'Check the network, and the firewall for this address.'],
    CERTIFICATE_REFUSED: [
      'its certificate is not trusted',
      'Check the clock and the certificate; name the authority of a private one in caFile.',
    ],
    FAILED: ['the connection fails', 'Check the network and the address.'],
  }

function judgeNetwork(facts: MachineFacts): readonly Finding[] {
  const down = describeEffect(facts, 'CONNECTOR_DOWN')
  const sync = judgeSync(facts)
  const parts = Object.entries(JUDGED_APART).flatMap(([name, check]) => {
    // A trouble that the database names is said once.
    if (check !== 'network' || (name === 'sync' && findWorstState(sync.map(({ state }) => state)) !== 'OK'))
      return []
    return judgeReported(
      facts,
      name,
      name === 'sync' ? describeEffect(facts, 'OFFLINE_TOO_LONG') : name === 'webhooks' ? null : down,
    )
  })
  const measured = whenMeasured(facts.peers, (peers) =>
    peers.length === 0
      ? sync.length > 0
        ? []
        : [notChecked('config.json names no service outside, and no central service was joined.')]
      : peers.map((peer) => judgePeer(peer, facts)),
  )
  return [...sync, ...measured, ...parts]
}

/** Judges the last known state of the sync. Empty: no central service was joined, and none has stopped this machine. */
function judgeSync({ sync }: MachineFacts): readonly Finding[] {
  return whenMeasured(sync, (last) => {
    if (last?.stop) return [judgeStop(last.stop)]
    if (!last?.isJoined) return []
    const { lastContactAt, failingSince, lastError } = last
    const contact = lastContactAt === null ? 'never' : `at ${new Date(lastContactAt).toISOString()}`
    if (lastError !== null)
      return [
        warning(
          `The central service cannot be reached${failingSince === null ? '' : ` since ${new Date(failingSince).toISOString()}`} (${lastError}); the last contact was ${contact}.`,
          'Proofs wait on this machine. New proofings are refused when too many wait, or wait too long (sync.freeze).',
          'Check the network and ask the head office; npm run sync -- status shows what waits.',
        ),
      ]
    return [ok(`The last contact with the central service was ${contact}.`)]
  })
}

function judgeStop({ since, reason }: NonNullable<LastSync['stop']>): Finding {
  const at = new Date(since).toISOString()
  return reason === 'REVOKED'
    ? wrong(
        `The central service has revoked this kiosk (since ${at}).`,
        NOTHING_NEW,
        'Enrol it again with a new code of the head office: npm run sync -- leave --force, then npm run sync -- enrol',
      )
    : wrong(
        `Another machine uses the identity of this kiosk (since ${at}).`,
        NOTHING_NEW,
        'Follow docs/RUNBOOK.md, "Two machines use the identity of one kiosk".',
      )
}

function judgePeer({ field, place, outcome }: Peer, facts: MachineFacts): Finding {
  if (outcome === 'REACHED') return ok(`${field} can be reached at ${place}. Its credentials were not tried.`)
  const [what, remedy] = PEER_WORDS[outcome]
  const sentence = `${field} cannot be reached at ${place}: ${what}.`
  if (field.startsWith('traces')) return warning(sentence, 'Traces are lost; no proofing waits.', remedy)
  return wrong(sentence, describePeerCost(facts, field), remedy)
}

/** @param field option of config.json */
function describePeerCost(facts: MachineFacts, field: string): string | null {
  if (field.startsWith('signing')) return 'Proofs have no time stamp, or are not sealed if one is required.'
  if (field.startsWith('antifraud')) return describeEffect(facts, 'WATCHLIST_OUTDATED')
  if (field.startsWith('counter')) return 'Officers sign in with their local accounts only.'
  return describeEffect(facts, 'CONNECTOR_DOWN')
}

const CERTIFICATE_COSTS: Readonly<Record<CertificateUse, string>> = {
  listener: 'Browsers and relying services refuse the connection.',
  client: 'The service refuses this appliance, and evidence that needs it stays unverified.',
  authority: 'Certificates of the service are refused, and evidence that needs it stays unverified.',
  signing: 'Verifiers refuse proofs that are signed from then on.',
  peer: 'The appliance does not call the service, and evidence that needs it stays unverified.',
}

const CERTIFICATE_REMEDIES: Readonly<Record<CertificateUse, string>> = {
  listener: 'Replace the file with a new certificate and restart the appliance.',
  client: 'Ask the service for a new certificate and replace the file.',
  authority: 'Ask the service for its new authority and replace the file.',
  signing: 'Certify the key again: npm run signing-keys -- csr, then certify',
  peer: 'Tell the operator of the service.',
}

function judgeCertificates({ at, certificates }: MachineFacts): readonly Finding[] {
  return whenMeasured(certificates, (all) =>
    all.length === 0
      ? [notChecked('There is no certificate: config.json names none, and no signing key has one.')]
      : all.map((certificate) => judgeCertificate(certificate, at)),
  )
}

function judgeCertificate({ use, name, validFrom, validTo }: Certificate, at: Date): Finding {
  const [cost, remedy] = [CERTIFICATE_COSTS[use], CERTIFICATE_REMEDIES[use]]
  if (!validTo || !validFrom)
    return wrong(`${name} names a file without a readable certificate.`, cost, remedy)
  if (validFrom > at)
    return wrong(`The certificate of ${name} is valid only from ${formatDay(validFrom)}.`, cost, remedy)
  if (validTo <= at)
    return wrong(`The certificate of ${name} expired on ${formatDay(validTo)}.`, cost, remedy)
  const days = Math.floor((validTo.getTime() - at.getTime()) / DAY_MS)
  const what = `The certificate of ${name} expires on ${formatDay(validTo)}, in ${days} day${days === 1 ? '' : 's'}.`
  return days < EXPIRES_SOON_DAYS ? warning(what, cost, remedy) : ok(what)
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

function judgeSandbox({ sandbox }: MachineFacts): readonly Finding[] {
  return whenMeasured(sandbox, ({ gap, complaint }) => {
    if (gap === null)
      return [ok('The workers run in bubblewrap: no network, no data folder, system-call filter.')]
    const [what, remedy] = SANDBOX_WORDS[gap]
    const said = complaint === '' ? '' : ` It says: ${complaint}`
    const cost = 'A manipulated picture that takes over a decoder can reach all that the server can.'
    return [warning(`${what}${said}`, cost, remedy)]
  })
}

function judgeSpeech({ speech }: MachineFacts): readonly Finding[] {
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

function judgePrinter({ printer }: MachineFacts): readonly Finding[] {
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

function judgePower({ power }: MachineFacts): readonly Finding[] {
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

/** The unit of the updater takes a request within seconds. */
const MAX_REQUEST_AGE_MS = 10 * 60_000
/** An update waits half an hour for a visit, and five minutes for the health of the new version. */
const MAX_UPDATE_MS = 60 * 60_000

function judgeUpdates({ updates }: MachineFacts): readonly Finding[] {
  return whenMeasured(updates, (facts) => {
    if (!facts.isInstalled)
      return [notChecked('The appliance was not installed from its package, so nothing updates it.')]
    return [...judgeReleaseKeys(facts), ...judgeLastUpdate(facts), ...judgeRequest(facts)]
  })
}

function judgeReleaseKeys({ keys, isOffered }: Updates): readonly Finding[] {
  const refused = 'The updater refuses every release, security updates included.'
  const findings = keys.flatMap(({ path, kind, isSafe }) => [
    ...(isSafe
      ? []
      : [
          wrong(
            `Another user than root may change ${path}, or it is a link.`,
            refused,
            `Compare the release keys with their vendor, then run: sudo chown root:root '${path}' && sudo chmod go-w '${path}'`,
          ),
        ]),
    ...(kind === 'UNREADABLE'
      ? [
          warning(
            `This user cannot read the release key ${path}.`,
            'The appliance refuses the releases that are signed with it.',
            `Run: sudo chmod a+r '${path}'`,
          ),
        ]
      : []),
    ...(kind === 'NO_KEY'
      ? [
          warning(
            `${path} is no Ed25519 public key in PEM.`,
            'No release is accepted by it.',
            'Get the public release key from its vendor, or remove the file.',
          ),
        ]
      : []),
  ])
  const readable = keys.filter(({ kind }) => kind === 'KEY').length
  if (findings.length > 0) return findings
  if (readable > 0) return [ok(`Only root can change the release keys (${readable}).`)]
  const what = `There is no release key in ${RELEASE_KEYS_FOLDER}.`
  const remedy = 'Install the public release key of the vendor (resources/kiosk/README.md, updates).'
  return [isOffered ? wrong(what, refused, remedy) : warning(what, refused, remedy)]
}

function judgeLastUpdate({ last }: Updates): readonly Finding[] {
  if (last === null) return [ok('This machine was never updated by the updater.')]
  if (last === 'UNREADABLE')
    return [
      warning(
        'The result of the last update cannot be read.',
        'It is not known whether it was installed.',
        'Run: sudo counterproof-update status',
      ),
    ]
  const { state, reason, to, from, at } = last
  const release = to ?? 'a release'
  const day = formatDay(new Date(at))
  if (state === 'INSTALLED') return [ok(`The last update installed version ${release} on ${day}.`)]
  const what = `The last update, to ${release} on ${day}, was not installed (${state}, ${reason ?? 'no reason'}).`
  const remedy = reason ? REASONS[reason] : 'Run: sudo counterproof-update status'
  return [
    reason === 'ROLLBACK_FAILED'
      ? wrong(what, 'The appliance may not run.', remedy)
      : warning(what, `The machine keeps version ${from} and lacks the corrections of the release.`, remedy),
  ]
}

function judgeRequest({ requestAgeMs, underWayAgeMs }: Updates): readonly Finding[] {
  const findings: Finding[] = []
  if (underWayAgeMs !== null && underWayAgeMs > MAX_UPDATE_MS)
    findings.push(
      wrong(
        'An update has been under way for more than an hour.',
        'The kiosk takes no new visit.',
        'Read journalctl -u counterproof-update, then run: sudo systemctl start counterproof-update',
      ),
    )
  // A request that comes during an update waits for its end.
  if (requestAgeMs !== null && requestAgeMs > MAX_REQUEST_AGE_MS && underWayAgeMs === null)
    findings.push(
      warning(
        'The updater has not taken a request that has waited for more than ten minutes.',
        'The release is not installed.',
        'Run: sudo systemctl enable --now counterproof-update.path && sudo systemctl start counterproof-update',
      ),
    )
  return findings
}

/** Says which indicator evidence carries because of a fault, and the level that the policy in force then allows. */
function describeEffect({ effects }: MachineFacts, fault: Fault): string | null {
  const effect: Effect | undefined = effects.kind === 'measured' ? effects.value.get(fault) : undefined
  if (!effect) return null
  const { indicator, families, policy, highest } = effect
  const subject =
    families.length > 3 ? 'Evidence and fraud checks carry' : `${families.join(' and ')} evidence carries`
  const level = highest === null ? '' : `; the policy ${policy} then allows at most ${highest}`
  return `${subject} ${indicator}${level}.`
}

function nameSome(names: readonly string[]): string {
  const more = names.length - MAX_NAMED
  return `${names.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

const formatMode = (mode: number): string => `0${(mode & 0o777).toString(8).padStart(3, '0')}`
const formatDay = (at: Date): string => at.toISOString().slice(0, 10)
