/**
 * Text form of a master key share for printing and typing: five lines of 16 characters, each with six check characters.
 * The lines contain the whole share; the head is for readers.
 *
 *   1  0412 7XQ9 …  check
 *
 * Alphabet: Crockford's base 32, which reads O as 0 and I, L as 1. Check: the code of bech32 (BIP 173), which detects up
 * to four wrong characters per line with certainty; the check of each later line includes the first line, so that lines
 * of two shares cannot be mixed.
 */
import {
  CHECK_CHARS,
  computeCheck,
  checks,
  fromBase32,
  toLetters,
  toBase32,
  parseLetters,
} from '../crypto/base32.ts'
import { KeyRefused } from './refused.ts'

export interface Share {
  /** Identifies the set from one split: 8 characters. */
  readonly setId: string
  /** 1 to `shares`. */
  readonly number: number
  readonly shares: number
  readonly threshold: number
  /** Fingerprint of the master key: an irreversible keyed hash of 16 hex digits. */
  readonly fingerprint: string
  /** 33 bytes: values of the polynomials, and their argument. */
  readonly part: Uint8Array
}

export const SET_BYTES = 5
export const FINGERPRINT_BYTES = 8
export const PART_BYTES = 33
/** Number of lines of a share, numbered from 1. */
export const LINES = 5

const VERSION = 1
const HEAD_BYTES = 4 // version, number, threshold, shares
const ALL_BYTES = HEAD_BYTES + SET_BYTES + FINGERPRINT_BYTES + PART_BYTES // 50: exactly fills five lines
const DATA_CHARS = (ALL_BYTES * 8) / 5 / LINES
const CODED_LINE = /^\s*([1-9])[ .:\t]+(.*)$/

export function formatShare(share: Share): string {
  return [
    ...formatHead(share),
    '',
    ...codedLines(share),
    '',
    'Whoever holds as many of these shares as are needed can read everything that the appliance',
    'has stored. Keep this one apart from the others. To use it: npm run kek -- restore --ask',
    '',
  ].join('\n')
}

/** The numbered lines to type. */
export function codedLines(share: Share): string[] {
  const values = toBase32(encode(share))
  const first = values.slice(0, DATA_CHARS)
  return Array.from({ length: LINES }, (_, index) => {
    const data = values.slice(index * DATA_CHARS, (index + 1) * DATA_CHARS)
    const check = computeCheck([...buildBinding(index + 1, first), ...data])
    return `${index + 1}  ${grouped(toLetters(data))}  ${toLetters(check)}`
  })
}

/** Reads a share line by line as it is typed. */
export class ShareReader {
  readonly #lines = new Map<number, readonly number[]>()

  /** Number of the next line, from 1; LINES + 1 when complete. */
  get next(): number {
    return this.#lines.size + 1
  }

  /** Adds a line with or without its number. Throws KeyRefused for an error; the line may then be repeated. */
  add(text: string): void {
    const number = this.next
    const bare = text.replace(new RegExp(`^\\s*${number}[ .:\\t]+`), '')
    this.#lines.set(number, readLine(number, bare, this.#lines.get(1)))
  }

  /** Throws KeyRefused if lines are missing or the version is unsupported. */
  share(): Share {
    if (this.next <= LINES) throw new KeyRefused(`Line ${this.next} is missing.`)
    return decode(fromBase32([...this.#lines.values()].flat()))
  }
}

/** Parses a share from its file or its lines. Throws KeyRefused with the wrong line. */
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
  const head = formatHead(share).map(plain)
  if (!above.every((line) => line === '' || head.includes(line))) {
    throw new KeyRefused('The head of the share does not say what its lines say.')
  }
  return share
}

/** Head above the lines, for readers. */
function formatHead({ setId, number, shares, threshold, fingerprint }: Share): string[] {
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
  const values = parseLetters(text.replace(/[\s-]/g, ''))
  const known = values.length === DATA_CHARS + CHECK_CHARS && !values.includes(-1)
  const data = values.slice(0, DATA_CHARS)
  if (!known || !checks([...buildBinding(number, first ?? data), ...values])) {
    throw new KeyRefused(`Line ${number} holds an error.`)
  }
  return data
}

/** Data that a line's check covers before its own characters: its number, and for later lines the first line. */
function buildBinding(number: number, first: readonly number[]): readonly number[] {
  return number === 1 ? [number] : [number, ...first]
}

function encode(share: Share): Uint8Array {
  const { number, threshold, shares, setId, fingerprint, part } = share
  const bytes = Buffer.concat([
    Buffer.from([VERSION, number, threshold, shares]),
    fromBase32(parseLetters(setId)),
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
    setId: toSetId(rest.subarray(0, SET_BYTES)),
    number,
    shares,
    threshold,
    fingerprint: rest.subarray(SET_BYTES, SET_BYTES + FINGERPRINT_BYTES).toString('hex'),
    part: new Uint8Array(rest.subarray(SET_BYTES + FINGERPRINT_BYTES)),
  }
}

/** Id of a set from its random bytes. */
export function toSetId(bytes: Uint8Array): string {
  return toLetters(toBase32(bytes))
}

function grouped(text: string): string {
  return (text.match(/.{4}/g) ?? []).join(' ')
}
