/** Starts the vision workers that the configuration asks for. A start of the appliance begins with it, so it loads little. */
import type { Config } from './config/config.ts'
import type { Log } from './log.ts'
import type { ConfiguredEngines } from './open-engines.ts'
import { openVision, type OpenedVision } from './vision/client.ts'
import { defaultModelsDir } from './vision/packs.ts'

type VisionSettings = Pick<Config, 'vision' | 'engines'>

export function openConfiguredVision(
  { vision }: VisionSettings,
  engines: Pick<ConfiguredEngines, 'mounts' | 'ask'> | null,
  log: Log,
): Promise<OpenedVision> {
  return openVision({
    ...(engines && { engines: engines.mounts, askService: engines.ask }),
    log: (event, details) => {
      log.info(details, event)
    },
    modelsDir: defaultModelsDir(),
    packs: vision.packs === 'core' ? ['core'] : ['core', 'extended'],
    callTimeoutMs: vision.callTimeoutMs,
    sandbox: vision.sandbox,
    liveWorker: true,
  })
}

interface EarlyVision {
  /** Gives the workers to their owner, who closes them; null at a second time, or if none were started. */
  readonly take: () => OpenedVision | null
  /** Ends workers that were not taken. */
  close(): Promise<void>
}

/**
 * Starts the workers before the rest of the server is loaded. Settings of the central service do not change them. Starts none if an
 * engine is mounted, whose files are judged later, or if they cannot start: the start of the server then says why.
 */
export async function openVisionEarly(config: VisionSettings, log: Log): Promise<EarlyVision> {
  let opened: OpenedVision | null = null
  if (Object.values(config.engines).every((engine) => engine === undefined))
    opened = await openConfiguredVision(config, null, log).catch(() => null)
  const take = (): OpenedVision | null => {
    const taken = opened
    opened = null
    return taken
  }
  return { take, close: async () => take()?.vision.close() }
}
