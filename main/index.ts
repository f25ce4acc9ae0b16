/** Entry of the Electron shell. Reads what it was told and hands over; everything else is in shell.ts. */
import { join } from 'node:path'
import { app } from 'electron'
import { readSettings } from './settings.ts'
import { runShell } from './shell.ts'

// Built to out/main/index.js, beside out/preload.
const OUT = join(import.meta.dirname, '..')

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => app.quit())
// Not awaited: Electron becomes ready only once this module has been evaluated.
runShell(app, readSettings(process.argv.slice(1), process.env), {
  root: join(OUT, '..'),
  preload: join(OUT, 'preload', 'preload.cjs'),
}).catch((error: unknown) => {
  process.stderr.write(`shell: ${error instanceof Error ? error.message : 'failed'}\n`)
  app.exit(1)
})
