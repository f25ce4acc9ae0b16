/** A service that speaks one of our JSON protocols: each question is signed, and one id joins all its tries. */
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { FlattenedSign } from 'jose'
import type { Clock } from '../../clock.ts'
import { unusableSetting } from './check-settings.ts'
import type { Called, ServiceSettings } from './http-service.ts'
import type { Unavailable } from './json-answer.ts'
import { buildJsonCall, openQuestionService, readingJson } from './question-service.ts'
import type { ServiceHealth } from './service-health.ts'

export interface SignedSettings extends ServiceSettings {
  /** PEM of the key (P-256) that signs the requests. */
  readonly signingKey: string
  readonly keyId: string
}

interface Question {
  /** UUID: the same for all tries of one question. */
  readonly requestId: string
}

interface SignedService {
  /**
   * Never rejects. `read` returns what the answer says, or why it is unusable.
   * @param type `typ` of the signature's header
   */
  ask<T extends { readonly kind: 'answered' }>(
    path: string,
    type: string,
    question: Question,
    read: (json: unknown) => T | Unavailable,
  ): Promise<Called<T | Unavailable>>
  health(): ServiceHealth
  /** Aborts calls in progress with `unavailable`. */
  close(): void
}

/** Throws `configuration_invalid` with the field. @param section such as `connectors.issuers.0` */
export function openSignedService(settings: SignedSettings, section: string, clock: Clock): SignedService {
  const service = openQuestionService(settings, section, clock)
  const key = readSigningKey(settings.signingKey, section)
  return {
    ask: async (path, type, question, read) => {
      const body = Buffer.from(JSON.stringify(question))
      const header = { alg: 'ES256', kid: settings.keyId, typ: type, iat: toSeconds(clock.now()) }
      const headers = {
        'idempotency-key': question.requestId,
        'request-signature': await signDetached(body, key, header),
      }
      return service.ask(buildJsonCall(path, body, headers), readingJson(read))
    },
    health: () => service.health(),
    close: () => service.close(),
  }
}

const toSeconds = (at: Date): number => Math.floor(at.getTime() / 1000)

function readSigningKey(pem: string, section: string): KeyObject {
  const field = `${section}.signingKeyFile`
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch {
    throw unusableSetting(field, 'must hold a private key in PEM')
  }
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw unusableSetting(field, 'must hold a key of the curve P-256')
  return key
}

/** JWS with detached payload (RFC 7515, appendix F): the body is the payload. */
async function signDetached(
  body: Uint8Array,
  key: KeyObject,
  header: { readonly alg: string; readonly kid: string; readonly typ: string; readonly iat: number },
): Promise<string> {
  const jws = await new FlattenedSign(body).setProtectedHeader(header).sign(key)
  return `${jws.protected}..${jws.signature}`
}
