/**
 * One PKCS#11 token, seen as Counterproof needs it (`server/keys/token.ts` states the interface). Owns: the session, how
 * keys are made and found. Never: policy, files, or a way around the token. Every call is synchronous, as PKCS#11 is.
 * Whatever fails is thrown with `problem`: library, token, pin, pin_locked, key or failed, and nothing secret.
 */
import { Buffer } from 'node:buffer'
import { randomBytes } from 'node:crypto'
import graphene from 'graphene-pk11'

const { KeyGenMechanism, KeyType, Module, ObjectClass, SessionFlag } = graphene

/** Codes of PKCS#11 (pkcs11t.h). */
const CKR = {
  ALREADY_INITIALIZED: 0x191,
  USER_ALREADY_LOGGED_IN: 0x100,
  PIN_LOCKED: 0xa4,
  PIN: [0xa0, 0xa1, 0xa2, 0xa3],
}
const CONTEXT = Buffer.from('counterproof:kek')
const NONCE_BYTES = 12
const TAG_BITS = 128

class TokenError extends Error {
  constructor(problem, cause) {
    super(problem, { cause })
    this.problem = problem
  }
}

/** A library is initialised once a process, and let go when the last token is closed. */
const libraries = new Map()

export function openToken({ library, tokenLabel, pin }) {
  const module = takeLibrary(library)
  let session
  const open = () => {
    session = openSession(module, tokenLabel, pin)
  }
  /** A session may end without us (token pulled out and back, network): once more with a new one, never more. */
  const withSession = (work) => {
    try {
      return work(session)
    } catch (error) {
      if (error instanceof TokenError) throw error
      try {
        session.close()
      } catch {
        // it is gone already
      }
      open()
      return attempt('failed', () => work(session))
    }
  }
  try {
    open()
  } catch (error) {
    leaveLibrary(library)
    throw error
  }
  return {
    makeSigningKey: (label, modulusBits) => withSession((open) => makeSigningKey(open, label, modulusBits)),
    hasSigningKey: (modulus) =>
      withSession((open) => findSigningKeys(open, ObjectClass.PRIVATE_KEY, modulus).length > 0),
    destroySigningKey: (modulus) =>
      withSession((open) => {
        for (const kind of [ObjectClass.PRIVATE_KEY, ObjectClass.PUBLIC_KEY]) {
          const found = findSigningKeys(open, kind, modulus)
          for (let index = 0; index < found.length; index++) open.destroy(found.items(index))
        }
      }),
    sign: (modulus, bytes) =>
      withSession((open) => {
        const found = findSigningKeys(open, ObjectClass.PRIVATE_KEY, modulus)
        if (found.length === 0) throw new TokenError('key')
        return open.createSign('SHA256_RSA_PKCS', found.items(0).toType()).once(Buffer.from(bytes))
      }),
    wrappingKey: (label) =>
      withSession((open) => findWrappingKey(open, label) ?? makeWrappingKey(open, label)),
    wrap: (keyId, plaintext) =>
      withSession((open) => {
        const nonce = randomBytes(NONCE_BYTES)
        const sealed = open
          .createCipher(gcm(nonce), wrappingKey(open, keyId))
          .once(Buffer.from(plaintext), Buffer.alloc(plaintext.length + 64))
        return Buffer.concat([nonce, sealed])
      }),
    unwrap: (keyId, wrapped) =>
      withSession((open) => {
        const sealed = Buffer.from(wrapped.subarray(NONCE_BYTES))
        const cipher = gcm(Buffer.from(wrapped.subarray(0, NONCE_BYTES)))
        return open
          .createDecipher(cipher, wrappingKey(open, keyId))
          .once(sealed, Buffer.alloc(sealed.length + 64))
      }),
    close: () => {
      try {
        session.close()
      } finally {
        leaveLibrary(library)
      }
    },
  }
}

function attempt(problem, work) {
  try {
    return work()
  } catch (error) {
    throw error instanceof TokenError ? error : new TokenError(problem, error)
  }
}

function takeLibrary(path) {
  const known = libraries.get(path)
  if (known) {
    known.users += 1
    return known.module
  }
  const module = attempt('library', () => Module.load(path, 'token'))
  try {
    module.initialize()
  } catch (error) {
    if (error?.code !== CKR.ALREADY_INITIALIZED) throw new TokenError('library', error)
  }
  libraries.set(path, { module, users: 1 })
  return module
}

function leaveLibrary(path) {
  const known = libraries.get(path)
  known.users -= 1
  if (known.users > 0) return
  libraries.delete(path)
  known.module.finalize()
}

function openSession(module, label, pin) {
  const slot = attempt('token', () => findSlot(module, label))
  if (!slot) throw new TokenError('token')
  const session = attempt('token', () => slot.open(SessionFlag.SERIAL_SESSION | SessionFlag.RW_SESSION))
  try {
    session.login(pin)
  } catch (error) {
    // The login is of the process, not of the session: another session of ours may have done it.
    if (error?.code === CKR.USER_ALREADY_LOGGED_IN) return session
    session.close()
    if (error?.code === CKR.PIN_LOCKED) throw new TokenError('pin_locked', error)
    throw new TokenError(CKR.PIN.includes(error?.code) ? 'pin' : 'token', error)
  }
  return session
}

function findSlot(module, label) {
  const slots = module.getSlots(true)
  for (let index = 0; index < slots.length; index++) {
    const slot = slots.items(index)
    if (slot.getToken().label.trim() === label) return slot
  }
  return null
}

/** The private half is made in the token, sensitive and not extractable: no call of PKCS#11 gives it away. */
function makeSigningKey(session, label, modulusBits) {
  const common = { keyType: KeyType.RSA, token: true, label, id: randomBytes(16) }
  const pair = session.generateKeyPair(
    KeyGenMechanism.RSA,
    { ...common, modulusBits, publicExponent: Buffer.from([1, 0, 1]), verify: true },
    { ...common, private: true, sensitive: true, extractable: false, sign: true },
  )
  const { modulus, publicExponent } = pair.publicKey.getAttribute({ modulus: null, publicExponent: null })
  return { modulus, publicExponent }
}

/** By its modulus, which the public key of our database states: no label or number can be mistaken. */
function findSigningKeys(session, kind, modulus) {
  return session.find({ class: kind, keyType: KeyType.RSA, modulus: Buffer.from(modulus) })
}

/** The id of a key of that name, null when there is none. */
function findWrappingKey(session, label) {
  const found = session.find({ class: ObjectClass.SECRET_KEY, keyType: KeyType.AES, label })
  return found.length === 0 ? null : found.items(0).getAttribute('id')
}

function makeWrappingKey(session, label) {
  const id = randomBytes(16)
  session.generateKey(KeyGenMechanism.AES, {
    ...{
      keyType: KeyType.AES,
      valueLen: 32,
      token: true,
      private: true,
      sensitive: true,
      extractable: false,
    },
    ...{ encrypt: true, decrypt: true, label, id },
  })
  return id
}

function wrappingKey(session, id) {
  const found = session.find({ class: ObjectClass.SECRET_KEY, keyType: KeyType.AES, id: Buffer.from(id) })
  if (found.length === 0) throw new TokenError('key')
  return found.items(0).toType()
}

function gcm(nonce) {
  return { name: 'AES_GCM', params: new graphene.AesGcm240Params(nonce, CONTEXT, TAG_BITS) }
}
