/**
 * Test commands compile the product's sources at each start, which takes a third of a second of a core. Node
 * caches the result here by the content of each file (module.enableCompileCache).
 */
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '../../node_modules/.cache/counterproof-compiled')

/** For vitest's `globalSetup`. An existing setting of the folder stays. */
export default function useCompileCache(): void {
  process.env.NODE_COMPILE_CACHE ??= FOLDER
}
