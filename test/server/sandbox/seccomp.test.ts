/** The system-call filter: its numbers against the kernel's own headers, its decisions by running its program. */
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { seccompFilter } from '../../../server/sandbox/seccomp.ts'
import { CLONE, CLONE3, DENIED, IOCTL, type Architecture } from '../../../server/sandbox/syscalls.ts'

const ALLOW = 0x7fff0000
const KILL = 0x80000000
const refusedWith = (errno: number): number => 0x00050000 + errno
const EPERM = refusedWith(1)
const ENOSYS = refusedWith(38)

interface Call {
  readonly architecture: number
  readonly number: number
  readonly arguments?: readonly number[]
}
const X64 = 0xc000003e
const ARM64 = 0xc00000b7

/** A machine for the instructions that a filter may use (Linux, kernel/seccomp.c): what the kernel answers to this call. */
function run(program: Buffer, { architecture, number, arguments: values = [] }: Call): number {
  const data = Buffer.alloc(64)
  data.writeUInt32LE(number, 0)
  data.writeUInt32LE(architecture, 4)
  values.forEach((value, i) => data.writeUInt32LE(value, 16 + 8 * i))
  let accumulator = 0
  for (let at = 0; at < program.length; at += 8) {
    const code = program.readUInt16LE(at)
    const value = program.readUInt32LE(at + 4)
    const jump = (holds: boolean) => {
      at += 8 * program.readUInt8(at + (holds ? 2 : 3))
    }
    if (code === 0x20) accumulator = data.readUInt32LE(value)
    else if (code === 0x15) jump(accumulator === value)
    else if (code === 0x35) jump(accumulator >= value)
    else if (code === 0x45) jump((accumulator & value) !== 0)
    else if (code === 0x06) return value
    else throw new TypeError(`an instruction of code ${code}`)
  }
  throw new TypeError('the program has no end')
}

const HEADERS: Readonly<Record<Architecture, readonly string[]>> = {
  x64: ['/usr/include/x86_64-linux-gnu/asm/unistd_64.h', '/usr/include/asm/unistd_64.h'],
  arm64: ['/usr/include/asm-generic/unistd.h'],
}

describe.each(['x64', 'arm64'] as const)('the numbers of %s', (architecture) => {
  const header = HEADERS[architecture].find(existsSync)
  test.skipIf(header === undefined)('are those of the kernel (skipped without linux-libc-dev)', () => {
    const text = readFileSync(header ?? '', 'utf8')
    const numbers = new Map(
      [...text.matchAll(/^#define __NR(?:3264)?_(\w+)\s+(\d+)/gm)].map(([, name, number]) => [
        name,
        Number(number),
      ]),
    )
    const ours = { ...DENIED, clone: CLONE, clone3: CLONE3, ioctl: IOCTL }
    // A header that is older than a call does not name it.
    const other = Object.entries(ours).filter(
      ([name, number]) => numbers.has(name) && numbers.get(name) !== number[architecture],
    )
    expect(other).toEqual([])
    const named = Object.keys(ours).filter((name) => numbers.has(name))
    expect(named.length).toBeGreaterThan(60)
  })
})

describe('the filter', () => {
  const x64 = seccompFilter('x64')
  const arm64 = seccompFilter('arm64')
  const on = (number: number, ...values: number[]) =>
    run(x64, { architecture: X64, number, arguments: values })

  test('refuses what reaches other processes, the kernel, mounts, keys, namespaces and the network', () => {
    // Written by hand, from syscall_64.tbl: ptrace, process_vm_readv, bpf, perf_event_open, userfaultfd,
    // kexec_load, mount, unshare, setns, keyctl, add_key, socket, connect, io_uring_setup, open_by_handle_at,
    // init_module.
    for (const number of [101, 310, 321, 298, 323, 246, 165, 272, 308, 250, 248, 41, 42, 425, 304, 175]) {
      expect([number, on(number)]).toEqual([number, EPERM])
    }
  })

  test('lets a program compute: read, write, mmap, futex, epoll_wait, openat, exit_group, sendmsg', () => {
    for (const number of [0, 1, 9, 202, 232, 257, 231, 46])
      expect([number, on(number)]).toEqual([number, ALLOW])
  })

  test('lets threads be made and no namespaces, by whichever call', () => {
    const THREAD = 0x3d0f00
    expect(on(56, THREAD)).toBe(ALLOW)
    for (const flag of [0x20000, 0x10000000, 0x40000000]) expect(on(56, THREAD | flag)).toBe(EPERM)
    // Its flags lie in memory, where a filter cannot look: the C library falls back to clone.
    expect(on(435)).toBe(ENOSYS)
  })

  test('lets no terminal be typed into', () => {
    expect(on(16, 1, 0x5401)).toBe(ALLOW)
    expect(on(16, 1, 0x5412)).toBe(EPERM)
    expect(on(16, 1, 0x541c)).toBe(EPERM)
  })

  test('knows no calls of another architecture or of x32', () => {
    expect(run(x64, { architecture: 0x40000003, number: 4 })).toBe(KILL)
    expect(run(arm64, { architecture: X64, number: 0 })).toBe(KILL)
    expect(on(0x40000000 + 41)).toBe(ENOSYS)
  })

  test('of arm64 refuses by the numbers of arm64: ptrace, bpf, socket, and no read', () => {
    const call = (number: number) => run(arm64, { architecture: ARM64, number })
    expect([117, 280, 198].map(call)).toEqual([EPERM, EPERM, EPERM])
    expect([63, 101, 41 + 1000].map(call)).toEqual([ALLOW, ALLOW, ALLOW])
  })
})
