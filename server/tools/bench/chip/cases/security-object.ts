/** The unit LDS_H of the plan: EF.SOD, its signature, its certificates. */
import { sign } from 'node:crypto'
import { ASN1, readMembers, toOid, writeOid } from '../../../../chip/der.ts'
import type { StepName } from '../../../../chip/inspection/report.ts'
import { parseChipCertificate } from '../../../../chip/passive/certificate.ts'
import { readTlv, readTlvs, writeTlv } from '../../../../chip/tlv.ts'
import {
  makeScheme,
  writeName,
  type CertificateOptions,
  type HashName,
  type IssueOptions,
  type SignatureForm,
  type SignatureScheme,
} from '../../../simulator/chip/chip-issuer.ts'
import { writeDg2 } from '../../../simulator/chip/portrait-files.ts'
import { IMAGES, makeIssue, type ProfileChanges, type SodOptions } from '../../../simulator/chip/profiles.ts'
import { makePaceInfo, writePaceInfo } from '../../../simulator/chip/security-infos.ts'
import type { CaseRun, CaseTable } from '../run-case.ts'

type Key = readonly [kind: string, bits: number]
type Members = readonly Buffer[]

const text = (value: string): Buffer => Buffer.from(value, 'latin1')
const hex = (value: string): Buffer => Buffer.from(value.replaceAll(' ', ''), 'hex')
const sequence = (...parts: readonly Uint8Array[]): Buffer => writeTlv(ASN1.sequence, ...parts)

const RSA: readonly [Key, Key] = [
  ['rsa', 3072],
  ['rsa', 2048],
]
const DSA: readonly [Key, Key] = [
  ['dsa', 3072],
  ['dsa', 2048],
]
const curves = (authority: number, signer: number): readonly [Key, Key] => [
  [`brainpoolP${authority}r1`, authority],
  [`brainpoolP${signer}r1`, signer],
]

/** Groups, EF.SOD and certificates with one algorithm, as most cases have them. */
const signedWith = (
  form: SignatureForm,
  hash: HashName,
  [authority, signer]: readonly [Key, Key] = RSA,
  certificates: SignatureForm = form === 'rsa_encryption' ? 'pkcs1' : form,
): CaseRun[] => [
  {
    profile: 'eac',
    changes: {
      issue: makeIssue(certificates, hash, authority, signer),
      sod: { scheme: makeScheme(form, hash), hash },
    },
  },
]

/** Several algorithms in one document. */
const mixed = (issue: IssueOptions, sod: SodOptions): CaseRun[] => [
  { profile: 'eac', changes: { issue, sod } },
]

const SOD_STEPS: readonly StepName[] = ['security_object', 'passive_authentication']
const wrong = (changes: ProfileChanges, failsAt: readonly StepName[] = SOD_STEPS): CaseRun[] => [
  { profile: 'eac', changes, failsAt },
]
const sod = (options: SodOptions): CaseRun[] => wrong({ sod: options })
const changeSod = (make: (file: Buffer) => Uint8Array): CaseRun[] => wrong({ changeSod: make })
/** Changes the document signer's certificate, which its authority signs after that. */
const signer = (options: Partial<CertificateOptions>): CaseRun[] =>
  wrong({ issue: { ...makeIssue('pss', 'sha256'), signer: options } })
const members = (changeMembers: (members: Members) => Members): CaseRun[] => signer({ changeMembers })
const outer = (changeOuter: (members: Members) => Members): CaseRun[] => signer({ changeOuter })

const leaveOut =
  (index: number) =>
  (list: Members): Members =>
    list.filter((_, i) => i !== index)
const put =
  (index: number, value: Buffer) =>
  (list: Members): Members =>
    list.map((each, i) => (i === index ? value : each))
const changeLast = (bytes: Uint8Array): Buffer => {
  const changed = Buffer.from(bytes)
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1
  return changed
}
function changeLength(file: Uint8Array, difference: number): Buffer {
  const changed = Buffer.from(file)
  const at = 1 + ((changed[1] ?? 0) & 0x7f)
  changed[at] = (changed[at] ?? 0) + difference
  return changed
}
const changeFirst = (file: Uint8Array, tag: number): Buffer =>
  Buffer.concat([Buffer.of(tag), file.subarray(1)])

const MD5_HASH = sequence(writeOid('1.2.840.113549.2.5'), hex('0500'))
const MD5: SignatureScheme = {
  algorithm: sequence(writeOid('1.2.840.113549.1.1.4'), hex('0500')),
  sign: (key, data) => sign('md5', data, key),
}
/** Members of SignedData, of SignerInfo and of the security object, by their index. */
const DATA = { version: 0, digests: 1, content: 2 } as const
const SIGNER = { version: 0, identifier: 1, digest: 2, attributes: 3, algorithm: 4, signature: 5 } as const
const OBJECT = { version: 0, digest: 1 } as const
const TBS = { version: 0, serial: 1, algorithm: 2, issuer: 3, validity: 4, key: 6, extensions: 7 } as const

/** One group's entry without its number, with another one, or left out. */
const entries =
  (make: (number: number, entry: Buffer) => readonly Buffer[]) =>
  (list: Members): Members =>
    list.flatMap((entry) => make(readMembers(entry)[0]?.value[0] ?? 0, entry))
const entry = (number: number, hash: Uint8Array = Buffer.alloc(32, 0xff)): Buffer =>
  sequence(writeTlv(ASN1.integer, Buffer.of(number)), writeTlv(ASN1.octetString, hash))

/** Changes the extension with this identifier, or leaves it out. */
const extension =
  (oid: string, make: (raw: Buffer) => readonly Buffer[]) =>
  (list: Members): Members => {
    const all = readTlvs(
      readTlv(readTlv(list[TBS.extensions] ?? Buffer.alloc(0), 0xa3).value, ASN1.sequence).value,
    )
    const changed = all.flatMap(({ value, raw }) =>
      toOid(readTlvs(value)[0]) === oid ? make(Buffer.from(raw)) : [Buffer.from(raw)],
    )
    return put(TBS.extensions, writeTlv(0xa3, sequence(...changed)))(list)
  }
const AUTHORITY_KEY = '2.5.29.35'

const version18 = (lds: string): Buffer[] => [
  sequence(writeTlv(0x13, text(lds)), writeTlv(0x13, text('040000'))),
]
const com18 =
  (lds: string) =>
  (file: Buffer): Buffer =>
    writeTlv(
      0x60,
      ...readTlvs(readTlv(file, 0x60).value).map(({ tag, raw }) =>
        tag === 0x5f01 ? writeTlv(tag, text(lds)) : raw,
      ),
    )

const rsaIssue = (): IssueOptions => makeIssue('pss', 'sha256')

export const SECURITY_OBJECT_CASES: CaseTable = {
  LDS_H_01: () => signedWith('pkcs1', 'sha1'),
  LDS_H_02: () => signedWith('pss', 'sha1'),
  LDS_H_03: () => [{ profile: 'eac' }],
  LDS_H_04: () => signedWith('pkcs1', 'sha224'),
  LDS_H_05: () => signedWith('pkcs1', 'sha256'),
  LDS_H_06: () => signedWith('pkcs1', 'sha384'),
  LDS_H_07: () => signedWith('pkcs1', 'sha512'),
  LDS_H_08: () => signedWith('dsa', 'sha1', DSA),
  LDS_H_09: () => signedWith('ecdsa', 'sha1', curves(256, 224)),
  LDS_H_10: () => signedWith('ecdsa_plain', 'sha1', curves(256, 224)),
  LDS_H_11: () => signedWith('ecdsa_plain', 'sha224', curves(256, 224)),
  LDS_H_12: () => signedWith('ecdsa_plain', 'sha256', curves(256, 256)),
  LDS_H_13: () => signedWith('ecdsa_plain', 'sha384', curves(384, 384)),
  LDS_H_14: () => signedWith('ecdsa_plain', 'sha512', curves(512, 512)),
  LDS_H_15: () => [
    {
      profile: 'eac',
      changes: {
        issue: makeIssue('pkcs1', 'sha256'),
        sod: { scheme: makeScheme('pkcs1', 'sha256'), certificates: [] },
        trust: (trust, issued) => ({ ...trust, signers: [parseChipCertificate(issued.signer)] }),
      },
    },
  ],
  LDS_H_17: () => changeSod((file) => changeFirst(file, 0x78)),
  LDS_H_18: () => changeSod((file) => changeLength(file, -1)),
  LDS_H_19: () => changeSod((file) => changeLength(file, 1)),
  LDS_H_20: () => [0, 1, 4].flatMap((version) => sod({ version })),
  LDS_H_21: () => sod({ changeSignedData: leaveOut(DATA.version) }),
  LDS_H_22: () => sod({ changeSignedData: put(DATA.digests, writeTlv(ASN1.set, MD5_HASH)) }),
  LDS_H_23: () => sod({ changeSignedData: leaveOut(DATA.digests) }),
  LDS_H_24: () => sod({ changeSignedData: changeContentType('2.23.136.1.1.2') }),
  LDS_H_25: () => sod({ changeSignedData: changeContentType(null) }),
  LDS_H_26: () => [0, 2, 4].flatMap((signerVersion) => sod({ signerVersion })),
  LDS_H_27: () => sod({ changeSigner: leaveOut(SIGNER.version) }),
  LDS_H_28: () => [
    ...sod({ identifier: sequence(writeName('DE', 'CSCA Utopia'), hex('020163')) }),
    ...sod({ identifier: sequence(writeName('DE', 'Another authority'), hex('020107')) }),
  ],
  LDS_H_29: () => sod({ signerVersion: 3, identifier: writeTlv(0x80, hex('0C0C')) }),
  LDS_H_30: () => sod({ changeSigner: put(SIGNER.digest, MD5_HASH) }),
  LDS_H_31: () => sod({ changeSigner: leaveOut(SIGNER.digest) }),
  LDS_H_32: () => sod({ messageDigest: Buffer.alloc(32, 1) }),
  LDS_H_33: () => sod({ messageDigest: null }),
  LDS_H_36: () => sod({ scheme: MD5 }),
  LDS_H_37: () => sod({ changeSignature: changeLast }),
  LDS_H_38: () => [
    ...sod({ changeSigner: leaveOut(SIGNER.signature) }),
    ...sod({ changeSignature: () => Buffer.alloc(0) }),
  ],
  LDS_H_39: () => sod({ ldsVersion: hex('020102') }),
  LDS_H_40: () => sod({ changeContent: leaveOut(OBJECT.version) }),
  LDS_H_41: () => sod({ changeContent: put(OBJECT.digest, MD5_HASH) }),
  LDS_H_42: () => sod({ changeContent: leaveOut(OBJECT.digest) }),
  LDS_H_43: () => sod({ changeHashes: entries((number, raw) => (number === 2 ? [entry(2)] : [raw])) }),
  LDS_H_44: () => sod({ changeHashes: entries((number, raw) => (number === 1 ? [] : [raw])) }),
  LDS_H_45: () => sod({ changeHashes: (list) => [...list, entry(10)] }),
  LDS_H_46: () =>
    sod({ changeHashes: entries((number, raw) => (number === 1 ? [changeNumber(raw, 0xff)] : [raw])) }),
  LDS_H_47: () =>
    sod({
      changeHashes: entries((number, raw) =>
        number === 2
          ? [
              sequence(
                ...readMembers(raw)
                  .slice(1)
                  .map((each) => each.raw),
              ),
            ]
          : [raw],
      ),
    }),
  LDS_H_48: () => [hex('A003020101'), hex('A003020103')].flatMap((version) => signer({ version })),
  LDS_H_49: () => members(leaveOut(TBS.version)),
  LDS_H_50: () => members(leaveOut(TBS.serial)),
  LDS_H_51: () => members(put(TBS.algorithm, makeScheme('pkcs1', 'sha256').algorithm)),
  LDS_H_52: () => members(leaveOut(TBS.algorithm)),
  LDS_H_53: () => [
    {
      profile: 'eac',
      changes: {
        issue: {
          ...rsaIssue(),
          signer: { issuer: nameWithoutCountry() },
          authority: { issuer: nameWithoutCountry(), subject: nameWithoutCountry() },
        },
        sod: { identifier: sequence(nameWithoutCountry(), hex('020107')) },
      },
      failsAt: SOD_STEPS,
    },
  ],
  LDS_H_54: () => {
    const issuer = writeName('DE', 'Another authority')
    return wrong({
      issue: { ...rsaIssue(), signer: { issuer } },
      sod: { identifier: sequence(issuer, hex('020107')) },
    })
  },
  LDS_H_55: () => members(leaveOut(TBS.issuer)),
  LDS_H_56: () =>
    members(
      put(
        TBS.validity,
        sequence(...['20200101000000', '20401231235959'].map((at) => writeTlv(0x17, text(at)))),
      ),
    ),
  LDS_H_57: () => members(leaveOut(TBS.validity)),
  LDS_H_58: () => members((list) => put(TBS.key, renameKey(list[TBS.key] ?? Buffer.alloc(0)))(list)),
  LDS_H_59: () => members(leaveOut(TBS.key)),
  LDS_H_60: () => {
    const issuer = writeTlv(0xa1, writeTlv(0xa4, writeName('DE', 'CSCA Utopia')))
    const value = writeTlv(ASN1.octetString, sequence(issuer, writeTlv(0x82, Buffer.of(7))))
    return members(extension(AUTHORITY_KEY, () => [sequence(writeOid(AUTHORITY_KEY), value)]))
  },
  LDS_H_61: () => signer({ authorityKeyIdentifier: null }),
  LDS_H_62: () => signer({ isUsageCritical: false }),
  LDS_H_63: () => signer({ keyUsage: 0x40 }),
  LDS_H_64: () => signer({ keyUsage: null }),
  LDS_H_65: () =>
    wrong({
      issue: { ...rsaIssue(), authorityScheme: MD5 },
      sod: { scheme: MD5, digestAlgorithm: MD5_HASH },
    }),
  LDS_H_66: () => outer(leaveOut(1)),
  LDS_H_67: () => outer((list) => put(2, changeLast(list[2] ?? Buffer.alloc(0)))(list)),
  LDS_H_68: () => [...outer(leaveOut(2)), ...outer(put(2, writeTlv(ASN1.bitString, Buffer.of(0))))],
  LDS_H_69: () => wrong({ application: { 0x102: changeLast(writeDg2(IMAGES[2]())) } }),
  LDS_H_70: () => signedWith('ecdsa', 'sha224', curves(256, 224)),
  LDS_H_71: () => signedWith('ecdsa', 'sha256', curves(256, 256)),
  LDS_H_72: () => signedWith('ecdsa', 'sha384', curves(384, 384)),
  LDS_H_73: () => signedWith('ecdsa', 'sha512', curves(512, 512)),
  LDS_H_74: () => mixed(rsaIssue(), { groupHash: 'sha224' }),
  LDS_H_75: () => mixed(rsaIssue(), { hash: 'sha224' }),
  LDS_H_76: () =>
    mixed(makeIssue('ecdsa', 'sha224', ['brainpoolP256r1', 256], ['rsa', 2048]), {
      hash: 'sha224',
      scheme: makeScheme('pkcs1', 'sha256'),
    }),
  LDS_H_77: () => mixed(makeIssue('pss', 'sha224'), {}),
  LDS_H_78: () => mixed(makeIssue('pkcs1', 'sha256'), {}),
  LDS_H_79: () => signedWith('rsa_encryption', 'sha1'),
  LDS_H_80: () => signedWith('rsa_encryption', 'sha224'),
  LDS_H_81: () => signedWith('rsa_encryption', 'sha256'),
  LDS_H_82: () => signedWith('rsa_encryption', 'sha384'),
  LDS_H_83: () => signedWith('rsa_encryption', 'sha512'),
  LDS_H_84: () => sod({ signerVersion: 3 }),
  LDS_H_85: () => sod({ signerVersion: 1, identifier: writeTlv(0x80, hex('0B0B')) }),
  LDS_H_86: () => [
    {
      profile: 'eac',
      changes: { com: com18('0108'), sod: { ldsVersion: hex('020101'), versionInfo: version18('0108') } },
    },
  ],
  LDS_H_87: () =>
    wrong({ com: com18('0108'), sod: { ldsVersion: hex('020100'), versionInfo: version18('0108') } }),
  LDS_H_88: () => sod({ ldsVersion: hex('020101') }),
  LDS_H_89: () => sod({ ldsVersion: hex('020101'), versionInfo: version18('0109') }),
  LDS_H_90: () => [
    {
      profile: 'pace',
      changes: { sod: { changeHashes: (list) => [...list, entry(3)] }, application: { 0x103: hex('6300') } },
      failsAt: SOD_STEPS,
    },
  ],
  LDS_H_91: () => sod({ changeHashes: entries((number, raw) => (number === 2 ? [] : [raw])) }),
  LDS_H_92: () => [
    {
      profile: 'pace',
      changes: {
        sod: { changeHashes: entries((number, raw) => (number === 2 ? [entry(3)] : [raw])) },
        application: { 0x103: hex('6300') },
      },
      failsAt: SOD_STEPS,
    },
  ],
  LDS_H_93: () => [
    {
      profile: 'pace',
      changes: {
        cardSecurity: [writePaceInfo(makePaceInfo('2.1', 13))],
        signCardSecurity: { changeSignature: changeLast },
      },
      failsAt: ['card_security'],
    },
  ],
  LDS_H_94: () => signedWith('pss', 'sha224'),
  LDS_H_95: () => signedWith('pss', 'sha384'),
  LDS_H_96: () => signedWith('pss', 'sha512'),
  LDS_H_97: () => signedWith('dsa', 'sha224', DSA),
  LDS_H_98: () => signedWith('dsa', 'sha256', DSA),
}

/** Replaces the type of the signed content, or leaves it out. */
function changeContentType(oid: string | null): (list: Members) => Members {
  return (list) => {
    const rest = readMembers(list[DATA.content] ?? Buffer.alloc(0))
      .slice(1)
      .map(({ raw }) => raw)
    return put(DATA.content, sequence(...(oid === null ? [] : [writeOid(oid)]), ...rest))(list)
  }
}

function changeNumber(raw: Buffer, number: number): Buffer {
  const [, hash] = readMembers(raw)
  return sequence(writeTlv(ASN1.integer, Buffer.of(0, number)), hash?.raw ?? Buffer.alloc(0))
}

function nameWithoutCountry(): Buffer {
  return sequence(writeTlv(ASN1.set, sequence(writeOid('2.5.4.3'), writeTlv(0x13, text('CSCA Utopia')))))
}

/** A key that names RSASSA-PKCS1_v15 with MD5 as its algorithm. */
function renameKey(spki: Buffer): Buffer {
  const [, bits] = readMembers(spki)
  return sequence(MD5.algorithm, bits?.raw ?? Buffer.alloc(0))
}
