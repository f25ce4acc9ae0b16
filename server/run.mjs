// Entry point of every command. It is plain JavaScript, so that any Node can load it. If the Node that started it is
// too old for the database (N-API 10) or for TypeScript, it starts the pinned Node from node_modules.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Only the user of this process may read what it and its children write. Code that lets others read says so
// (server/files/public-folder.ts).
process.umask(0o077)

const OLDEST_NAPI = 10 // better-sqlite3 13 crashes without a message below N-API 10
const here = dirname(fileURLToPath(import.meta.url))

/**
 * Finds the path of the pinned Node: NODE_BINARY first, then the npm package for this processor. Undefined if there
 * is none.
 */
function pinnedNode() {
  const named = process.env.NODE_BINARY
  if (named) return named
  try {
    const require = nodeModule.createRequire(import.meta.url)
    const pkg = require.resolve(`node-linux-${process.arch}/package.json`)
    const binary = join(dirname(pkg), 'bin', 'node')
    return existsSync(binary) ? binary : undefined
  } catch {
    return undefined
  }
}

const current = Number(process.versions.napi) >= OLDEST_NAPI && Boolean(process.features.typescript)
// npm leaves an optional package out, in silence, if the Node that runs it is older than the package asks for.
const isWhole = existsSync(join(here, '..', 'node_modules', '@img', `sharp-linux-${process.arch}`))
if (!isWhole) {
  console.error(
    "Packages are missing: 'npm ci' has not run, or it ran in a Node before 20.19 and left them out. Install Node " +
      "20.19 or later (docs/install.md), then run 'npm ci' again.",
  )
  process.exitCode = 1
} else if (current) {
  // A third of a start is compiling. The folder is beside the code, so both have the same owner.
  const folder =
    process.env.NODE_COMPILE_CACHE ?? join(here, '..', 'node_modules', '.cache', 'counterproof-compiled')
  const { ENABLED, ALREADY_ENABLED } = nodeModule.constants.compileCacheStatus
  const isEnabled = [ENABLED, ALREADY_ENABLED].includes(nodeModule.enableCompileCache(folder).status)
  // The processes of Node that this one starts use it, too.
  if (isEnabled) process.env.NODE_COMPILE_CACHE = folder
  const { main } = await import('./cli.ts')
  process.exitCode = await main(process.argv.slice(2))
} else if (process.env.COUNTERPROOF_REEXEC) {
  console.error(
    `Counterproof needs Node 24 or later; ${process.env.NODE_BINARY ?? 'the pinned Node'} is ${process.version}.`,
  )
  process.exitCode = 1
} else {
  const binary = pinnedNode()
  if (!binary) {
    console.error(
      `Counterproof needs Node 24 or later, and this is ${process.version}. Run 'npm ci' (it brings Node 24 along), ` +
        'or set NODE_BINARY to the path of a Node 24.',
    )
    process.exitCode = 1
  } else {
    const child = spawn(binary, [join(here, 'run.mjs'), ...process.argv.slice(2)], {
      stdio: 'inherit',
      env: { ...process.env, COUNTERPROOF_REEXEC: '1' },
    })
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
    child.on('error', () => {
      console.error(`The Node at ${binary} could not be started. Check NODE_BINARY, or run 'npm ci' again.`)
      process.exitCode = 1
    })
    child.on('exit', (code, signal) => {
      process.exitCode = code ?? (signal ? 1 : 0)
    })
  }
}
