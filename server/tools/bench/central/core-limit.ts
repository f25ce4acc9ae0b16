/** Limits processes to a share of one core by a control group of the kernel (version 1 or 2). Needs root. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface CoreLimit {
  /** Takes in a process; those that it starts later belong to the group, too. */
  add(pid: number): void
  /** @param cores 0.5: half of one core */
  set(cores: number): void
  /** Lets the processes go, and removes the group. */
  end(): void
}

const GROUPS = '/sys/fs/cgroup'
/** Short, so that a limited process answers evenly. */
const PERIOD_US = 20_000

/** Null: this user may not make control groups, or the kernel offers none with a limit. */
export function openCoreLimit(name: string): CoreLimit | null {
  const first = join(GROUPS, 'cpu')
  const isFirst = existsSync(join(first, 'cgroup.procs'))
  const folder = join(isFirst ? first : GROUPS, `counterproof-bench-${process.pid}-${name}`)
  try {
    if (!isFirst) writeFileSync(join(GROUPS, 'cgroup.subtree_control'), '+cpu')
    mkdirSync(folder)
  } catch {
    return null
  }
  const write = (file: string, value: string | number): void => {
    writeFileSync(join(folder, file), String(value))
  }
  return {
    add: (pid) => {
      write('cgroup.procs', pid)
    },
    set: (cores) => {
      const quota = Math.round(cores * PERIOD_US)
      if (!isFirst) {
        write('cpu.max', `${quota} ${PERIOD_US}`)
        return
      }
      write('cpu.cfs_period_us', PERIOD_US)
      write('cpu.cfs_quota_us', quota)
    },
    end: () => {
      // The kernel removes no group that has processes.
      const members = readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n')
      for (const pid of members.filter((line) => line !== '')) {
        try {
          writeFileSync(join(dirname(folder), 'cgroup.procs'), pid)
        } catch {
          // The process has ended meanwhile.
        }
      }
      rmdirSync(folder)
    },
  }
}
