/**
 * Test commands compile the product's sources at each start, which takes a third of a second of a core. Node
 * caches the result here by the content of each file (module.enableCompileCache).
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of `server/run.mjs`. Processes in the sandbox see it, because they see node_modules. */
const FOLDER = join(import.meta.dirname, '../../node_modules/.cache/counterproof-compiled')

/** For vitest's `globalSetup`. An existing setting of the folder stays. */
export default function useCompileCache(): void {
  process.env.NODE_COMPILE_CACHE ??= FOLDER
  mkdirSync(process.env.NODE_COMPILE_CACHE, { recursive: true })
}
