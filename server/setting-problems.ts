/**
 * Lists what a start refuses in config.json and in the files beside it: policies, journey, brand, lists, engines, certificates. A start
 * stops at the first of them; this file lists the others too, so that an operator corrects all of them at once.
 */
import { join } from 'node:path'
import { systemClock } from './clock.ts'
import { CONFIG_FILE, readConfigFile, type Config } from './config/config.ts'
import { loadDocumentFaults } from './config/document-faults.ts'
import { readListenersTls } from './config/listeners.ts'
import { readMetricsToken } from './config/metrics.ts'
import { loadTenantPolicies, requirePolicy } from './config/policies.ts'
import { readServiceSettings } from './config/service-options.ts'
import { createIdentityProviders } from './connectors/oidc/identity-providers.ts'
import { AppError, type FieldProblem } from './errors.ts'
import { loadJourney } from './kiosk/journeys.ts'
import {
  closeServices,
  openServices,
  readCallbackSecrets,
  readCameraDevice,
  readStaffProvider,
  registeredProviders,
} from './open-connectors.ts'
import { readEngineMounts } from './open-engines.ts'
import { journeyFolders, journeyKnowledge, loadFace, loadKiosk } from './open-kiosk.ts'
import { loadLists } from './open-settings.ts'
import { readListSources } from './open-watchlists.ts'
import type { Policy } from './proofing/assurance/policy.ts'

export interface SettingsInForce {
  readonly config: Config
  /** Null: not read yet. */
  readonly policies: ReadonlyMap<string, Policy> | null
}

/** Returns the error with all problems. Another error than `configuration_invalid` is returned as it is. */
export function addSettingProblems(error: unknown, { config, policies }: SettingsInForce): unknown {
  const { dataDir, listeners } = config
  return addProblems(error, (look) => {
    const all = policies ?? look(() => loadTenantPolicies(config))
    const policy = all && look(() => requirePolicy(all, config.tenant.policy))
    const journey = policy
      ? look(() => loadKiosk(config, policy, loadDocumentFaults()).journey)
      : look(() => loadJourney(journeyFolders(config), config.kiosk.journey, journeyKnowledge(null, null)))
    look(() => loadFace(config, journey?.languages ?? []))
    look(() => loadLists(config))
    look(() => readListenersTls({ dataDir, listeners }))
    look(() => readMetricsToken(config))
    look(() => config.traces && readServiceSettings(config.traces, dataDir, 'traces'))
    look(() => readEngineMounts(config))
    look(() => readListSources(config))
    look(() => createIdentityProviders(registeredProviders(config), systemClock))
    look(() => readStaffProvider(config))
    look(() => readCameraDevice(config))
    look(() => readCallbackSecrets(config))
    look(() => closeServices(openServices(config, systemClock)))
  })
}

/** The same for a config.json that is not valid itself: what it names is looked up where the name is readable. */
export function addProblemsOfNamedFiles(error: unknown, dataDir: string): unknown {
  const name = (section: unknown, member: string, fallback?: string): string | undefined => {
    const value = (section as Record<string, unknown> | undefined)?.[member] ?? fallback
    return typeof value === 'string' && NAME.test(value) ? value : undefined
  }
  return addProblems(error, (look) => {
    const file = look(() => readConfigFile(join(dataDir, CONFIG_FILE))) ?? {}
    const policies = look(() => loadTenantPolicies({ dataDir }))
    const policy = name(file.tenant, 'policy', 'default')
    if (policies && policy !== undefined) look(() => requirePolicy(policies, policy))
    const named = name(file.kiosk, 'journey', 'default')
    const known = journeyKnowledge(null, null)
    const journey =
      named === undefined ? null : look(() => loadJourney(journeyFolders({ dataDir }), named, known))
    look(() => loadFace({ dataDir, brand: name(file, 'brand') }, journey?.languages ?? []))
    look(() => loadLists({ dataDir }))
  })
}

/** The form that config.json demands of the names of policies, journeys and brands. */
const NAME = /^[a-z0-9-]{1,64}$/

/** Runs a part of the start. Returns null after keeping its problems. */
type Look = <T>(load: () => T) => T | null

function addProblems(error: unknown, lookAtAll: (look: Look) => void): unknown {
  if (!(error instanceof AppError) || error.code !== 'configuration_invalid') return error
  // Another server runs on the folder, or the folder is no folder: a sentence says it.
  if (error.sentence !== null) return error
  const problems: FieldProblem[] = [...error.problems]
  lookAtAll((load) => {
    try {
      return load()
    } catch (cause) {
      if (!(cause instanceof AppError)) throw cause
      const isNew = ({ field, message }: FieldProblem): boolean =>
        problems.every((one) => one.field !== field || one.message !== message)
      problems.push(...cause.problems.filter(isNew))
      return null
    }
  })
  if (problems.length === error.problems.length) return error
  const { details, cause } = error
  // An error without problems says what is wrong in its details.
  const shown = error.problems.length === 0 ? details : { file: CONFIG_FILE }
  return new AppError(error.code, shown, { problems, cause })
}
