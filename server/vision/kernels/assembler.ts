/**
 * Writes WebAssembly modules (core specification 2.0, binary format) whose functions work on one memory. An expression is
 * the list of bytes that computes it. Deterministic. Does not validate: the engine does when it compiles the module.
 */

/** Bytes of an expression or of a statement. */
export type Code = readonly number[]

const TYPES = { i32: 0x7f, f64: 0x7c, v128: 0x7b } as const
export type ValueType = keyof typeof TYPES

/** Unsigned LEB128. */
function toUnsigned(value: number): Code {
  const bytes: number[] = []
  for (let rest = value; ;) {
    const low = rest & 0x7f
    rest >>>= 7
    if (rest === 0) return [...bytes, low]
    bytes.push(low | 0x80)
  }
}

/** Signed LEB128 of a 32-bit number. */
function toSigned(value: number): Code {
  const bytes: number[] = []
  for (let rest = value | 0; ;) {
    const low = rest & 0x7f
    rest >>= 7
    if ((rest === 0 && low < 0x40) || (rest === -1 && low >= 0x40)) return [...bytes, low]
    bytes.push(low | 0x80)
  }
}

const withLength = (bytes: Code): Code => [...toUnsigned(bytes.length), ...bytes]
const list = (items: readonly Code[]): Code => [...toUnsigned(items.length), ...items.flat()]

const binary =
  (...opcode: number[]) =>
  (a: Code, b: Code): Code => [...a, ...b, ...opcode]
const unary =
  (...opcode: number[]) =>
  (a: Code): Code => [...a, ...opcode]
const simd = (opcode: number): number[] => [0xfd, ...toUnsigned(opcode)]
/** Unaligned access at a fixed distance from the address. */
const at = (offset: number): Code => [0, ...toUnsigned(offset)]

export const i32 = {
  const: (value: number): Code => [0x41, ...toSigned(value)],
  add: binary(0x6a),
  sub: binary(0x6b),
  mul: binary(0x6c),
  or: binary(0x72),
  shl: binary(0x74),
}

export const f64 = {
  const: (value: number): Code => [0x44, ...Buffer.from(Float64Array.of(value).buffer)],
  add: binary(0xa0),
  div: binary(0xa3),
}

/** Sixteen bytes; the names follow the specification. */
export const v128 = {
  load: (address: Code, offset = 0): Code => [...address, ...simd(0), ...at(offset)],
  /** Eight bytes, the rest is 0. */
  load64: (address: Code, offset = 0): Code => [...address, ...simd(93), ...at(offset)],
  store: (address: Code, value: Code): Code => [...address, ...value, ...simd(11), ...at(0)],
  /** The first eight bytes. */
  store64: (address: Code, value: Code): Code => [...address, ...value, ...simd(91), ...at(0), 0],
  /** The first four bytes. */
  store32: (address: Code, value: Code): Code => [...address, ...value, ...simd(90), ...at(0), 0],
  zero: [...simd(12), ...new Array<number>(16).fill(0)] as Code,
  /** `lanes`: 0 to 15 take bytes of `a`, 16 to 31 of `b`. */
  shuffle: (a: Code, b: Code, lanes: readonly number[]): Code => [...a, ...b, ...simd(13), ...lanes],
}

export const i8x16 = {
  narrow: binary(...simd(102)),
  min: binary(...simd(119)),
  max: binary(...simd(121)),
}

export const i16x8 = {
  splat: unary(...simd(16)),
  /** Sums of neighbouring bytes. */
  addPairs: unary(...simd(125)),
  narrow: binary(...simd(134)),
  extendLow: unary(...simd(137)),
  extendHigh: unary(...simd(138)),
  shiftRight: binary(...simd(141)),
  add: binary(...simd(142)),
  mul: binary(...simd(149)),
}

export const i32x4 = {
  splat: unary(...simd(17)),
  lane: (a: Code, lane: number): Code => [...a, ...simd(27), lane],
  /** Two floats towards zero; NaN becomes 0. */
  truncate: unary(...simd(252)),
  shiftRight: binary(...simd(173)),
  add: binary(...simd(174)),
  mul: binary(...simd(181)),
  /** Sums of the products of two neighbouring 16-bit numbers each. */
  dot: binary(...simd(186)),
}

export const f64x2 = {
  splat: unary(...simd(20)),
  pair: (a: Code, b: Code): Code => [...a, ...simd(20), ...b, ...simd(34), 1],
  add: binary(...simd(240)),
  sub: binary(...simd(241)),
  mul: binary(...simd(242)),
  /** The smaller of each; `a` if one is NaN. */
  min: binary(...simd(246)),
  /** The larger of each; `a` if one is NaN. */
  max: binary(...simd(247)),
  fromI32: unary(...simd(254)),
}

/** A variable of a function. */
export class Local {
  readonly #index: Code
  constructor(index: number) {
    this.#index = toUnsigned(index)
  }
  get get(): Code {
    return [0x20, ...this.#index]
  }
  set(value: Code): Code {
    return [...value, 0x21, ...this.#index]
  }
}

/** Runs the body until `counter`, a whole number that falls to 0, is 0; not at all if it is 0 or less before. */
export function repeat(counter: Local, ...body: readonly Code[]): Code {
  const isAtEnd = [...counter.get, ...i32.const(1), 0x48]
  const less = counter.set(i32.sub(counter.get, i32.const(1)))
  // Block: leave it at the end; loop: jump back to its begin.
  return [0x02, 0x40, 0x03, 0x40, ...isAtEnd, 0x0d, 1, ...body.flat(), ...less, 0x0c, 0, 0x0b, 0x0b]
}

export interface KernelFunction {
  readonly name: string
  readonly parameters: readonly ValueType[]
  readonly locals: readonly ValueType[]
  /** Gets the parameters and the locals, in this order. */
  readonly write: (...locals: Local[]) => readonly Code[]
}

const section = (id: number, content: Code): Code => [id, ...withLength(content)]
const text = (value: string): Code => withLength([...Buffer.from(value)])

/** Functions without results, exported under their names, on the imported memory `env.memory`. */
export function assemble(functions: readonly KernelFunction[]): Uint8Array<ArrayBuffer> {
  const signatures = functions.map(({ parameters }) => [0x60, ...list(parameters.map((t) => [TYPES[t]])), 0])
  const memory = [...text('env'), ...text('memory'), 2, 0, 1]
  const bodies = functions.map(({ parameters, locals, write }) => {
    const all = [...parameters, ...locals].map((_, i) => new Local(i))
    const declared = list(locals.map((type) => [1, TYPES[type]]))
    return withLength([...declared, ...write(...all).flat(), 0x0b])
  })
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, list(signatures)),
    ...section(2, list([memory])),
    ...section(3, list(functions.map((_, i) => toUnsigned(i)))),
    ...section(7, list(functions.map(({ name }, i) => [...text(name), 0, ...toUnsigned(i)]))),
    ...section(10, list(bodies)),
  ])
}
