import { field } from '../kit.ts'
import { claim, buildStatusShape } from '../spec.ts'
import { oneOf } from '../shapes.ts'
import { ADDRESS, CLAIM, newIdentity } from './common.ts'
import type { Chapter } from './common.ts'

export const claims: Chapter = async (kit) => {
  const submit = 'POST /v1/identities/{id}/claim'
  const read = 'GET /v1/identities/{id}/claim'
  await kit.call(
    submit,
    'without the consent ID_CLAIM',
    { params: { id: await newIdentity(kit) }, json: CLAIM },
    {
      status: 403,
      spec: 'Consents: ID_CLAIM precedes claim verification',
    },
  )
  const id = await newIdentity(kit, ['ID_CLAIM', 'MOBILE_OTP'])
  const params = { id }
  await kit.call(read, 'none yet', { params }, { status: 404, spec: 'Errors' })
  const withMobile = { ...CLAIM, contactDetails: { mobile: { value: '+33639980002' } } }
  const submitted = await kit.must(
    submit,
    'everything',
    { params, json: withMobile, key: 'user-agent' },
    { status: 200, shape: buildStatusShape(oneOf('ID_CLAIM')) },
  )
  await kit.untilDecided(id, field(submitted, 'id'))
  await kit.call(read, 'the claim', { params }, { status: 200, shape: claim })
  await kit.call(
    read,
    'with the user-agent key',
    { params, key: 'user-agent' },
    { status: 200, shape: claim },
  )

  const { attributesData } = CLAIM
  for (const [title, wrong] of [
    [
      'a personal number without a country',
      { attributesData: { ...attributesData, personalNumber: { value: '1' } } },
    ],
    ['a state of the USA in full', { addressesData: { ...ADDRESS, country: 'USA', state: 'California' } }],
    ['a phone number without a plus', { contactDetails: { mobile: { value: '0612345678' } } }],
    ['a payment card without a number', { creditCardDetails: { cardType: 'any' } }],
  ] as const)
    await kit.call(submit, title, { params, json: { ...CLAIM, ...wrong } }, { status: 400 })
}
