import { describe, expect, test } from 'vitest'
import type { CommandApdu, ResponseApdu } from '../../../../server/chip/apdu.ts'
import { inspectChip, type InspectionInput } from '../../../../server/chip/inspection/inspect.ts'
import type { Inspection, StepName } from '../../../../server/chip/inspection/report.ts'
import { findStandardGroup } from '../../../../server/chip/domain-parameters.ts'
import { trustCertificates } from '../../../../server/chip/passive/chip-trust.ts'
import { CHIP_FAULTS } from '../../../../server/tools/simulator/chip/faults.ts'
import {
  CAN,
  IMAGES,
  listEacInfos,
  makeDocument,
  type ProfileChanges,
  type ProfileName,
  type SimulatedDocument,
} from '../../../../server/tools/simulator/chip/profiles.ts'
import { writeDg2 } from '../../../../server/tools/simulator/chip/portrait-files.ts'
import {
  makePaceInfo,
  writeChipKeyInfo,
  writeCurveKey,
  writePaceInfo,
} from '../../../../server/tools/simulator/chip/security-infos.ts'
import { hex } from '../../../../server/tools/simulator/chip/hex.ts'

async function inspect(
  profile: ProfileName,
  changes: ProfileChanges = {},
  input: Partial<InspectionInput> = {},
) {
  const document = makeDocument(profile, changes)
  return { document, inspection: await run(document, input) }
}

function run(
  { card, ...rest }: SimulatedDocument,
  input: Partial<InspectionInput> = {},
): Promise<Inspection> {
  return inspectChip(card, { ...rest, ...input })
}

function getStep({ steps }: Inspection, name: StepName) {
  return steps.find((step) => step.name === name)
}

const listNames = ({ document }: { document: SimulatedDocument }) =>
  document.card.commands.map(({ ins, p1 }) => `${ins.toString(16)} ${p1.toString(16)}`)

/** A chip with chip authentication mapping; the key in EF.CardSecurity belongs to `scalar`. */
function withMapping(scalar: bigint): ProfileChanges {
  const group = findStandardGroup(13)
  if (group === null) throw new TypeError('no group')
  const info = makePaceInfo('6.2', 13)
  const key = writeCurveKey('brainpoolP256r1', group.multiply(77n, group.generator))
  return {
    paceInfos: [info],
    pace: { staticScalar: scalar },
    cardSecurity: [writePaceInfo(info), writeChipKeyInfo(2, key, null)],
  }
}

describe('a genuine chip', () => {
  test.each([
    ['plain', 'none', null],
    ['bac', 'bac', null],
    ['eac', 'bac', 'chip_authentication'],
    ['eacaa', 'bac', 'chip_authentication'],
    ['pace', 'pace', null],
    ['eacpace', 'pace', 'chip_authentication'],
  ] as const)('of the profile %s is read through %s', async (profile, protocol, proof) => {
    const { document, inspection } = await inspect(profile)
    expect(inspection.verdict).toBe('successful')
    expect(inspection.access?.protocol).toBe(protocol)
    expect(inspection.cloneProtection).toEqual({
      verdict: proof === null ? 'not_supported' : 'successful',
      protocol: proof,
    })
    expect(inspection.data.mrz).toEqual(document.printedMrz)
    expect(inspection.data.portraits).toHaveLength(1)
  })

  test('with chip authentication mapping is no copy, because the signed key belongs to the mapping', async () => {
    const { inspection } = await inspect('pace', withMapping(77n))
    expect(inspection.verdict).toBe('successful')
    expect(inspection.cloneProtection).toEqual({ verdict: 'successful', protocol: 'mapping_authentication' })
  })

  test('is opened with the card access number, which is tried once', async () => {
    const keys = { mrz: [], can: CAN }
    const { inspection } = await inspect('pace', { keys })
    expect(inspection).toMatchObject({ verdict: 'successful', access: { key: 'can' } })
    const wrong = await inspect('pace', { keys: { mrz: [], can: '000000' } })
    expect(getStep(wrong.inspection, 'access')).toMatchObject({
      verdict: 'failed',
      reason: 'access_key_wrong',
    })
    expect(listNames(wrong).filter((name) => name === '22 c1')).toHaveLength(1)
  })

  test('is not opened by ten wrong card access numbers, each tried once, of a chip that counts them', async () => {
    const document = makeDocument('pace')
    // A chip that counts: it announces the tries that are left, then it is blocked (ISO/IEC 7816-4, 5.6).
    const tries = Array.from({ length: 10 }, (_, i) => (i < 9 ? 0x63c0 + 9 - i : 0x6983))
    const found: string[] = []
    for (const [i, token] of tries.entries()) {
      const { card } = makeDocument('pace', { pace: { refuses: { token } } })
      const keys = { mrz: [], can: String(i).padStart(6, '0') }
      const inspection = await inspectChip(card, { ...document, keys })
      const access = getStep(inspection, 'access')
      found.push(`${inspection.verdict} ${access?.reason ?? ''}`)
      expect(inspection).toMatchObject({ data: { mrz: null, portraits: [] }, passive: null, sod: null })
      expect(card.commands.filter(({ ins }) => ins === 0x22)).toHaveLength(1)
    }
    expect(found).toEqual(tries.map(() => 'failed access_key_blocked'))
  })

  test.each(['bac', 'pace'] as const)(
    'of the profile %s opens with another reading of its number',
    async (profile) => {
      const right = { documentNumber: 'C11T002JM', dateOfBirth: '960812', dateOfExpiry: '231031' }
      const wrong = { ...right, documentNumber: 'C11TO02JM' }
      const { document, inspection } = await inspect(profile, { keys: { mrz: [wrong, right] } })
      expect(inspection).toMatchObject({ verdict: 'successful', access: { refusedKeys: 1 } })
      expect(document.card.resets).toBe(1)
    },
  )

  test('is read with extended lengths where EF.ATR/INFO allows them', async () => {
    const masterFile = { 0x2f01: hex('7F660802020780 02020780') }
    const { document, inspection } = await inspect('bac', { masterFile, card: { maxResponse: 0x780 } })
    expect(inspection).toMatchObject({
      verdict: 'successful',
      lengths: { maxCommand: 0x780, maxResponse: 0x780 },
    })
    const many = { groups: (groups: object) => ({ ...groups, 2: writeDg2(IMAGES[3]()) }) }
    const long = await inspect('bac', { ...many, masterFile, card: { maxResponse: 0x780 } })
    const short = await inspect('bac', many)
    expect(long.document.card.commands.length * 3).toBeLessThan(short.document.card.commands.length)
    expect(document.card.resets).toBe(0)
  })
})

describe('a chip that leaves the field', () => {
  // @clause TR-03135/verdicts
  test('at a command aborts the inspection, and the next one reads only what is missing', async () => {
    const whole = await inspect('eacaa')
    const count = whole.document.card.commands.length
    for (let lostAt = 0; lostAt < count; lostAt += 3) {
      const document = makeDocument('eacaa', { card: { faults: { lostAt } } })
      const lost = await run(document)
      expect(lost.verdict).toBe('aborted')
      await document.card.reset()
      const before = document.card.commands.length
      const again = await run(document, { progress: lost.progress })
      expect(again.verdict).toBe('successful')
      expect(document.card.commands.length - before).toBeLessThanOrEqual(count)
    }
  })
})

// @clause TR-03135/copy
describe('no copy passes', () => {
  const failures: readonly (readonly [string, ProfileName, ProfileChanges, StepName])[] = [
    ['without the key of chip authentication', 'eac', CHIP_FAULTS.copied(), 'chip_authentication'],
    [
      'without the key of active authentication',
      'eacaa',
      { card: { sign: () => Buffer.alloc(128, 1) } },
      'active_authentication',
    ],
    ['whose key of the mapping is another', 'pace', withMapping(78n), 'mapping_authentication'],
    ['with an exchanged portrait', 'bac', CHIP_FAULTS['exchanged-portrait'](), 'passive_authentication'],
    [
      'of an authority of another country',
      'bac',
      CHIP_FAULTS['foreign-authority'](),
      'passive_authentication',
    ],
    ['whose signer is expired', 'bac', CHIP_FAULTS['expired-signer'](), 'passive_authentication'],
    [
      'that offers weaker protocols than the signed DG14',
      'eacpace',
      { dg14: [...listEacInfos(), writePaceInfo(makePaceInfo('2.4', 13))] },
      'security_infos',
    ],
    [
      'that hides EF.CardAccess, so that BAC is used',
      'eacpace',
      { masterFile: { 0x11c: null } },
      'security_infos',
    ],
    [
      'that hides the stronger entry of PACE',
      'eacpace',
      {
        dg14: [
          ...listEacInfos(),
          writePaceInfo(makePaceInfo('2.1', 13)),
          writePaceInfo(makePaceInfo('2.4', 13)),
        ],
      },
      'security_infos',
    ],
    [
      'that continues with the keys before chip authentication',
      'eac',
      CHIP_FAULTS['old-session-keys'](),
      'chip_authentication',
    ],
  ]

  test.each(failures)('%s', async (_, profile, changes, step) => {
    const { inspection } = await inspect(profile, changes)
    expect(inspection.verdict).toBe('failed')
    expect(getStep(inspection, step)?.verdict).toBe('failed')
    expect(inspection.steps.filter(({ verdict }) => verdict === 'failed').map(({ name }) => name)).toEqual([
      step,
    ])
  })

  test('a key that its owner proved counts only if a trusted authority signed it', async () => {
    const { inspection } = await inspect('eacaa', { trust: () => trustCertificates([]) })
    expect(inspection).toMatchObject({
      verdict: 'undetermined',
      cloneProtection: { verdict: 'undetermined' },
    })
    for (const name of ['chip_authentication', 'active_authentication'] as const)
      expect(getStep(inspection, name)).toMatchObject({
        verdict: 'undetermined',
        reason: 'key_not_authentic',
      })
  })

  test('a key that EF.SOD does not list proves nothing', async () => {
    const { inspection } = await inspect('bac', CHIP_FAULTS['unsigned-key']())
    expect(inspection.verdict).toBe('failed')
    expect(getStep(inspection, 'passive_authentication')?.verdict).toBe('failed')
    expect(inspection.cloneProtection.protocol).toBeNull()
  })
})

describe('changed responses', () => {
  test('of any command never throw, and a chip that passes gave the data of the issuer', async () => {
    const genuine = (await inspect('eacpace')).document
    const changes: readonly ((data: Uint8Array) => { data: Uint8Array; statusWord: number })[] = [
      () => ({ data: hex(''), statusWord: 0x6a82 }),
      () => ({ data: hex(''), statusWord: 0x9000 }),
      (data) => ({
        data: data.map((byte, i) => (i === data.length - 1 ? byte ^ 1 : byte)),
        statusWord: 0x9000,
      }),
      (data) => ({ data: data.subarray(0, data.length >> 1), statusWord: 0x9000 }),
    ]
    for (let at = 0; at < genuine.card.commands.length; at += 1) {
      const { card, ...input } = makeDocument('eacpace')
      let count = 0
      const transmit = async (command: CommandApdu) => {
        const response = await card.transmit(command)
        const change = changes[at % changes.length]
        return count++ === at && change ? change(response.data) : response
      }
      const inspection = await inspectChip({ transmit, reset: () => card.reset() }, input)
      if (inspection.verdict !== 'successful') continue
      expect(inspection.access?.protocol).toBe('pace')
      expect(inspection.data.mrz).toEqual(genuine.printedMrz)
    }
  })

  test('that another session recorded open nothing', async () => {
    const first = makeDocument('bac')
    const recorded: ResponseApdu[] = []
    const transmit = async (command: CommandApdu) => {
      const response = await first.card.transmit(command)
      recorded.push(response)
      return response
    }
    const { card, ...input } = first
    await inspectChip({ transmit, reset: () => card.reset() }, input)
    let next = 0
    const replay = async () => recorded[next++] ?? { data: hex(''), statusWord: 0x6f00 }
    const again = await inspectChip({ transmit: replay, reset: async () => undefined }, input)
    expect(getStep(again, 'access')).toMatchObject({ verdict: 'failed', reason: 'reply_forged' })
  })
})

describe('the procedure', () => {
  test('never falls back to BAC after PACE failed', async () => {
    const tried = await inspect('eacpace', { pace: { refuses: { key: 0x6300 } } })
    expect(tried.inspection.verdict).toBe('failed')
    expect(listNames(tried)).not.toContain('84 0')
    expect(tried.inspection.access).toBeNull()
  })

  test('names the parameters of PACE if another entry, which it does not know, has the same protocol', async () => {
    const paceInfos = [makePaceInfo('2.1', 13), { ...makePaceInfo('2.1', 13), parameterId: 40 }]
    const tried = await inspect('pace', { paceInfos })
    expect(tried.inspection.verdict).toBe('successful')
    expect(listNames(tried).filter((name) => name === '22 c1')).toHaveLength(1)
  })

  test('reads the files after one that ends before its length', async () => {
    const application = { 0x11e: hex('6016 5F0104') }
    const { document, inspection } = await inspect('bac', { application })
    expect(getStep(inspection, 'contents')).toMatchObject({ verdict: 'failed', reason: 'malformed_reply' })
    expect(inspection.data.mrz).toEqual(document.printedMrz)
  })

  test('uses BAC if no parameters of PACE are known', async () => {
    const info = { ...makePaceInfo('2.1', 13), parameterId: 4 }
    const { inspection } = await inspect('eacpace', { paceInfos: [info] })
    expect(inspection).toMatchObject({ verdict: 'successful', access: { protocol: 'bac' } })
  })

  test('reads the data after chip authentication failed, through a new session', async () => {
    const { document, inspection } = await inspect('eacpace', { card: { chipAuthentication: null } })
    expect(inspection.verdict).toBe('failed')
    expect(inspection.data.mrz).toEqual(document.printedMrz)
    expect(inspection.passive?.verdict).toBe('successful')
  })

  test('stops trying keys when the chip says that few are left', async () => {
    const mrz = ['C11T002JM', 'C11TO02JM'].map((documentNumber) => ({
      documentNumber,
      dateOfBirth: '960812',
      dateOfExpiry: '231031',
    }))
    const { document, inspection } = await inspect('bac', {
      keys: { mrz },
      card: { faults: { bacStatus: 0x63c2 } },
    })
    expect(getStep(inspection, 'access')).toMatchObject({ verdict: 'failed', reason: 'access_key_blocked' })
    expect(document.card.resets).toBe(0)
  })

  test('fails if the document shows another MRZ than DG1', async () => {
    const { document } = await inspect('bac')
    const printedMrz = document.printedMrz.map((line) => line.replace('ERIKA', 'PETRA'))
    const inspection = await run(makeDocument('bac'), { printedMrz })
    expect(getStep(inspection, 'printed_mrz')).toMatchObject({ verdict: 'failed', reason: 'mrz_differs' })
    expect(inspection.verdict).toBe('failed')
  })

  test('does not decide by a group that needs rights, and fails for one that is listed and missing', async () => {
    const groups = (basic: object) => ({ ...basic, 11: hex('6B03 5C01 00') })
    const missing = await inspect('bac', { groups, application: { 0x10b: null } })
    expect(getStep(missing.inspection, 'dg11')).toMatchObject({ verdict: 'failed', reason: 'file_missing' })
    const denied = await inspect('bac', { groups, card: { faults: { deniedFile: 0x10b } } })
    expect(getStep(denied.inspection, 'dg11')).toMatchObject({
      verdict: 'not_supported',
      reason: 'access_denied',
    })
    expect(denied.inspection.verdict).toBe('successful')
  })
})
