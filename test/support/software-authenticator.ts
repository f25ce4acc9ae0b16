/**
 * A passkey authenticator in software (WebAuthn Level 3): real CBOR, real COSE keys, real ES256 signatures,
 * so that the server verifies what a phone would send. Tests falsify its answers member by member.
 */
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'

type Cbor = number | string | Uint8Array | Map<number | string, Cbor>

/** The part of RFC 8949 that an authenticator writes. */
export function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') {
    const text = Buffer.from(value, 'utf8')
    return Buffer.concat([head(3, text.length), text])
  }
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value])
  const members = [...value].flatMap(([key, inner]) => [cbor(key), cbor(inner)])
  return Buffer.concat([head(5, value.size), ...members])
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length])
  if (length < 256) return Buffer.from([(major << 5) | 24, length])
  return Buffer.from([(major << 5) | 25, length >> 8, length & 0xff])
}

const FLAG = { userPresent: 0x01, userVerified: 0x04, attested: 0x40 } as const
const sha256 = (data: Uint8Array | string): Buffer => createHash('sha256').update(data).digest()

interface CreationOptions {
  readonly challenge: string
  readonly rp: { readonly id: string }
}
interface RequestOptions {
  readonly challenge: string
  readonly rpId: string
  readonly allowCredentials?: readonly { readonly id: string }[]
}

/** A test's changes of an answer. */
export interface Spoiled {
  readonly origin?: string
  readonly rpId?: string
  readonly challenge?: string
  /** The fingerprint was not recognised, or no PIN was given. */
  readonly unverified?: boolean
  readonly signature?: Buffer
}

export class SoftwareAuthenticator {
  readonly origin: string
  readonly credentialId = randomBytes(32)
  readonly #privateKey: KeyObject
  readonly #cosePublicKey: Buffer
  #counter = 0

  constructor(origin: string) {
    this.origin = origin
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    this.#privateKey = privateKey
    // RFC 9052 and 9053: kty EC2, alg ES256, crv P-256, x, y
    this.#cosePublicKey = cbor(
      new Map<number, Cbor>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ]),
    )
  }

  /** navigator.credentials.create, as JSON. */
  create(options: unknown, spoiled: Spoiled = {}): Record<string, unknown> {
    const { challenge, rp } = options as CreationOptions
    const credential = Buffer.concat([
      Buffer.alloc(16),
      Buffer.from([0, this.credentialId.length]),
      this.credentialId,
      this.#cosePublicKey,
    ])
    const authData = Buffer.concat([
      this.#authenticatorData(spoiled.rpId ?? rp.id, FLAG.attested, spoiled),
      credential,
    ])
    const attestationObject = cbor(
      new Map<string, Cbor>([
        ['fmt', 'none'],
        ['attStmt', new Map<string, Cbor>()],
        ['authData', authData],
      ]),
    )
    return this.#answer({
      clientDataJSON: this.#clientData('webauthn.create', challenge, spoiled).toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal'],
    })
  }

  /** navigator.credentials.get, as JSON. */
  get(options: unknown, spoiled: Spoiled = {}): Record<string, unknown> {
    const { challenge, rpId } = options as RequestOptions
    const clientData = this.#clientData('webauthn.get', challenge, spoiled)
    const authData = this.#authenticatorData(spoiled.rpId ?? rpId, 0, spoiled)
    const signature =
      spoiled.signature ?? sign('sha256', Buffer.concat([authData, sha256(clientData)]), this.#privateKey)
    return this.#answer({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: signature.toString('base64url'),
    })
  }

  #answer(response: Record<string, unknown>): Record<string, unknown> {
    const id = this.credentialId.toString('base64url')
    return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} }
  }

  #clientData(type: string, challenge: string, spoiled: Spoiled): Buffer {
    const origin = spoiled.origin ?? this.origin
    return Buffer.from(JSON.stringify({ type, challenge: spoiled.challenge ?? challenge, origin }))
  }

  #authenticatorData(rpId: string, flags: number, { unverified = false }: Spoiled): Buffer {
    this.#counter += 1
    const count = Buffer.alloc(4)
    count.writeUInt32BE(this.#counter)
    const seen = FLAG.userPresent | (unverified ? 0 : FLAG.userVerified)
    return Buffer.concat([sha256(rpId), Buffer.from([flags | seen]), count])
  }
}
