import { describe, expect, test } from 'vitest'
import { makeCanKey, makeKeyFromMrzInformation, makeMrzKey } from '../../../server/chip/access-key.ts'
import { openWithBac } from '../../../server/chip/bac.ts'
import { hex } from '../../../server/tools/simulator/chip/hex.ts'
import { playResponses, type RecordedPair } from '../../support/recorded-chip.ts'
import { readChipVector } from '../../support/shared-data.ts'

interface BacVector {
  readonly mrzInformation: string
  readonly documentNumber: string
  readonly dateOfBirth: string
  readonly dateOfExpiry: string
  readonly sha1: string
  readonly rndIfd: string
  readonly kIfd: string
  readonly apdus: readonly RecordedPair[]
  readonly sm: { readonly ksEnc: string; readonly ksMac: string }
  readonly ssc: string
}

const vector = readChipVector('bac-session.json') as BacVector | null

describe.skipIf(vector === null)('the worked session of Doc 9303-11 appendix D', () => {
  const { apdus, sm, ssc, rndIfd, kIfd, ...mrz } = vector ?? ({} as BacVector)
  const random = () => ({ challenge: hex(rndIfd), keyHalf: hex(kIfd) })
  const responses = (apdus ?? []).map(({ r }) => r)

  test('is reproduced: commands, session keys and counter', async () => {
    const chip = playResponses(responses)
    const outcome = await openWithBac(chip, makeMrzKey(mrz), random())
    expect(chip.asked).toEqual(apdus.map(({ c }) => c))
    if (outcome.verdict !== 'successful') throw new Error(outcome.reason)
    expect(outcome.session.keys).toEqual({
      cipher: 'TDES',
      encryption: hex(sm.ksEnc),
      checksum: hex(sm.ksMac),
    })
    expect(outcome.session.counter).toEqual(hex(ssc))
  })

  test('fails after any changed byte of the reply', async () => {
    const [challenge = '', reply = ''] = responses
    const bytes = hex(reply)
    for (let at = 0; at < bytes.length - 2; at += 1) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 0x10
      const chip = playResponses([challenge, changed.toString('hex')])
      expect(await openWithBac(chip, makeMrzKey(mrz), random())).toMatchObject({
        verdict: 'failed',
        reason: 'reply_forged',
      })
    }
  })

  test('fails with another terminal challenge, because the chip mirrors the recorded one', async () => {
    const outcome = await openWithBac(playResponses(responses), makeMrzKey(mrz), {
      challenge: Buffer.alloc(8),
      keyHalf: hex(kIfd),
    })
    expect(outcome).toMatchObject({ verdict: 'failed', reason: 'reply_forged' })
  })
})

const SPECIMEN = { documentNumber: 'L898902C', dateOfBirth: '690806', dateOfExpiry: '940623' }

describe('a chip', () => {
  test.each([
    ['that refuses the key', ['46 08 F9 19 88 70 22 12 9000', '6300'], 'access_key_wrong', 0x6300],
    ['that gives no challenge', ['6982'], 'status_refused', 0x6982],
    ['with a challenge of seven bytes', ['01020304050607 9000'], 'malformed_reply', null],
    [
      'with a reply of 39 bytes',
      ['0102030405060708 9000', `${'00'.repeat(39)}9000`],
      'malformed_reply',
      null,
    ],
    ['with a reply of zeros', ['0102030405060708 9000', `${'00'.repeat(40)}9000`], 'reply_forged', null],
  ] as const)('%s is not opened', async (_, responses, reason, statusWord) => {
    const outcome = await openWithBac(playResponses(responses), makeMrzKey(SPECIMEN))
    expect(outcome).toEqual({ verdict: 'failed', reason, statusWord })
  })

  test('gets a fresh challenge and key in each session', async () => {
    const asked = await Promise.all(
      [1, 2].map(async () => {
        const chip = playResponses(['0102030405060708 9000', '6300'])
        await openWithBac(chip, makeMrzKey(SPECIMEN))
        return chip.asked[1]
      }),
    )
    expect(asked[0]).not.toEqual(asked[1])
  })
})

describe('the access key', () => {
  test('of the MRZ is that of its three fields with their check digits', () => {
    const key = makeMrzKey(SPECIMEN)
    expect(key).toEqual(makeKeyFromMrzInformation('L898902C<369080619406236'))
    expect(Buffer.from(key.secret).toString('hex').toUpperCase()).toBe(
      '239AB9CB282DAF66231DC5A4DF6BFBAEDF477565',
    )
  })

  test('of a long document number uses the whole number (Doc 9303-5, 4.2.2)', () => {
    const { secret } = makeMrzKey({
      documentNumber: 'D23145890734',
      dateOfBirth: '340712',
      dateOfExpiry: '950712',
    })
    expect(makeKeyFromMrzInformation('D23145890734934071279507122').secret).toEqual(secret)
  })

  test('of the card access number is its digits', () => {
    expect(Buffer.from(makeCanKey('012345').secret).toString()).toBe('012345')
    expect(() => openWithBac(playResponses([]), makeCanKey('012345'))).toThrow(TypeError)
  })

  test.each([
    ['a number in lower case', { ...SPECIMEN, documentNumber: 'l898902c' }],
    ['no number', { ...SPECIMEN, documentNumber: '' }],
    ['a number that is too long', { ...SPECIMEN, documentNumber: 'A'.repeat(23) }],
    ['a date with a letter', { ...SPECIMEN, dateOfBirth: '6908O6' }],
    ['a date of eight digits', { ...SPECIMEN, dateOfExpiry: '19940623' }],
  ])('is refused for %s, and the error repeats no value', (_, fields) => {
    expect(() => makeMrzKey(fields)).toThrow(new TypeError('a document number or date that no MRZ has'))
  })

  test.each(['', '12345', '1234567', '12345a', '１２３４５６'])('is refused for the CAN “%s”', (can) => {
    expect(() => makeCanKey(can)).toThrow(new TypeError('a card access number has six digits'))
  })
})
