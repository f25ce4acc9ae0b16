/**
 * Profiles of simulated chips, as data: the default configurations of BSI TR-03105 part 5.1, chapter 4, without terminal
 * authentication, and what a case changes in one. Authority and document signer are made on the spot. The person is invented.
 */
import { generateKeyPairSync } from 'node:crypto'
import { makeCanKey, makeMrzKey, type MrzFields } from '../../../chip/access-key.ts'
import { makeCurveGroup } from '../../../chip/elliptic-curve.ts'
import type { AccessKeys } from '../../../chip/inspection/open-chip.ts'
import { parseChipCertificate } from '../../../chip/passive/certificate.ts'
import { trustCertificates, type ChipTrust } from '../../../chip/passive/chip-trust.ts'
import type { PaceInfo } from '../../../chip/security-infos.ts'
import { writeTlv } from '../../../chip/tlv.ts'
import { makeRepresentative, makeRsaKey, signRepresentative } from './active-authentication-chip.ts'
import { ChipCard, type CardOptions, type CardPace } from './card.ts'
import {
  issueSigner,
  makeScheme,
  type HashName,
  type IssuedSigner,
  type IssueOptions,
  type KeyPair,
  type SignatureForm,
} from './chip-issuer.ts'
import { JPEG, JPEG_2000, writeDg2, writeFaceRecord } from './portrait-files.ts'
import {
  makePaceInfo,
  writeChipAuthenticationInfo,
  writeChipKeyInfo,
  writeCurveKey,
  writeDg14,
  writePaceInfo,
  writeSet,
} from './security-infos.ts'
import { writeCardSecurity, writeEfCom, writeSod, type SignedFileOptions } from './signed-files.ts'

export const PROFILE_NAMES = ['plain', 'bac', 'eac', 'eacaa', 'pace', 'eacpace'] as const
export type ProfileName = (typeof PROFILE_NAMES)[number]

export const MRZ: readonly [string, string] = [
  'P<D<<MUSTERMANN<<ERIKA'.padEnd(44, '<'),
  'C11T002JM4D<<9608122F2310314<<<<<<<<<<<<<<<4',
]
export const CAN = '500540'
/** Before the specimen expires. */
export const READ_AT = new Date('2023-01-15T12:00:00Z')

type Groups = Readonly<Record<number, Uint8Array>>
export type SodOptions = NonNullable<Parameters<typeof writeSod>[1]>

export interface ProfileChanges {
  /** Lines of the MRZ in DG1 and on the document; the access key follows from them. */
  readonly mrz?: readonly string[]
  /** Changes the groups before they are hashed and signed. */
  readonly groups?: (groups: Groups) => Groups
  /** Entries of DG14. */
  readonly dg14?: readonly Uint8Array[]
  /** Tags in EF.COM, by the number of the group; default: those of the groups. */
  readonly listed?: readonly number[]
  readonly com?: (com: Buffer) => Uint8Array
  readonly issue?: IssueOptions
  readonly sod?: SodOptions
  readonly changeSod?: (sod: Buffer) => Uint8Array
  /** Further files and changes after signing, by their identifier; null removes one. */
  readonly application?: Readonly<Record<number, Uint8Array | null>>
  readonly masterFile?: Readonly<Record<number, Uint8Array | null>>
  readonly paceInfos?: readonly PaceInfo[]
  /** Entries of EF.CardAccess; default: those of the PACEInfos. */
  readonly cardAccess?: readonly Uint8Array[]
  /** Entries of EF.CardSecurity, signed by the same document signer. */
  readonly cardSecurity?: readonly Uint8Array[]
  readonly signCardSecurity?: SignedFileOptions
  readonly pace?: Partial<CardPace>
  readonly card?: Partial<CardOptions>
  readonly keys?: Partial<AccessKeys>
  readonly trust?: (trust: ChipTrust, issued: IssuedSigner) => ChipTrust
}

export interface SimulatedDocument {
  readonly card: ChipCard
  readonly trust: ChipTrust
  readonly keys: AccessKeys
  readonly printedMrz: readonly string[]
  readonly can: string
  readonly issued: IssuedSigner
  readonly at: Date
}

/** Makes each key once: RSA and DSA keys take seconds. */
const keyPairs = new Map<string, KeyPair>()

/** @param kind rsa, dsa or the name of a curve */
export function getKeyPair(kind: string, bits: number, use: 'authority' | 'signer'): KeyPair {
  const name = `${kind} ${bits} ${use}`
  const made = keyPairs.get(name) ?? makeKeyPair(kind, bits)
  keyPairs.set(name, made)
  return made
}

function makeKeyPair(kind: string, bits: number): KeyPair {
  if (kind === 'rsa') return generateKeyPairSync('rsa', { modulusLength: bits })
  if (kind === 'dsa') return generateKeyPairSync('dsa', { modulusLength: bits, divisorLength: 256 })
  return generateKeyPairSync('ec', { namedCurve: kind, paramEncoding: 'explicit' })
}

/** Authority and signer that sign with one algorithm, as the cases LDS_H name them. */
export function makeIssue(
  form: SignatureForm,
  hash: HashName,
  authority: readonly [string, number] = ['rsa', 3072],
  signer: readonly [string, number] = ['rsa', 2048],
): IssueOptions {
  return {
    country: 'DE',
    authorityScheme: makeScheme(form, hash),
    authorityPair: getKeyPair(...authority, 'authority'),
    signerPair: getKeyPair(...signer, 'signer'),
  }
}

export function writeMrz(lines: readonly string[]): Buffer {
  return writeTlv(0x61, writeTlv(0x5f1f, Buffer.from(lines.join(''))))
}

export const IMAGES = {
  1: () => writeFaceRecord(JPEG),
  2: () => writeFaceRecord(JPEG_2000, { bytes: { 21: 1 } }),
  /** Above 32 kB. */
  3: () => writeFaceRecord(Buffer.concat([JPEG_2000, Buffer.alloc(40_000, 0x5a)]), { bytes: { 21: 1 } }),
  /** A record with two feature points. */
  5: () => writeFaceRecord(JPEG_2000, { points: 2, bytes: { 37: 1 } }),
} as const

const CHIP_CURVE = 'brainpoolP224r1'
const CHIP_GROUP = makeCurveGroup(CHIP_CURVE)
export const CHIP_SCALAR = 0x1d3a_5c7e_90b2_d4f6_1803n
export const CHIP_POINT = CHIP_GROUP.multiply(CHIP_SCALAR, CHIP_GROUP.generator)

/** DG14 of the profile EAC: ECDH with 3DES, 224 bits, no key identifier. */
export function listEacInfos(keyId: number | null = null, infoKeyId = keyId): Buffer[] {
  return [
    writeChipAuthenticationInfo('2.1', infoKeyId),
    writeChipKeyInfo(2, writeCurveKey(CHIP_CURVE, CHIP_POINT), keyId),
  ]
}

let activeKey: ReturnType<typeof makeRsaKey> | null = null
export function getActiveKey(): ReturnType<typeof makeRsaKey> {
  activeKey ??= makeRsaKey(1024)
  return activeKey
}

const signActively = (challenge: Uint8Array): Buffer => {
  const { privateKey, length } = getActiveKey()
  return signRepresentative(
    privateKey,
    makeRepresentative(challenge, length, 'sha256', Buffer.from('34cc', 'hex')),
  )
}

/** A document of a profile, with the changes of one case. */
export function makeDocument(profile: ProfileName, changes: ProfileChanges = {}): SimulatedDocument {
  const hasPace = profile === 'pace' || profile === 'eacpace'
  const hasChipKey = profile.startsWith('eac')
  const mrz = changes.mrz ?? MRZ
  const fields = toFields(mrz)
  const mrzKey = makeMrzKey(fields)
  const paceInfos = changes.paceInfos ?? (hasPace ? [makePaceInfo('2.1', 13)] : [])
  const cardAccess = changes.cardAccess ?? paceInfos.map(writePaceInfo)
  const dg14 = changes.dg14 ?? [...(hasChipKey ? listEacInfos() : []), ...(hasPace ? cardAccess : [])]
  const hasJpeg = profile === 'plain' || profile === 'bac'
  const basic: Record<number, Uint8Array> = {
    1: writeMrz(mrz),
    2: writeDg2(hasJpeg ? IMAGES[1]() : IMAGES[2]()),
  }
  if (dg14.length > 0) basic[14] = writeDg14(dg14)
  if (profile === 'eacaa') basic[15] = getActiveKey().dg15
  const groups = changes.groups?.(basic) ?? basic
  const com = writeEfCom(...(changes.listed ?? Object.keys(groups).map(Number)))
  const issued = issueSigner({ ...makeIssue('pss', 'sha256'), ...changes.issue })
  const signing: SignedFileOptions = {
    privateKey: issued.signerKey,
    issuer: issued.authorityName,
    certificates: [issued.signer],
    scheme: makeScheme('pss', 'sha256'),
  }
  const sod = writeSod(groups, { ...signing, ...changes.sod })
  const application = collectFiles(
    {
      ...Object.fromEntries(Object.entries(groups).map(([number, file]) => [0x100 + Number(number), file])),
      0x011e: changes.com?.(com) ?? com,
      0x011d: changes.changeSod?.(sod) ?? sod,
    },
    changes.application,
  )
  const free: Record<number, Uint8Array> = {}
  if (hasPace) free[0x011c] = writeSet(cardAccess)
  if (changes.cardSecurity !== undefined)
    free[0x011d] = writeCardSecurity(writeSet(changes.cardSecurity), {
      ...signing,
      ...changes.signCardSecurity,
    })
  const masterFile = collectFiles(free, changes.masterFile)
  const pace: CardPace = { infos: paceInfos, keys: [mrzKey, makeCanKey(CAN)], ...changes.pace }
  const card = new ChipCard({
    masterFile,
    application,
    bac: profile === 'plain' || profile === 'pace' ? null : mrzKey,
    pace: hasPace ? pace : null,
    chipAuthentication: hasChipKey
      ? {
          chipKeys: [{ group: CHIP_GROUP, scalar: CHIP_SCALAR, cipher: 'TDES' }],
          knows: [0xa4, 0xa6],
        }
      : null,
    sign: profile === 'eacaa' ? signActively : null,
    ...changes.card,
  })
  const trust = trustAuthority(issued)
  return {
    card,
    trust: changes.trust?.(trust, issued) ?? trust,
    keys: { mrz: [fields], can: null, ...changes.keys },
    printedMrz: mrz,
    can: CAN,
    issued,
    at: READ_AT,
  }
}

/** The fields of a passport's second line that open its chip. */
function toFields([, lower = '']: readonly string[]): MrzFields {
  return {
    documentNumber: lower.slice(0, 9),
    dateOfBirth: lower.slice(13, 19),
    dateOfExpiry: lower.slice(21, 27),
  }
}

function trustAuthority({ authority }: IssuedSigner): ChipTrust {
  return trustCertificates([parseChipCertificate(authority)])
}

function collectFiles(
  files: Readonly<Record<number, Uint8Array>>,
  changes: Readonly<Record<number, Uint8Array | null>> = {},
): ReadonlyMap<number, Uint8Array> {
  const all = Object.entries({ ...files, ...changes })
  return new Map(all.flatMap(([id, file]) => (file === null ? [] : [[Number(id), file] as const])))
}
