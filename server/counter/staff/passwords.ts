/**
 * Passwords: which are taken, and how they are kept. Never: how often somebody may try.
 * Rules after NIST SP 800-63B-4, section 3.1.1: length alone, no kinds of characters, no change by the clock, common ones
 * and those of the account's own name refused.
 */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { AppError } from '../../errors.ts'
import { COMMON_WORDS } from './common-words.ts'
import { PASSWORD_LENGTH, type PasswordFault } from '../contract/staff.ts'

/**
 * OWASP Password Storage Cheat Sheet (scrypt, read 2026-11): N = 2^16, r = 8, p = 2 is one of its equal settings; 64 MiB
 * leave room beside the vision workers. Other parameters here: kept passwords are hashed again at the next sign-in.
 * Not argon2: node:crypto calls its own a release candidate.
 */
const COST = { log2N: 16, r: 8, p: 2 } as const
const KEY_BYTES = 32
const SALT_BYTES = 16

interface Kept {
  readonly log2N: number
  readonly r: number
  readonly p: number
  readonly salt: Buffer
  readonly hash: Buffer
}

/** `scrypt$16$8$2$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const hash = await derive(password, { ...COST, salt })
  const { log2N, r, p } = COST
  return ['scrypt', log2N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

/** The same work where there is none kept (null), so that nobody tells by the time whether there is an account. */
export async function passwordFits(password: string, encoded: string | null): Promise<boolean> {
  const kept = encoded === null ? NOBODYS : read(encoded)
  const hash = await derive(password, kept)
  return timingSafeEqual(hash, kept.hash) && encoded !== null
}

/** It was hashed with other parameters than today's. */
export function isOutdated(encoded: string): boolean {
  const { log2N, r, p } = read(encoded)
  return log2N !== COST.log2N || r !== COST.r || p !== COST.p
}

const NOBODYS: Kept = { ...COST, salt: randomBytes(SALT_BYTES), hash: randomBytes(KEY_BYTES) }

function read(encoded: string): Kept {
  const [form, log2N, r, p, salt = '', hash = ''] = encoded.split('$')
  if (form !== 'scrypt') throw new TypeError('no password of ours')
  return {
    log2N: Number(log2N),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt, 'base64url'),
    hash: Buffer.from(hash, 'base64url'),
  }
}

/** One after the other: many at once would take the memory that the checks of documents need. */
let before: Promise<unknown> = Promise.resolve()
let waiting = 0
/** Some ten seconds of waiting: whoever comes then is told to come again. Starting value. */
const MAX_WAITING = 32

/** Throws `rate_limited` when too many wait. */
function derive(password: string, { log2N, r, p, salt }: Omit<Kept, 'hash'>): Promise<Buffer> {
  const N = 2 ** log2N
  const run = (): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      // What scrypt needs is 128·N·r bytes; the rest is room for its own.
      const options = { N, r, p, maxmem: 128 * N * r + 32 * 1024 * 1024 }
      scrypt(normalized(password), salt, KEY_BYTES, options, (error, key) => {
        if (error) reject(error)
        else resolve(key)
      })
    })
  if (waiting >= MAX_WAITING) return Promise.reject(new AppError('rate_limited'))
  waiting += 1
  const turn = before.then(run).finally(() => {
    waiting -= 1
  })
  before = turn.catch(() => undefined)
  return turn
}

/** SP 800-63B-4, 3.1.1.2: the same letters from another keyboard are the same password. */
const normalized = (password: string): string => password.normalize('NFKC')

/** Null: it is taken. */
export function passwordFault(password: string, login: string): PasswordFault | null {
  const text = normalized(password)
  const length = [...text].length
  if (length < PASSWORD_LENGTH.least) return 'TOO_SHORT'
  if (length > PASSWORD_LENGTH.most) return 'TOO_LONG'
  const plain = text.toLowerCase()
  if (login.length >= 3 && plain.includes(login)) return 'HOLDS_LOGIN'
  return isCommon(plain) ? 'COMMON' : null
}

const LOOKALIKES: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
}
const ROWS_OF_KEYS = [
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  '1234567890',
]
/** Fewer letters than this, repeated to the length: starting value. */
const FEWEST_KINDS = 5

/** A word of the list with figures or signs around it, a row of keys, or a few letters again and again. */
function isCommon(plain: string): boolean {
  if (new Set(plain).size < FEWEST_KINDS) return true
  if (ROWS_OF_KEYS.some((row) => isRun(plain, row + row) || isRun([...plain].reverse().join(''), row + row)))
    return true
  const letters = [...plain]
  return [letters, letters.map((letter) => LOOKALIKES[letter] ?? letter)].some((spelled) =>
    isMadeOfWords(letters, spelled),
  )
}

function isRun(text: string, row: string): boolean {
  return row.includes(text)
}

/** As long as a date of birth; more figures than that are worth something by themselves. */
const MAX_AROUND = 8

/** Listed words, however they are spelled, and nothing else but a few figures and signs. */
function isMadeOfWords(letters: readonly string[], spelled: readonly string[]): boolean {
  // One unit a letter, so that a place in the text is a place in the list.
  let text = spelled.map((letter) => (letter.length === 1 ? letter : ' ')).join('')
  for (const word of COMMON_WORDS) text = text.replaceAll(word, '\0'.repeat(word.length))
  const rest = letters.filter((_, at) => text[at] !== '\0')
  return rest.length < letters.length && rest.length <= MAX_AROUND && !/\p{L}/u.test(rest.join(''))
}
