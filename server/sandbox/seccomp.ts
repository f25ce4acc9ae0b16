/**
 * Assembles the system-call filter as a classic BPF program (Linux, Documentation/userspace-api/seccomp_filter.rst) from the
 * table in syscalls.ts, without a compiler or library. Does not load it.
 */
import {
  ARCHITECTURES,
  CLONE,
  CLONE3,
  DENIED,
  IOCTL,
  NEW_NAMESPACES,
  TERMINAL_INPUT,
  type Architecture,
} from './syscalls.ts'

/** linux/audit.h: machine number of ELF with the bits for 64-bit and little-endian. */
const AUDIT_ARCH: Readonly<Record<Architecture, number>> = { x64: 0xc000003e, arm64: 0xc00000b7 }
/** Calls of the x32 ABI share the architecture of x64 and carry this bit (asm/unistd.h). */
const X32_BIT = 0x40000000

/** struct seccomp_data (linux/seccomp.h): number, architecture, instruction pointer, six arguments of 8 bytes. */
const NUMBER_AT = 0
const ARCHITECTURE_AT = 4
/** Offset of the low half of an argument; both architectures are little-endian. */
const argumentAt = (index: number): number => 16 + 8 * index

/** Parts of an instruction (linux/bpf_common.h): class, size and mode, or class, operation and source. */
const LOAD_WORD = 0x20 // BPF_LD | BPF_W | BPF_ABS
const JUMP_IF_EQUAL = 0x15 // BPF_JMP | BPF_JEQ | BPF_K
const JUMP_IF_AT_LEAST = 0x35 // BPF_JMP | BPF_JGE | BPF_K
const JUMP_IF_ANY_BIT = 0x45 // BPF_JMP | BPF_JSET | BPF_K
const RETURN = 0x06 // BPF_RET | BPF_K

/** linux/seccomp.h */
const ALLOW = 0x7fff0000
const KILL_PROCESS = 0x80000000
const ERRNO = 0x00050000
const EPERM = 1
/** Pretends that clone3 does not exist: the C library then calls clone, whose flags the filter can read. */
const ENOSYS = 38

/** Jumps count the instructions to skip. */
interface Instruction {
  readonly code: number
  readonly value: number
  readonly ifTrue?: number
  readonly ifFalse?: number
}
const INSTRUCTION_BYTES = 8

const load = (value: number): Instruction => ({ code: LOAD_WORD, value })
const end = (value: number): Instruction => ({ code: RETURN, value })
/** Ends with `action` if the test is true. */
const endIf = (code: number, value: number, action: number): readonly Instruction[] => [
  { code, value, ifFalse: 1 },
  end(action),
]

export function isFilterable(architecture: string): architecture is Architecture {
  return ARCHITECTURES.some((known) => known === architecture)
}

/** Returns the program as `bwrap --seccomp` and prctl(2) accept it: struct sock_filter, little-endian. */
export function seccompFilter(architecture: Architecture): Buffer {
  const listSyscallNumbers = (numbers: (typeof DENIED)[string]): readonly number[] => {
    const number = numbers[architecture]
    return number === null ? [] : [number]
  }
  /** Runs `then` only for this call. The accumulator contains the call number when `then` is skipped. */
  const forCall = (number: number, then: readonly Instruction[]): readonly Instruction[] => [
    { code: JUMP_IF_EQUAL, value: number, ifFalse: then.length },
    ...then,
  ]
  const program: readonly Instruction[] = [
    load(ARCHITECTURE_AT),
    { code: JUMP_IF_EQUAL, value: AUDIT_ARCH[architecture], ifTrue: 1 },
    end(KILL_PROCESS),
    load(NUMBER_AT),
    ...(architecture === 'x64' ? endIf(JUMP_IF_AT_LEAST, X32_BIT, ERRNO | ENOSYS) : []),
    ...Object.values(DENIED)
      .flatMap(listSyscallNumbers)
      .flatMap((number) => endIf(JUMP_IF_EQUAL, number, ERRNO | EPERM)),
    ...listSyscallNumbers(CLONE3).flatMap((number) => endIf(JUMP_IF_EQUAL, number, ERRNO | ENOSYS)),
    ...listSyscallNumbers(CLONE).flatMap((number) =>
      forCall(number, [
        load(argumentAt(0)),
        ...endIf(JUMP_IF_ANY_BIT, NEW_NAMESPACES, ERRNO | EPERM),
        end(ALLOW),
      ]),
    ),
    ...listSyscallNumbers(IOCTL).flatMap((number) =>
      forCall(number, [
        load(argumentAt(1)),
        ...TERMINAL_INPUT.flatMap((request) => endIf(JUMP_IF_EQUAL, request, ERRNO | EPERM)),
        end(ALLOW),
      ]),
    ),
    end(ALLOW),
  ]
  return assemble(program)
}

function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * INSTRUCTION_BYTES)
  program.forEach(({ code, value, ifTrue = 0, ifFalse = 0 }, i) => {
    const at = i * INSTRUCTION_BYTES
    bytes.writeUInt16LE(code, at)
    bytes.writeUInt8(ifTrue, at + 2)
    bytes.writeUInt8(ifFalse, at + 3)
    bytes.writeUInt32LE(value, at + 4)
  })
  return bytes
}
