/**
 * Passkeys (WebAuthn): issues challenges and verifies answers. User verification is required, so that a
 * passkey alone provides both factors: possession, and knowledge or biometrics. Never: whether the holder may
 * sign in.
 */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Request } from 'express'
import { AppError } from '../../errors.ts'
import type { Config } from '../../config/config.ts'
import type { StaffAccount, StaffPasskey } from '../../store/staff.ts'
import type { Challenge } from '../sessions.ts'

/** The scope of passkeys: they are bound to a name, and verified against only these origins. */
export interface RelyingParty {
  readonly rpId: string
  readonly origins: readonly string[]
}

/** Loaded at the first use: with its 250 files it is a tenth of a start. */
const loadLibrary = () => import('@simplewebauthn/server')

/** COSE: ES256, EdDSA, RS256: the algorithms of present authenticators. */
const ALGORITHMS = [-7, -8, -257]
/** How long the browser's own window may stay open (WebAuthn Level 3, 5.1.3: 300 to 600 s advised). */
const CEREMONY_MS = 300_000

/**
 * Derived only from the configuration: the sender writes Host and Origin of a request, for example a page on
 * another port that relays its visitors' sign-ins. @param localPort of this machine's own listener. Browsers
 * treat http://localhost as secure; a passkey cannot be bound to an IP address.
 */
export function relyingParty({ counter }: Pick<Config, 'counter'>, localPort: number): RelyingParty {
  const { rpId, origins } = counter.passkeys ?? {
    rpId: 'localhost',
    origins: [`http://localhost:${localPort}`],
  }
  return { rpId, origins: origins.map((origin) => new URL(origin).origin) }
}

/** Whether the page of this request can use passkeys. Decides what is offered, never what is accepted. */
export function isOpenedAt({ origins }: RelyingParty, { headers }: Request): boolean {
  const { host, origin } = headers
  return origins.some((known) => (origin === undefined ? new URL(known).host === host : known === origin))
}

/** Throws `feature_disabled` if passkeys cannot be used at the page's address. */
export function requireOpenedAt(party: RelyingParty, req: Request): RelyingParty {
  if (!isOpenedAt(party, req)) throw new AppError('feature_disabled', { feature: 'passkeys' })
  return party
}

export interface Ceremony {
  readonly options: Readonly<Record<string, unknown>>
  readonly challenge: Challenge
}

/** `passkeys` null: any passkey of this name; the browser offers those that it has. */
export async function offerSignIn(
  { rpId }: RelyingParty,
  passkeys: readonly StaffPasskey[] | null,
  now: Date,
): Promise<Ceremony> {
  const { generateAuthenticationOptions } = await loadLibrary()
  const options = await generateAuthenticationOptions({
    rpID: rpId,
    userVerification: 'required',
    timeout: CEREMONY_MS,
    ...(passkeys ? { allowCredentials: passkeys.map(described) } : {}),
  })
  return ceremony(options, options.challenge, 'SIGN_IN', now)
}

export async function offerRegistration(
  { rpId }: RelyingParty,
  account: StaffAccount,
  passkeys: readonly StaffPasskey[],
  now: Date,
): Promise<Ceremony> {
  const { generateRegistrationOptions } = await loadLibrary()
  const options = await generateRegistrationOptions({
    rpName: 'Counterproof',
    rpID: rpId,
    userName: account.login,
    userDisplayName: account.name,
    userID: new Uint8Array(Buffer.from(account.id, 'utf8')),
    timeout: CEREMONY_MS,
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: passkeys.map(described),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
  })
  return ceremony(options, options.challenge, 'REGISTER', now)
}

/**
 * Returns the signature counter after this use; null: it does not answer this challenge, or is not of this
 * passkey.
 */
export async function verifySignIn(
  party: RelyingParty,
  challenge: Challenge,
  passkey: StaffPasskey,
  credential: Readonly<Record<string, unknown>>,
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await loadLibrary()
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: credential as unknown as AuthenticationResponseJSON,
      expectedChallenge: challenge.value,
      expectedOrigin: [...party.origins],
      expectedRPID: party.rpId,
      requireUserVerification: true,
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(passkey.publicKey),
        counter: passkey.counter,
        transports: [...passkey.transports],
      },
    })
    return verified ? authenticationInfo.newCounter : null
  } catch {
    // The library throws for invalid answers; its messages quote the answer, so they are dropped.
    return null
  }
}

type VerifiedPasskey = Pick<StaffPasskey, 'credentialId' | 'publicKey' | 'counter' | 'transports'>

/** Null: it does not answer this challenge. */
export async function verifyRegistration(
  party: RelyingParty,
  challenge: Challenge,
  credential: Readonly<Record<string, unknown>>,
): Promise<VerifiedPasskey | null> {
  const { verifyRegistrationResponse } = await loadLibrary()
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: credential as unknown as RegistrationResponseJSON,
      expectedChallenge: challenge.value,
      expectedOrigin: [...party.origins],
      expectedRPID: party.rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (!verified) return null
    const { id, publicKey, counter, transports } = registrationInfo.credential
    const known = (transports ?? []).filter((word) => /^[a-z-]{2,20}$/.test(word)).slice(0, 10)
    return { credentialId: id, publicKey, counter, transports: known }
  } catch {
    return null
  }
}

function described({ credentialId, transports }: StaffPasskey): { id: string; transports: string[] } {
  return { id: credentialId, transports: [...transports] }
}

function ceremony(options: object, value: string, purpose: Challenge['purpose'], now: Date): Ceremony {
  const until = new Date(now.getTime() + CEREMONY_MS)
  return { options: options as Readonly<Record<string, unknown>>, challenge: { value, purpose, until } }
}
