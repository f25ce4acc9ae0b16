/** Entry of the Electron shell. Reads the settings and starts; everything else is in shell.ts. */
import { join } from 'node:path'
import { app } from 'electron'
import { HELP, readSettings } from './settings.ts'
import { runShell } from './shell.ts'

// Built to out/main/index.js, beside out/preload and out/admin-preload.
const OUT = join(import.meta.dirname, '..')

// The wrapped key, the profile and the server's files are for this user only.
process.umask(0o077)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => app.quit())
main()

// Not awaited: Electron becomes ready only after this module has been evaluated.
function main(): void {
  let settings: ReturnType<typeof readSettings>
  try {
    settings = readSettings(process.argv.slice(1), process.env)
  } catch (error) {
    process.stderr.write(`shell: ${error instanceof Error ? error.message : 'wrong use'}\n`)
    app.exit(2)
    return
  }
  if (settings.help) {
    process.stdout.write(HELP)
    app.exit(0)
    return
  }
  const files = {
    root: join(OUT, '..'),
    preload: join(OUT, 'preload', 'preload.cjs'),
    adminPreload: join(OUT, 'admin-preload', 'admin-preload.cjs'),
  }
  runShell(app, settings, files).catch((error: unknown) => {
    process.stderr.write(`shell: ${error instanceof Error ? error.message : 'failed'}\n`)
    app.exit(1)
  })
}
