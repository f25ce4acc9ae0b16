/** The custody of the trust store, with lists of invented states in a real store. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { importTrustFile, type Importers, type TrustImport } from '../../../server/trust/import-file.ts'
import { hashBytes } from '../../../server/chip/passive/certificate.ts'
import { readChipTrust } from '../../../server/trust/chip-trust.ts'
import { judgeFreshness } from '../../../server/trust/freshness.ts'
import { TrustRefused } from '../../../server/trust/refused.ts'
import { removeTrustFile } from '../../../server/trust/remove-file.ts'
import { readTrustFile } from '../../../server/trust/trust-file.ts'
import { hex } from '../../../server/tools/simulator/chip/hex.ts'
import { openTestStore, type TestStore } from '../../support/store.ts'
import {
  makeState,
  writeDefectList,
  writeLink,
  writeMasterList,
  writeRevocationList,
} from '../../../server/tools/simulator/chip/trust-lists.ts'

const NOW = new Date('2026-03-01T10:00:00.000Z')
const ALONE: Importers = { by: 'Ada', confirmedBy: null }
const BOTH: Importers = { by: 'Ada', confirmedBy: 'Ben' }

const utopia = makeState('UT')
const arcadia = makeState('AC')

let t: TestStore
beforeEach(() => {
  t = openTestStore()
})
afterEach(() => {
  t.close()
})

const importing = (bytes: Uint8Array, importers = ALONE, at = NOW): TrustImport =>
  importTrustFile(t.store, readTrustFile(bytes), importers, at, { actor: 'operator' })
const refusal = (bytes: Uint8Array, importers = ALONE): string => {
  try {
    importing(bytes, importers)
  } catch (error) {
    if (error instanceof TrustRefused) return error.message
    throw error
  }
  return 'imported'
}
const countInForce = () => t.store.trust.certificates().length
const events = () => t.store.events.after(0, 100).filter(({ type }) => type === 'trust.imported')

describe('a master list', () => {
  test('is imported by two people where nothing of its state is trusted yet, with an event that contains no name', () => {
    const list = writeMasterList(utopia, { certificates: [utopia.certificate, arcadia.certificate] })
    expect(refusal(list)).toMatch(/no list that UT publishes.*--confirmed-by NAME/)
    expect(countInForce()).toBe(0)
    const { file, isNew } = importing(list, BOTH)
    expect({ ...file, id: 'id', sha256: 'hash' }).toEqual({
      id: 'id',
      kind: 'MASTER_LIST',
      series: 'UT',
      country: 'UT',
      signer: 'C=UT, CN=CSCA UT',
      authority: 'C=UT, CN=CSCA UT',
      sha256: 'hash',
      signedAt: new Date('2026-01-01T12:00:00.000Z'),
      importedAt: NOW,
      importedBy: 'Ada',
      confirmedBy: 'Ben',
      checkedAt: NOW,
      bundleVersion: null,
      replacedAt: null,
      removedBy: null,
      removalConfirmedBy: null,
      certificates: { verified: 2, read: 0, refused: 0 },
    })
    expect(isNew).toBe(true)
    expect(countInForce()).toBe(2)
    expect(events().map(({ body }) => body)).toEqual([
      {
        fileId: file.id,
        kind: 'MASTER_LIST',
        sha256: file.sha256,
        certificates: 2,
        isNew: true,
        isConfirmed: true,
      },
    ])
    expect(JSON.stringify(events())).not.toMatch(/Ada|Ben/)
  })

  test('goes forwards with one person and backwards only with two', () => {
    importing(writeMasterList(utopia, { signedAt: '260102120000Z' }), BOTH)
    const newer = writeMasterList(utopia, { signedAt: '260103120000Z' })
    expect(importing(newer).isNew).toBe(true)
    const older = writeMasterList(utopia, { signedAt: '260101120000Z' })
    expect(refusal(older)).toMatch(/^The file was signed at 2026-01-01.*it is not newer.*--confirmed-by/)
    expect(refusal(writeMasterList(utopia, { signedAt: '260103120000Z' }))).toMatch(/not newer/)
    expect(t.store.trust.findCurrent('MASTER_LIST', 'UT')?.sha256).toBe(readTrustFile(newer).sha256)
    expect(importing(older, BOTH).isNew).toBe(true)
    expect(t.store.trust.list().map(({ replacedAt }) => replacedAt === null)).toEqual([true, false, false])
    expect(countInForce()).toBe(1)
  })

  test('that loses more than half of the certificates, or contains none, needs two people', () => {
    const others = ['AC', 'BC', 'CC'].map((country) => makeState(country).certificate)
    importing(writeMasterList(utopia, { certificates: [utopia.certificate, ...others] }), BOTH)
    const less = (signedAt: string, ...certificates: Uint8Array[]) =>
      writeMasterList(utopia, { certificates, signedAt })
    const one = less('260102120000Z', utopia.certificate)
    expect(refusal(one)).toMatch(
      /^The list has 1 accepted certificates, and the one in force 4: .*--confirmed-by/,
    )
    expect(countInForce()).toBe(4)
    expect(importing(less('260102120000Z', utopia.certificate, ...others.slice(2))).isNew).toBe(true)
    importing(utopia.certificate, BOTH)
    const none = less('260103120000Z')
    expect(refusal(none)).toMatch(/^The list has 0 accepted certificates, and the one in force 2/)
    expect(importing(none, BOTH).isNew).toBe(true)
    expect(refusal(less('260104120000Z'))).toMatch(/0 accepted certificates, and the one in force 0/)
  })

  // @clause TR-03135/lists
  test('that is the same counts as a check: the trust store is fresh for four more weeks', () => {
    const list = writeMasterList(utopia)
    const days = (count: number) => new Date(NOW.getTime() + count * 24 * 60 * 60 * 1000)
    const freshness = (at: Date) => judgeFreshness(t.store.trust.list(), at)
    expect(freshness(NOW)).toBe('empty')
    importing(list, BOTH)
    expect([freshness(days(28)), freshness(days(29))]).toEqual(['fresh', 'stale'])
    expect(importing(list, ALONE, days(29)).isNew).toBe(false)
    expect(freshness(days(57))).toBe('fresh')
    expect(t.store.trust.list()).toHaveLength(1)
    expect(events()).toHaveLength(2)
  })

  test('of another signer is refused, also by two people', () => {
    importing(writeMasterList(utopia), BOTH)
    const rogue = makeState('UT')
    const list = writeMasterList(rogue, { signedAt: '260201120000Z' })
    for (const importers of [ALONE, BOTH]) expect(refusal(list, importers)).toMatch(/^Wrong signer/)
    const hidden = writeMasterList(rogue, { certificates: [utopia.certificate], signedAt: '260201120000Z' })
    expect(refusal(hidden, BOTH)).toMatch(/^No authority of UT/)
  })

  test('of a state that another list names has no trust for its own lists yet', () => {
    importing(writeMasterList(utopia, { certificates: [utopia.certificate, arcadia.certificate] }), BOTH)
    expect(refusal(writeMasterList(arcadia))).toMatch(
      /no list that AC publishes and no authority of AC that two people imported/,
    )
    importing(arcadia.certificate, BOTH)
    expect(importing(writeMasterList(arcadia)).isNew).toBe(true)
  })

  test('follows its authority to a new key by a link certificate', () => {
    importing(writeMasterList(utopia), BOTH)
    const next = makeState('UT')
    const certificates = [utopia.certificate, next.certificate, writeLink(utopia, next)]
    const { judged } = importing(writeMasterList(next, { certificates, signedAt: '260201120000Z' }))
    expect(judged.map(({ reason }) => reason)).toEqual(['self_signed', 'self_signed', 'link_certificate'])
  })

  test.each([
    [
      'its signature is wrong',
      { changeSignature: (s: Buffer) => s.fill(1, 8, 16) },
      /changed or damaged|cannot be verified/,
    ],
    ['its signer is not for master lists', { purpose: '2.23.136.1.1.1' }, /not for lists of this kind/],
    ['it states no signing time', { signedAt: null }, /no signing time/],
    ['it was signed in the future', { signedAt: '260401120000Z' }, /in the future/],
    ['its signer was not valid yet', { signedAt: '190101120000Z' }, /not valid at the signing time/],
    ['it is signed data of another kind', { contentType: '2.23.136.1.1.1' }, /neither a CSCA master list/],
  ])('is refused if %s', (_why, options, reason) => {
    expect(refusal(writeMasterList(utopia, options), BOTH)).toMatch(reason)
    expect(t.store.trust.list()).toEqual([])
  })

  test('keeps no certificate that it refuses, and names the reason', () => {
    const forged = Buffer.from(arcadia.certificate)
    forged[forged.length - 3] = (forged.at(-3) ?? 0) ^ 1
    const leaf = makeState('AC', { isAuthority: false })
    const orphan = writeLink(makeState('UT'), makeState('UT'))
    const certificates = [
      utopia.certificate,
      forged,
      leaf.certificate,
      orphan,
      Buffer.from('3003020101', 'hex'),
    ]
    const { judged } = importing(writeMasterList(utopia, { certificates }), BOTH)
    expect(judged.map(({ verdict, reason }) => [verdict, reason])).toEqual([
      ['verified', 'self_signed'],
      ['refused', 'signature_wrong'],
      ['refused', 'no_authority'],
      ['read', 'issuer_missing'],
      ['refused', 'malformed_data'],
    ])
    expect(countInForce()).toBe(2)
  })
})

describe('a single certificate', () => {
  test('is imported by two different people', () => {
    expect(refusal(utopia.certificate)).toMatch(/imported by two people/)
    expect(refusal(utopia.certificate, { by: 'Ada', confirmedBy: ' ada ' })).toMatch(/the same person/)
    const spaced = { by: 'Ada Example', confirmedBy: ' ADA \u00a0 EXAMPLE ' }
    expect(refusal(utopia.certificate, spaced)).toMatch(/the same person/)
    expect(refusal(utopia.certificate, { by: 'Ada', confirmedBy: '\uff21da' })).toMatch(/the same person/)
    for (const confirmedBy of ['', 'Ben\nroot', 'Ben\u200b', 'B'.repeat(81)])
      expect(refusal(utopia.certificate, { by: 'Ada', confirmedBy })).toMatch(/take a name/)
    const pem = `-----BEGIN CERTIFICATE-----\n${utopia.certificate.toString('base64')}\n-----END CERTIFICATE-----\n`
    expect(importing(Buffer.from(pem), BOTH).file).toMatchObject({ kind: 'CERTIFICATE', country: 'UT' })
  })

  test('that does not state that it is one of an authority is refused', () => {
    const critical = hex('300C06032A0304 0101FF 04020500')
    for (const options of [
      { isAuthority: false },
      { isAuthority: false, keyUsage: 0x06 },
      { keyUsage: null },
      { keyUsage: 0x02 },
      { moreExtensions: [critical] },
    ])
      expect(refusal(makeState('UT', options).certificate, BOTH)).toMatch(/no_authority.*CA=TRUE/)
    expect(refusal(writeLink(makeState('UT'), utopia), BOTH)).toMatch(/issuer_missing/)
  })
})

describe('a revocation list', () => {
  test('needs a trusted authority, and is replaced by a newer one only', () => {
    const first = writeRevocationList(utopia, '260101120000Z')
    expect(refusal(first)).toMatch(/No authority that the appliance trusts/)
    importing(utopia.certificate, BOTH)
    importing(first)
    const second = writeRevocationList(utopia, '260201120000Z', ['07'])
    expect(importing(second).file).toMatchObject({ kind: 'REVOCATION_LIST', country: 'UT' })
    expect(refusal(first)).toMatch(/not newer/)
    expect(t.store.trust.contents('REVOCATION_LIST').map(({ der }) => Buffer.from(der))).toEqual([second])
    expect(refusal(writeRevocationList(makeState('UT'), '260202120000Z'))).toMatch(/No authority/)
  })
})

describe('a defect list', () => {
  const write = (options: Partial<Parameters<typeof writeDefectList>[1]> = {}, state = utopia) =>
    writeDefectList(state, { issuer: utopia.name, types: ['1.1'], ...options })

  test('needs a trusted authority and a signer of lists, and goes forwards with one person', () => {
    expect(refusal(write())).toMatch(/No authority of UT/)
    importing(utopia.certificate, BOTH)
    expect(importing(write()).file).toMatchObject({ kind: 'DEFECT_LIST', country: 'UT', series: 'UT' })
    expect(refusal(write({ signedAt: '251231120000Z' }))).toMatch(/not newer/)
    expect(refusal(write({ purpose: null }))).toMatch(/not for lists of this kind/)
    expect(refusal(write({}, makeState('UT')))).toMatch(/No authority of UT/)
    expect(refusal(write({ changeSignature: (bytes) => bytes.subarray(1) }))).toMatch(/changed or damaged/)
  })

  test('reaches passive authentication with the authorities of the country and their lists', () => {
    const list = writeMasterList(utopia, { certificates: [utopia.certificate, arcadia.certificate] })
    const [ml, dl, crl] = [list, write(), writeRevocationList(utopia, '260101120000Z', ['07'])]
    for (const bytes of [ml, dl, crl]) importing(bytes, BOTH)
    const trust = readChipTrust(t.store, ['UT', 'UT', 'XX'], NOW)
    expect(trust.isOutdated).toBe(false)
    const late = new Date(NOW.getTime() + 29 * 24 * 3_600_000)
    expect(readChipTrust(t.store, ['UT'], late).isOutdated).toBe(true)
    expect(trust.authorities.map(({ certificate, sources }) => [certificate.der, sources])).toEqual([
      [utopia.certificate, [hashBytes(ml)]],
    ])
    expect(trust.defectLists).toMatchObject([
      { sha256: hashBytes(dl), defects: [{ types: [expect.any(String)] }] },
    ])
    expect(trust.revocationLists.map(({ sha256, list: { serials } }) => [sha256, [...serials]])).toEqual([
      [hashBytes(crl), ['07']],
    ])
  })
})

describe('a removal', () => {
  test('needs two people, keeps the record, and leaves an event without names', () => {
    const { file } = importing(writeMasterList(utopia), BOTH)
    const remove = (id: string, people: Importers) =>
      removeTrustFile(t.store, id, people, NOW, { actor: 'operator' })
    expect(() => remove(file.id, ALONE)).toThrow(TrustRefused)
    expect(() => remove(file.id, { by: 'Ada', confirmedBy: 'ada' })).toThrow(TrustRefused)
    expect(countInForce()).toBe(1)
    const removed = remove(file.id, BOTH)
    expect(t.store.trust.list()).toEqual([removed])
    expect(removed).toMatchObject({ removedBy: 'Ada', removalConfirmedBy: 'Ben', replacedAt: NOW })
    expect(countInForce()).toBe(0)
    expect(() => remove(file.id, BOTH)).toThrow(TrustRefused)
    const stored = t.store.events.after(0, 100).filter(({ type }) => type === 'trust.removed')
    expect(stored.map(({ body }) => body)).toEqual([
      { fileId: file.id, kind: 'MASTER_LIST', sha256: file.sha256 },
    ])
    // The state is unknown again, so that its next list needs two people.
    expect(refusal(writeMasterList(utopia))).toMatch(/--confirmed-by NAME/)
  })
})

test('a file of any kind that is not newer than a removed one needs two people', () => {
  const defects = (signedAt: string) =>
    writeDefectList(utopia, { issuer: utopia.name, types: ['1.1'], signedAt })
  importing(utopia.certificate, BOTH)
  for (const write of [
    defects,
    (signedAt: string) => writeMasterList(utopia, { signedAt }),
    (signedAt: string) => writeRevocationList(utopia, signedAt),
  ]) {
    const { file } = importing(write('260102120000Z'))
    removeTrustFile(t.store, file.id, BOTH, NOW, { actor: 'operator' })
    for (const signedAt of ['260101120000Z', '260102120000Z'])
      expect(refusal(write(signedAt))).toMatch(/and one that was in force at 2026-01-02T.*it is not newer/)
    // Two people go back, and the mark stays.
    expect(importing(write('251230120000Z'), BOTH).isNew).toBe(true)
    expect(refusal(write('260101120000Z'))).toMatch(/one that was in force at 2026-01-02T/)
    expect(importing(write('260103120000Z')).isNew).toBe(true)
  }
})

test('a file of another kind is refused, whatever it contains', () => {
  for (const bytes of [
    '',
    'no list',
    '-----BEGIN CERTIFICATE-----\nAA',
    '\x30\x80\x00\x00',
    '\x30\x84\xff\xff\xff\xff',
  ])
    expect(() => readTrustFile(Buffer.from(bytes, 'latin1'))).toThrow(TrustRefused)
})
