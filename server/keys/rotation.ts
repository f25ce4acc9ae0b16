/**
 * Life cycle of a signing key: created, published, active, retired, revoked. Each step is one transaction with its event.
 * Activation needs no running process: keys change by their dates (`store/signing-keys`).
 */
import { createHash } from 'node:crypto'
import type { Author } from '../store/events.ts'
import type { Store } from '../store/open.ts'
import { type SigningKey, deriveKeyState } from '../store/signing-keys.ts'
import type { NewSigningKey } from './signing-key.ts'
import { KeyRefused } from './refused.ts'

export type KeyHouse = Pick<Store, 'signingKeys' | 'events' | 'meta' | 'transaction'>

const IN_USE = 'signing-key-in-use'

/**
 * Adds the first key, or the next one after the last was revoked, active immediately. Throws KeyRefused if one is active.
 */
export function addSigningKey(store: KeyHouse, made: NewSigningKey, at: Date, author: Author = {}): void {
  store.transaction(() => {
    const present = [...inState(store, 'ACTIVE', at), ...inState(store, 'PENDING', at)]
    refuseUnless(present.length === 0, 'A key is in use or waits for its time; `rotate` makes the next one.')
    add(store, made, at, at, author)
    noteKeyInUse(store, at, author)
  })
}

/** Publishes the new key now and activates it at `activeFrom`, when the current one is retired. Throws KeyRefused. */
export function rotateSigningKeys(
  store: KeyHouse,
  made: NewSigningKey,
  activeFrom: Date,
  at: Date,
  author: Author = {},
): void {
  store.transaction(() => {
    refuseUnless(
      inState(store, 'PENDING', at).length === 0,
      'The next key is there already and waits for its time.',
    )
    const present = inState(store, 'ACTIVE', at)
    refuseUnless(present.length > 0, 'No key is in use; `create` makes one.')
    add(store, made, activeFrom, at, author)
    for (const { kid } of present) store.signingKeys.retire(kid, activeFrom)
    noteKeyInUse(store, at, author)
  })
}

/**
 * Cancels a pending key, so that the current one stays active, or retires one of several active keys. Throws KeyRefused
 * for the only one.
 */
export function retireSigningKey(store: KeyHouse, kid: string, at: Date, author: Author = {}): void {
  store.transaction(() => {
    const state = deriveKeyState(get(store, kid), at)
    refuseUnless(state === 'PENDING' || state === 'ACTIVE', `The key is ${state} already.`)
    const others = inState(store, 'ACTIVE', at).filter((other) => other.kid !== kid)
    refuseUnless(others.length > 0, 'It is the only key in use; `rotate` makes the next one.')
    if (state === 'PENDING') callOffRotation(store, at)
    store.signingKeys.retire(kid, at)
    store.events.append('key.retired', null, { kid, from: at.getTime() }, at, author)
    noteKeyInUse(store, at, author)
  })
}

/**
 * Removes the key from the published set immediately: its signatures since that date are not trusted. If it was active,
 * the pending key replaces it now, otherwise `successor`. Returns the key that is active afterwards. Throws KeyRefused.
 */
export function revokeSigningKey(
  store: KeyHouse,
  { kid, since }: { readonly kid: string; readonly since: Date },
  successor: NewSigningKey | null,
  at: Date,
  author: Author = {},
): SigningKey | null {
  return store.transaction(() => {
    refuseUnless(get(store, kid).revokedAt === null, 'The key is REVOKED already.')
    refuseUnless(since <= at, 'The date is in the future.')
    if (deriveKeyState(get(store, kid), at) === 'PENDING') callOffRotation(store, at)
    store.signingKeys.revoke(kid, since)
    const body = { kid, since: since.getTime() }
    store.events.append('key.revoked', null, body, at, { ...author, reason: 'COMPROMISED' })
    if (!store.signingKeys.active(at)) {
      const [next] = inState(store, 'PENDING', at)
      if (next) store.signingKeys.activate(next.kid, at)
      else if (successor) add(store, successor, at, at, author)
    }
    noteKeyInUse(store, at, author)
    return store.signingKeys.active(at)
  })
}

/** True if revoking this key would leave no usable one. */
export function needsSuccessor(store: KeyHouse, kid: string, at: Date): boolean {
  return [...inState(store, 'ACTIVE', at), ...inState(store, 'PENDING', at)].every((key) => key.kid === kid)
}

/** Requires a checked chain (`certificates`). */
export function certifySigningKey(
  store: KeyHouse,
  kid: string,
  chain: { readonly pem: string; readonly sha256: string },
  at: Date,
  author: Author = {},
): void {
  store.transaction(() => {
    store.signingKeys.setCertificateChain(get(store, kid).kid, chain.pem)
    const chainSha256 = createHash('sha256').update(chain.pem, 'utf8').digest('hex')
    const body = { kid, certificateSha256: chain.sha256, chainSha256 }
    store.events.append('key.certified', null, body, at, author)
  })
}

/**
 * Records a change of the active key once: by the command that caused it, otherwise when the appliance first notices it.
 * Returns the active key.
 */
export function noteKeyInUse(store: KeyHouse, at: Date, author: Author = {}): SigningKey | null {
  const active = store.signingKeys.active(at)
  if (active && kidNoted(store) === active.kid) return active
  return store.transaction(() => {
    const before = kidNoted(store)
    const now = store.signingKeys.active(at)
    if (!now || now.kid === before) return now
    store.meta.set(IN_USE, Buffer.from(now.kid, 'utf8'))
    store.events.append('key.activated', null, { kid: now.kid }, at, author)
    const last = before === null ? null : store.signingKeys.find(before)
    if (last && deriveKeyState(last, at) === 'RETIRED') {
      const body = { kid: last.kid, from: last.retiredAt?.getTime() ?? at.getTime() }
      store.events.append('key.retired', null, body, at, { ...author, reason: 'ROTATION' })
    }
    return now
  })
}

/** Throws KeyRefused if there is no such key. */
export function get(store: Pick<KeyHouse, 'signingKeys'>, kid: string): SigningKey {
  const key = store.signingKeys.find(kid)
  if (!key) throw new KeyRefused('There is no signing key of that id; see `list`.')
  return key
}

function add(store: KeyHouse, made: NewSigningKey, activeFrom: Date, at: Date, author: Author): void {
  store.signingKeys.add({ ...made.kept, activeFrom }, at)
  const body = {
    kid: made.signer.keyId,
    inToken: made.kept.source === 'pkcs11',
    activeFrom: activeFrom.getTime(),
  }
  store.events.append('key.created', null, body, at, author)
}

function inState(store: KeyHouse, state: 'ACTIVE' | 'PENDING', at: Date): SigningKey[] {
  return store.signingKeys.list().filter((key) => deriveKeyState(key, at) === state)
}

/** Called before the pending key is removed: the retirement of the current key is cancelled. */
function callOffRotation(store: KeyHouse, at: Date): void {
  for (const { kid } of inState(store, 'ACTIVE', at)) store.signingKeys.useOn(kid)
}

function kidNoted(store: KeyHouse): string | null {
  return store.meta.get(IN_USE)?.toString('utf8') ?? null
}

function refuseUnless(holds: boolean, sentence: string): void {
  if (!holds) throw new KeyRefused(sentence)
}
