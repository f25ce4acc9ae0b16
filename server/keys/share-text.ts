/**
 * A share of the master key as text that is printed, read and typed: five lines of 16 characters, each with six more that
 * tell whether the line was typed right. Whatever the share says stands in these lines; the head is for people.
 *
 *   1  0412 7XQ9 …  check
 *
 * Alphabet: Crockford's base 32, where O reads as 0 and I, L as 1. Check: the code of bech32 (BIP 173), which finds up to
 * four wrong characters of a line for certain; each line after the first is bound to the first, so that lines of two
 * shares do not mix.
 */
import { CHECK_CHARS, checkOf, checks, fromBase32, lettersOf, toBase32, valuesOf } from '../crypto/base32.ts'
import { KeyRefused } from './refused.ts'

export interface Share {
  /** What was split in one go: 8 characters. */
  readonly setId: string
  /** 1 to `shares`. */
  readonly number: number
  readonly shares: number
  readonly threshold: number
  /** Of the master key, 16 hex digits: a keyed hash, which tells nothing of the key. */
  readonly fingerprint: string
  /** 33 bytes: the values of the polynomials, and where they were taken. */
  readonly part: Uint8Array
}

export const SET_BYTES = 5
export const FINGERPRINT_BYTES = 8
export const PART_BYTES = 33
/** Lines of a share, numbered from 1. */
export const LINES = 5

const VERSION = 1
const HEAD_BYTES = 4 // version, number, threshold, shares
const ALL_BYTES = HEAD_BYTES + SET_BYTES + FINGERPRINT_BYTES + PART_BYTES // 50: five lines to the bit
const DATA_CHARS = (ALL_BYTES * 8) / 5 / LINES
const CODED_LINE = /^\s*([1-9])[ .:\t]+(.*)$/

export function formatShare(share: Share): string {
  return [
    ...headOf(share),
    '',
    ...codedLines(share),
    '',
    'Whoever holds as many of these shares as are needed can read everything that the appliance',
    'has stored. Keep this one apart from the others. To use it: npm run kek -- restore --ask',
    '',
  ].join('\n')
}

/** The lines to type, each with its number. */
export function codedLines(share: Share): string[] {
  const values = toBase32(encode(share))
  const first = values.slice(0, DATA_CHARS)
  return Array.from({ length: LINES }, (_, index) => {
    const data = values.slice(index * DATA_CHARS, (index + 1) * DATA_CHARS)
    const check = checkOf([...bindingOf(index + 1, first), ...data])
    return `${index + 1}  ${grouped(lettersOf(data))}  ${lettersOf(check)}`
  })
}

/** Reads a share line by line, as it is typed. */
export class ShareReader {
  readonly #lines = new Map<number, readonly number[]>()

  /** The number of the line to come, from 1; LINES + 1 when all are there. */
  get next(): number {
    return this.#lines.size + 1
  }

  /** The line with or without its number. Throws KeyRefused when it holds an error; it may be given again. */
  add(text: string): void {
    const number = this.next
    const bare = text.replace(new RegExp(`^\\s*${number}[ .:\\t]+`), '')
    this.#lines.set(number, readLine(number, bare, this.#lines.get(1)))
  }

  /** Throws KeyRefused when lines are missing, or when this version does not know the form. */
  share(): Share {
    if (this.next <= LINES) throw new KeyRefused(`Line ${this.next} is missing.`)
    return decode(fromBase32([...this.#lines.values()].flat()))
  }
}

/** A share from its file, or from its lines alone. Throws KeyRefused, naming the line that holds an error. */
export function parseShare(text: string): Share {
  const lines = text.split(/\r?\n/)
  const coded = lines.flatMap((line) => {
    const match = CODED_LINE.exec(line)
    return match ? [{ number: Number(match[1]), text: match[2] ?? '' }] : []
  })
  const reader = new ShareReader()
  for (let number = 1; number <= LINES; number++) {
    const here = coded.filter((line) => line.number === number)
    if (here.length === 0) throw new KeyRefused(`Line ${number} is missing.`)
    if (here.length > 1) throw new KeyRefused(`Line ${number} is there twice.`)
    reader.add(here[0]?.text ?? '')
  }
  const share = reader.share()
  const above = lines
    .slice(
      0,
      lines.findIndex((line) => CODED_LINE.test(line)),
    )
    .map(plain)
  const head = headOf(share).map(plain)
  if (!above.every((line) => line === '' || head.includes(line))) {
    throw new KeyRefused('The head of the share does not say what its lines say.')
  }
  return share
}

/** What stands above the lines, for people. */
function headOf({ setId, number, shares, threshold, fingerprint }: Share): string[] {
  return [
    'COUNTERPROOF KEY SHARE',
    `Set ${setId}, share ${number} of ${shares}, ${threshold} are needed`,
    `Master key ${grouped(fingerprint)}`,
  ]
}

function plain(line: string): string {
  return line.trim().replace(/\s+/g, ' ').toUpperCase()
}

function readLine(number: number, text: string, first: readonly number[] | undefined): number[] {
  const values = valuesOf(text.replace(/[\s-]/g, ''))
  const known = values.length === DATA_CHARS + CHECK_CHARS && !values.includes(-1)
  const data = values.slice(0, DATA_CHARS)
  if (!known || !checks([...bindingOf(number, first ?? data), ...values])) {
    throw new KeyRefused(`Line ${number} holds an error.`)
  }
  return data
}

/** What a line's check covers before its own characters: its number, and from the second on the first line. */
function bindingOf(number: number, first: readonly number[]): readonly number[] {
  return number === 1 ? [number] : [number, ...first]
}

function encode(share: Share): Uint8Array {
  const { number, threshold, shares, setId, fingerprint, part } = share
  const bytes = Buffer.concat([
    Buffer.from([VERSION, number, threshold, shares]),
    fromBase32(valuesOf(setId)),
    Buffer.from(fingerprint, 'hex'),
    part,
  ])
  if (bytes.length !== ALL_BYTES) throw new TypeError('a share of another size')
  return bytes
}

function decode(bytes: Buffer): Share {
  const [version, number = 0, threshold = 0, shares = 0] = bytes
  if (version !== VERSION) {
    throw new KeyRefused('The share was made by another version of Counterproof; use that one.')
  }
  const rest = bytes.subarray(HEAD_BYTES)
  return {
    setId: setIdOf(rest.subarray(0, SET_BYTES)),
    number,
    shares,
    threshold,
    fingerprint: rest.subarray(SET_BYTES, SET_BYTES + FINGERPRINT_BYTES).toString('hex'),
    part: new Uint8Array(rest.subarray(SET_BYTES + FINGERPRINT_BYTES)),
  }
}

/** The id of a set from its random bytes. */
export function setIdOf(bytes: Uint8Array): string {
  return lettersOf(toBase32(bytes))
}

function grouped(text: string): string {
  return (text.match(/.{4}/g) ?? []).join(' ')
}
