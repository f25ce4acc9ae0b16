/** npm start: the server, then the first screen; stops cleanly on SIGINT and SIGTERM. */
import { parseArgs } from 'node:util'
import { loadConfig } from '../config/config.ts'
import { loadKek } from '../config/kek.ts'
import { createLog } from '../log.ts'
import { pino } from 'pino'
import { start } from '../index.ts'
import { ensureRendererBuilt } from '../launch/renderer.ts'
import { showFirstScreen } from '../launch/screen.ts'
import { startWatchdog } from '../launch/watchdog.ts'

const HELP = `Starts the appliance on this machine.

  npm start -- [--data DIR] [--port N] [--no-window]

  --data DIR    where everything is kept (default: ~/.local/share/counterproof)
  --port N      port on 127.0.0.1 (default 8717; 0 takes a free one)
  --no-window   server only; open the printed address in a browser yourself

Prints 'listening on http://127.0.0.1:PORT' once ready. The log goes to standard error.
`

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      data: { type: 'string' },
      port: { type: 'string' },
      'no-window': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const config = loadConfig({
    ...(values.data === undefined ? {} : { dataDir: values.data }),
    ...(values.port === undefined ? {} : { port: Number(values.port) }),
  })
  const log = createLog(pino.destination({ dest: 2, sync: true }), config.logLevel)
  const screensDir = await ensureRendererBuilt({ progress: (line) => process.stderr.write(`${line}\n`) })
  // Once: what hands the master key over may do so a single time.
  const kek = loadKek(config)
  let appliance = await start({ config, log, screensDir, kek })
  // Before anybody is told that we are ready: whoever reads that line may stop us at once.
  const asked = new Promise<string>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => resolve(name))
  })
  process.stdout.write(`listening on ${appliance.url}\n`)
  const watchdog = startWatchdog(new URL('/kiosk/', appliance.url).href)
  const screen = await showFirstScreen({ url: appliance.url, noWindow: values['no-window'], log })

  for (;;) {
    const signal = await Promise.race([asked, appliance.restartWanted.then(() => null)])
    if (signal === null) {
      // The page stays open on its address: the same port again.
      const { port } = new URL(appliance.url)
      log.info({}, 'new settings of the centre: the server restarts')
      await appliance.close()
      appliance = await start({ config: { ...config, port: Number(port) }, log, screensDir, kek })
      continue
    }
    log.info({ signal }, 'asked to stop')
    watchdog.stop()
    await screen.close()
    await appliance.close()
    return 0
  }
}
