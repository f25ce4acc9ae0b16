/** Counterproof's extensions: legal holds against deletion, and receipts of deletions. */
import { createPublicKey, verify } from 'node:crypto'
import type { JsonWebKeyInput } from 'node:crypto'
import { at, field, unless } from '../kit.ts'
import type { Kit } from '../kit.ts'
import { deletionReceipt, legalHold } from '../spec.ts'
import { newIdentity } from './common.ts'
import type { Chapter } from './common.ts'

const PLACE = 'PUT /v1/identities/{id}/legal-hold'
const SHOW = 'GET /v1/identities/{id}/legal-hold'
const LIFT = 'DELETE /v1/identities/{id}/legal-hold'
const ERASE = 'DELETE /v1/identities/{id}'
const RECEIPT = 'GET /v1/deletion-receipts/{id}'

export const retention: Chapter = async (kit) => {
  // A server without these extensions is asked once, and reported as lacking them.
  if (!kit.target.own && !(await offersHolds(kit))) return
  const id = await newIdentity(kit)
  const params = { id }
  await kit.call(SHOW, 'where there is none', { params }, { status: 404 })
  await kit.call(LIFT, 'where there is none', { params }, { status: 404 })
  await kit.call(PLACE, 'without a reference', { params, json: {} }, { status: 400 })
  const past = { reference: 'kit', until: '2020-01-01T00:00:00.000' }
  await kit.call(PLACE, 'that has ended', { params, json: past }, { status: 400 })
  const json = { reference: 'kit', until: '2099-12-31T00:00:00.000' }
  await kit.call(PLACE, 'with an end', { params, json }, { status: 204 })
  await kit.call(PLACE, 'in place of the first', { params, json: { reference: 'kit 2' } }, { status: 204 })
  const shown = await kit.call(SHOW, 'the second one', { params }, { status: 200, shape: legalHold })
  kit.claim(SHOW, 'says its reference', unless(at(shown.json, 'reference') === 'kit 2', 'another came'))
  await kit.call(ERASE, 'under a legal hold', { params }, { status: 403, ours: true })
  await kit.call(RECEIPT, 'of an identity that is there', { params }, { status: 404 })
  await kit.call(LIFT, 'that was placed', { params }, { status: 204 })

  await kit.must(ERASE, 'after the legal hold', { params }, { status: 204 })
  const answer = await kit.must(
    RECEIPT,
    'of an erased identity',
    { params },
    { status: 200, shape: deletionReceipt },
  )
  kit.claim(RECEIPT, 'is of this identity', unless(at(answer.json, 'identityId') === id, 'of another'))
  const faults = await receiptFaults(kit, id, field(answer, 'receipt'))
  kit.claim(RECEIPT, 'is signed by a key that is served', faults)
  await kit.call(PLACE, 'on an erased identity', { params, json }, { status: 404 })
}

async function offersHolds(kit: Kit): Promise<boolean> {
  const id = await newIdentity(kit)
  const json = { reference: 'kit' }
  const { status } = await kit.call(PLACE, 'whether there are any', { params: { id }, json }, { status: 204 })
  return status === 204
}

async function receiptFaults(kit: Kit, id: string, jws: string): Promise<readonly string[]> {
  const keySet = await kit.call(
    'GET /.well-known/jwks.json',
    'to verify a receipt',
    { key: null },
    { status: 200 },
  )
  const keys = at(keySet.json, 'keys')
  const [header = '', payload = '', signature = ''] = jws.split('.')
  const isGood = (jwk: JsonWebKeyInput['key']): boolean =>
    verify(
      'sha256',
      Buffer.from(`${header}.${payload}`),
      createPublicKey({ key: jwk, format: 'jwk' }),
      Buffer.from(signature, 'base64url'),
    )
  const signed: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
  return [
    ...unless(Array.isArray(keys) && keys.some(isGood), 'no public key verifies it'),
    ...unless(at(signed, 'identityId') === id, 'what was signed is about another identity'),
    ...unless(at(signed, 'destroyed', 'dataKey') === true, 'the data key was not destroyed'),
  ]
}
