/**
 * The sign-in of staff at an OpenID provider, for both servers: builds the redirect, and turns the answer into a person or
 * a refusal. Between the two, the secrets of the login are in an encrypted cookie of the browser, so that any instance can
 * finish it and callers without an account cost no memory. Never: sessions, roles, or routes.
 */
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import { createCodeFlow, type LoginFailure } from './code-flow.ts'
import { readPerson, type Person } from './person.ts'
import type { StaffProvider } from './staff-settings.ts'

/** Encrypts the cookie; `context` is bound to the value. */
interface CookieSeal {
  seal(context: string, plain: Uint8Array): Uint8Array
  /** Throws for a value that it did not encrypt. */
  open(context: string, sealed: Uint8Array): Uint8Array
}

/**
 * `stale`: the answer belongs to no login of this browser, or the login took too long. `no-role`: the provider knows the
 * person, and no claim gives a role.
 */
export type SignInFailure = LoginFailure | 'stale' | 'no-role'
export type SignInResult =
  | { readonly outcome: 'signed-in'; readonly person: Person; readonly purpose: string }
  | { readonly outcome: 'no-role'; readonly person: Person; readonly purpose: string }
  /** `cause` only for the log's `describeError`. */
  | { readonly outcome: Exclude<SignInFailure, 'no-role'>; readonly cause?: unknown }

export interface StaffSignIn {
  /**
   * Returns the redirect target and the value of the cookie. Throws `authorization_server_unavailable`.
   * @param purpose is returned with the person; @param how `isAgain`: the person must have authenticated just now; `isOther`:
   * with any account, although the browser has a session at the provider
   */
  begin(
    purpose: string,
    how?: { readonly isAgain?: boolean; readonly isOther?: boolean },
  ): Promise<{ readonly url: string; readonly cookie: string }>
  /** `query`: the answer in the address, untrusted. */
  finish(cookie: string | undefined, query: unknown): Promise<SignInResult>
  findSignOutUrl(returnTo: string): Promise<string | null>
}

/**
 * A sign-in asks the provider again after this time, so that a page that offers another way learns that it does not answer.
 * Shorter than a person needs to go there and come back.
 */
const ASKED_AGAIN_MS = 5_000
/** Time to sign in at the provider. */
export const SIGN_IN_SECONDS = 600
/** Time between the authentication at the provider and its answer here, for a person who must authenticate again. */
const FRESH_SECONDS = 60
const CONTEXT = 'openid-sign-in'
/** A sealed cookie has about 500 characters. */
const MAX_COOKIE = 2000

const Kept = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  redirectUri: z.string(),
  purpose: z.string(),
  maxAgeSeconds: z.number().optional(),
  until: z.number(),
})
/** A repeated name, or a text that no provider sends, is refused. */
const Answer = z.record(z.string().max(100), z.string().max(4000))

/** @param provider `prompt` login: the person authenticates again although the browser has a session at the provider */
export function createStaffSignIn(
  provider: StaffProvider & { readonly knownValues: ReadonlySet<string>; readonly prompt: '' | 'login' },
  redirectUri: string,
  seal: CookieSeal,
  clock: Clock,
): StaffSignIn {
  const flow = createCodeFlow(provider, clock, { metadataLifetimeMs: ASKED_AGAIN_MS })

  const openCookie = (cookie: string | undefined): z.output<typeof Kept> | null => {
    if (cookie === undefined || cookie.length > MAX_COOKIE) return null
    try {
      const text = Buffer.from(seal.open(CONTEXT, Buffer.from(cookie, 'base64url'))).toString('utf8')
      const kept = Kept.parse(JSON.parse(text))
      return clock.now().getTime() < kept.until && kept.redirectUri === redirectUri ? kept : null
    } catch {
      return null
    }
  }

  return {
    begin: async (purpose, { isAgain = false, isOther = false } = {}) => {
      const again = isAgain ? { maxAgeSeconds: FRESH_SECONDS } : {}
      const other = isOther ? ({ prompt: 'login' } as const) : {}
      const { url, ...secrets } = await flow.start({ redirectUri, ...again, ...other })
      const until = clock.now().getTime() + SIGN_IN_SECONDS * 1000
      const kept = JSON.stringify({ ...secrets, purpose, until, ...again })
      const cookie = Buffer.from(seal.seal(CONTEXT, Buffer.from(kept, 'utf8'))).toString('base64url')
      return { url, cookie }
    },

    finish: async (cookie, query) => {
      const kept = openCookie(cookie)
      const answer = Answer.safeParse(query)
      if (!kept || !answer.success) return { outcome: 'stale' }
      const result = await flow.finish(kept, answer.data)
      if (result.outcome === 'other-level') return { outcome: 'not-authenticated' }
      if (result.outcome !== 'authenticated') return result
      return result
        .readClaims()
        .then((claims) => toResult(readPerson(claims, provider), kept.purpose))
        .catch((cause: unknown) => ({ outcome: 'unavailable', cause }))
    },

    findSignOutUrl: (returnTo) => flow.findSignOutUrl(returnTo),
  }
}

function toResult(person: Person | null, purpose: string): SignInResult {
  if (!person) return { outcome: 'not-authenticated' }
  return { outcome: person.values.length > 0 ? 'signed-in' : 'no-role', person, purpose }
}
