/** Runs `npm start`: starts the server, then opens the first screen. Stops cleanly on SIGINT and SIGTERM. */
import { mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { getDefaultDataDir, loadConfig, type Config } from '../config/config.ts'
import { loadKek } from '../config/kek.ts'
import type { Appliance } from '../index.ts'
import { createLog, openErrorStream, type Log } from '../log.ts'
import { openVisionEarly } from '../open-vision.ts'
import { requireCurrentKeys, requireLoss, type KeysComparison } from '../store/identity-keys.ts'
import { ensureRendererBuilt } from '../launch/renderer.ts'
import { profileParent } from '../launch/profile-folder.ts'
import { findObstacle, showFirstScreen } from '../launch/screen.ts'
import { startWatchdog } from '../launch/watchdog.ts'
import { openWindowSocket } from '../launch/window-socket.ts'
import { readManifest } from '../vision/manifest.ts'
import { defaultModelsDir, lacksModels } from '../vision/packs.ts'
import { waitUntilAskedToStop } from './asked-to-stop.ts'
import { UsageError } from './usage.ts'

const describeLoss = ({ lost, unsentProofs }: KeysComparison): string =>
  `--accept-loss: ${lost.length} identities without a key end now, and the central service is told that ${unsentProofs} unsent ` +
  'proofs are lost. The audit log names them.\n'

const HELP = `Starts the appliance on this machine.

  npm start -- [--data DIR] [--port N] [--no-window | --window-socket FILE] [--accept-loss]

  --data DIR            the appliance's data folder (default: ~/.local/share/counterproof)
  --port N              port on 127.0.0.1 (default 8717; 0 takes a free one)
  --no-window           starts the server only; the kiosk answers every browser of this machine
  --window-socket FILE  starts the server only; another process (npm run kiosk -- show, or Electron) opens the kiosk's window
                        and gets the secret of the window at this socket. The permissions of the socket's folder decide
                        which users may ask
  --accept-loss         ends the identities whose keys are lost for good, and tells the central service which unsent proofs
                        are lost. Refused when nothing is lost, and when a newer copy of the keys exists (docs/RUNBOOK.md)

Without --no-window and --window-socket, the command opens a window, and the kiosk answers this window only. If no window can be
opened (no browser, no display), the command starts as with --no-window and prints the reason.
To open /v1 or the counter to a network, set listeners.api or listeners.counter in config.json.
Prints 'listening on http://127.0.0.1:PORT' when the server is ready. The log goes to standard error.

Example: npm start -- --port 8717 --no-window
`

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      data: { type: 'string' },
      port: { type: 'string' },
      'no-window': { type: 'boolean', default: false },
      'window-socket': { type: 'string' },
      'accept-loss': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const { 'no-window': noWindow, 'window-socket': givenSocket } = values
  if (noWindow && givenSocket !== undefined)
    throw new UsageError('--no-window and --window-socket exclude each other')
  const opensHere = !noWindow && givenSocket === undefined
  const obstacle = opensHere ? findObstacle() : null
  if (obstacle !== null) process.stderr.write(`${obstacle}\n`)
  const answersAnyBrowser = noWindow || obstacle !== null
  const config = await loadWholeConfig({
    ...(answersAnyBrowser ? { kioskWindow: 'browser' } : {}),
    ...(values.data === undefined ? {} : { dataDir: values.data }),
    ...(values.port === undefined ? {} : { port: Number(values.port) }),
  })
  if (values['accept-loss']) process.stderr.write(describeLoss(requireLoss(config.dataDir)))
  else requireCurrentKeys(config.dataDir)
  const log = createLog(openErrorStream(), config.logLevel)
  const first = await startFirst(config, log, values['accept-loss'])
  let { appliance } = first
  // Install the handlers before the ready line: its reader may stop the process immediately.
  const asked = waitUntilAskedToStop()
  process.stdout.write(`listening on ${appliance.url}\n`)
  if (config.vision.packs !== 'core' && lacksModels(readManifest(), 'extended', defaultModelsDir()))
    process.stderr.write(WITHOUT_EXTENDED_MODELS)
  process.stderr.write(describeMounted(config))
  const watchdog = startWatchdog(new URL('/kiosk/', appliance.url).href)
  const path = answersAnyBrowser ? null : (givenSocket ?? newSocketPath())
  const socket = path === null ? null : await openWindowSocket(path, () => appliance.newWindowSecret())
  const screen = await showFirstScreen({ url: appliance.url, socket: opensHere ? path : null, log })

  for (;;) {
    const signal = await Promise.race([asked, appliance.restartWanted.then(() => null)])
    if (signal === null) {
      // Keep the port: the page stays open on its address.
      const { port } = new URL(appliance.url)
      log.info({}, 'the server restarts with new settings of the central service')
      await appliance.close()
      appliance = await first.startAgain(Number(port))
      continue
    }
    log.info({ signal }, 'the server was asked to stop')
    watchdog.stop()
    await screen.close()
    await socket?.close()
    if (path !== null && givenSocket === undefined) rmSync(dirname(path), { recursive: true, force: true })
    await appliance.close()
    return 0
  }
}

interface FirstStart {
  readonly appliance: Appliance
  /** Uses the settings that the central service has changed meanwhile. */
  startAgain(port: number): Promise<Appliance>
}

async function startFirst(config: Config, log: Log, acceptLoss: boolean): Promise<FirstStart> {
  const early = await openVisionEarly(config, log)
  try {
    // Loaded while the vision worker opens its models: each takes more than a second.
    const { start } = await import('../index.ts')
    const screensDir = await ensureRendererBuilt({ progress: (line) => process.stderr.write(`${line}\n`) })
    // Only once: the source of the master key may provide it only once.
    const kek = loadKek(config)
    const options = { config, log, screensDir, kek }
    const appliance = await start({ ...options, acceptLoss, warmUp: true, takeVision: early.take })
    return { appliance, startAgain: (port) => start({ ...options, config: { ...config, port } }) }
  } finally {
    await early.close()
  }
}

/** Throws `configuration_invalid` with the problems of config.json and of the files beside it. */
async function loadWholeConfig(
  overrides: Parameters<typeof loadConfig>[0] & { readonly dataDir?: string },
): Promise<Config> {
  try {
    return loadConfig(overrides)
  } catch (error) {
    const { addProblemsOfNamedFiles } = await import('../setting-problems.ts')
    throw addProblemsOfNamedFiles(error, overrides.dataDir ?? getDefaultDataDir())
  }
}

const WITHOUT_EXTENDED_MODELS =
  'The extended models are not installed: one network compares faces and refuses one genuine applicant in nine at a ' +
  'single picture (one in 25 with them), and single pictures get no attack detection. Install them: npm run models -- download\n'

/** Nothing if ours are used. */
function describeMounted({ engines: { faceMatching, attackDetection } }: Config): string {
  const tell = (does: string, engine: { readonly folder: string } | undefined): string =>
    engine ? `${does} by the engine in ${engine.folder}, not by ours.\n` : ''
  return (
    tell('Faces are compared', faceMatching) +
    tell('Attacks in single pictures are detected', attackDetection)
  )
}

/** Returns a path in a new folder that only this user may open. */
function newSocketPath(): string {
  return join(mkdtempSync(join(profileParent(), 'counterproof-window-')), 'kiosk.sock')
}
