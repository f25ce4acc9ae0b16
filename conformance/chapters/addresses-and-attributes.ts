import { at, unless } from '../kit.ts'
import { addresses, attributes, oneAddress } from '../spec.ts'
import { ADDRESS, ATTRIBUTES, newIdentity } from './common.ts'
import type { Chapter } from './common.ts'

export const addressesAndAttributes: Chapter = async (kit) => {
  const params = { id: await newIdentity(kit, ['ADDRESS', 'ATTRIBUTES']) }
  const submit = 'POST /v1/identities/{id}/addresses'
  const list = 'GET /v1/identities/{id}/addresses'
  const ofAddresses = { status: 200, shape: addresses }
  await kit.call(list, 'none yet', { params }, ofAddresses)
  const submitted = await kit.must(submit, 'an address', { params, json: ADDRESS }, ofAddresses)
  await kit.call(
    submit,
    'an address of the USA',
    { params, json: { ...ADDRESS, country: 'USA', state: 'CA' } },
    ofAddresses,
  )
  const badState = { ...ADDRESS, country: 'USA', state: 'California' }
  await kit.call(submit, 'a state of the USA in full', { params, json: badState }, { status: 400 })
  await kit.call(
    submit,
    'a country of two letters',
    { params, json: { ...ADDRESS, country: 'FR' } },
    { status: 400, spec: 'Resources and their fields' },
  )
  await kit.call(submit, 'nothing', { params, json: {} }, { status: 400, ours: true })
  await kit.call(list, 'detailed', { params, query: { detailed: 'true' } }, ofAddresses)
  await kit.call(list, 'with the user-agent key', { params, key: 'user-agent' }, ofAddresses)

  const evidenceId = String(at(submitted.json, 'addresses', 0, 'evidenceId'))
  const one = 'GET /v1/identities/{id}/addresses/{evidenceId}'
  const shown = await kit.call(
    one,
    'the address',
    { params: { ...params, evidenceId } },
    { status: 200, shape: oneAddress },
  )
  kit.claim(
    one,
    'is what was submitted',
    unless(at(shown.json, 'address', 'addressData', 'city') === ADDRESS.city, 'another city came'),
  )

  const correct = 'POST /v1/identities/{id}/attributes'
  const ofAttributes = { status: 200, shape: attributes }
  const kept = await kit.call(correct, 'every attribute', { params, json: ATTRIBUTES }, ofAttributes)
  const surname = at(kept.json, 'attributes', 0, 'attributesData', 'surname')
  kit.claim(
    correct,
    'is what was submitted',
    unless(at(surname, 'value') === 'Eriksson', 'another surname came'),
  )
  kit.claim(
    correct,
    'says whether it was verified',
    unless(typeof at(surname, 'verified') === 'boolean', 'verified is missing'),
    {
      spec: 'Personal data value objects',
    },
  )
  const refused = { ...ATTRIBUTES, gender: { value: 'Z' } }
  await kit.call(
    correct,
    'a gender beside M, F and X',
    { params, json: refused },
    { status: 400, spec: 'Personal data value objects' },
  )
  const noDay = { ...ATTRIBUTES, dateOfBirth: { value: '1974-02-30' } }
  await kit.call(
    correct,
    'a day that does not exist',
    { params, json: noDay },
    { status: 400, spec: 'Resources and their fields' },
  )
  await kit.call('GET /v1/identities/{id}/attributes', 'all', { params }, ofAttributes)
  await kit.call(
    'GET /v1/identities/{id}/attributes',
    'detailed',
    { params, query: { detailed: 'true' } },
    ofAttributes,
  )
}
