/**
 * Signed statements of the central service: receipts, its time, bundles, trust bundles. ES256; the signature covers the
 * kind.
 */
import { CompactSign, compactVerify, importJWK, type CryptoKey, type JWK, type KeyObject } from 'jose'
import { AppError } from '../errors.ts'
import { StatementSchemas, type Statement, type StatementKind } from './wire.ts'

type Key = CryptoKey | KeyObject | JWK | Uint8Array

export interface StatementKey {
  readonly kid: string
  readonly privateKey: Key
}

const TYPE = 'counterproof-'

export async function signStatement<K extends StatementKind>(
  kind: K,
  statement: Statement<K>,
  key: StatementKey,
): Promise<string> {
  return new CompactSign(Buffer.from(JSON.stringify(StatementSchemas[kind].parse(statement)), 'utf8'))
    .setProtectedHeader({ alg: 'ES256', kid: key.kid, typ: TYPE + kind })
    .sign(key.privateKey)
}

/** Throws `statement_refused` unless one of these keys signed the text as a statement of this kind. */
export async function readStatement<K extends StatementKind>(
  kind: K,
  jws: string,
  keys: readonly JWK[],
): Promise<Statement<K>> {
  for (const jwk of keys) {
    const payload = await payloadBy(kind, jws, jwk)
    if (payload === null) continue
    const parsed = StatementSchemas[kind].safeParse(payload)
    if (parsed.success) return parsed.data as Statement<K>
  }
  throw new AppError('statement_refused', { kind })
}

async function payloadBy(kind: StatementKind, jws: string, jwk: JWK): Promise<unknown> {
  try {
    const key = await importJWK(jwk, 'ES256')
    const { payload, protectedHeader } = await compactVerify(jws, key, { algorithms: ['ES256'] })
    if (protectedHeader.typ !== TYPE + kind) return null
    return JSON.parse(Buffer.from(payload).toString('utf8')) as unknown
  } catch {
    return null
  }
}
