/**
 * Test commands compile the product's sources at each start, which takes a third of a second of a core. Node
 * caches the result here by the content of each file (module.enableCompileCache).
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { defaultModelsDir } from '../../server/vision/packs.ts'

const ROOT = join(import.meta.dirname, '../..')
/** The processes in the sandbox see it, because they see node_modules. */
const FOLDER = join(ROOT, 'node_modules/.cache/counterproof-compiled')
/** They cannot write to the folder in the sandbox, so a new folder gets their code here. */
const SANDBOXED: readonly (readonly string[])[] = [
  ['server/vision/worker.ts', JSON.stringify({ modelsDir: defaultModelsDir(), packs: ['core', 'extended'] })],
  ['server/chip-reader/reader-process.ts'],
  ['server/central/verification/verify-process.ts'],
]

/** For vitest's `globalSetup`. An existing setting of the folder stays. */
export default function useCompileCache(): void {
  process.env.NODE_COMPILE_CACHE ??= FOLDER
  if (existsSync(process.env.NODE_COMPILE_CACHE)) return
  // Each ends by itself, because nothing can ask it.
  for (const argv of SANDBOXED)
    spawnSync(process.execPath, argv, { cwd: ROOT, stdio: 'ignore', timeout: 60_000 })
}
