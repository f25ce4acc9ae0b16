/**
 * The worker's compiled code (module.enableCompileCache). A sandboxed worker may only read the cache: a worker that a picture has
 * taken over could otherwise change the code of the server. Therefore a process that gets no picture fills it.
 */
import { execFile } from 'node:child_process'
import { accessSync, constants, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { IN_OUR_FOLDER, writeFileWhole } from '../files/write-file.ts'

const LOADER = fileURLToPath(new URL('./load-worker-code.ts', import.meta.url))
const SOURCES = import.meta.dirname
/** Loading takes half a second; without the cache the worker only starts later. */
const LOAD_TIMEOUT_MS = 30_000

/**
 * Fills the cache in the folder NODE_COMPILE_CACHE, once for each version of Node and of the sources. Does nothing without such a
 * folder, or if this user may not write there (a package). Never rejects.
 * @param flags of the worker's Node: code that was compiled with others is not used
 */
export async function compileWorkerCode(flags: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { NODE_COMPILE_CACHE: folder } = env
  if (folder === undefined || !isWritable(folder)) return
  const stamp = join(folder, 'vision-worker')
  const version = [process.version, ...flags, findNewestChange()].join(' ')
  if (readStamp(stamp) === version) return
  const options = { env, timeout: LOAD_TIMEOUT_MS }
  const isLoaded = await new Promise<boolean>((resolve) => {
    execFile(process.execPath, [...flags, LOADER], options, (error) => resolve(error === null))
  })
  if (!isLoaded) return
  try {
    writeFileWhole(stamp, version, IN_OUR_FOLDER)
  } catch {
    // The next start fills the cache again.
  }
}

/** Milliseconds since 1970. */
function findNewestChange(): number {
  const files = readdirSync(SOURCES, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  return Math.max(...files.map(({ parentPath, name }) => statSync(join(parentPath, name)).mtimeMs))
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function readStamp(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
