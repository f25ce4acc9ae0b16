/** Reads the engines that the configuration mounts, and opens the services of those that run by HTTP. */
import { resolve } from 'node:path'
import type { Config } from './config/config.ts'
import { readServiceSettings } from './config/service-options.ts'
import { openEngineService, type EngineService } from './connectors/engines/engine-service.ts'
import { AppError } from './errors.ts'
import { readAttackEngine, readFaceEngine, type EngineMounts } from './vision/engines/engine-manifest.ts'
import { reportCall } from './connectors/engines/collected-calls.ts'
import type { ValueName } from './proofing/disclosure.ts'
import type { AskService, EngineCall } from './vision/engines/http-protocol.ts'

type Role = keyof EngineMounts
const ROLES: readonly Role[] = ['faceMatching', 'attackDetection']
/** Names in the audit log. */
const SOURCES: Readonly<Record<Role, string>> = {
  faceMatching: 'face-matching',
  attackDetection: 'attack-detection',
}
const DISCLOSED: Readonly<Record<EngineCall['path'], ValueName>> = {
  '/v1/engine': 'faceTemplate',
  '/v1/templates': 'facePicture',
  '/v1/attack-scores': 'facePicture',
  '/v1/comparisons': 'faceTemplate',
}
type EngineConfig = Pick<Config, 'engines' | 'dataDir'>

export interface ConfiguredEngines {
  readonly mounts: EngineMounts
  readonly ask: AskService
  close(): Promise<void>
}

/** Throws `configuration_invalid` as `readEngineMounts` does, or for a secret that cannot be read. */
export function openConfiguredEngines(config: EngineConfig): ConfiguredEngines {
  const mounts = readEngineMounts(config)
  const services = new Map<Role, EngineService>()
  for (const role of ROLES)
    if (mounts[role]?.manifest.runtime.type === 'http') services.set(role, openService(config, role))
  return {
    mounts,
    ask: async (role, call) => {
      const body = 'body' in call ? call.body : undefined
      const values = body === undefined ? [] : [DISCLOSED[call.path]]
      const answered = await services
        .get(role)
        ?.ask(call.path, body, (note) =>
          reportCall({ connector: 'engines', source: SOURCES[role], values, ...note }),
        )
      return answered ?? { kind: 'failed', trouble: 'unreachable' }
    },
    close: async () => void (await Promise.all([...services.values()].map((service) => service.close()))),
  }
}

/** Throws `configuration_invalid` with every problem of both engines. */
export function readEngineMounts({ engines, dataDir }: EngineConfig): EngineMounts {
  const problems: ReturnType<typeof listProblems>[number][] = []
  const read = <T>(role: Role, readEngine: (folder: string, field: string) => T): T | undefined => {
    const given = engines[role]
    if (!given) return undefined
    try {
      return readEngine(resolve(dataDir, given.folder), `engines.${role}`)
    } catch (error) {
      problems.push(...listProblems(error))
      return undefined
    }
  }
  const faceMatching = read('faceMatching', readFaceEngine)
  const attackDetection = read('attackDetection', readAttackEngine)
  const mounts = { ...(faceMatching && { faceMatching }), ...(attackDetection && { attackDetection }) }
  for (const role of ROLES) {
    const type = mounts[role]?.manifest.runtime.type
    if (!type || (type === 'http') === (engines[role]?.service !== undefined)) continue
    const message =
      type === 'http' ? 'is missing: engine.json says http' : 'is not used: engine.json says onnx'
    problems.push({ code: 'unusable', field: `engines.${role}.service`, message })
  }
  if (problems.length > 0) throw new AppError('configuration_invalid', { field: 'engines' }, { problems })
  return mounts
}

function listProblems(error: unknown): NonNullable<AppError['problems']> {
  if (error instanceof AppError && error.problems) return error.problems
  throw error
}

function openService({ engines, dataDir }: EngineConfig, role: Role): EngineService {
  const service = engines[role]?.service
  if (!service) throw new TypeError('the mounts were not checked')
  return openEngineService(readServiceSettings(service, dataDir, `engines.${role}.service`))
}
