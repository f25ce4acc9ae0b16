/**
 * Builds the command that runs a child process in bubblewrap (bwrap): no network, no view of other processes, only the named
 * files, and a system-call filter. Tests once whether this machine allows it. Starts only that test and does not know which
 * program runs inside.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { isFilterable, seccompFilter } from './seccomp.ts'

/** Reasons for a missing sandbox. */
export const SANDBOX_GAPS = [
  /** Switched off in the configuration. */
  'OFF',
  /** The system is not Linux, or the filter has no table for the processor. */
  'NOT_SUPPORTED',
  'NOT_INSTALLED',
  /** The test failed: the machine does not allow user namespaces, or it masks parts of /proc. */
  'REFUSED',
] as const
export type SandboxGap = (typeof SANDBOX_GAPS)[number]

type FoundSandbox =
  | { readonly kind: 'bubblewrap'; readonly sandbox: Sandbox }
  /** `complaint`: last part of the test's error output, which only the system writes; may be empty. */
  | { readonly kind: 'none'; readonly gap: SandboxGap; readonly complaint: string }

/** The part of the file system that a command sees in addition to the system's libraries. */
export interface View {
  /** Files and folders that exist; they have the same path inside. */
  readonly readOnly: readonly string[]
  readonly writable?: readonly string[]
}

interface SandboxedCommand {
  readonly execPath: string
  readonly execArgv: string[]
}

export interface Sandbox {
  /**
   * Returns the command that runs `program` with this view. File descriptor 4 of the child must be a pipe for `feed`; the
   * lower descriptors are passed on unchanged.
   */
  command(program: string, programArgv: readonly string[], view: View): SandboxedCommand
  /** Writes the filter into the pipe at file descriptor 4. The program does not start before. */
  feed(child: ChildProcess): void
  /** Returns the process id of the program as seen from outside; that of bwrap until the program runs. */
  programPid(child: ChildProcess): number
  /** Kills bwrap and the program, also during their start. */
  kill(child: ChildProcess): void
}

/** Descriptors 0 to 2 are the standard streams, 3 is the message channel. */
const FILTER_FD = 4
/** The test takes 20 ms, and longer on a machine that is booting. */
const TRIAL_MS = 15_000
const COMPLAINT_LENGTH = 200
/** A signal takes effect within microseconds, and on an overloaded machine within tenths of a second. */
const STOP_MS = 1000
/** Used if PATH is unset. */
const USUAL_PATH = '/usr/local/bin:/usr/bin:/bin'
/** The dynamic linker and its libraries; on a merged /usr the short names are links. */
const LIBRARIES = ['/usr/lib', '/usr/lib32', '/usr/lib64', '/usr/libexec', '/lib', '/lib32', '/lib64']
/** Files that libraries read: the library cache, and the list of processors (cpuinfo of onnxruntime). */
const SYSTEM_FILES = ['/etc/ld.so.cache', '/sys/devices/system/cpu']
/** Size of /tmp, which is in memory: libvips may unpack large pictures there. */
const TEMPORARY_BYTES = 512 * 1024 * 1024
/**
 * bwrap has no signal handlers. Signals that end a service or a terminal are ignored here, so that the parent decides when
 * the program ends, as without bwrap. No core dump is written, because the memory holds pictures.
 */
const PREPARE = 'trap "" HUP INT TERM; ulimit -c 0; exec "$0" "$@"'

/** Tests the sandbox once by running `program --version` in it. `program` is the one that will run later. */
export async function findSandbox(
  program: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<FoundSandbox> {
  const { platform, arch } = process
  if (platform !== 'linux' || !isFilterable(arch)) return none('NOT_SUPPORTED')
  const bwrap = findProgram('bwrap', env)
  if (bwrap === null) return none('NOT_INSTALLED')
  const sandbox = openSandbox(bwrap, seccompFilter(arch))
  const complaint = await trial(sandbox, program)
  return complaint === null ? { kind: 'bubblewrap', sandbox } : none('REFUSED', complaint)
}

function none(gap: SandboxGap, complaint = ''): FoundSandbox {
  return { kind: 'none', gap, complaint }
}

function openSandbox(bwrap: string, filter: Buffer): Sandbox {
  return {
    command: (program, programArgv, view) => ({
      execPath: '/bin/sh',
      execArgv: ['-c', PREPARE, bwrap, ...walls(program, view), '--', program, ...programArgv],
    }),
    feed: (child) => {
      const pipe = child.stdio[FILTER_FD]
      if (!pipe || !('end' in pipe)) throw new TypeError('the child has no pipe for the filter')
      // The exit event reports a child that has ended.
      pipe.on('error', () => undefined)
      pipe.write(filter)
      // bwrap reads to the end. end() closes the pipe only in a later turn of the event loop, and a start that loads files makes no turn
      // for half a second.
      if (pipe.writableLength === 0) pipe.destroy()
      else pipe.end()
    },
    programPid: ({ pid = 0 }) => findChild(pid) ?? pid,
    kill: (child) => {
      const { pid } = child
      // A stopped bwrap cannot start the program any more. bwrap sets --die-with-parent last, so until then the child would
      // survive it.
      if (pid === undefined || !child.kill('SIGSTOP')) return
      awaitStop(pid)
      const program = findChild(pid)
      if (program !== null) killIfThere(program)
      child.kill('SIGKILL')
    },
  }
}

/** Returns the arguments of bwrap without the command. */
function walls(program: string, { readOnly, writable = [] }: View): readonly string[] {
  const seen = [...LIBRARIES.filter(isNoLink), ...SYSTEM_FILES, program, ...readOnly].filter(existsSync)
  return [
    // Listed one by one, so that a service need not allow the others. Host name and control groups need no protection.
    '--unshare-user',
    '--unshare-pid',
    '--unshare-net',
    '--unshare-ipc',
    '--cap-drop',
    'ALL',
    // No --new-session: the filter already blocks input to a terminal, and in a separate session a lower priority has no
    // effect (sched(7), autogroup).
    '--die-with-parent',
    '--as-pid-1',
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--size',
    String(TEMPORARY_BYTES),
    '--tmpfs',
    '/tmp',
    // Mounted last, because a visible path may be below one of the mounts above.
    ...LIBRARIES.flatMap(linkArguments),
    ...seen.flatMap((path) => ['--ro-bind', realpathSync(path), path]),
    ...writable.flatMap((path) => ['--bind', realpathSync(path), path]),
    '--remount-ro',
    '/',
    '--setenv',
    'HOME',
    '/tmp',
    '--setenv',
    'TMPDIR',
    '/tmp',
    '--chdir',
    '/',
    '--seccomp',
    String(FILTER_FD),
  ]
}

function isNoLink(path: string): boolean {
  return existsSync(path) && realpathSync(path) === path
}

function linkArguments(path: string): readonly string[] {
  return existsSync(path) && !isNoLink(path) ? ['--symlink', realpathSync(path), path] : []
}

/** Returns the error output of the test; null if it succeeded. */
async function trial(sandbox: Sandbox, program: string): Promise<string | null> {
  const { execPath, execArgv } = sandbox.command(program, ['--version'], { readOnly: [] })
  const child = spawn(execPath, execArgv, {
    stdio: ['ignore', 'ignore', 'pipe', 'ignore', 'pipe'],
    timeout: TRIAL_MS,
    killSignal: 'SIGKILL',
  })
  let words = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    words = (words + chunk.toString()).slice(-COMPLAINT_LENGTH)
  })
  const ended = new Promise<boolean>((resolve) => {
    child.on('error', () => resolve(false))
    child.on('close', (code) => resolve(code === 0))
  })
  sandbox.feed(child)
  if (await ended) return null
  return words.trim() || 'bwrap did not run'
}

function findProgram(name: string, { PATH = USUAL_PATH }: NodeJS.ProcessEnv): string | null {
  const folders = PATH.split(delimiter).filter(isAbsolute)
  return folders.map((folder) => join(folder, name)).find(existsSync) ?? null
}

/**
 * Waits until a process has stopped. A signal takes effect later than its sending returns: a bwrap in the middle of clone(2) still
 * gets its child, and on a busy machine it may stay there for a while.
 */
function awaitStop(pid: number): void {
  const cell = new Int32Array(new SharedArrayBuffer(4))
  for (let waited = 0; waited < STOP_MS && !hasStopped(pid); waited += 1) Atomics.wait(cell, 0, 0, 1)
}

/** True for a stopped process and for one that has ended (proc_pid_stat(5): the state follows the name in brackets). */
function hasStopped(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return 'TtZX'.includes(stat.charAt(stat.lastIndexOf(')') + 2))
  } catch {
    return true
  }
}

/** The parent is stopped, so the child remains at least a zombie and its process id cannot be reused. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself.
  }
}

/** Returns the child of a process if the kernel lists children (Linux, Documentation/filesystems/proc.rst). */
function findChild(pid: number): number | null {
  try {
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
    return child ? Number(child) : null
  } catch {
    return null
  }
}
