/**
 * The doctor: measures the machine and the installation, and judges them by the rules. Works beside a running appliance and without one.
 * Never repairs anything, and needs no key.
 */
import type { ReadersState } from '../chip-reader/readers.ts'
import { CONFIG_FILE, loadConfig, type Config } from '../config/config.ts'
import { loadFaultRules } from '../config/degraded.ts'
import { loadTenantPolicies, requirePolicy } from '../config/policies.ts'
import { chooseCamera } from '../connectors/camera/choose.ts'
import { requireDeviceName } from '../connectors/camera/device-name.ts'
import { listCameras } from '../connectors/camera/devices.ts'
import { AppError } from '../errors.ts'
import { PRODUCT_VERSION } from '../version.ts'
import { findSandbox } from '../sandbox/bubblewrap.ts'
import type { Camera, Cameras, Effect, Health, KnownTime, MachineFacts, Measured, Peer } from './facts.ts'
import type { Fault } from '../proofing/assurance/faults.ts'
import type { LastSync } from '../workflows/health/last-sync.ts'
import { measureCertificates, type SigningCertificate } from './measure-certificates.ts'
import {
  findNewestTime,
  measureDatabase,
  measureDisks,
  measureKeys,
  measureModels,
  measurePermissions,
} from './measure-files.ts'
import {
  isClockSynchronised,
  measurePower,
  measurePrinter,
  measureSpeech,
  NotMeasurable,
} from './measure-machine.ts'
import { measurePeers } from './measure-network.ts'
import { measureUpdates } from './measure-updates.ts'
import { findWorstState, type DoctorReport } from './report.ts'
import { judgeMachine } from './rules.ts'

/** The settings of a start; `config` is null if it would be refused before any part is opened. */
export interface Settings {
  readonly config: Config | null
  readonly problems: MachineFacts['settingProblems']
}

/** Facts that a command and a running appliance get in different ways. */
export interface Sources {
  readonly dataDir: string
  readSettings(): Settings
  /** Null: no server runs on the data folder. */
  readHealth(config: Config | null): Promise<Health | null>
  /** Null: the configuration enables no reader. */
  readReaders(config: Config): Promise<ReadersState | null>
  listSigningCertificates(): readonly SigningCertificate[]
  readTime(): KnownTime | null
  readSync(): LastSync | null
  readonly env: NodeJS.ProcessEnv
  readonly now: () => Date
}

/** Reads config.json as the next start does; the files that it names are not checked. */
export function readConfigOnDisk(dataDir: string): Settings {
  try {
    return { config: loadConfig({ dataDir }), problems: [] }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const problems = error.problems.map(({ field, message }) => ({ field: field ?? CONFIG_FILE, message }))
    return { config: null, problems }
  }
}

export async function diagnose(sources: Sources): Promise<DoctorReport> {
  const facts = await measureMachine(sources)
  const checks = judgeMachine(facts)
  return {
    state: findWorstState(checks.map(({ state }) => state)),
    version: PRODUCT_VERSION,
    at: facts.at.toISOString(),
    checks,
  }
}

async function measureMachine(sources: Sources): Promise<MachineFacts> {
  const { dataDir, env } = sources
  // Measured first, because reading the settings takes rights from other users.
  const [permissions, keys] = await Promise.all([
    measure(() => measurePermissions(dataDir)),
    measure(() => measureKeys(dataDir, null)),
  ])
  const { config, problems } = sources.readSettings()
  const withConfig = async <T>(work: (valid: Config) => T | Promise<T>): Promise<Measured<T>> =>
    config
      ? measure(() => work(config))
      : { kind: 'unmeasured', reason: 'config.json is not valid, so this could not be checked.' }
  const peers = await withConfig(measurePeers)
  const reached: readonly Peer[] = peers.kind === 'measured' ? peers.value : []
  return {
    at: sources.now(),
    settingProblems: problems,
    health: await measure(() => sources.readHealth(config)),
    effects: await withConfig(readEffects),
    permissions,
    keys: config ? await measure(() => measureKeys(dataDir, config)) : keys,
    database: await measure(() => measureDatabase(dataDir)),
    time: await measure(() => sources.readTime()),
    sync: await measure(() => sources.readSync()),
    models: await measure(() => measureModels(config)),
    disks: await measure(() => measureDisks(dataDir, config)),
    clock: await measure(async () => ({
      isSynchronised: await isClockSynchronised(env),
      newestFileAt: await findNewestTime(dataDir),
    })),
    cameras: await withConfig(measureCameras),
    readers: await withConfig((valid) => sources.readReaders(valid)),
    peers,
    certificates: await withConfig((valid) =>
      measureCertificates(valid, sources.listSigningCertificates(), reached),
    ),
    sandbox: await measure(() => measureSandbox(config, env)),
    speech: await measure(() => measureSpeech(env)),
    printer: await measure(() => measurePrinter(env)),
    power: await measure(() => measurePower()),
    updates: await measure(() => measureUpdates(dataDir, config?.updates.enabled ?? false, sources.now())),
  }
}

/** A failure is a fact, too: this check could not run. */
async function measure<T>(work: () => T | Promise<T>): Promise<Measured<T>> {
  try {
    return { kind: 'measured', value: await work() }
  } catch (error) {
    return { kind: 'unmeasured', reason: describeFailure(error) }
  }
}

/** The system's code and the call say enough; other messages may quote a file. */
function describeFailure(error: unknown): string {
  if (error instanceof NotMeasurable) return error.message
  const { code, syscall } = error as NodeJS.ErrnoException
  const cause = code !== undefined && syscall !== undefined ? ` (${code} at ${syscall})` : ''
  return `This could not be checked${cause}.`
}

function readEffects(config: Config): ReadonlyMap<Fault, Effect> {
  const policy = requirePolicy(loadTenantPolicies(config), config.tenant.policy)
  return new Map(
    loadFaultRules().map(({ fault, indicator, families }) => [
      fault,
      { indicator, families, policy: policy.id, highest: policy.caps[indicator] ?? null },
    ]),
  )
}

async function measureCameras({ cameras: { document, face } }: Config): Promise<Cameras> {
  const present = await listCameras()
  const look = (use: Camera['use'], device: string | undefined, pin: Camera['pin'] | undefined): Camera => {
    const name = device === undefined ? null : requireDeviceName(device)
    const choice = chooseCamera({ device: name, pin: pin ?? undefined }, present)
    return { use, pin: pin ?? null, fault: choice.kind === 'fault' ? choice.fault : null }
  }
  const named = [
    ...(document ? [look('document', document.device, document.pin)] : []),
    ...(face ? [look('face', undefined, face.pin)] : []),
  ]
  return { named, present: present.filter(({ captures, ready }) => captures && ready).length }
}

async function measureSandbox(config: Config | null, env: NodeJS.ProcessEnv) {
  if (config?.vision.sandbox === 'off') return { gap: 'OFF' as const, complaint: '' }
  const found = await findSandbox(process.execPath, env)
  return found.kind === 'bubblewrap'
    ? { gap: null, complaint: '' }
    : { gap: found.gap, complaint: found.complaint }
}
