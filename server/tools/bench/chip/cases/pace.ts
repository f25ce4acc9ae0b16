/** The units ISO7816_F and ISO7816_G of the plan: active authentication and PACE. */
import { findStandardDh, findStandardGroup } from '../../../../chip/domain-parameters.ts'
import type { Group } from '../../../../chip/group.ts'
import { countBytes, toBytes, toNumber } from '../../../../chip/numbers.ts'
import { ASN1, encodeOid, writeOid } from '../../../../chip/der.ts'
import { findValue, readTlvs, writeTlv } from '../../../../chip/tlv.ts'
import {
  makeEcKey,
  makeRepresentative,
  signRepresentative,
  signWithEcdsa,
} from '../../../simulator/chip/active-authentication-chip.ts'
import { writeInteger } from '../../../simulator/chip/chip-authentication-chip.ts'
import type { PaceStep } from '../../../simulator/chip/pace-chip.ts'
import { CAN, getActiveKey, listEacInfos, type ProfileChanges } from '../../../simulator/chip/profiles.ts'
import {
  makePaceInfo,
  ROOT,
  writeChipKeyInfo,
  writeInfo,
  writePaceInfo,
  writeStandardKey,
} from '../../../simulator/chip/security-infos.ts'
import type { CaseRun, CaseTable } from '../run-case.ts'

const STATIC_SCALAR = 77n
const CURVE_PARAMETERS = [8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18] as const
const DH_PARAMETERS = [0, 1, 2] as const
/** Secp224r1 has no integrated mapping, because its prime is 1 mod 4 (Doc 9303-11, table 7). */
const WITHOUT_INTEGRATED = 10

function getGroup(parameterId: number): Group {
  const group = findStandardGroup(parameterId)
  if (group === null) throw new TypeError('no group')
  return group
}

const usePace = (arcs: string, parameterId: number, changes: ProfileChanges = {}): CaseRun => ({
  variant: `${arcs} ${parameterId}`,
  profile: 'pace',
  changes: { paceInfos: [makePaceInfo(arcs, parameterId)], ...changes },
  check: (_, { access }) => access?.pace?.oid === `${ROOT}.4.${arcs}`,
})

/** Chip authentication mapping; `signed` is the private key of the public one in EF.CardSecurity. */
function useMapping(
  parameterId = 13,
  cipher = 2,
  signed: bigint | null = STATIC_SCALAR,
  changes: ProfileChanges = {},
): CaseRun {
  const info = makePaceInfo(`6.${cipher}`, parameterId)
  const group = getGroup(parameterId)
  const key = signed === null ? [] : [writeKey(parameterId, group.multiply(signed, group.generator))]
  const pace = { staticScalar: STATIC_SCALAR, ...changes.pace }
  return {
    variant: `6.${cipher} ${parameterId}`,
    profile: 'pace',
    changes: { paceInfos: [info], cardSecurity: [writePaceInfo(info), ...key], ...changes, pace },
  }
}

const writeKey = (parameterId: number, element: Uint8Array): Buffer =>
  writeChipKeyInfo(2, writeStandardKey(parameterId, element), null)

const isMapped: NonNullable<CaseRun['check']> = (_, { cloneProtection }) =>
  cloneProtection.protocol === 'mapping_authentication'

const refuse = (step: PaceStep | 'environment', ...words: number[]): CaseRun[] =>
  words.map((word) => ({
    variant: word.toString(16),
    profile: 'pace',
    changes: { pace: { refuses: { [step]: word } } },
    failsAt: ['access'],
  }))

/** A run that must fail, without what the case asks for in a success. */
const failing = ({ check: _, ...run }: CaseRun, ...failsAt: NonNullable<CaseRun['failsAt']>): CaseRun => ({
  ...run,
  failsAt,
})

/** Changes the objects of one step. */
const change = (
  step: PaceStep,
  make: (objects: Buffer, sent: Uint8Array) => Uint8Array,
  run: CaseRun = { profile: 'pace' },
  failsAt: CaseRun['failsAt'] = ['access'],
): CaseRun => ({
  ...failing(run, ...(failsAt ?? [])),
  changes: {
    ...run.changes,
    pace: {
      ...run.changes?.pace,
      change: (at, objects, sent) => (at === step ? make(objects, sent) : objects),
    },
  },
})

const retag =
  (from: number, to: number) =>
  (objects: Buffer): Buffer =>
    Buffer.concat(readTlvs(objects).map(({ tag, value, raw }) => (tag === from ? writeTlv(to, value) : raw)))
const revalue =
  (tag: number, make: (value: Uint8Array) => Uint8Array) =>
  (objects: Buffer): Buffer =>
    Buffer.concat(
      readTlvs(objects).map((each) => (each.tag === tag ? writeTlv(tag, make(each.value)) : each.raw)),
    )
const changeByte =
  (at: number) =>
  (value: Uint8Array): Buffer => {
    const changed = Buffer.from(value)
    const index = at < 0 ? changed.length + at : at
    changed[index] = (changed[index] ?? 0) ^ 1
    return changed
  }

/** Values that are no point on the curve. */
const BAD_POINTS: readonly (readonly [string, (value: Uint8Array) => Uint8Array])[] = [
  ['x altered', changeByte(1)],
  ['y altered', changeByte(-1)],
  ['infinity', () => Buffer.of(0)],
  ['too short', (value) => value.subarray(0, -1)],
  ['too long', (value) => Buffer.concat([value, Buffer.of(0)])],
  ['first byte', (value) => Buffer.concat([Buffer.of(5), value.subarray(1)])],
]
const badPoints = (step: PaceStep, tag: number): CaseRun[] =>
  BAD_POINTS.map(([variant, make]) => ({ ...change(step, revalue(tag, make)), variant }))

function badNumbers(step: PaceStep, tag: number): CaseRun[] {
  const p = findPrime()
  const length = countBytes(p)
  const values: readonly (readonly [string, Uint8Array])[] = [
    ['0', Buffer.alloc(length)],
    ['1', toBytes(1n, length)],
    ['p - 1', toBytes(p - 1n, length)],
    ['p', toBytes(p, length)],
    ['above p', toBytes(p + 1n, length)],
    ['too short', Buffer.alloc(length - 1, 3)],
  ]
  return values.map(([variant, value]) => ({
    ...change(
      step,
      revalue(tag, () => value),
      usePace('1.2', 2),
    ),
    variant,
  }))
}

const findPrime = (): bigint => findStandardDh(2)?.p ?? 0n

const withToken = (
  make: (objects: Buffer) => Uint8Array,
  failsAt: CaseRun['failsAt'] = ['access'],
): CaseRun[] => [change('token', make, useMapping(), failsAt)]

/** @param trailer hexadecimal */
const signRsa = (hash: string, trailer: string): CaseRun => ({
  variant: trailer,
  profile: 'eacaa',
  changes: {
    card: {
      sign: (challenge) => {
        const { privateKey, length } = getActiveKey()
        return signRepresentative(
          privateKey,
          makeRepresentative(challenge, length, hash, Buffer.from(trailer, 'hex')),
        )
      },
    },
  },
  check: (_, { steps }) =>
    steps.some(({ name, verdict }) => name === 'active_authentication' && verdict === 'successful'),
})
const signEcdsa = (oid: string): CaseRun => {
  const { dg15, privateKey } = makeEcKey('brainpoolP256r1')
  const info = writeInfo('2.23.136.1.1.5', writeInteger(1n), writeOid(oid))
  return {
    variant: oid,
    profile: 'eacaa',
    changes: {
      dg14: [...listEacInfos(), info],
      groups: (groups) => ({ ...groups, 15: dg15 }),
      card: { sign: (challenge) => signWithEcdsa(privateKey, challenge, 'sha256') },
    },
  }
}

export const PACE_CASES: CaseTable = {
  ISO7816_F_01: () => [signRsa('sha1', 'bc')],
  ISO7816_F_02: () => [signEcdsa('0.4.0.127.0.7.1.1.4.1.3')],
  ISO7816_F_04: () => [signRsa('sha224', '38cc')],
  ISO7816_F_05: () => [signRsa('sha256', '34cc')],
  ISO7816_F_06: () => [signRsa('sha384', '36cc')],
  ISO7816_F_07: () => [signRsa('sha512', '35cc')],
  ISO7816_F_08: () =>
    ['bb', '3fcc'].map((trailer) => failing(signRsa('sha256', trailer), 'active_authentication')),
  ISO7816_F_09: () => [
    { ...failing(signEcdsa('1.3.6.1.4.1.1'), 'active_authentication'), failsFor: 'algorithm_unknown' },
  ],

  ISO7816_G_01: () =>
    [usePace('2.1', 13), usePace('4.2', 13), useMapping()].flatMap((run) => [
      run,
      {
        ...run,
        variant: `${run.variant ?? ''} CAN`,
        changes: { ...run.changes, keys: { mrz: [], can: CAN } },
        check: (_, { access }) => access?.key === 'can',
      },
    ]),
  ISO7816_G_02: () => [
    ...DH_PARAMETERS.map((id) => usePace('1.2', id)),
    ...CURVE_PARAMETERS.map((id) => usePace('2.2', id)),
  ],
  ISO7816_G_03: () => [
    ...DH_PARAMETERS.map((id) => usePace('3.2', id)),
    ...CURVE_PARAMETERS.filter((id) => id !== WITHOUT_INTEGRATED).map((id) => usePace('4.2', id)),
  ],
  ISO7816_G_04: () =>
    [1, 2, 3, 4].flatMap((cipher) =>
      [1, 2, 3, 4].map((mapping) => usePace(`${mapping}.${cipher}`, mapping % 2 === 1 ? 1 : 13)),
    ),
  ISO7816_G_05: () => {
    const cardAccess = [
      writePaceInfo(makePaceInfo('2.1', 13)),
      writeInfo('1.3.6.1.4.1.99999.1', writeInteger(1n)),
      writeInfo(`${ROOT}.2`, writeInteger(1n)),
      ...listEacInfos(),
    ]
    return [{ profile: 'eacpace', changes: { cardAccess, dg14: cardAccess } }]
  },
  ISO7816_G_06: () => {
    const paceInfos = [
      makePaceInfo('2.1', 13),
      makePaceInfo('4.2', 12),
      makePaceInfo('1.3', 1),
      makePaceInfo('2.4', 16),
      makePaceInfo('2.4', 17),
    ]
    return [{ profile: 'pace', changes: { paceInfos }, check: ({ card }) => namesParameters(card.commands) }]
  },
  ISO7816_G_07: () => {
    const paceInfos = [makePaceInfo('2.1', 13), makePaceInfo('2.1', 40)]
    const parameters = writeTlv(ASN1.sequence, writeOid('0.4.0.127.0.7.1.2'), writeInteger(13n))
    const own = writeInfo(`${ROOT}.4.2`, parameters, writeInteger(40n))
    const cardAccess = [...paceInfos.map(writePaceInfo), own]
    return [
      {
        profile: 'pace',
        changes: { paceInfos, cardAccess },
        check: ({ card }) => namesParameters(card.commands),
      },
    ]
  },
  ISO7816_G_08: () => refuse('environment', 0x6a80, 0x6a88),
  ISO7816_G_09: () => [change('nonce', revalue(0x80, changeByte(3)))],
  ISO7816_G_10: () => refuse('nonce', 0x6a80, 0x6300, 0x6985),
  ISO7816_G_11: () => [change('nonce', retag(0x80, 0x90))],
  ISO7816_G_12: () => refuse('mapping', 0x6a80, 0x6300, 0x6985),
  ISO7816_G_13: () => [change('mapping', retag(0x82, 0x92))],
  ISO7816_G_14: () => [
    change('mapping', revalue(0x82, changeByte(5))),
    change(
      'mapping',
      revalue(0x82, () => toBytes(findPrime(), countBytes(findPrime()))),
      usePace('1.2', 2),
    ),
  ],
  ISO7816_G_15: () => [
    ...refuse('mapping', 0x6a80, 0x6300).map((run) => ({
      ...run,
      changes: { ...run.changes, paceInfos: [makePaceInfo('4.2', 13)] },
    })),
    change('mapping', () => writeTlv(0x82, Buffer.of(1)), usePace('4.2', 13)),
  ],
  ISO7816_G_16: () => badPoints('mapping', 0x82),
  ISO7816_G_17: () => badNumbers('mapping', 0x82),
  ISO7816_G_18: () => refuse('key', 0x6a80, 0x6300, 0x6985),
  ISO7816_G_19: () => [change('key', retag(0x84, 0x94))],
  ISO7816_G_20: () => [change('key', revalue(0x84, changeByte(5)))],
  ISO7816_G_21: () => badPoints('key', 0x84),
  ISO7816_G_22: () => badNumbers('key', 0x84),
  // The keys of a chip that mirrors differ from those of the terminal, so that the token would be refused, too.
  ISO7816_G_23: () => [
    { ...change('key', (_, sent) => writeTlv(0x84, sent)), failsFor: 'public_keys_equal' },
  ],
  ISO7816_G_24: () => refuse('token', 0x6300),
  ISO7816_G_25: () => [change('token', retag(0x86, 0x96))],
  ISO7816_G_26: () => [change('token', revalue(0x86, changeByte(0)))],
  ISO7816_G_27: () => {
    const file = writeTlv(ASN1.set, writePaceInfo(makePaceInfo('2.1', 13)))
    return [1, -1].map((difference) => {
      const broken = Buffer.from(file)
      broken[1] = (broken[1] ?? 0) + difference
      return {
        variant: `${difference}`,
        profile: 'pace' as const,
        changes: { masterFile: { 0x011c: broken } },
        failsAt: ['card_access'] as const,
      }
    })
  },
  ISO7816_G_28: () =>
    [3, 7, 19, 31].map((parameterId) => ({
      variant: `${parameterId}`,
      profile: 'pace',
      changes: { paceInfos: [{ ...makePaceInfo('2.1', 13), parameterId }] },
      failsAt: ['application', 'access'],
    })),
  ISO7816_G_29: () => withToken(retag(0x8a, 0x04)),
  ISO7816_G_30: () => withToken(revalue(0x8a, (value) => writeTlv(ASN1.octetString, value))),
  ISO7816_G_31: () => [
    {
      ...useMapping(13, 2, STATIC_SCALAR, { pace: { staticScalar: 78n } }),
      failsAt: ['mapping_authentication'],
    },
  ],
  ISO7816_G_32: () => withToken(retag(0x8a, 0x8b)),
  ISO7816_G_33: () => withToken(revalue(0x8a, () => Buffer.alloc(0))),
  ISO7816_G_34: () => [{ ...useMapping(), check: isMapped }],
  ISO7816_G_35: () => [
    {
      ...change('token', (objects) => Buffer.concat([objects, writeTlv(0x8a, Buffer.alloc(32, 7))])),
      check: (_, { cloneProtection }) => cloneProtection.protocol === null,
    },
  ],
  ISO7816_G_36: () => {
    const cardAccess = [
      writePaceInfo(makePaceInfo('2.1', 13)),
      writePaceInfo({ oid: `${ROOT}.4.5.2`, parameterId: 2 }),
    ]
    const group = getGroup(13)
    const key = writeKey(13, group.multiply(STATIC_SCALAR, group.generator))
    return [
      {
        profile: 'pace',
        changes: { cardAccess, cardSecurity: [key, ...cardAccess] },
        check: ({ card }) =>
          card.commands.some(({ ins, p1, data }) => {
            if (ins !== 0x22 || p1 !== 0xc1) return false
            const oid = findValue(readTlvs(data), 0x80) ?? Buffer.alloc(0)
            return encodeOid(`${ROOT}.4.2.1`).equals(oid)
          }),
      },
    ]
  },
  ISO7816_G_38: () => [
    {
      ...useMapping(13, 2, STATIC_SCALAR, { dg14: [writeInfo('1.3.6.1.4.1.99999.1', writeInteger(1n))] }),
      failsAt: ['security_infos'],
    },
  ],
  ISO7816_G_39: () => [{ ...useMapping(13, 2, 78n), failsAt: ['mapping_authentication'] }],
  ISO7816_G_40: () => [{ ...useMapping(13, 2, null), failsAt: ['mapping_authentication'] }],
  ISO7816_G_41: () =>
    CURVE_PARAMETERS.flatMap((id) =>
      [2, 3, 4].map((cipher) => ({ ...useMapping(id, cipher), check: isMapped })),
    ),
}

/** MSE:Set AT names the domain parameters, or needs no name. */
function namesParameters(commands: readonly { ins: number; p1: number; data: Uint8Array }[]): boolean {
  const sets = commands.filter(({ ins, p1 }) => ins === 0x22 && p1 === 0xc1)
  const last = sets.at(-1)
  const named = last === undefined ? null : findValue(readTlvs(last.data), 0x84)
  return sets.length === 1 && named !== null && toNumber(named) <= 18n
}
