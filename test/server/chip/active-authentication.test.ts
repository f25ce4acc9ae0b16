import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  authenticateActively,
  parseDg15,
  verifyChallenge,
  verifyRecoveredMessage,
} from '../../../server/chip/active-authentication.ts'
import { ASN1, writeOid } from '../../../server/chip/der.ts'
import { getCurve, getGenerator, makeCurveGroup } from '../../../server/chip/elliptic-curve.ts'
import type { ChipFault } from '../../../server/chip/outcome.ts'
import { writeTlv } from '../../../server/chip/tlv.ts'
import {
  makeEcKey,
  makeRepresentative,
  makeRsaKey,
  makeSigningChip,
  signRepresentative,
  signWithEcdsa,
} from '../../../server/tools/simulator/chip/active-authentication-chip.ts'
import { hex } from '../../../server/tools/simulator/chip/hex.ts'
import { playResponses } from '../../support/recorded-chip.ts'
import { readChipVector } from '../../support/shared-data.ts'

const vector = readChipVector('aa-rsa-sha1.json') as {
  rndIfd: string
  m1: string
  h: string
  f: string
  command: string
} | null

const CHALLENGE = hex('F173589974BF40C6')
const RSA = makeRsaKey(1024)

function fault(reason: string): ChipFault {
  return expect.objectContaining({ name: 'ChipFault', reason }) as ChipFault
}

describe.skipIf(vector === null)('the worked example of Doc 9303-11 appendix F', () => {
  const { rndIfd, m1, h, f, command } = vector ?? { rndIfd: '', m1: '', h: '', f: '6A00', command: '' }

  test('is accepted with its hash over M1 and the challenge', async () => {
    expect(createHash('sha1').update(hex(m1)).update(hex(rndIfd)).digest()).toEqual(hex(h))
    expect(() => verifyRecoveredMessage(hex(f), hex(rndIfd))).not.toThrow()
    const chip = playResponses([`${signRepresentative(RSA.privateKey, hex(f)).toString('hex')}9000`])
    const key = parseDg15(RSA.dg15)
    const outcome = await authenticateActively(chip, key, { makeChallenge: () => hex(rndIfd) })
    expect(outcome).toMatchObject({ verdict: 'successful' })
    expect(chip.asked).toEqual([command])
  })

  test('is refused after any changed byte of the message, or with another challenge', () => {
    for (let at = 0; at < hex(f).length; at += 1) {
      const changed = hex(f)
      changed[at] = (changed[at] ?? 0) ^ 0x80
      expect(() => verifyRecoveredMessage(changed, hex(rndIfd))).toThrow(fault('signature_wrong'))
    }
    expect(() => verifyRecoveredMessage(hex(f), CHALLENGE.subarray(1))).toThrow(fault('signature_wrong'))
  })
})

describe('an RSA signature', () => {
  const key = parseDg15(RSA.dg15)
  const verifyBlock = (block: Uint8Array) =>
    verifyChallenge(key, CHALLENGE, signRepresentative(RSA.privateKey, block))
  const make = (hash: string, trailer: string, header = '6A') =>
    makeRepresentative(CHALLENGE, RSA.length, hash, hex(trailer), hex(header))

  test.each([
    ['sha1', 'BC'],
    ['sha1', '33CC'],
    ['sha224', '38CC'],
    ['sha256', '34CC'],
    ['sha384', '36CC'],
    ['sha512', '35CC'],
  ])('with the hash %s and the trailer %s is accepted, also with padding and as n - s', (hash, trailer) => {
    expect(() => verifyBlock(make(hash, trailer))).not.toThrow()
    expect(() => verifyBlock(make(hash, trailer, '6BBBBBBA'))).not.toThrow()
    const { n = '' } = RSA.privateKey.export({ format: 'jwk' })
    const modulus = BigInt(`0x${Buffer.from(n, 'base64url').toString('hex')}`)
    const signature = signRepresentative(RSA.privateKey, make(hash, trailer))
    const other = (modulus - BigInt(`0x${signature.toString('hex')}`)).toString(16).padStart(256, '0')
    expect(() => verifyChallenge(key, CHALLENGE, hex(other))).not.toThrow()
  })

  test.each([
    ['a hash that the trailer does not name', make('sha256', '33CC'), 'signature_wrong'],
    ['a trailer of another scheme', make('sha1', 'BD'), 'signature_wrong'],
    ['an unknown hash', make('sha1', '31CC'), 'algorithm_unknown'],
    ['a header of total recovery', make('sha1', 'BC', '4A'), 'signature_wrong'],
    ['a header of nothing', make('sha1', 'BC', '00'), 'signature_wrong'],
    ['a header whose padding begins with one', make('sha1', 'BC', '7A'), 'signature_wrong'],
    ['padding that does not end', make('sha1', 'BC', '6BBBBBBB'), 'signature_wrong'],
  ] as const)('with %s is refused', (_, block, reason) => {
    expect(() => verifyBlock(block)).toThrow(fault(reason))
  })

  test('of another length, another key, or beyond the modulus is refused', () => {
    const signature = signRepresentative(RSA.privateKey, make('sha1', 'BC'))
    const foreign = signRepresentative(makeRsaKey(1024).privateKey, make('sha1', 'BC'))
    for (const wrong of [
      signature.subarray(1),
      Buffer.concat([hex('00'), signature]),
      foreign,
      Buffer.alloc(128, 0xff),
      Buffer.alloc(128),
    ])
      expect(() => verifyChallenge(key, CHALLENGE, wrong)).toThrow(fault('signature_wrong'))
  })
})

describe('an ECDSA signature', () => {
  const ALGORITHM = '0.4.0.127.0.7.1.1.4.1'

  test.each([
    ['prime256v1', 'sha256', 3],
    ['brainpoolP256r1', 'sha1', 1],
    ['secp224r1', 'sha224', 2],
    ['brainpoolP384r1', 'sha384', 4],
    ['secp521r1', 'sha512', 5],
    ['brainpoolP320r1', 'sha512', 5],
  ])('on %s with %s is accepted, plain and in DER, with and without its name in DG14', (curve, hash, arc) => {
    for (const encoding of ['named', 'explicit'] as const) {
      const { dg15, privateKey } = makeEcKey(curve, encoding)
      const key = parseDg15(dg15)
      for (const form of ['der', 'ieee-p1363'] as const) {
        const signature = signWithEcdsa(privateKey, CHALLENGE, hash, form)
        expect(() => verifyChallenge(key, CHALLENGE, signature, [`${ALGORITHM}.${arc}`])).not.toThrow()
        expect(() => verifyChallenge(key, CHALLENGE, signature)).not.toThrow()
      }
    }
  })

  test('with another hash than that of DG14, another challenge or a changed byte is refused', () => {
    const { dg15, privateKey } = makeEcKey('prime256v1')
    const key = parseDg15(dg15)
    const signature = signWithEcdsa(privateKey, CHALLENGE, 'sha256')
    const changed = Buffer.from(signature)
    changed[9] = (changed[9] ?? 0) ^ 1
    expect(() => verifyChallenge(key, CHALLENGE, signature, [`${ALGORITHM}.1`])).toThrow(
      fault('signature_wrong'),
    )
    expect(() => verifyChallenge(key, Buffer.alloc(8), signature)).toThrow(fault('signature_wrong'))
    expect(() => verifyChallenge(key, CHALLENGE, changed)).toThrow(fault('signature_wrong'))
    expect(() => verifyChallenge(key, CHALLENGE, hex(''))).toThrow(fault('signature_wrong'))
    expect(() => verifyChallenge(key, CHALLENGE, signature, ['1.2.3'])).toThrow(fault('algorithm_unknown'))
  })

  test('under a generator that the chip chose is refused (the trick with explicit parameters)', () => {
    const { dg15 } = makeEcKey('prime256v1', 'explicit')
    const generator = getGenerator(getCurve('prime256v1'))
    const forged = Buffer.from(dg15)
    forged.set(makeCurveGroup('prime256v1').multiply(3n, generator), forged.indexOf(generator))
    expect(() => parseDg15(forged)).toThrow(fault('domain_parameters_inconsistent'))
  })
})

describe('a chip', () => {
  const { dg15, privateKey } = makeEcKey('prime256v1')

  test('gets a fresh challenge in each run', async () => {
    const chip = makeSigningChip((challenge) => signWithEcdsa(privateKey, challenge, 'sha256'))
    for (let run = 0; run < 2; run += 1)
      expect(await authenticateActively(chip, parseDg15(dg15))).toMatchObject({ verdict: 'successful' })
    expect(new Set(chip.commands.map(({ data }) => Buffer.from(data).toString('hex'))).size).toBe(2)
  })

  test('without the key fails, and so does one that refuses', async () => {
    const copy = makeSigningChip((challenge) =>
      signWithEcdsa(makeEcKey('prime256v1').privateKey, challenge, 'sha256'),
    )
    expect(await authenticateActively(copy, parseDg15(dg15))).toMatchObject({
      verdict: 'failed',
      reason: 'signature_wrong',
    })
    expect(await authenticateActively(playResponses(['6982']), parseDg15(dg15))).toEqual({
      verdict: 'failed',
      reason: 'status_refused',
      statusWord: 0x6982,
    })
  })

  test('without extended lengths gets a second challenge with a short Le', async () => {
    const long = makeRsaKey(2048)
    const asked: (number | null)[] = []
    const chip = makeSigningChip((challenge) =>
      signRepresentative(long.privateKey, makeRepresentative(challenge, long.length, 'sha256', hex('34CC'))),
    )
    const transmit: typeof chip.transmit = async (command) => {
      asked.push(command.le)
      return command.le === 256 ? chip.transmit(command) : { data: hex(''), statusWord: 0x6700 }
    }
    expect(await authenticateActively({ transmit }, parseDg15(long.dg15))).toMatchObject({
      verdict: 'successful',
    })
    expect(asked).toEqual([65_536, 256])
  })
})

describe('DG15', () => {
  const wrap = (algorithm: string, ...rest: Buffer[]) =>
    writeTlv(0x6f, writeTlv(ASN1.sequence, writeTlv(ASN1.sequence, writeOid(algorithm)), ...rest))

  test.each([
    ['of another template', Buffer.concat([hex('6E'), RSA.dg15.subarray(1)]), 'malformed_data'],
    ['that is cut off', RSA.dg15.subarray(0, -1), 'malformed_data'],
    ['of an unknown algorithm', wrap('1.2.840.10040.4.1', hex('030100')), 'algorithm_unknown'],
    ['of a curve without parameters', wrap('1.2.840.10045.2.1', hex('030100')), 'malformed_data'],
    ['of an RSA key that is none', wrap('1.2.840.113549.1.1.1', hex('030100')), 'public_key_invalid'],
    ['of a short RSA key', makeRsaKey(512).dg15, 'public_key_invalid'],
  ])('%s is refused', (_, file, reason) => {
    expect(() => parseDg15(file)).toThrow(fault(reason))
  })
})
