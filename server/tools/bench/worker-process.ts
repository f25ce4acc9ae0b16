/** Peak size and processor time of processes, as the system reports them (Linux only). */
import { readdirSync, readFileSync } from 'node:fs'

const LOOK_MS = 50

/** Bytes; null if the system does not report it. */
export const readPeakBytes = (pid: number): number | null => readStatusBytes(pid, 'VmHWM')

/** Bytes in memory now; null if the system does not report it. */
export const readResidentBytes = (pid: number): number | null => readStatusBytes(pid, 'VmRSS')

/** Bytes in memory now of a process and its descendants together; null if the system does not report it. Shared pages count in each. */
export function readResidentBytesOfAll(pid: number): number | null {
  const sizes = [pid, ...readDescendants(pid)].map(readResidentBytes)
  return sizes[0] === null ? null : sizes.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0)
}

export interface ProcessSize {
  readonly residentBytes: number
  readonly threads: number
  /** Open files, sockets and pipes. */
  readonly handles: number
}

/** Null if the process has ended or the system does not report it. */
export function readProcessSize(pid: number): ProcessSize | null {
  const status = read(`/proc/${pid}/status`)
  const threads = status && /^Threads:\s+(\d+)$/m.exec(status)?.[1]
  const residentBytes = readResidentBytes(pid)
  try {
    const handles = readdirSync(`/proc/${pid}/fd`).length
    return threads && residentBytes !== null ? { residentBytes, threads: Number(threads), handles } : null
  } catch {
    return null
  }
}

/** The command line, with blanks between its parts; empty if the process has ended. */
export const readCommandLine = (pid: number): string =>
  (read(`/proc/${pid}/cmdline`) ?? '').replaceAll('\0', ' ')

/** Name of the program, at most 15 characters. */
export const readProgramName = (pid: number): string => (read(`/proc/${pid}/comm`) ?? '').trim()

/** Ticks since the start of the system: together with its id it names a process for ever. Null if it has ended. */
export function readStartTime(pid: number): number | null {
  // starttime is field 22 of proc(5); the first two are cut off with the name. A zombie (Z) has ended.
  const fields = read(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /s, '')
    .split(' ')
  return fields && fields[0] !== 'Z' ? Number(fields[19]) : null
}

function readStatusBytes(pid: number, name: 'VmHWM' | 'VmRSS'): number | null {
  const status = read(`/proc/${pid}/status`)
  const kilobytes = status && new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]
  return kilobytes ? Number(kilobytes) * 1024 : null
}

/** Processor time of all threads together; the system counts in hundredths of a second. */
export function readCpuMs(pid: number): number | null {
  const fields = read(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /s, '')
    .split(' ')
  // utime and stime are fields 14 and 15 of proc(5); the first two were cut off with the name.
  return fields ? (Number(fields[11]) + Number(fields[12])) * 10 : null
}

/** Adds up the processor time of all descendants of a process, also of those that have ended. */
export interface DescendantsCpu {
  readMs(): number
  stop(): void
}

/**
 * Looks at the descendants at regular times, because the time of a killed process whose parent was killed with it is
 * in no other process. What such a process did after the last look is missing.
 */
export function watchDescendantsCpu(pid: number): DescendantsCpu {
  const times = new Map<number, number>()
  const look = (): void => {
    for (const descendant of readDescendants(pid)) {
      const ms = readCpuMs(descendant)
      if (ms !== null) times.set(descendant, Math.max(ms, times.get(descendant) ?? 0))
    }
  }
  const timer = setInterval(look, LOOK_MS).unref()
  return {
    readMs: () => {
      look()
      return [...times.values()].reduce((sum, ms) => sum + ms, 0)
    },
    stop: () => clearInterval(timer),
  }
}

export function readDescendants(pid: number): number[] {
  return readChildren(pid).flatMap((child) => [child, ...readDescendants(child)])
}

function readChildren(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      (read(`/proc/${pid}/task/${thread}/children`) ?? '').split(' ').filter(Boolean).map(Number),
    )
  } catch {
    return []
  }
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
