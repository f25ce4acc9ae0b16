/**
 * A child process kept apart by bubblewrap (bwrap): no network, no other process in sight, no file but those that are named,
 * and a system-call filter. Finds out whether this machine lets us, and says how a command is run in it. Starts nothing but
 * the trial, and knows nothing of what runs inside.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { isFilterable, seccompFilter } from './seccomp.ts'

/** Why there is no sandbox. */
export const SANDBOX_GAPS = [
  /** The configuration says so. */
  'OFF',
  /** Another system than Linux, or a processor that the filter has no table for. */
  'NOT_SUPPORTED',
  'NOT_INSTALLED',
  /** The trial failed: the machine allows no user namespaces, or hides parts of /proc. */
  'REFUSED',
] as const
export type SandboxGap = (typeof SANDBOX_GAPS)[number]

type FoundSandbox =
  | { readonly kind: 'bubblewrap'; readonly sandbox: Sandbox }
  /** `complaint`: the last words of the trial, from the system alone; empty where there was none. */
  | { readonly kind: 'none'; readonly gap: SandboxGap; readonly complaint: string }

/** What a command sees of the file system beside the system's libraries. */
export interface View {
  /** Existing files and folders, at the same place inside. */
  readonly readOnly: readonly string[]
  readonly writable?: readonly string[]
}

interface SandboxedCommand {
  readonly execPath: string
  readonly execArgv: string[]
}

export interface Sandbox {
  /**
   * How `program` is run with this view. File descriptor 4 of the child must be a pipe that `feed` writes to; lower ones are
   * passed on as they are.
   */
  command(program: string, programArgv: readonly string[], view: View): SandboxedCommand
  /** Writes the filter into the pipe at file descriptor 4: until then nothing runs. */
  feed(child: ChildProcess): void
  /** The process id of the program itself, as this process sees it; that of bwrap until the program runs. */
  programPid(child: ChildProcess): number
  /** Kills bwrap and the program, at any moment of their start. */
  kill(child: ChildProcess): void
}

/** Where the filter is read from: 0 to 2 are the standard streams, 3 is the channel of messages. */
const FILTER_FD = 4
/** The trial takes 20 ms; a machine that is busy booting takes longer. */
const TRIAL_MS = 15_000
const COMPLAINT_LENGTH = 200
/** Where programs that this process starts are looked for, should PATH be unset. */
const USUAL_PATH = '/usr/local/bin:/usr/bin:/bin'
/** The dynamic linker and its libraries; on a merged /usr the short names are links. */
const LIBRARIES = ['/usr/lib', '/usr/lib32', '/usr/lib64', '/usr/libexec', '/lib', '/lib32', '/lib64']
/** What libraries read: where libraries are, and which processors there are (onnxruntime's cpuinfo). */
const SYSTEM_FILES = ['/etc/ld.so.cache', '/sys/devices/system/cpu']
/** For temporary files, in memory: libvips unpacks large pictures there if it must. */
const TEMPORARY_BYTES = 512 * 1024 * 1024
/**
 * bwrap has no handlers: what ends a service or a terminal must leave the program to its parent, as without bwrap. A program
 * that crashes leaves no picture of its memory on the disk.
 */
const PREPARE = 'trap "" HUP INT TERM; ulimit -c 0; exec "$0" "$@"'

/** Tries it once, by running `program --version` with the same walls. `program`: what is to be run later. */
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
      // A child that ended meanwhile is told by its exit.
      pipe.on('error', () => undefined)
      pipe.end(filter)
    },
    programPid: ({ pid = 0 }) => findChild(pid) ?? pid,
    kill: (child) => {
      const { pid } = child
      // A stopped bwrap starts nothing more. Its child would outlive it until the walls stand: --die-with-parent comes last.
      if (pid === undefined || !child.kill('SIGSTOP')) return
      const program = findChild(pid)
      if (program !== null) killIfThere(program)
      child.kill('SIGKILL')
    },
  }
}

/** The arguments of bwrap, but for the command. */
function walls(program: string, { readOnly, writable = [] }: View): readonly string[] {
  const seen = [...LIBRARIES.filter(isNoLink), ...SYSTEM_FILES, program, ...readOnly].filter(existsSync)
  return [
    // Named, so that a service need not allow the others: neither the host's name nor its control groups are worth hiding.
    '--unshare-user',
    '--unshare-pid',
    '--unshare-net',
    '--unshare-ipc',
    '--cap-drop',
    'ALL',
    // No --new-session: the filter keeps it from typing into a terminal, and in a session of its own a lower priority counts
    // for nothing (sched(7), autogroup).
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
    // After them: what is to be seen may lie below one of these places.
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

/** What the trial complained of; null: it went well. */
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

/** The child of a stopped process stays a zombie at least: the number is that of no other process. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended by itself.
  }
}

/** Linux, Documentation/filesystems/proc.rst: the children of a process, if the kernel tells them. */
function findChild(pid: number): number | null {
  try {
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
    return child ? Number(child) : null
  } catch {
    return null
  }
}
