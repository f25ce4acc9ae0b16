/** Peak size and processor time of a process, as the system reports them (Linux only). */
import { readFileSync } from 'node:fs'

/** Bytes; null if the system does not report it. */
export function readPeakBytes(pid: number): number | null {
  const status = read(`/proc/${pid}/status`)
  const kilobytes = status && /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]
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

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
