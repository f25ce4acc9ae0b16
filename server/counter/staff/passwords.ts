/**
 * Passwords: which are accepted, and how they are stored. Never: the limit of tries. Rules by NIST SP
 * 800-63B-4, section 3.1.1: only length, no kinds of characters, no regular change; common passwords and
 * those with the account's own name are refused.
 */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { AppError } from '../../errors.ts'
import { COMMON_WORDS } from './common-words.ts'
import { PASSWORD_LENGTH, type PasswordFault } from '../contract/staff.ts'

/**
 * OWASP Password Storage Cheat Sheet (scrypt, read 2026-11): N = 2^16, r = 8, p = 2 is one of its equal
 * settings; 64 MiB leave room beside the vision workers. After a change of these parameters stored passwords
 * are hashed again at the next sign-in. Not argon2: node:crypto calls its own a release candidate.
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

/**
 * Does the same work without a stored hash (null), so that the response time does not reveal whether there is
 * an account.
 */
export async function passwordFits(password: string, encoded: string | null): Promise<boolean> {
  const kept = encoded === null ? NOBODYS : read(encoded)
  const hash = await derive(password, kept)
  return timingSafeEqual(hash, kept.hash) && encoded !== null
}

/** True if it was hashed with other parameters. */
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

/** Sequentially: parallel hashes would take the memory that the checks of documents need. */
let before: Promise<unknown> = Promise.resolve()
let waiting = 0
/** Some ten seconds of waiting; further calls are refused. Starting value. */
const MAX_WAITING = 32

/** Throws `rate_limited` when too many wait. */
function derive(password: string, { log2N, r, p, salt }: Omit<Kept, 'hash'>): Promise<Buffer> {
  const N = 2 ** log2N
  const run = (): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      // scrypt needs 128·N·r bytes; the rest is for its own use.
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

/** Null: the password is accepted. */
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
/** A password of fewer different letters is a repetition: starting value. */
const FEWEST_KINDS = 5

/** True for a listed word with digits or signs around it, a row of keys, or a few repeated letters. */
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

/** The length of a date of birth; more digits add strength by themselves. */
const MAX_AROUND = 8

/** True if the password consists of listed words, however spelled, and a few digits and signs. */
function isMadeOfWords(letters: readonly string[], spelled: readonly string[]): boolean {
  // One code unit per letter, so that positions in text and list agree.
  let text = spelled.map((letter) => (letter.length === 1 ? letter : ' ')).join('')
  for (const word of COMMON_WORDS) text = text.replaceAll(word, '\0'.repeat(word.length))
  const rest = letters.filter((_, at) => text[at] !== '\0')
  return rest.length < letters.length && rest.length <= MAX_AROUND && !/\p{L}/u.test(rest.join(''))
}
