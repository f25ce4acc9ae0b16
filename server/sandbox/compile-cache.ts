/** Passes Node's compile cache on to the processes in the sandbox, which read the code from it and cannot write to it there. */

/** The setting for a child process; empty if this process uses no compile cache or has none in its environment. */
export function compileCacheSetting(env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const { NODE_COMPILE_CACHE } = env
  return NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}
}
