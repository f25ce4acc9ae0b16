/**
 * Key ceremony, in which two people witness the creation of a signing key: the fingerprint that they read aloud, and the
 * record that the new key signs. Only the record, a file for the operator's archive, contains their names; no database or
 * log of the appliance does.
 */
import { createHash, type KeyObject } from 'node:crypto'
import type { KeySigner } from '../proof/sign.ts'
import { canonicalBytes } from '../proof/verify/canonical-json.ts'

export interface CeremonyFacts {
  readonly applianceId: string
  readonly source: string
  readonly at: Date
  readonly activeFrom: Date
  /** Id of the preceding key. */
  readonly previousKid: string | null
  readonly witnesses: readonly string[]
  /** The fingerprint was read aloud and typed back. */
  readonly confirmed: boolean
}

const GROUP = 4

/** SHA-256 of the public key (SPKI, DER) as 16 groups of four hex digits, to be read aloud. */
export function computeFingerprint(publicKey: KeyObject): string {
  const hex = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')
  return (hex.match(new RegExp(`.{${GROUP}}`, 'g')) ?? []).join(' ')
}

/** Ignores spaces, hyphens and case of the typed text. */
export function sameFingerprint(typed: string, fingerprint: string): boolean {
  const bare = (text: string): string => text.replace(/[\s:-]/g, '').toLowerCase()
  return bare(typed) === bare(fingerprint)
}

/** Contents of the file: the statement, and a compact JWS (RS256) by the new key over its canonical JSON. */
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
    fingerprint: computeFingerprint(signer.publicKey),
    fingerprintTypedBack: facts.confirmed,
    madeAt: facts.at.toISOString(),
    activeFrom: facts.activeFrom.toISOString(),
    previousKid: facts.previousKid,
    witnesses: [...facts.witnesses],
  }
  const signature = await signer.sign(canonicalBytes(statement))
  return `${JSON.stringify({ statement, signature }, null, 2)}\n`
}
