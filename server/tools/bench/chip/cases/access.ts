/** The units ISO7816_A to _D of the plan: access, secure messaging, reading, chip authentication. */
import { randomBytes } from 'node:crypto'
import { makeDhGroup } from '../../../../chip/diffie-hellman.ts'
import { findStandardDh } from '../../../../chip/domain-parameters.ts'
import { makeCurveGroup } from '../../../../chip/elliptic-curve.ts'
import type { ResponseApdu } from '../../../../chip/apdu.ts'
import { parseRevocationList } from '../../../../chip/passive/revocation-list.ts'
import { hashBytes } from '../../../../chip/passive/certificate.ts'
import { readTlvs } from '../../../../chip/tlv.ts'
import type { CardFaults, CardOptions } from '../../../simulator/chip/card.ts'
import type { CardSession } from '../../../simulator/chip/card-session.ts'
import { makeScheme, writeRevocationList } from '../../../simulator/chip/chip-issuer.ts'
import { writeDhKey, type ChipKey } from '../../../simulator/chip/chip-authentication-chip.ts'
import { writeDg2, writeFaceRecord } from '../../../simulator/chip/portrait-files.ts'
import {
  CHIP_SCALAR,
  getKeyPair,
  IMAGES,
  listEacInfos,
  type ProfileChanges,
  type SimulatedDocument,
} from '../../../simulator/chip/profiles.ts'
import {
  writeChipAuthenticationInfo,
  writeChipKeyInfo,
  writeCurveKey,
} from '../../../simulator/chip/security-infos.ts'
import type { CaseRun, CaseTable } from '../run-case.ts'

const CURVE = 'brainpoolP224r1'
const group = makeCurveGroup(CURVE)
const READING = ['contents', 'security_object', 'dg1', 'dg2'] as const

const bac = (faults: CardFaults, failsAt: CaseRun['failsAt'] = ['access']): CaseRun[] => [
  { profile: 'bac', changes: { card: { faults } }, failsAt },
]
const withCard = (card: Partial<CardOptions>, changes: ProfileChanges = {}): CaseRun[] => [
  { profile: 'bac', changes: { ...changes, card } },
]

/** Changes the objects of a protected response and gives it the checksum of the changed ones. */
const reseal =
  (change: (tag: number, raw: Uint8Array) => Uint8Array) =>
  (response: ResponseApdu, session: CardSession): ResponseApdu => {
    const objects = readTlvs(response.data).filter(({ tag }) => tag !== 0x8e)
    return { ...response, data: session.seal(Buffer.concat(objects.map(({ tag, raw }) => change(tag, raw)))) }
  }
const without = (left: number) => reseal((tag, raw) => (tag === left ? Buffer.alloc(0) : raw))
/** Changes the response without its checksum. */
const forge =
  (change: (tag: number, raw: Uint8Array) => Uint8Array) =>
  (response: ResponseApdu): ResponseApdu => ({
    ...response,
    data: Buffer.concat(readTlvs(response.data).map(({ tag, raw }) => change(tag, raw))),
  })
const changeLast = (bytes: Uint8Array): Buffer => {
  const changed = Buffer.from(bytes)
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1
  return changed
}

const chipKey = (changes: Partial<ChipKey> = {}): ChipKey => ({
  group,
  scalar: CHIP_SCALAR,
  cipher: 'TDES',
  ...changes,
})
const withKeys = (
  dg14: readonly Uint8Array[],
  chipKeys: readonly ChipKey[],
  options: Partial<NonNullable<CardOptions['chipAuthentication']>> = {},
): ProfileChanges => ({
  dg14,
  card: { chipAuthentication: { chipKeys, knows: [0xa4, 0xa6], ...options }, maxResponse: 65_536 },
})

/** Several keys, the first on the profile's curve. */
function listKeys(count: number): { infos: Buffer[]; keys: ChipKey[] } {
  const keys = Array.from({ length: count }, (_, i) =>
    chipKey({ scalar: CHIP_SCALAR + BigInt(i), keyId: i + 1 }),
  )
  const infos = keys.flatMap(({ scalar, keyId = null }) => [
    writeChipAuthenticationInfo('2.1', keyId),
    writeChipKeyInfo(2, writeCurveKey(CURVE, group.multiply(scalar, group.generator)), keyId),
  ])
  return { infos, keys }
}

/** The chip has this many keys and proves the one that is named. */
function proveNamedKey(count: number): readonly CaseRun[] {
  const { infos, keys } = listKeys(count)
  return [
    {
      profile: 'eac',
      changes: withKeys(infos, keys),
      check: (...all) => isProved(...all) && namesKey(...all),
    },
  ]
}

function makeDhKey(scalar: bigint, change: Partial<{ p: bigint; g: bigint }> = {}) {
  const parameters = findStandardDh(2)
  const { p, g, q } = parameters ?? { p: 0n, g: 0n, q: null }
  if (q === null) throw new TypeError('no group')
  const dhGroup = makeDhGroup({ p, g, q })
  const element = dhGroup.multiply(scalar, dhGroup.generator)
  const spki = writeDhKey(change.p ?? p, change.g ?? g, q, element)
  return {
    key: chipKey({ group: dhGroup, scalar }),
    infos: [writeChipAuthenticationInfo('1.1', null), writeChipKeyInfo(1, spki, null)],
  }
}

const caFailure = (changes: ProfileChanges): CaseRun[] => [
  { profile: 'eac', changes, failsAt: ['dg14', 'chip_authentication'] },
]

/** The profile's key with explicit parameters whose generator is not on the curve. */
function writeBrokenCurveKey(): Buffer {
  const { publicKey } = getKeyPair(CURVE, 224, 'signer')
  const spki = publicKey.export({ format: 'der', type: 'spki' })
  const at = spki.indexOf(Buffer.from(group.generator))
  if (at < 0) throw new TypeError('no explicit parameters')
  const broken = Buffer.from(spki)
  broken[at + group.generator.length - 1] = (broken[at + group.generator.length - 1] ?? 0) ^ 1
  return broken
}

const refusesReference = (statusWord: number): CaseRun => ({
  variant: statusWord.toString(16),
  profile: 'eac',
  changes: withKeys(listEacInfos(9), [chipKey({ keyId: 1 })], { refusesReference: statusWord }),
  failsAt: ['chip_authentication'],
})

/** The signer on the revocation list of its authority. */
const revoked = (): CaseRun[] => [
  {
    profile: 'bac',
    changes: {
      trust: (trust, issued) => {
        const list = writeRevocationList({
          issuer: issued.authorityName,
          issuerKey: getKeyPair('rsa', 3072, 'authority').privateKey,
          scheme: makeScheme('pss', 'sha256'),
          issuedAt: '230101120000Z',
          serials: ['07'],
        })
        return { ...trust, revocationLists: [{ sha256: hashBytes(list), list: parseRevocationList(list) }] }
      },
    },
    failsAt: ['passive_authentication'],
  },
]

export const ACCESS_CASES: CaseTable = {
  ISO7816_A_01: () => [{ profile: 'plain' }],
  ISO7816_A_02: () => [{ profile: 'bac' }],
  ISO7816_A_03: () => bac({ selectApplication: 0x6a82 }, ['application']),

  ISO7816_B_01: () => bac({ changeBacReply: changeLast }),
  ISO7816_B_02: () => [
    ...bac({ changeBacPlain: (plain) => Buffer.concat([randomBytes(8), plain.subarray(8)]) }),
    ...bac({
      changeBacPlain: (plain) => Buffer.concat([plain.subarray(0, 8), randomBytes(8), plain.subarray(16)]),
    }),
  ],
  ISO7816_B_03: () => bac({ bacStatus: 0x6300 }),
  ISO7816_B_04: () =>
    [0x6987, 0x6988].flatMap((statusWord) =>
      bac({ changeProtected: () => ({ data: Buffer.alloc(0), statusWord }) }, READING),
    ),
  ISO7816_B_05: () =>
    bac({ changeProtected: forge((tag, raw) => (tag === 0x8e ? Buffer.alloc(0) : raw)) }, READING),
  ISO7816_B_06: () => bac({ changeProtected: without(0x87) }, READING),
  ISO7816_B_07: () => bac({ changeProtected: without(0x99) }, READING),
  ISO7816_B_08: () =>
    bac({ changeProtected: forge((tag, raw) => (tag === 0x8e ? changeLast(raw) : raw)) }, READING),
  ISO7816_B_09: () => [
    ...bac({ changeProtected: reseal((tag, raw) => (tag === 0x87 ? changeLast(raw) : raw)) }, [
      ...READING,
      'passive_authentication',
    ]),
    ...bac({ changeProtected: forge((tag, raw) => (tag === 0x87 ? changeLast(raw) : raw)) }, READING),
  ],
  ISO7816_B_10: revoked,

  ISO7816_C_01: () =>
    [1, 2].map((number) => ({
      variant: `DG${number}`,
      profile: 'bac' as const,
      changes: { application: { [0x100 + number]: null } },
      failsAt: number === 1 ? (['dg1'] as const) : (['dg2'] as const),
    })),
  ISO7816_C_02: () => [
    {
      profile: 'bac',
      changes: { groups: (groups) => ({ ...groups, 2: writeDg2(IMAGES[3]()) }) },
      check: ({ card }) => card.commands.some(({ ins }) => ins === 0xb1),
    },
  ],
  ISO7816_C_03: () => (['rest', 'outside'] as const).flatMap((endOfFile) => withCard({ endOfFile })),
  ISO7816_C_04: () => withCard({ endOfFile: 'outside' }),
  ISO7816_C_05: () => withCard({ endOfFile: 'rest' }),
  ISO7816_C_06: () => withCard({ endOfFile: 'exact' }),
  ISO7816_C_07: () => [
    {
      profile: 'bac',
      changes: { groups: (groups) => ({ ...groups, 2: writeDg2(IMAGES[3]()) }) },
      check: ({ card }) => card.commands.some(({ ins }) => ins === 0xb1),
    },
  ],
  ISO7816_C_08: () => [
    {
      profile: 'bac',
      changes: { groups: (groups) => ({ ...groups, 2: writeDg2(writeFaceRecord(Buffer.alloc(0))) }) },
      failsAt: ['dg2'],
      check: (_, { data }) => data.portraits.length === 0,
    },
  ],

  ISO7816_D_01: () => {
    const { key, infos } = makeDhKey(CHIP_SCALAR)
    return [{ profile: 'eac', changes: withKeys(infos, [key]), check: isProved }]
  },
  ISO7816_D_02: () => [{ profile: 'eac', check: isProved }],
  ISO7816_D_03: () => proveNamedKey(1),
  ISO7816_D_04: () => proveNamedKey(2),
  ISO7816_D_05: () => proveNamedKey(3),
  ISO7816_D_06: () => [0x6a88, 0x6a80].map(refusesReference),
  ISO7816_D_07: () => {
    const { infos } = makeDhKey(CHIP_SCALAR + 1n)
    return caFailure(withKeys(infos, [makeDhKey(CHIP_SCALAR).key]))
  },
  ISO7816_D_08: () => caFailure(withKeys(listEacInfos(), [chipKey({ scalar: CHIP_SCALAR + 1n })])),
  ISO7816_D_09: () => caFailure({ card: { faults: { keepsOldKeys: true } } }),
  ISO7816_D_10: () => [
    {
      profile: 'eac',
      changes: withKeys(listEacInfos(), [chipKey()], { remembersTerminalKeys: true }),
      times: 2,
      check: (document, inspection) => isProved(document, inspection) && hasTwoKeys(document),
    },
  ],
  ISO7816_D_11: () => {
    const { p, g } = findStandardDh(2) ?? { p: 0n, g: 0n }
    return [{ p: p + 2n }, { g: g + 1n }].flatMap((change) => {
      const { key, infos } = makeDhKey(CHIP_SCALAR, change)
      return caFailure(withKeys(infos, [key]))
    })
  },
  ISO7816_D_12: () =>
    caFailure({
      dg14: [writeChipAuthenticationInfo('2.1', null), writeChipKeyInfo(2, writeBrokenCurveKey(), null)],
    }),
  ISO7816_D_13: () => caFailure(withKeys(listEacInfos(1, 2), [chipKey({ keyId: 1 })])),
  ISO7816_D_14: () => {
    const { key, infos } = makeDhKey(CHIP_SCALAR)
    const changes = withKeys(infos, [key], { knows: [0xa6] })
    return [{ profile: 'eac', changes, check: isProved }]
  },
  ISO7816_D_15: () => [0x6a80, 0x6a88, 0x6984, 0x6985, 0x6300].map(refusesReference),
}

/** Each inspection made a key of its own. */
const hasTwoKeys = ({ card }: SimulatedDocument): boolean =>
  new Set(card.authenticator?.terminalKeys).size === 2

const isProved: NonNullable<CaseRun['check']> = (_, { cloneProtection }) =>
  cloneProtection.protocol === 'chip_authentication'

/** MSE names the key. */
const namesKey: NonNullable<CaseRun['check']> = ({ card }) =>
  card.commands.some(
    ({ ins, p1, data }) => ins === 0x22 && p1 === 0x41 && readTlvs(data).some(({ tag }) => tag === 0x84),
  )
