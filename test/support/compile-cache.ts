/**
 * The commands that tests start compile the product's sources again each time, which takes a third of a second of a core. Node
 * keeps what it has compiled here, by the content of each file (module.enableCompileCache).
 */
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '../../node_modules/.cache/counterproof-compiled')

/** For vitest's `globalSetup`. A folder that was chosen from outside stays. */
export default function useCompileCache(): void {
  process.env.NODE_COMPILE_CACHE ??= FOLDER
}
