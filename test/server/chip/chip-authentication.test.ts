import { createECDH, generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  authenticateChip,
  listChipAuthentications,
  type ChipAuthenticationChoice,
} from '../../../server/chip/chip-authentication.ts'
import { CIPHERS, type CipherName } from '../../../server/chip/ciphers.ts'
import { CURVE_CONSTANTS, CURVE_IDS, type CurveName } from '../../../server/chip/curve-constants.ts'
import { ASN1, writeOid } from '../../../server/chip/der.ts'
import { findStandardGroup } from '../../../server/chip/domain-parameters.ts'
import { getCurve, getGenerator, isOnCurve, makeCurveGroup } from '../../../server/chip/elliptic-curve.ts'
import type { Group } from '../../../server/chip/group.ts'
import { power, toNumber } from '../../../server/chip/numbers.ts'
import type { ChipFault } from '../../../server/chip/outcome.ts'
import { parseAgreementKey } from '../../../server/chip/public-key.ts'
import { deriveSessionKeys, SecureSession } from '../../../server/chip/secure-messaging.ts'
import { parseDg14 } from '../../../server/chip/security-infos.ts'
import { writeTlv } from '../../../server/chip/tlv.ts'
import {
  ChipAuthenticationChip,
  writeDhKey,
  writeInteger,
  type ChipAuthenticationChipOptions,
} from '../../../server/tools/simulator/chip/chip-authentication-chip.ts'
import { hex } from '../../../server/tools/simulator/chip/hex.ts'

const ROOT = '0.4.0.127.0.7.2.2'
const NAMES = Object.keys(CURVE_CONSTANTS) as CurveName[]

function fault(reason: string): ChipFault {
  return expect.objectContaining({ name: 'ChipFault', reason }) as ChipFault
}

/** SubjectPublicKeyInfo of a point, with the parameters of its curve written by OpenSSL. */
function makeEcKey(namedCurve: string, paramEncoding: 'named' | 'explicit' = 'named') {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve, paramEncoding })
  return publicKey.export({ format: 'der', type: 'spki' })
}

/** The key of a chosen scalar on a named curve. */
function writeEcKey(name: CurveName, element: Uint8Array): Buffer {
  const [oid = ''] = Object.entries(CURVE_IDS).find(([, curve]) => curve === name) ?? []
  const algorithm = writeTlv(ASN1.sequence, writeOid('1.2.840.10045.2.1'), writeOid(oid))
  return writeTlv(ASN1.sequence, algorithm, writeTlv(ASN1.bitString, Buffer.of(0), element))
}

interface Entry {
  readonly protocol?: string
  readonly keyId?: number
  readonly key?: Buffer
  readonly kind?: 1 | 2
}

/** DG14 of keys and protocols. */
function writeDg14(...entries: readonly Entry[]): Buffer {
  const infos = entries.map(({ protocol, keyId, key, kind = 2 }) => {
    const id = keyId === undefined ? [] : [writeInteger(BigInt(keyId))]
    return key === undefined
      ? writeTlv(ASN1.sequence, writeOid(`${ROOT}.3.${protocol}`), writeInteger(1n), ...id)
      : writeTlv(ASN1.sequence, writeOid(`${ROOT}.1.${kind}`), key, ...id)
  })
  return writeTlv(0x6e, writeTlv(ASN1.set, ...infos))
}

describe('the constants of a curve', () => {
  test.each(NAMES)('%s agree with OpenSSL: its generator is on the curve and has the order', (name) => {
    const curve = getCurve(name)
    const generator = getGenerator(curve)
    const [x, y] = [generator.subarray(1, 1 + curve.length), generator.subarray(1 + curve.length)].map(
      toNumber,
    )
    expect(isOnCurve(curve, { x: x ?? 0n, y: y ?? 0n })).toBe(true)
    const group = makeCurveGroup(name)
    const last = group.multiply(curve.n - 1n, generator)
    expect(() => group.combine(last, generator)).toThrow(fault('generator_invalid'))
    expect(() => group.multiply(curve.n, generator)).toThrow(fault('public_key_invalid'))
  })

  test.each(NAMES)('%s multiply as OpenSSL does, with the right sign', (name) => {
    const group = makeCurveGroup(name)
    for (const scalar of [
      1n,
      2n,
      3n,
      (group.order ?? 0n) - 2n,
      (group.order ?? 0n) - 1n,
      group.makeScalar(),
    ]) {
      const ecdh = createECDH(name)
      const digits = scalar.toString(16)
      ecdh.setPrivateKey(Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex'))
      expect(group.multiply(scalar, group.generator)).toEqual(ecdh.getPublicKey())
    }
  })
})

test('the constants of the groups of RFC 5114 are groups: primes, and generators of the order', () => {
  for (const id of [0, 1, 2]) {
    const group = findStandardGroup(id) as Group
    expect(group.multiply((group.order ?? 0n) + 1n, group.generator)).toEqual(group.generator)
    expect(() => group.multiply(group.order ?? 0n, group.generator)).toThrow(fault('public_key_invalid'))
  }
})

describe('a key of DG14', () => {
  test.each(NAMES)('on %s is read with named and with explicit parameters', (name) => {
    for (const encoding of ['named', 'explicit'] as const) {
      const { group, element } = parseAgreementKey(makeEcKey(name, encoding))
      expect(group.generator).toEqual(getGenerator(getCurve(name)))
      expect(element.length).toBe(group.generator.length)
    }
  })

  test('with standardised parameters is read (TR-03110-3, A.2.1.1)', () => {
    const group = findStandardGroup(13) as Group
    const algorithm = writeTlv(ASN1.sequence, writeOid('0.4.0.127.0.7.1.2'), writeInteger(13n))
    const spki = writeTlv(ASN1.sequence, algorithm, writeTlv(ASN1.bitString, Buffer.of(0), group.generator))
    expect(parseAgreementKey(spki).element).toEqual(group.generator)
  })

  test('with another generator than that of the curve is refused', () => {
    const spki = makeEcKey('prime256v1', 'explicit')
    const generator = getGenerator(getCurve('prime256v1'))
    const forged = Buffer.from(spki)
    const other = makeCurveGroup('prime256v1').multiply(2n, generator)
    forged.set(other, forged.indexOf(generator))
    expect(() => parseAgreementKey(forged)).toThrow(fault('domain_parameters_inconsistent'))
  })

  test('with a generator outside its curve is refused, and an unknown curve is not supported', () => {
    const spki = makeEcKey('prime256v1', 'explicit')
    const b = Buffer.from(CURVE_CONSTANTS.prime256v1.b, 'hex')
    const forged = Buffer.from(spki)
    forged[forged.indexOf(b)] = 0
    expect(() => parseAgreementKey(forged)).toThrow(fault('domain_parameters_inconsistent'))
    expect(() => parseAgreementKey(makeEcKey('secp256k1', 'explicit'))).toThrow(
      fault('domain_parameters_unknown'),
    )
    expect(() => parseAgreementKey(makeEcKey('secp256k1'))).toThrow(fault('domain_parameters_unknown'))
  })

  test('outside its curve, or at infinity, is refused', () => {
    const { generator } = makeCurveGroup('prime256v1')
    const outside = Buffer.from(generator)
    outside[64] = (outside[64] ?? 0) ^ 1
    for (const point of [outside, hex('00'), generator.subarray(0, 33)])
      expect(() => parseAgreementKey(writeEcKey('prime256v1', point))).toThrow(fault('public_key_invalid'))
  })
})

/** RFC 5114, 2.3. */
const p = BigInt(
  '0x87A8E61DB4B6663CFFBBD19C651959998CEEF608660DD0F25D2CEED4435E3B00E00DF8F1D61957D4FAF7DF4561B2AA3016C3D91134096FAA3BF4296D830E9A7C' +
    '209E0C6497517ABD5A8A9D306BCF67ED91F9E6725B4758C022E0B1EF4275BF7B6C5BFC11D45F9088B941F54EB1E59BB8BC39A0BF12307F5C4FDB70C581B23F76' +
    'B63ACAE1CAA6B7902D52526735488A0EF13C6D9A51BFA4AB3AD8347796524D8EF6A167B5A41825D967E144E5140564251CCACB83E6B486F6B3CA3F7971506026' +
    'C0B857F689962856DED4010ABD0BE621C3A3960A54E710C375F26375D7014103A4B54330C198AF126116D2276E11715F693877FAD7EF09CADB094AE91E1A1597',
)
const q = BigInt('0x8CF83642A709A097B447997640129DA299B1A47D1EB3750BA308B0FE64F5FBD3')

describe('a Diffie-Hellman key of DG14', () => {
  const base = power(2n, (p - 1n) / q, p)
  const element = (scalar: bigint) => hex(power(base, scalar, p).toString(16).padStart(512, '0'))

  test('is read with its own parameters, also in the form of PKCS #3', () => {
    expect(parseAgreementKey(writeDhKey(p, base, q, element(5n))).element).toEqual(element(5n))
    const parameters = writeTlv(ASN1.sequence, writeInteger(p), writeInteger(base))
    const pkcs3 = writeTlv(
      ASN1.sequence,
      writeTlv(ASN1.sequence, writeOid('1.2.840.113549.1.3.1'), parameters),
      writeTlv(ASN1.bitString, Buffer.of(0), writeInteger(toNumber(element(5n)))),
    )
    expect(parseAgreementKey(pkcs3).element).toEqual(element(5n))
  })

  test.each([
    [
      'a number that is no prime',
      () => writeDhKey(p - 2n, base, q, element(5n)),
      'domain_parameters_inconsistent',
    ],
    [
      'a generator of another order',
      () => writeDhKey(p, base + 1n, q, element(5n)),
      'domain_parameters_inconsistent',
    ],
    ['the generator 1', () => writeDhKey(p, 1n, q, element(5n)), 'domain_parameters_inconsistent'],
    ['the generator p - 1', () => writeDhKey(p, p - 1n, q, element(5n)), 'domain_parameters_inconsistent'],
    ['a short prime', () => writeDhKey(2n ** 521n - 1n, 3n, q, element(5n)), 'domain_parameters_unknown'],
    ['a key outside the subgroup', () => writeDhKey(p, base, q, hex('03')), 'public_key_invalid'],
    ['the key 1', () => writeDhKey(p, base, q, hex('01')), 'public_key_invalid'],
    ['the key p - 1', () => writeDhKey(p, base, q, hex((p - 1n).toString(16))), 'public_key_invalid'],
  ])('with %s is refused', (_, write, reason) => {
    expect(() => parseAgreementKey(write())).toThrow(fault(reason))
  })
})

describe('the choice of a protocol', () => {
  const group = makeCurveGroup('brainpoolP256r1')
  const key = writeEcKey('brainpoolP256r1', group.multiply(9n, group.generator))
  const choose = (...entries: Entry[]) => listChipAuthentications(parseDg14(writeDg14(...entries)))[0]

  test('takes the strongest cipher, and MSE:Set KAT for 3DES first', () => {
    expect(choose({ protocol: '2.1' }, { protocol: '2.4' }, { protocol: '2.2' }, { key })).toMatchObject({
      oid: `${ROOT}.3.2.4`,
      cipher: 'AES-256',
      keyId: null,
      forms: ['set_at'],
    })
    expect(choose({ protocol: '2.1' }, { key })).toMatchObject({
      cipher: 'TDES',
      forms: ['set_kat', 'set_at'],
    })
  })

  test('assumes 3DES where a chip has a key and no protocol', () => {
    expect(choose({ key, keyId: 3 })).toMatchObject({
      oid: null,
      cipher: 'TDES',
      keyId: 3,
      forms: ['set_kat'],
    })
  })

  test('matches keys and protocols by identifier', () => {
    const choice = choose(
      { protocol: '2.2', keyId: 1 },
      { protocol: '2.3', keyId: 2 },
      { key, keyId: 1 },
      { key, keyId: 2 },
    )
    expect(choice).toMatchObject({ cipher: 'AES-192', keyId: 2 })
    expect(() => choose({ protocol: '2.2', keyId: 1 }, { key, keyId: 2 })).toThrow(fault('malformed_data'))
    expect(() => choose({ protocol: '1.2' }, { key })).toThrow(fault('malformed_data'))
  })

  test('uses version 1 only, and refuses a version that does not exist', () => {
    const infos = (version: number) =>
      writeTlv(
        0x6e,
        writeTlv(
          ASN1.set,
          writeTlv(ASN1.sequence, writeOid(`${ROOT}.3.2.2`), writeInteger(BigInt(version))),
          writeTlv(ASN1.sequence, writeOid(`${ROOT}.1.2`), key),
        ),
      )
    expect(listChipAuthentications(parseDg14(infos(1)))).toHaveLength(1)
    expect(() => listChipAuthentications(parseDg14(infos(2)))).toThrow(fault('key_information_missing'))
    expect(() => parseDg14(infos(10))).toThrow(fault('malformed_data'))
  })

  test('passes over a key that is not supported, and says so of the only one', () => {
    const foreign = makeEcKey('secp256k1')
    const choice = choose(
      { protocol: '2.4', keyId: 1 },
      { protocol: '2.2', keyId: 2 },
      { key: foreign, keyId: 1 },
      { key, keyId: 2 },
    )
    expect(choice).toMatchObject({ cipher: 'AES-128', keyId: 2 })
    expect(() => choose({ protocol: '2.4' }, { key: foreign })).toThrow(fault('domain_parameters_unknown'))
    expect(() => choose({ protocol: '2.4' })).toThrow(fault('malformed_data'))
    expect(() => choose()).toThrow(fault('key_information_missing'))
  })
})

describe.each(Object.keys(CIPHERS) as CipherName[])('chip authentication with %s', (cipher) => {
  const groups: readonly Group[] = ['prime192v1', 'secp224r1', 'brainpoolP384r1', 'secp521r1'].map((name) =>
    makeCurveGroup(name as CurveName),
  )
  const number = ['TDES', 'AES-128', 'AES-192', 'AES-256'].indexOf(cipher) + 1

  async function authenticate(
    group: Group,
    change: Partial<ChipAuthenticationChipOptions> = {},
    choice: Partial<ChipAuthenticationChoice> = {},
  ) {
    const keys = deriveSessionKeys('AES-128', hex('0102'))
    const options = { keys, group, scalar: 1234n, cipher, knows: [0xa4, 0xa6], ...change }
    const chip = new ChipAuthenticationChip(options)
    const outcome = await authenticateChip(
      { channel: chip, session: new SecureSession(keys) },
      {
        oid: `${ROOT}.3.${group.kind === 'dh' ? 1 : 2}.${number}`,
        cipher,
        keyId: null,
        key: { group, element: group.multiply(1234n, group.generator) },
        forms: cipher === 'TDES' ? ['set_kat', 'set_at'] : ['set_at'],
        ...choice,
      },
    )
    return { chip, outcome }
  }

  test('changes the session keys on curves and with Diffie-Hellman', async () => {
    for (const group of [...groups, findStandardGroup(0) as Group, findStandardGroup(2) as Group]) {
      const { chip, outcome } = await authenticate(group)
      if (outcome.verdict !== 'successful') throw new Error(outcome.reason)
      expect(outcome.session.keys.cipher).toBe(cipher)
      expect(chip.commands.map(({ ins, p2 }) => [ins, p2])).toEqual(
        cipher === 'TDES'
          ? [
              [0x22, 0xa6],
              [0xa4, 0x0c],
            ]
          : [
              [0x22, 0xa4],
              [0x86, 0x00],
              [0xa4, 0x0c],
            ],
      )
    }
  })

  test('fails if the chip has another private key, continues with the old keys, or answers plainly', async () => {
    const [group = makeCurveGroup('prime256v1')] = groups
    for (const change of [
      { scalar: 4321n },
      { fault: 'keeps_old_keys' },
      { fault: 'answers_plainly' },
    ] as const) {
      const { outcome } = await authenticate(group, change)
      expect(outcome).toMatchObject({ verdict: 'failed', reason: 'key_not_proved' })
    }
  })

  test('names the key where DG14 does, and fails if the chip does not know it', async () => {
    const group = makeCurveGroup('prime256v1')
    const { chip, outcome } = await authenticate(group, {}, { keyId: 300 })
    expect(outcome).toMatchObject({ verdict: 'successful' })
    expect(Buffer.from(chip.commands[0]?.data ?? []).toString('hex')).toMatch(/8402012c$/)
    const refused = await authenticate(group, { fault: 'refuses_reference' }, { keyId: 300 })
    expect(refused.outcome).toEqual({ verdict: 'failed', reason: 'status_refused', statusWord: 0x6a88 })
  })

  test('uses a fresh key in each run', async () => {
    const group = makeCurveGroup('prime256v1')
    const sent = await Promise.all(
      [1, 2].map(async () =>
        (await authenticate(group)).chip.commands.map(({ data }) => Buffer.from(data).toString('hex')).join(),
      ),
    )
    expect(sent[0]).not.toEqual(sent[1])
  })
})

test('a chip that knows only MSE:Set AT gets it after it refused MSE:Set KAT', async () => {
  const group = makeCurveGroup('prime256v1')
  const keys = deriveSessionKeys('TDES', hex('01'))
  const chip = new ChipAuthenticationChip({ keys, group, scalar: 7n, cipher: 'TDES', knows: [0xa4] })
  const choice = {
    oid: `${ROOT}.3.2.1`,
    cipher: 'TDES',
    keyId: null,
    key: { group, element: group.multiply(7n, group.generator) },
    forms: ['set_kat', 'set_at'],
  } as const
  const outcome = await authenticateChip({ channel: chip, session: new SecureSession(keys) }, choice)
  expect(outcome).toMatchObject({ verdict: 'successful' })
  expect(chip.commands.map(({ p2 }) => p2)).toEqual([0xa6, 0xa4, 0x00, 0x0c])
})
