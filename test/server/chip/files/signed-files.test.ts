import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { ASN1, writeOid } from '../../../../server/chip/der.ts'
import { parseCardSecurity } from '../../../../server/chip/files/card-security.ts'
import { parseSignedData } from '../../../../server/chip/files/cms.ts'
import { parseSod } from '../../../../server/chip/files/sod.ts'
import type { ChipFault } from '../../../../server/chip/outcome.ts'
import { writeTlv } from '../../../../server/chip/tlv.ts'
import { hex } from '../../../../server/tools/simulator/chip/hex.ts'
import {
  SHA_256,
  writeCardSecurity,
  writeSignedData,
  writeSod,
} from '../../../../server/tools/simulator/chip/signed-files.ts'

const MALFORMED = expect.objectContaining({ name: 'ChipFault', reason: 'malformed_data' }) as ChipFault
const GROUPS = { 1: hex('6100'), 2: hex('7500'), 14: hex('6E00') }
const LDS_1_8 = writeTlv(
  ASN1.sequence,
  writeTlv(0x13, Buffer.from('0108')),
  writeTlv(0x13, Buffer.from('040000')),
)

describe('EF.SOD', () => {
  test.each([
    ['DER', false],
    ['BER with indefinite lengths and a cut content', true],
  ])('in %s gives hashes, algorithms, certificates and what is signed', (_, isBer) => {
    const certificate = writeTlv(ASN1.sequence, hex('020105'))
    const issuer = writeTlv(ASN1.sequence, hex('0500'))
    const { hashAlgorithm, hashes, version, signedData } = parseSod(
      writeSod(GROUPS, { isBer, certificates: [certificate], issuer }),
    )
    expect(hashAlgorithm).toBe(SHA_256)
    expect(version).toBeNull()
    expect([...hashes.keys()]).toEqual([1, 2, 14])
    expect(Buffer.from(hashes.get(2) ?? [])).toEqual(createHash('sha256').update(GROUPS[2]).digest())
    expect(signedData.certificates.map((each) => Buffer.from(each))).toEqual([certificate])
    const [signer] = signedData.signers
    expect(signer).toMatchObject({
      version: 1,
      identifier: { kind: 'issuer_and_serial', issuer, serial: hex('07') },
      digestAlgorithm: SHA_256,
      signatureAlgorithm: { oid: '1.2.840.10045.4.3.2', parameters: null },
    })
    expect(signer?.signedAttributes.map(({ type }) => type)).toEqual([
      '1.2.840.113549.1.9.3',
      '1.2.840.113549.1.9.4',
    ])
    expect(signer?.signedBytes?.[0]).toBe(ASN1.set)
  })

  test('of LDS 1.8 states its version', () => {
    const file = writeSod(GROUPS, { ldsVersion: hex('020101'), versionInfo: [LDS_1_8] })
    expect(parseSod(file).version).toEqual({ lds: '0108', unicode: '040000' })
  })

  test.each([
    ['version 0 and version information', writeSod(GROUPS, { versionInfo: [LDS_1_8] })],
    ['version 1 and none', writeSod(GROUPS, { ldsVersion: hex('020101') })],
    ['an unknown version', writeSod(GROUPS, { ldsVersion: hex('020102') })],
    ['no version', writeSod(GROUPS, { ldsVersion: hex('') })],
    [
      'a later LDS version',
      writeSod(GROUPS, {
        ldsVersion: hex('020101'),
        versionInfo: [Buffer.from(LDS_1_8.toString('latin1').replace('0108', '0109'), 'latin1')],
      }),
    ],
    ['a group whose number is none', writeSod({ 1: hex(''), 17: hex('') })],
    ['another template', Buffer.concat([hex('78'), writeSod(GROUPS).subarray(1)])],
    ['bytes after its end', Buffer.concat([writeSod(GROUPS), hex('00')])],
    ['a content that is no list of hashes', writeTlv(0x77, writeSignedData('1.2.3', hex('0500'), {}))],
  ])('with %s is refused', (_, file) => {
    expect(() => parseSod(file)).toThrow(MALFORMED)
  })

  test('cut off at any byte is refused', () => {
    const file = writeSod(GROUPS)
    for (let length = 0; length < file.length; length += 1)
      expect(() => parseSod(file.subarray(0, length))).toThrow(MALFORMED)
  })
})

test('signed data with more certificates than the bound is refused', () => {
  const certificates = Array.from({ length: 17 }, () => hex('3000'))
  expect(() => parseSignedData(writeSignedData('1.2.3', hex(''), { certificates }))).toThrow(MALFORMED)
})

describe('EF.CardSecurity', () => {
  const info = writeTlv(ASN1.sequence, writeOid('0.4.0.127.0.7.2.2.4.2.2'), hex('020102'), hex('02010D'))
  const infos = writeTlv(ASN1.set, info)

  test('gives the signed SecurityInfos', () => {
    expect(parseCardSecurity(writeCardSecurity(infos)).infos.pace).toMatchObject([{ parameterId: 13 }])
  })

  test('with another content is refused', () => {
    expect(() => parseCardSecurity(writeSignedData('2.23.136.1.1.1', infos, {}))).toThrow(MALFORMED)
    expect(() => parseCardSecurity(writeCardSecurity(hex('0500')))).toThrow(MALFORMED)
  })
})
