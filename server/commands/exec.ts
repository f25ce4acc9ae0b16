/**
 * Runs a tool of node_modules/.bin on this Node, so that the tests use the pinned Node wherever npm was
 * started.
 */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const HELP = `Runs a tool of node_modules on the pinned Node.

  node server/run.mjs exec TOOL [ARGUMENTS]

Example: node server/run.mjs exec vitest run
`

export async function run(argv: string[]): Promise<number> {
  const [tool, ...rest] = argv
  if (tool === undefined || tool === '--help') {
    process.stdout.write(HELP)
    return tool ? 0 : 2
  }
  const require = createRequire(import.meta.url)
  const packageFile = require.resolve(`${tool}/package.json`)
  const { bin } = require(packageFile) as { bin: string | Record<string, string> }
  const script = join(dirname(packageFile), typeof bin === 'string' ? bin : bin[tool])
  const path = [dirname(process.execPath), process.env.PATH].join(':')
  const child = spawn(process.execPath, [script, ...rest], {
    stdio: 'inherit',
    env: { ...process.env, PATH: path },
  })
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)))
}
