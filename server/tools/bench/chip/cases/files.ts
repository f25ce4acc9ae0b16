/** The units LDS_A, _B, _C, _F, _I, _J and _K of the plan: files that are not EF.SOD. */
import { ASN1, writeOid } from '../../../../chip/der.ts'
import type { StepName } from '../../../../chip/inspection/report.ts'
import { checkDigit } from '../../../../proofing/mrz/check-digit.ts'
import { readTlv, readTlvs, writeTlv } from '../../../../chip/tlv.ts'
import { makeRsaKey } from '../../../simulator/chip/active-authentication-chip.ts'
import { writeInteger } from '../../../simulator/chip/chip-authentication-chip.ts'
import {
  JPEG,
  JPEG_2000,
  writeDg2,
  writeFaceRecord,
  type Dg2Changes,
  type RecordChanges,
} from '../../../simulator/chip/portrait-files.ts'
import {
  CHIP_POINT,
  IMAGES,
  listEacInfos,
  MRZ,
  writeMrz,
  type ProfileChanges,
} from '../../../simulator/chip/profiles.ts'
import {
  makePaceInfo,
  ROOT,
  writeChipAuthenticationInfo,
  writeChipKeyInfo,
  writeCurveKey,
  writeDg14,
  writeInfo,
  writePaceInfo,
} from '../../../simulator/chip/security-infos.ts'
import type { CaseRun, CaseTable } from '../run-case.ts'

const text = (value: string): Buffer => Buffer.from(value, 'latin1')
const hex = (value: string): Buffer => Buffer.from(value.replaceAll(' ', ''), 'hex')

/** Changes the length byte of the outer object; the file has one or more bytes too many or too few. */
function changeLength(file: Uint8Array, difference: number): Buffer {
  const changed = Buffer.from(file)
  const first = changed[1] ?? 0
  const at = first < 0x80 ? 1 : 1 + (first & 0x7f)
  changed[at] = (changed[at] ?? 0) + difference
  return changed
}
function changeTag(file: Uint8Array, tag: number): Buffer {
  const changed = Buffer.from(file)
  changed[0] = tag
  return changed
}

// EF.COM
const com = (make: (file: Buffer) => Uint8Array, failsAt: readonly StepName[] = ['contents']): CaseRun[] => [
  { profile: 'eac', changes: { com: make }, failsAt },
]
const withoutMember =
  (left: number) =>
  (file: Buffer): Buffer =>
    writeTlv(
      0x60,
      ...readTlvs(readTlv(file, 0x60).value).flatMap(({ tag, raw }) => (tag === left ? [] : [raw])),
    )
const withMember =
  (changed: number, value: Uint8Array) =>
  (file: Buffer): Buffer =>
    writeTlv(
      0x60,
      ...readTlvs(readTlv(file, 0x60).value).map(({ tag, raw }) =>
        tag === changed ? writeTlv(tag, value) : raw,
      ),
    )
const version18 = [writeTlv(ASN1.sequence, writeTlv(0x13, text('0108')), writeTlv(0x13, text('040000')))]

// DG1
const group = (number: number, file: Uint8Array, failsAt: readonly StepName[]): CaseRun => ({
  profile: 'eac',
  changes: { groups: (groups) => ({ ...groups, [number]: file }) },
  failsAt,
})
const dg1 = (file: Uint8Array): CaseRun[] => [group(1, file, ['dg1'])]

interface Lower {
  readonly number?: string
  readonly nationality?: string
  readonly birth?: string
  readonly sex?: string
  readonly expiry?: string
  readonly optional?: string
  readonly optionalDigit?: string
}

/** The second line with its check digits. */
function makeLower({
  number = 'C11T002JM',
  nationality = 'D<<',
  birth = '960812',
  sex = 'F',
  expiry = '231031',
  optional = '<'.repeat(14),
  optionalDigit = '<',
}: Lower = {}): string {
  const digit = (value: string): string => checkDigit(value)
  const parts = [
    number + digit(number),
    birth + digit(birth),
    expiry + digit(expiry),
    optional + optionalDigit,
  ]
  const [first = '', second = '', third = '', fourth = ''] = parts
  return first + nationality + second + sex + third + fourth + digit(parts.join(''))
}
const lower = (changes: Lower): CaseRun[] => dg1(writeMrz([MRZ[0], makeLower(changes)]))
/** Replaces one character, without a new check digit. */
const replaceAt = (at: number, character: string): CaseRun[] =>
  dg1(writeMrz([MRZ[0], MRZ[1].slice(0, at) + character + MRZ[1].slice(at + 1)]))
const upper = (line: string): CaseRun[] => dg1(writeMrz([line.padEnd(44, '<'), MRZ[1]]))
/** Document, chip and access key have this MRZ. */
const printed = (mrz: readonly string[]): CaseRun[] => [{ profile: 'eac', changes: { mrz } }]
const birth = (value: string): CaseRun[] => printed([MRZ[0], makeLower({ birth: value })])

// DG2
const dg2 = (changes: RecordChanges, image: Uint8Array = JPEG_2000, frame: Dg2Changes = {}): CaseRun[] => [
  group(2, writeDg2(writeFaceRecord(image, { bytes: { 21: 1 }, ...changes }), frame), ['dg2']),
]
const byte = (offset: number, value: number): CaseRun[] => dg2({ bytes: { 21: 1, [offset]: value } })
const portrait = (file: Uint8Array): CaseRun[] => [group(2, file, ['dg2'])]
const frame = (changes: Dg2Changes): CaseRun[] => dg2({}, JPEG_2000, changes)

// DG14 and DG15
const dg14 = (file: Uint8Array): CaseRun[] => [group(14, file, ['dg14', 'chip_authentication'])]
const infos = (...entries: readonly Uint8Array[]): CaseRun[] => dg14(writeDg14(entries))
const [eacInfo = Buffer.alloc(0), eacKey = Buffer.alloc(0)] = listEacInfos()
const dg15 = (make: (file: Buffer) => Uint8Array): CaseRun[] => [
  { ...group(15, make(makeRsaKey(1024).dg15), ['dg15']), profile: 'eacaa' },
]

// EF.CardSecurity
const paceInfo = writePaceInfo(makePaceInfo('2.1', 13))
const parametersInfo = (algorithm: string): Buffer =>
  writeInfo(`${ROOT}.4.2`, writeTlv(ASN1.sequence, writeOid(algorithm), writeInteger(13n)), writeInteger(13n))
const security = (entries: readonly Uint8Array[], failsAt: readonly StepName[] = []): CaseRun[] => {
  const cardAccess = [paceInfo, parametersInfo('0.4.0.127.0.7.1.2')]
  const changes: ProfileChanges = {
    cardAccess,
    dg14: [...listEacInfos(), ...cardAccess],
    cardSecurity: entries,
  }
  return [{ profile: 'eacpace', changes, failsAt }]
}

const atrInfo = (file: string, failsAt: readonly StepName[] = []): CaseRun[] => [
  { profile: 'eac', changes: { masterFile: { 0x2f01: hex(file) }, card: { maxResponse: 0x780 } }, failsAt },
]

export const FILE_CASES: CaseTable = {
  LDS_A_01: () => com((file) => changeTag(file, 0x61)),
  LDS_A_02: () => com((file) => changeLength(file, -1)),
  LDS_A_03: () => com((file) => changeLength(file, 1)),
  LDS_A_04: () => com(withMember(0x5f01, text('0300'))),
  LDS_A_05: () => com(withoutMember(0x5f01)),
  LDS_A_06: () => com(withMember(0x5f36, text('050000'))),
  LDS_A_07: () => com(withoutMember(0x5f36)),
  LDS_A_08: () => com(withMember(0x5c, hex('756E'))),
  LDS_A_09: () => com(withoutMember(0x5c)),
  LDS_A_10: () => [
    {
      profile: 'eac',
      changes: {
        com: withMember(0x5f01, text('0108')),
        sod: { ldsVersion: hex('020101'), versionInfo: version18 },
      },
    },
  ],

  LDS_B_01: () => {
    const optional = 'ZE184226B'.padEnd(14, '<')
    return printed([MRZ[0], makeLower({ optional, optionalDigit: checkDigit(optional) })])
  },
  LDS_B_02: () => printed([`P<D<<MUSTERMANN<<${'ERIKA<'.repeat(5)}`.slice(0, 44).padEnd(44, 'A'), MRZ[1]]),
  LDS_B_03: () => printed(['P<D<<MUSTERMANN'.padEnd(44, '<'), MRZ[1]]),
  LDS_B_04: () => printed([MRZ[0], makeLower({ optionalDigit: '0' })]),
  LDS_B_05: () => dg1(changeTag(writeMrz(MRZ), 0x62)),
  LDS_B_06: () => dg1(changeLength(writeMrz(MRZ), -1)),
  LDS_B_07: () => dg1(changeLength(writeMrz(MRZ), 1)),
  LDS_B_08: () => upper('X<D<<MUSTERMANN<<ERIKA'),
  LDS_B_09: () => [...upper('P<D1<MUSTERMANN<<ERIKA'), ...upper('P<XQZMUSTERMANN<<ERIKA')],
  LDS_B_10: () => upper('P<D<<'),
  LDS_B_11: () =>
    upper('P<D<<MUSTERMANN<<PETRA').map((run) => ({ ...run, failsAt: ['printed_mrz'] as const })),
  LDS_B_12: () =>
    lower({ number: 'C11T002JK' }).map((run) => ({ ...run, failsAt: ['printed_mrz'] as const })),
  LDS_B_13: () => replaceAt(9, '5'),
  LDS_B_14: () => [...lower({ nationality: 'D1<' }), ...lower({ nationality: 'XQZ' })],
  LDS_B_15: () => lower({ birth: '96O812' }),
  LDS_B_16: () => [...lower({ birth: '961312' }), ...lower({ birth: '960832' })],
  LDS_B_17: () => replaceAt(19, '3'),
  LDS_B_18: () => lower({ sex: 'Q' }),
  LDS_B_19: () => lower({ expiry: '23IO31' }),
  LDS_B_20: () => lower({ expiry: '231331' }),
  LDS_B_21: () => replaceAt(27, '5'),
  LDS_B_22: () => {
    const optional = 'ZE184226B'.padEnd(14, '<')
    const wrong = String((Number(checkDigit(optional)) + 1) % 10)
    return lower({ optional, optionalDigit: wrong })
  },
  LDS_B_23: () => replaceAt(43, '5'),
  LDS_B_24: () => dg1(writeTlv(0x61)),
  LDS_B_25: () => birth('9608<<'),
  LDS_B_26: () => birth('96<<12'),
  LDS_B_27: () => birth('<<0812'),
  LDS_B_28: () => birth('<<<<<<'),

  LDS_C_01: () => portrait(writeDg2(IMAGES[2]())),
  LDS_C_02: () => portrait(writeDg2(writeFaceRecord(JPEG))),
  LDS_C_03: () => portrait(writeDg2(IMAGES[5]())),
  LDS_C_04: () => portrait(changeTag(writeDg2(IMAGES[2]()), 0x76)),
  LDS_C_05: () => portrait(changeLength(writeDg2(IMAGES[2]()), -1)),
  LDS_C_06: () => portrait(changeLength(writeDg2(IMAGES[2]()), 1)),
  LDS_C_07: () => frame({ count: Buffer.alloc(0) }),
  LDS_C_08: () => frame({ owner: '870201FF' }),
  LDS_C_09: () => frame({ owner: '' }),
  LDS_C_10: () => frame({ format: '88020009' }),
  LDS_C_11: () => frame({ format: '' }),
  LDS_C_12: () => frame({ type: '02' }),
  LDS_C_13: () => frame({ type: '000008' }),
  LDS_C_14: () => dg2({ start: text('FAX\x00010\x00') }),
  LDS_C_15: () => dg2({ start: text('FAC\x00020\x00') }),
  LDS_C_16: () => dg2({ points: 2, recordLength: -16, bytes: { 37: 1 } }),
  LDS_C_17: () => byte(6, 9),
  LDS_C_18: () => byte(7, 99),
  LDS_C_19: () => byte(8, 99),
  LDS_C_20: () => byte(14, 200),
  LDS_C_21: () => byte(15, 200),
  LDS_C_22: () => byte(16, 200),
  LDS_C_23: () => byte(17, 200),
  LDS_C_24: () => byte(18, 200),
  LDS_C_25: () => byte(19, 200),
  LDS_C_26: () => byte(20, 9),
  LDS_C_27: () => byte(21, 9),
  LDS_C_28: () => {
    const header = Buffer.concat([hex('8103 000002'), hex('8702 0101'), hex('8802 0008')])
    const instance = writeTlv(0x7f60, writeTlv(0xa1, header))
    return portrait(writeTlv(0x75, writeTlv(0x7f61, hex('020101'), instance)))
  },

  LDS_F_01: () => dg14(changeTag(writeDg14(listEacInfos()), 0x6f)),
  LDS_F_02: () => dg14(changeLength(writeDg14(listEacInfos()), -1)),
  LDS_F_03: () => dg14(changeLength(writeDg14(listEacInfos()), 1)),
  LDS_F_04: () => infos(eacInfo, writeChipKeyInfo(3, writeCurveKey('brainpoolP224r1', CHIP_POINT), null)),
  // The table says “without the CA OID”: the object identifier of ChipAuthenticationInfo is left out, as in LDS_F_07 the version.
  LDS_F_05: () => infos(writeTlv(ASN1.sequence, writeInteger(1n)), eacKey),
  LDS_F_06: () => infos(writeChipAuthenticationInfo('2.1', null, 10n), eacKey),
  LDS_F_07: () => infos(writeInfo(`${ROOT}.3.2.1`), eacKey),

  LDS_I_01: () => dg15((file) => changeTag(file, 0x70)),
  LDS_I_02: () => dg15((file) => changeLength(file, -1)),
  LDS_I_03: () => dg15((file) => changeLength(file, 1)),

  LDS_J_01: () =>
    security([
      paceInfo,
      parametersInfo('0.4.0.127.0.7.1.2'),
      writeInfo('1.3.6.1.4.1.99999.1', writeInteger(1n)),
    ]),
  LDS_J_02: () => security([paceInfo], ['security_infos']),
  LDS_J_03: () => security([paceInfo, parametersInfo('0.4.0.127.0.7.1.3')], ['security_infos']),
  LDS_J_04: () => {
    const withoutOid = writeTlv(ASN1.sequence, writeCurveKey('brainpoolP224r1', CHIP_POINT))
    return security([paceInfo, parametersInfo('0.4.0.127.0.7.1.2'), withoutOid], ['card_security'])
  },

  LDS_K_01: () => atrInfo('7F 66 08 02 02 07 80 02 02 07 80'),
  LDS_K_02: () => atrInfo('7F 66 0A 02 03 00 07 80 02 03 00 07 80'),
  LDS_K_03: () => atrInfo('7F 66 04 02 02 07 80', ['lengths']),
  LDS_K_04: () => atrInfo('7F 65 08 02 02 07 80 02 02 07 80', ['lengths']),
}
