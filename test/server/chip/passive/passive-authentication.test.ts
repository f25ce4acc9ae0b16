import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { parseSignedData } from '../../../../server/chip/files/cms.ts'
import { ChipFault } from '../../../../server/chip/outcome.ts'
import { hashBytes, parseChipCertificate } from '../../../../server/chip/passive/certificate.ts'
import { trustCertificates } from '../../../../server/chip/passive/chip-trust.ts'
import { listCertificateCountries } from '../../../../server/chip/passive/countries.ts'
import { DEFECT_LIST, type Defect } from '../../../../server/chip/passive/defect-list.ts'
import { isSameName } from '../../../../server/chip/passive/names.ts'
import {
  authenticateCardSecurity,
  authenticatePassively,
  type PassiveInput,
} from '../../../../server/chip/passive/passive-authentication.ts'
import { DEFAULT_POLICY, type PassivePolicy } from '../../../../server/chip/passive/policy.ts'
import { isSignatureValid } from '../../../../server/chip/passive/signature.ts'
import { ASN1, writeOid } from '../../../../server/chip/der.ts'
import { readTlv, readTlvs, writeTlv } from '../../../../server/chip/tlv.ts'
import {
  issueSigner,
  makeScheme,
  writeName,
  type HashName,
  type IssuedSigner,
  type IssueOptions,
} from '../../../../server/tools/simulator/chip/chip-issuer.ts'
import { hex } from '../../../../server/tools/simulator/chip/hex.ts'
import { findMasterList } from '../../../support/shared-data.ts'
import {
  writeCardSecurity,
  writeDg1,
  writeEfCom,
  writeSod,
  type SignedFileOptions,
} from '../../../../server/tools/simulator/chip/signed-files.ts'

const GROUPS = { 1: writeDg1(), 2: hex('7501BB') }
const FILES: ReadonlyMap<number, Uint8Array> = new Map(
  Object.entries(GROUPS).map(([number, file]) => [Number(number), file]),
)
const AT = new Date('2026-11-29T00:00:00Z')
const ISSUED = issueSigner()

function run(
  sodOptions: SignedFileOptions = {},
  change: Partial<PassiveInput> = {},
  issued: IssuedSigner = ISSUED,
) {
  const sod = writeSod(GROUPS, {
    privateKey: issued.signerKey,
    issuer: issued.authorityName,
    certificates: [issued.signer],
    ...sodOptions,
  })
  return authenticatePassively({ sod, dataGroups: FILES, trust: trustThese(issued), at: AT, ...change })
}

const trustThese = (...issued: readonly IssuedSigner[]) =>
  trustCertificates(issued.map(({ authority }) => parseChipCertificate(authority)))

/** The extension with the types of documents that a signer may sign. */
const writeTypes = (...types: string[]) => {
  const list = types.map((type) => writeTlv(0x13, Buffer.from(type)))
  const value = writeTlv(ASN1.sequence, hex('020100'), writeTlv(ASN1.set, ...list))
  return writeTlv(ASN1.sequence, writeOid('2.23.136.1.1.6.2'), writeTlv(ASN1.octetString, value))
}

const issue = (options: IssueOptions) => run({}, {}, issueSigner(options))

const successful = (...names: string[]) =>
  names.map((name) => ({ name, verdict: 'successful', reason: null }))

describe('passive authentication succeeds', () => {
  // @clause TR-03135/passive NIST-63A-4/4.2.4-superior
  test('with signature, signer, authority, validity and hashes', () => {
    const report = run({}, { com: writeEfCom(1, 2) })
    expect({ ...report, certificates: report.certificates.length }).toEqual({
      verdict: 'successful',
      reason: null,
      checks: [
        ...successful('signer', 'signature', 'authority', 'validity'),
        { name: 'signing_time', verdict: 'not_supported', reason: 'signing_time_missing' },
        { name: 'revocation', verdict: 'undetermined', reason: 'revocation_list_missing' },
        { name: 'defects', verdict: 'not_supported', reason: 'defect_list_missing' },
        ...successful('algorithms', 'hashes', 'contents', 'country'),
      ],
      indicators: ['CHIP_REVOCATION_UNVERIFIED'],
      verifiedGroups: [1, 2],
      signedAt: null,
      signer: { sha256: hashBytes(ISSUED.signer), country: 'UT' },
      authority: { sha256: hashBytes(ISSUED.authority), country: 'UT', sources: [] },
      lists: [],
      certificates: 2,
    })
  })

  const forms = ['pkcs1', 'rsa_encryption', 'pss', 'ecdsa', 'ecdsa_plain'] as const
  const hashes: readonly HashName[] = ['sha1', 'sha224', 'sha256', 'sha384', 'sha512']
  const rsa = issueSigner({ signerKind: 'rsa' })

  test.each(forms)('with %s and every hash', (form) => {
    const issued = form.startsWith('ecdsa') ? ISSUED : rsa
    for (const hash of hashes)
      expect(run({ scheme: makeScheme(form, hash), hash }, {}, issued).verdict).toBe('successful')
  })

  test.each(['prime256v1', 'secp384r1', 'secp521r1', 'secp224r1', 'brainpoolP512r1', 'brainpoolP320r1'])(
    'with a signer on %s whose parameters are explicit',
    (signerCurve) => {
      expect(issue({ signerCurve }).verdict).toBe('successful')
    },
  )

  test('with an authority of another kind than the signer', () => {
    for (const form of ['pkcs1', 'pss'] as const) {
      const authorityScheme = makeScheme(form, 'sha256')
      expect(issue({ authorityKind: 'rsa', authorityScheme }).verdict).toBe('successful')
    }
  })

  test('with indefinite lengths, with a key identifier, and with the content type of Chinese passports', () => {
    expect(run({ isBer: true }).verdict).toBe('successful')
    expect(run({ signerVersion: 3, identifier: writeTlv(0x80, hex('0B0B')) }).verdict).toBe('successful')
  })

  test('with version 1 or 3 of signed data that has the content type of Chinese passports', () => {
    const type = '1.2.840.113549.1.7.1'
    const changed: SignedFileOptions = {
      signedType: type,
      changeSignedData: (members) =>
        members.map((member, i) =>
          i === 2
            ? writeTlv(
                ASN1.sequence,
                writeOid(type),
                ...readTlvs(readTlv(member, ASN1.sequence).value)
                  .slice(1)
                  .map(({ raw }) => raw),
              )
            : member,
        ),
    }
    for (const version of [1, 3]) expect(run({ ...changed, version }).verdict).toBe('successful')
    expect(run({ ...changed, version: 4 }).verdict).toBe('failed')
  })

  test('with another hash of the content than that of the signature, as some passports have; the weaker one counts', () => {
    expect(run({ hash: 'sha512' })).toMatchObject({ verdict: 'successful' })
    expect(run({ scheme: makeScheme('ecdsa', 'sha1') }).indicators).toContain('CHIP_HASH_WEAK')
    expect(run({ hash: 'sha1' }).indicators).toContain('CHIP_HASH_WEAK')
  })

  test.each([['P'], ['ID', 'P<']])('if its signer may sign passports (%s)', (...types) => {
    expect(issue({ signer: { moreExtensions: [writeTypes(...types)] } })).toMatchObject({
      verdict: 'successful',
      checks: expect.arrayContaining(successful('document_type')) as unknown,
    })
  })

  test('with names of other string types and cases, and with several authorities of one name', () => {
    const other = issueSigner()
    expect(run({}, { trust: trustThese(other, ISSUED) }).verdict).toBe('successful')
    const signer = { issuer: writeName('ut', 'csca  UTOPIA', 0x0c) }
    expect(issue({ signer }).verdict).toBe('successful')
  })
})

// @clause TR-03135/passive
describe('passive authentication fails', () => {
  const signed: readonly (readonly [string, SignedFileOptions])[] = [
    ['a changed signature', { changeSignature: (bytes) => changeLast(bytes) }],
    ['an empty signature', { changeSignature: () => hex('') }],
    ['another message digest', { messageDigest: Buffer.alloc(32) }],
    ['no message digest', { messageDigest: null }],
    ['another signed type of content', { signedType: '1.2.840.113549.1.7.1' }],
    ['no signed attributes', { hasAttributes: false }],
    ['another version', { version: 1 }],
    ['the signer version 2', { signerVersion: 2 }],
    ['the signer version 3 with issuer and serial number', { signerVersion: 3 }],
    ['the signer version 1 with a key identifier', { identifier: writeTlv(0x80, hex('0B0B')) }],
    ['the key identifier of another key', { signerVersion: 3, identifier: writeTlv(0x80, hex('0C0C')) }],
    ['the issuer of another certificate', { issuer: writeName('UT', 'Other') }],
    ['the digest MD5', { digestAlgorithm: writeTlv(ASN1.sequence, writeOid('1.2.840.113549.2.5')) }],
    [
      'a signature algorithm of another kind',
      { scheme: { ...makeScheme('ecdsa', 'sha256'), algorithm: makeScheme('pss', 'sha256').algorithm } },
    ],
    [
      'the signature algorithm MD5 with RSA',
      {
        scheme: {
          ...makeScheme('ecdsa', 'sha256'),
          algorithm: writeTlv(ASN1.sequence, writeOid('1.2.840.113549.1.1.4')),
        },
      },
    ],
  ]
  test.each(signed)('with %s', (_, options) => {
    expect(run(options).verdict).toBe('failed')
  })

  const issued: readonly (readonly [string, IssueOptions])[] = [
    ['no critical key usage', { signer: { isUsageCritical: false } }],
    ['no key usage', { signer: { keyUsage: null } }],
    ['a key usage without signatures', { signer: { keyUsage: 0x20 } }],
    ['no key of its authority', { signer: { authorityKeyIdentifier: null } }],
    ['version 1', { signer: { version: hex('A003020100') } }],
    ['no version', { signer: { version: hex('') } }],
    ['two signature algorithms', { signer: { outerAlgorithm: makeScheme('ecdsa', 'sha384').algorithm } }],
    ['a time in another form', { signer: { validTo: '20401231235959' } }],
    ['a validity that is over', { signer: { validTo: '261128235959Z' } }],
    ['a validity that has not begun', { signer: { validFrom: '261130000000Z' } }],
    ['the name of another issuer', { signer: { issuer: writeName('UT', 'Other') } }],
    ['an authority that may not issue', { authority: { keyUsage: 0x80 } }],
    ['an authority whose validity is over', { authority: { validTo: '261128235959Z' } }],
  ]
  // @clause TR-03135/validity
  test.each(issued)('with a certificate that has %s', (_, options) => {
    const signer = issueSigner(options)
    const issuer = options.signer?.issuer ?? signer.authorityName
    expect(run({ issuer }, {}, signer).verdict).toBe('failed')
  })

  test('with the certificate of another authority of the same name', () => {
    expect(run({}, { trust: trustThese(issueSigner()) })).toMatchObject({ verdict: 'failed', reason: null })
  })

  test.each([
    [
      'exchanged',
      'group_changed',
      [
        [1, GROUPS[1]],
        [2, hex('7501BC')],
      ],
    ],
    [
      'present but not signed',
      'group_not_signed',
      [
        [1, GROUPS[1]],
        [15, hex('6F00')],
      ],
    ],
  ] as const)('with a data group that is %s', (_, reason, groups) => {
    const report = run({}, { dataGroups: new Map(groups) })
    expect(report).toMatchObject({ verdict: 'failed' })
    expect(report.checks).toContainEqual({ name: 'hashes', verdict: 'failed', reason })
  })

  test('with a file that is no EF.SOD', () => {
    expect(run({}, { sod: hex('7703020105') })).toMatchObject({
      verdict: 'failed',
      checks: [],
      reason: 'malformed_data',
      signer: null,
    })
  })
})

describe('passive authentication is undetermined', () => {
  // @clause TR-03135/integrity NIST-63A-4/4.2.4-superior
  test('without an authority of this name or key', () => {
    expect(run({}, { trust: trustThese() }).verdict).toBe('undetermined')
  })

  test.each([['ID'], ['PP'], ['']])('if its signer may sign documents of the type "%s" only', (type) => {
    const report = issue({ signer: { moreExtensions: [writeTypes(type)] } })
    expect(report.verdict).toBe('undetermined')
    expect(report.checks.at(-1)).toEqual({
      name: 'document_type',
      verdict: 'undetermined',
      reason: 'document_type_not_listed',
    })
  })

  test('without the certificate of the signer', () => {
    expect(run({ certificates: [] }).verdict).toBe('undetermined')
  })

  test('without a data group', () => {
    expect(run({}, { dataGroups: new Map() }).verdict).toBe('undetermined')
  })
})

// @clause TR-03135/revocation
describe('a defect list', () => {
  const effects = [
    ['a revoked signer fails', ['1.1'], 'failed', []],
    ['a replaced certificate is undetermined', ['1.2'], 'undetermined', []],
    [
      'a revoked key of chip authentication is an indicator',
      ['1.3'],
      'successful',
      ['CHIP_AUTHENTICATION_KEY_REVOKED'],
    ],
    [
      'a revoked key of active authentication is an indicator',
      ['1.4', '2.1'],
      'successful',
      ['CHIP_ACTIVE_AUTHENTICATION_KEY_REVOKED', 'CHIP_KNOWN_DEFECT'],
    ],
    ['an unknown defect is undetermined', ['9.9'], 'undetermined', []],
  ] as const
  test.each(effects)('%s', (_, types, verdict, indicators) => {
    const identifier = { kind: 'issuer_and_serial', issuer: ISSUED.authorityName, serial: hex('07') } as const
    const defect = { identifier, certificateHash: null, types: types.map((type) => `${DEFECT_LIST}.${type}`) }
    const judgeWith = (defects: readonly Defect[]) =>
      run({}, { trust: { ...trustThese(ISSUED), defectLists: [{ sha256: 'list', defects }] } })
    const report = judgeWith([defect])
    expect(report).toMatchObject({ verdict, lists: ['list'] })
    expect(report.indicators).toEqual(['CHIP_REVOCATION_UNVERIFIED', ...indicators])
    const ofOther = { ...defect, certificateHash: { hash: 'sha256', value: Buffer.alloc(32) } } as const
    expect(judgeWith([ofOther])).toMatchObject({ verdict: 'successful' })
  })
})

describe('EF.CardSecurity', () => {
  const verify = (options: SignedFileOptions = {}, dg1: Uint8Array | null = writeDg1()) => {
    const { signerKey: privateKey, authorityName: issuer, signer } = ISSUED
    const infos = writeTlv(ASN1.set, hex('3012060A04007F0007020204020202010202010D'))
    const cardSecurity = writeCardSecurity(infos, { privateKey, issuer, certificates: [signer], ...options })
    return authenticateCardSecurity({ cardSecurity, dg1, trust: trustThese(ISSUED), at: AT })
  }

  test('passes by the rules of EF.SOD', () => {
    expect(verify()).toMatchObject({ verdict: 'successful', verifiedGroups: [] })
  })

  test('fails with a changed signature, a foreign signer or another country, and is undetermined without one', () => {
    expect(verify({ changeSignature: changeLast }).verdict).toBe('failed')
    expect(verify({ certificates: [issueSigner().signer] }).verdict).toBe('failed')
    expect(verify({}, writeDg1('D')).verdict).toBe('failed')
    expect(verify({}, null).verdict).toBe('undetermined')
  })
})

test.each([
  ['D', ['DE']],
  ['DEU', ['DE']],
  ['FRA', ['FR']],
  ['GBD', ['GB', 'BM']],
  ['RKS', ['KS', 'XK']],
  ['EUE', ['EU']],
  ['UNO', ['UN']],
  ['HKG', ['HK', 'CN']],
  ['QQQ', null],
])('certificates of documents with %s name %j', (code, countries) => {
  expect(listCertificateCountries(code)).toEqual(countries)
})

test('the policy decides on an expired signer, a weak hash and a missing source', () => {
  const late = { at: new Date('2041-06-01T00:00:00Z') }
  const lenient: PassivePolicy = { ...DEFAULT_POLICY, expired: 'indicator' }
  expect(run({}, late).verdict).toBe('failed')
  const report = run({}, { ...late, policy: lenient })
  expect(report).toMatchObject({ verdict: 'successful' })
  expect(report.indicators).toContain('CHIP_VALIDITY_UNVERIFIED')
  const strict: PassivePolicy = { ...DEFAULT_POLICY, hashes: { ...DEFAULT_POLICY.hashes, sha256: 'refused' } }
  expect(run({}, { policy: strict }).checks).toContainEqual({
    name: 'algorithms',
    verdict: 'failed',
    reason: 'hash_refused',
  })
  expect(run({}, { policy: { ...DEFAULT_POLICY, revocationUnknown: 'undetermined' } }).verdict).toBe(
    'undetermined',
  )
})

test('names are the same in other string types, cases, spaces and orders', () => {
  const name = writeName('DE', 'CSCA Germany')
  const [first, second] = [name.subarray(2, 15), name.subarray(15)]
  expect(isSameName(name, writeTlv(ASN1.sequence, second, first))).toBe(true)
  expect(isSameName(name, writeName('de', ' csca   germany ', 0x0c))).toBe(true)
  expect(isSameName(name, writeName('DE', 'CSCA Austria'))).toBe(false)
  const wide = writeTlv(0x1e, Buffer.from('CSCA Germany', 'utf16le').swap16())
  const wideName = writeTlv(ASN1.set, writeTlv(ASN1.sequence, writeOid('2.5.4.3'), wide))
  expect(isSameName(name, writeTlv(ASN1.sequence, first, wideName))).toBe(true)
})

const LISTS = ['DE_ML_2026-04-08-14-24-32.ml', 'NL_ML_2026-05-07.ml']

describe('the certificates of a real master list', () => {
  test.each(LISTS)('%s are read, and judged as OpenSSL judges them', (name) => {
    const path = findMasterList(name)
    if (path === null) return
    const { content, contentType } = parseSignedData(readFileSync(path))
    expect(contentType).toBe('2.23.136.1.1.2')
    const [, set] = readTlvs(readTlv(content, ASN1.sequence).value)
    const certificates = readTlvs(set?.value ?? hex('')).map(({ raw }) => raw)
    expect(certificates.length).toBeGreaterThan(300)
    const disagreeing = certificates.filter((der) => {
      const x509 = new X509Certificate(der)
      return isSelfSigned(der) !== x509.verify(x509.publicKey)
    })
    expect(disagreeing).toEqual([])
    const claims = certificates.map((der) => parseChipCertificate(der).isAuthority)
    expect(claims).toEqual(certificates.map((der) => new X509Certificate(der).ca))
  })
})

/** False also if the key is of another kind than the signature, as in a link certificate. */
function isSelfSigned(der: Uint8Array): boolean {
  const { algorithm, tbs, signature, key } = parseChipCertificate(der)
  try {
    return isSignatureValid({ algorithm, data: tbs, signature }, key)
  } catch (error) {
    if (error instanceof ChipFault && error.reason === 'algorithm_unknown') return false
    throw error
  }
}

function changeLast(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes)
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1
  return changed
}
