/**
 * The ceremony in which two people see a signing key being made: what they read to each other, and the record that the new
 * key itself signs. Their names stand in the record alone, a file that goes to the archive of the operator; no database
 * and no log of the appliance holds them.
 */
import { createHash, type KeyObject } from 'node:crypto'
import type { KeySigner } from '../proof/sign.ts'
import { canonicalBytes } from '../proof/verify/canonical-json.ts'

export interface CeremonyFacts {
  readonly applianceId: string
  readonly source: string
  readonly at: Date
  readonly activeFrom: Date
  /** Of the key that it follows. */
  readonly previousKid: string | null
  readonly witnesses: readonly string[]
  /** The fingerprint was read aloud and typed back. */
  readonly confirmed: boolean
}

const GROUP = 4

/** SHA-256 of the public key (SPKI, DER) as 16 groups of four hex digits, to be read aloud. */
export function fingerprintOf(publicKey: KeyObject): string {
  const hex = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')
  return (hex.match(new RegExp(`.{${GROUP}}`, 'g')) ?? []).join(' ')
}

/** Spaces, hyphens and case do not count when it is typed back. */
export function sameFingerprint(typed: string, fingerprint: string): boolean {
  const bare = (text: string): string => text.replace(/[\s:-]/g, '').toLowerCase()
  return bare(typed) === bare(fingerprint)
}

/** The text of the file: the statement, and a compact JWS (RS256) of the new key over its canonical JSON. */
export async function ceremonyRecord(signer: KeySigner, facts: CeremonyFacts): Promise<string> {
  const { kty, n, e } = await signer.publicJwk()
  const statement = {
    type: 'counterproof-key-ceremony',
    version: 1,
    applianceId: facts.applianceId,
    kid: signer.keyId,
    algorithm: signer.algorithm,
    source: facts.source,
    publicKey: { kty: kty ?? '', n: n ?? '', e: e ?? '' },
    fingerprint: fingerprintOf(signer.publicKey),
    fingerprintTypedBack: facts.confirmed,
    madeAt: facts.at.toISOString(),
    activeFrom: facts.activeFrom.toISOString(),
    previousKid: facts.previousKid,
    witnesses: [...facts.witnesses],
  }
  const signature = await signer.sign(canonicalBytes(statement))
  return `${JSON.stringify({ statement, signature }, null, 2)}\n`
}
