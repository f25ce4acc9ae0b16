/**
 * The officers' credential at the machine: a passphrase, stored as a scrypt hash in a file that applicants
 * and the kiosk's own user cannot write. Owns: reading, comparing, and the limit of tries. Never: the
 * passphrase itself.
 */
import { scrypt, timingSafeEqual } from 'node:crypto'
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'

export interface Credential {
  readonly salt: Buffer
  readonly hash: Buffer
  readonly cost: number
  readonly blockSize: number
  readonly parallelization: number
}

/** The answer to the officers' prompt. */
export type Attempt = 'accepted' | 'refused' | 'locked' | 'none'

export interface AdminGate {
  /** One at a time; never rejects. */
  check(passphrase: string): Promise<Attempt>
}

/**
 * Consecutive wrong tries before the prompt is locked, and the length of the lock; each further one doubles
 * it.
 */
const ATTEMPTS = 5
const LOCKED_MS = 60_000
const MAX_LOCKED_MS = 3_600_000
/** More than a person types; scrypt would hash input of any length. */
const MAX_PASSPHRASE_LENGTH = 200
/** Limits for the parameters of a file: at least OWASP's minimum (N = 2^14), at most half a gigabyte. */
const MIN_COST = 2 ** 14
const MAX_COST = 2 ** 19

/** Null, with the reason, if no passphrase can be accepted. Never throws. */
export function readCredential(path: string): { credential: Credential | null; reason: string } {
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    const { uid, mode } = fstatSync(file)
    // A user who may write the file could set the passphrase: only root and the shell's own user may own it.
    if ((mode & 0o022) !== 0) return refused('others may write it')
    if (uid !== 0 && uid !== process.getuid?.()) return refused('it belongs to another user')
    const credential = parseCredential(readFileSync(file, 'utf8'))
    return credential ? { credential, reason: '' } : refused('it does not hold a credential')
  } catch (error) {
    return refused(
      (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such file' : 'it cannot be read',
    )
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

const refused = (reason: string) => ({ credential: null, reason })

/** `{"algorithm": "scrypt", "cost": 131072, "blockSize": 8, "parallelization": 1, "salt": "…", "hash": "…"}`, base64. */
export function parseCredential(text: string): Credential | null {
  let value: Record<string, unknown> | null
  try {
    value = JSON.parse(text) as Record<string, unknown> | null
  } catch {
    return null
  }
  if (value?.algorithm !== 'scrypt' || typeof value.salt !== 'string' || typeof value.hash !== 'string')
    return null
  const { cost, blockSize, parallelization } = value
  const salt = Buffer.from(value.salt, 'base64')
  const hash = Buffer.from(value.hash, 'base64')
  const isSound =
    isWithin(cost, MIN_COST, MAX_COST) &&
    isWithin(blockSize, 8, 16) &&
    isWithin(parallelization, 1, 4) &&
    salt.length >= 16 &&
    hash.length >= 32 &&
    hash.length <= 64
  return isSound
    ? {
        salt,
        hash,
        cost: cost as number,
        blockSize: blockSize as number,
        parallelization: parallelization as number,
      }
    : null
}

function isWithin(value: unknown, least: number, most: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
}

/** @param now milliseconds of a monotonic clock. @param read reads the file at every try, because it may change. */
export function createAdminGate(
  read: () => Credential | null,
  now: () => number = () => performance.now(),
): AdminGate {
  let wrong = 0
  let lockedUntil = 0
  let turn: Promise<Attempt> = Promise.resolve('none')
  const check = async (passphrase: string): Promise<Attempt> => {
    if (now() < lockedUntil) return 'locked'
    const credential = read()
    if (!credential) return 'none'
    const isRight = passphrase.length <= MAX_PASSPHRASE_LENGTH && (await isSame(passphrase, credential))
    if (isRight) {
      wrong = 0
      return 'accepted'
    }
    wrong++
    if (wrong >= ATTEMPTS) lockedUntil = now() + Math.min(LOCKED_MS * 2 ** (wrong - ATTEMPTS), MAX_LOCKED_MS)
    return 'refused'
  }
  return {
    check(passphrase) {
      // Sequentially, so that parallel tries count separately.
      turn = turn.then(
        () => check(passphrase),
        () => check(passphrase),
      )
      return turn.catch((): Attempt => 'refused')
    },
  }
}

function isSame(passphrase: string, credential: Credential): Promise<boolean> {
  const { salt, hash, cost, blockSize, parallelization } = credential
  const options = { N: cost, r: blockSize, p: parallelization, maxmem: 256 * cost * blockSize }
  return new Promise((resolve, reject) => {
    // The same letters from another keyboard are the same passphrase (RFC 8265 requires NFC).
    scrypt(passphrase.normalize('NFC'), salt, hash.length, options, (error, derived) => {
      if (error) reject(error)
      else resolve(timingSafeEqual(derived, hash))
    })
  })
}
