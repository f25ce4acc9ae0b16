/**
 * Splits the master key into shares (Shamir's secret sharing): any `threshold` of them restore it, fewer reveal nothing.
 */
import { randomBytes } from 'node:crypto'
import { combine, split } from 'shamir-secret-sharing'
import { deriveKey, computeKeyedHash } from '../store/crypto.ts'
import { KeyRefused } from './refused.ts'
import { FINGERPRINT_BYTES, SET_BYTES, toSetId, type Share } from './share-text.ts'

const FEWEST_NEEDED = 2
/** More people cannot be assembled. */
const MAX_SHARES = 20

/** A share with its origin, for messages. */
export interface NamedShare {
  readonly name: string
  readonly share: Share
}

/** Fingerprint of the master key: an irreversible hash of 16 hex digits, keyed with a derived key. */
export function kekFingerprint(kek: Uint8Array): string {
  const hash = computeKeyedHash(deriveKey(kek, 'fingerprint'), 'master key')
  return hash.subarray(0, FINGERPRINT_BYTES).toString('hex')
}

/** Verifies the shares before returning them: the first and the last `threshold` of them restore the key. */
export async function splitKek(
  kek: Uint8Array,
  shares: number,
  threshold: number,
): Promise<readonly Share[]> {
  if (!(threshold >= FEWEST_NEEDED && threshold <= shares && shares <= MAX_SHARES)) {
    throw new KeyRefused(
      `At least ${FEWEST_NEEDED} shares have to be needed, and no more than are made (${MAX_SHARES} at most).`,
    )
  }
  const setId = toSetId(randomBytes(SET_BYTES))
  const fingerprint = kekFingerprint(kek)
  const parts = await split(new Uint8Array(kek), shares, threshold)
  const made = parts.map((part, index) => ({
    setId,
    number: index + 1,
    shares,
    threshold,
    fingerprint,
    part,
  }))
  for (const some of [made.slice(0, threshold), made.slice(-threshold)]) {
    await combineShares(some.map((share) => ({ name: `share ${share.number}`, share })))
  }
  return made
}

/** Restores the master key. Throws KeyRefused with one sentence per problem. */
export async function combineShares(named: readonly NamedShare[]): Promise<Buffer> {
  const problems = findShareProblems(named)
  if (problems.length > 0) throw new KeyRefused(problems.join('\n'))
  const kek = Buffer.from(await combine(named.map(({ share }) => share.part)))
  if (kekFingerprint(kek) !== named[0]?.share.fingerprint) {
    throw new KeyRefused(
      'These shares do not restore the key that they name: at least one of them is forged.',
    )
  }
  return kek
}

/** Reasons why these shares cannot restore a key, one sentence each. */
export function findShareProblems(named: readonly NamedShare[]): string[] {
  const [first] = named
  if (!first) return ['There is no share.']
  const sets = Map.groupBy(named, ({ share }) => share.setId)
  if (sets.size > 1) {
    const described = [...sets].map(([setId, those]) => `${joinNames(those)} of set ${setId}`)
    return [`The shares are of different sets: ${described.join('; ')}.`]
  }
  const numbers = Map.groupBy(named, ({ share }) => share.number)
  const twice = [...numbers].filter(([, those]) => those.length > 1)
  const { threshold } = first.share
  const differ = named.some(({ share }) => share.threshold !== threshold)
  return [
    ...twice.map(([number, those]) => `Share ${number} is there more than once: ${joinNames(those)}.`),
    ...(differ ? ['The shares do not agree on how many are needed.'] : []),
    ...(numbers.size < threshold ? [`${threshold} shares are needed, and ${numbers.size} are here.`] : []),
  ]
}

function joinNames(named: readonly NamedShare[]): string {
  return named.map(({ name }) => name).join(', ')
}
