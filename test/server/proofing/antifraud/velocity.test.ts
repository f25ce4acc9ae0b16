import { describe, expect, test } from 'vitest'
import {
  computeAddressKey,
  identifyDevice,
  judgeVelocity,
  type VelocityCounts,
} from '../../../../server/proofing/antifraud/velocity.ts'

const LIMITS = {
  DEVICE: { identities: 20, hours: 1 },
  DOCUMENT: { identities: 3, hours: 24 },
  ADDRESS: { identities: 10, hours: 720 },
}
const judge = (counts: Partial<VelocityCounts>, electedWasRead = true) =>
  judgeVelocity({ DEVICE: null, DOCUMENT: null, ADDRESS: null, ...counts }, LIMITS, { electedWasRead })

describe('velocity', () => {
  test('at the limit is nothing, and says what was counted', () => {
    expect(judge({ DEVICE: 20, DOCUMENT: 3, ADDRESS: 10 })).toEqual({
      status: 'VERIFIED',
      indicators: ['VELOCITY_OK'],
      measured: {
        deviceIdentities: 20,
        deviceLimit: 20,
        deviceHours: 1,
        documentIdentities: 3,
        documentLimit: 3,
        documentHours: 24,
        addressIdentities: 10,
        addressLimit: 10,
        addressHours: 720,
      },
    })
  })

  test.each([
    ['device', { DEVICE: 21, DOCUMENT: 1 }],
    ['document', { DOCUMENT: 4 }],
    ['address', { ADDRESS: 11, DOCUMENT: 1 }],
    ['device of who showed no document', { DEVICE: 21 }],
  ])('one beyond the limit of a %s is a hint, and no rejection', (_name, counts) => {
    expect(judge(counts)).toMatchObject({ status: 'NOT_VERIFIED', indicators: ['VELOCITY_WARNING'] })
  })

  test('is not known without a document', () => {
    expect(judge({ DEVICE: 1 })).toEqual({
      status: 'NOT_VERIFIED',
      indicators: ['VELOCITY_UNVERIFIED'],
      measured: { deviceIdentities: 1, deviceLimit: 20, deviceHours: 1 },
    })
    expect(judge({ DOCUMENT: 1 }, false).indicators).toEqual(['VELOCITY_UNVERIFIED'])
    expect(judge({ DOCUMENT: 1 }).indicators).toEqual(['VELOCITY_OK'])
  })
})

describe('the device that took part', () => {
  test.each([
    ['127.0.0.1', 'RELYING_SERVICE', 'this-kiosk'],
    ['::1', 'RELYING_SERVICE', 'this-kiosk'],
    ['::ffff:127.0.0.1', 'USER_AGENT', 'this-kiosk'],
    ['192.0.2.7', 'USER_AGENT', '192.0.2.7'],
    ['::FFFF:192.0.2.7', 'USER_AGENT', '192.0.2.7'],
    ['2001:DB8::ffff:7', 'USER_AGENT', '2001:db8::ffff:7'],
    // Not the loopback address, though it ends like it.
    ['2001:db8::1', 'USER_AGENT', '2001:db8::1'],
    ['192.0.127.1', 'USER_AGENT', '192.0.127.1'],
    ['::1f', 'USER_AGENT', '::1f'],
    ['2001:db8::ffff:1.2.3.4', 'USER_AGENT', '2001:db8::ffff:1.2.3.4'],
    // A back end speaks for many.
    ['192.0.2.7', 'RELYING_SERVICE', null],
    [null, 'USER_AGENT', null],
    ['', 'USER_AGENT', null],
  ] as const)('of %s as %s is %s', (remoteAddress, role, device) => {
    expect(identifyDevice({ role, remoteAddress })).toBe(device)
  })
})

describe('two spellings of one address', () => {
  const key = computeAddressKey({
    streetDetails: { streetLines: ['12 Rue de l’Église', 'Bât. B'], verified: false },
    postcode: '75 011',
    city: 'PARIS',
    country: 'FRA',
    verified: false,
  })
  test('meet', () => {
    expect(key).toBe('12RUEDELEGLISEBATB\n\n75011\nPARIS\nFRA')
    const other = {
      streetDetails: { streetLines: ['12, rue de l’eglise bat b'], verified: true },
      postcode: '75011',
      city: 'Paris',
      country: 'fra',
      verified: true,
    }
    expect(computeAddressKey(other)).toBe(key)
  })
  test('do not meet when the flat, the house or the town is another', () => {
    const base = { fullAddress: '1 High Street', postcode: 'N1', city: 'Utopia', verified: false }
    const keys = [
      base,
      { ...base, flatNumber: '2' },
      { ...base, city: 'Elsewhere' },
      { ...base, postcode: 'N2' },
      { ...base, country: 'UTO' },
      { ...base, fullAddress: '2 High Street' },
    ].map(computeAddressKey)
    expect(new Set(keys).size).toBe(6)
  })
  test('are written from their parts where there are only parts', () => {
    const parts = {
      streetDetails: { streetLines: ['High Street'], verified: false },
      houseName: 'Rose Cottage',
      houseNumber: '7',
      verified: false,
    }
    expect(computeAddressKey(parts)).toBe('HIGHSTREETROSECOTTAGE7\n\n\n\n')
    const named = { ...parts, houseName: 'Rose', houseNumber: 'Cottage 7' }
    expect(computeAddressKey(named)).toBe(computeAddressKey(parts))
    expect(
      computeAddressKey({ ...parts, streetDetails: { streetLines: ['High', 'Street'], verified: false } }),
    ).toBe(computeAddressKey(parts))
  })
  test('a town alone is no address', () => {
    expect(computeAddressKey({ city: 'Utopia', postcode: 'N1', verified: false })).toBeNull()
    expect(computeAddressKey({ fullAddress: ' - ', city: 'Utopia', verified: false })).toBeNull()
  })
})
