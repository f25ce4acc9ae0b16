/**
 * Runs a tool of node_modules/.bin, or a script, on this Node, so that the tests use the pinned Node wherever npm was
 * started.
 */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'

const HELP = `Runs a tool of node_modules, or a script, on the pinned Node.

  node server/run.mjs exec TOOL [ARGUMENTS]
  node server/run.mjs exec FILE.ts [ARGUMENTS]

Example: node server/run.mjs exec vitest run
`

export async function run(argv: string[]): Promise<number> {
  const [tool, ...rest] = argv
  if (tool === undefined || tool === '--help') {
    process.stdout.write(HELP)
    return tool ? 0 : 2
  }
  const script = tool.endsWith('.ts') ? resolve(tool) : findTool(tool)
  const path = [dirname(process.execPath), process.env.PATH].join(':')
  const child = spawn(process.execPath, [script, ...rest], {
    stdio: 'inherit',
    env: { ...process.env, PATH: path },
  })
  return new Promise((ended) => child.on('exit', (code) => ended(code ?? 1)))
}

function findTool(tool: string): string {
  const require = createRequire(import.meta.url)
  const packageFile = require.resolve(`${tool}/package.json`)
  const { bin } = require(packageFile) as { bin: string | Record<string, string> }
  return join(dirname(packageFile), typeof bin === 'string' ? bin : bin[tool])
}
