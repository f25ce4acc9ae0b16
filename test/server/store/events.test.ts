import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CHAIN_START, eventHash, eventMac, sealHead } from '../../../server/store/event-chain.ts'
import type { EventType } from '../../../server/store/events.ts'
import { AT, openTestStore, type TestStore } from '../../support/store.ts'

let t: TestStore
beforeEach(() => {
  t = openTestStore()
})
afterEach(() => t.close())

const ID = '0198f3a0-0000-7000-8000-000000000001'

describe('the forms that logs of years are checked with never change', () => {
  const row = {
    seq: 2,
    id: ID,
    type: 'evidence.submitted',
    identity_id: '0198f3a0-0000-7000-8000-000000000002',
    actor: 'RELYING_SERVICE:0198f3a0-0000-7000-8000-000000000003',
    reason: null,
    body: '{"evidenceId":"0198f3a0-0000-7000-8000-000000000004","type":"PASSPORT"}',
    at: 1_772_359_200_000,
  }
  const key = Buffer.alloc(32, 7)
  const appliance = '0198f3a0-0000-7000-8000-00000000000a'
  const hash = eventHash(appliance, CHAIN_START, row)

  // Made with Python's hashlib and hmac from the description in event-chain.ts.
  test('hash, keyed hash of a row and of the head', () => {
    expect({
      hash,
      mac: eventMac(key, appliance, hash, row).toString('hex'),
      head: sealHead(key, { seq: 2, hash }).mac,
    }).toEqual({
      hash: '72bf21184d92a1fe5ced672c9b02c553fdba9c619bb908ad9cf64a8876092520',
      mac: '13a416bdc7a6d99356a8a20a3283f4a0639a8e0564abfacfc897ed8a27bee496',
      head: 'dfca594b4363ff09323c99af88250a626bab7b91a6de7f5f2163aec18b9e1f19',
    })
  })
})

describe('an event says nothing that could be a personal value', () => {
  const append = (type: EventType, body: object, author = {}) => {
    t.store.events.append(type, null, body as never, AT, author)
  }

  test.each<[string, EventType, object]>([
    [
      'a name beside what it may say',
      'evidence.submitted',
      { evidenceId: ID, type: 'PASSPORT', surname: 'X' },
    ],
    ['a name in the place of a state', 'identity.created', { status: 'ERIKSSON' }],
    ['a document number in the place of an id', 'evidence.deleted', { evidenceId: 'L898902C3' }],
    ['a name where any further fact may stand', 'identity.erased', { proofId: ID, by: 'Anna Maria' }],
    ['a name in small letters', 'bundle.refused', { version: 2, problems: ['eriksson'] }],
    ['a name in capitals', 'bundle.refused', { version: 2, problem: 'ERIKSSON' }],
    ['an address', 'appliance.frozen', { at: 'anna@example.org' }],
    ['an object', 'backup.made', { of: { surname: 'Eriksson' } }],
    ['nothing where something is due', 'otp.ended', { evidenceId: ID }],
  ])('%s is refused', (_, type, body) => {
    expect(() => append(type, body)).toThrow(TypeError)
    expect(t.store.events.head().seq).toBe(0)
  })

  test('a start names the version of a package, with the number of its commit', () => {
    const body = { schema: 1, configurationSha256: 'ab'.repeat(32) }
    for (const version of ['0.1.0', '0.1.0+git1542.47b73909f7c7', '0.1.0+git1542.47b73909f7c7.dirty'])
      expect(() => t.store.events.append('appliance.started', null, { ...body, version }, AT)).not.toThrow()
    expect(() =>
      t.store.events.append('appliance.started', null, { ...body, version: '0.1.0 Jane Doe' }, AT),
    ).toThrow(TypeError)
  })

  test('the refusal does not repeat the value', () => {
    expect(() => append('identity.created', { status: 'ERIKSSON' })).toThrow(
      /^an event identity.created may not say this: status \(invalid_value\)$/,
    )
  })

  test('who and why come from closed lists', () => {
    expect(() => append('appliance.stopped', { version: '1.0.0' }, { actor: 'Anna' })).toThrow(TypeError)
    expect(() => append('appliance.stopped', { version: '1.0.0' }, { reason: 'she asked' })).toThrow(
      TypeError,
    )
    append('appliance.stopped', { version: '1.0.0' }, { actor: `USER_AGENT:${ID}`, reason: 'DELETE' })
    expect(t.store.events.after(0, 1)).toMatchObject([{ actor: `USER_AGENT:${ID}`, reason: 'DELETE' }])
  })
})
