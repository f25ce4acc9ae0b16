/**
 * Binary layout of a face template. Does not interpret the numbers, compare, or encrypt: a holder of these bytes must
 * encrypt them immediately.
 *
 * version (1 byte) | number of parts (1) | per part: length of the id (1), id (ASCII), count of numbers (2) | then per
 * part in the same order: agreement and numbers as float32. Little endian. No checksum, because encryption authenticates.
 */
interface TemplatePart {
  /** The network and its exact weights. */
  readonly madeBy: string
  /** How well the source pictures agree, in the network's own measure. Invariant under rotation. */
  readonly agreement: number
  /** Comparisons are invariant under a common rotation. */
  readonly numbers: Float32Array
}

const VERSION = 1
/** First byte of a template that only its engine reads (engines/opaque-template.ts). */
export const OPAQUE_VERSION = 2
const MAX_PARTS = 4
const MAX_NUMBERS = 2048
const NUMBER_BYTES = 4
const COUNT_BYTES = 2
const MADE_BY = /^[\x21-\x7e]{1,100}$/

const bodyBytes = (count: number): number => (1 + count) * NUMBER_BYTES

/** Throws TypeError for input that `readTemplate` would reject, which is a programming error. */
export function writeTemplate(parts: readonly TemplatePart[]): Uint8Array {
  if (parts.length < 1 || parts.length > MAX_PARTS) throw new TypeError('a template has one to four parts')
  const heads = parts.map(({ madeBy, numbers }) => {
    if (!MADE_BY.test(madeBy)) throw new TypeError('a network is named in printable ASCII')
    if (numbers.length < 1 || numbers.length > MAX_NUMBERS) throw new TypeError('too few or too many numbers')
    const count = Buffer.alloc(COUNT_BYTES)
    count.writeUInt16LE(numbers.length)
    return Buffer.concat([Buffer.from([madeBy.length]), Buffer.from(madeBy, 'ascii'), count])
  })
  const bodies = parts.map(({ agreement, numbers }) => {
    const body = Buffer.alloc(bodyBytes(numbers.length))
    for (const [i, number] of [agreement, ...numbers].entries()) body.writeFloatLE(number, i * NUMBER_BYTES)
    return body
  })
  return new Uint8Array(Buffer.concat([Buffer.from([VERSION, parts.length]), ...heads, ...bodies]))
}

/** True if only the engine that made the template can read it. */
export const isOpaqueTemplate = (bytes: Uint8Array): boolean => bytes.at(0) === OPAQUE_VERSION

/** Returns null for bytes without this layout. */
export function readTemplate(bytes: Uint8Array): readonly TemplatePart[] | null {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const heads = readHeads(view)
  if (!heads) return null
  let at = heads.end
  if (heads.list.reduce((sum, { count }) => sum + bodyBytes(count), at) !== view.length) return null
  const parts = heads.list.map(({ madeBy, count }): TemplatePart => {
    const numberAt = (i: number) => view.readFloatLE(at + i * NUMBER_BYTES)
    const part = {
      madeBy,
      agreement: numberAt(0),
      numbers: Float32Array.from({ length: count }, (_, i) => numberAt(i + 1)),
    }
    at += bodyBytes(count)
    return part
  })
  const areNumbers = parts.every(
    ({ agreement, numbers }) => Number.isFinite(agreement) && numbers.every(Number.isFinite),
  )
  return areNumbers ? parts : null
}

interface Heads {
  readonly list: readonly { readonly madeBy: string; readonly count: number }[]
  readonly end: number
}

function readHeads(view: Buffer): Heads | null {
  if (view.length < 2 || view[0] !== VERSION || view[1] < 1 || view[1] > MAX_PARTS) return null
  const list: { madeBy: string; count: number }[] = []
  let at = 2
  while (list.length < view[1]) {
    const idEnd = at + 1 + (view.at(at) ?? 0)
    if (at >= view.length || idEnd + COUNT_BYTES > view.length) return null
    const madeBy = view.toString('latin1', at + 1, idEnd)
    const count = view.readUInt16LE(idEnd)
    if (!MADE_BY.test(madeBy) || count < 1 || count > MAX_NUMBERS) return null
    list.push({ madeBy, count })
    at = idEnd + COUNT_BYTES
  }
  return { list, end: at }
}
