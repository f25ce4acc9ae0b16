import { describe, expect, test } from 'vitest'
import type { ChipFault } from '../../../../server/chip/outcome.ts'
import { parseDg1 } from '../../../../server/chip/files/dg1.ts'
import { parseDg2 } from '../../../../server/chip/files/dg2.ts'
import { parseDg7 } from '../../../../server/chip/files/dg7.ts'
import { parseDg11 } from '../../../../server/chip/files/dg11.ts'
import { parseDg12 } from '../../../../server/chip/files/dg12.ts'
import { parseEfCom } from '../../../../server/chip/files/ef-com.ts'
import { writeTlv } from '../../../../server/chip/tlv.ts'
import { hex } from '../../../../server/tools/simulator/chip/hex.ts'
import {
  JPEG,
  JPEG_2000,
  writeDg2,
  writeExtensibleRecord,
  writeFaceRecord,
  type Dg2Changes,
  type RecordChanges,
} from '../../../../server/tools/simulator/chip/portrait-files.ts'
import { readChipVector } from '../../../support/shared-data.ts'

const MALFORMED = expect.objectContaining({ name: 'ChipFault', reason: 'malformed_data' }) as ChipFault
const text = (value: string): Buffer => Buffer.from(value, 'utf8')
const vector = readChipVector('lds-icao-part10.json') as { efCom: string; dg1: string[]; dg11: string } | null

describe.skipIf(vector === null)('the worked files of Doc 9303-10 appendix A', () => {
  const { efCom, dg1, dg11 } = vector ?? { efCom: '', dg1: [], dg11: '' }

  test('EF.COM lists versions and groups', () => {
    expect(parseEfCom(hex(efCom))).toEqual({ lds: '0106', unicode: '040000', dataGroups: [1, 2] })
  })

  test('DG1 holds the lines of the MRZ; one that is a byte too long is refused', () => {
    const [td2 = '', tooLong = '', td3 = ''] = dg1
    expect(parseDg1(hex(td2))).toEqual({
      format: 'TD2',
      lines: ['I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<', 'D231458907UTO7408122F1204159<<<<<<<6'],
    })
    expect(parseDg1(hex(td3)).format).toBe('TD3')
    expect(() => parseDg1(hex(tooLong))).toThrow(MALFORMED)
  })

  test('DG11 holds name, birthplace, address, telephone and profession', () => {
    expect(parseDg11(hex(dg11))).toMatchObject({
      name: { surname: 'SMITH', givenNames: 'JOHN J' },
      placeOfBirth: ['ANYTOWN', 'MN'],
      address: ['123 MAPLE RD', 'ANYTOWN', 'MN'],
      telephone: '16125551212',
      profession: 'TRAVEL AGENT',
      personalNumber: null,
      otherNames: [],
    })
  })
})

describe('EF.COM', () => {
  const write = (version: string, unicode: string, tags: string) =>
    writeTlv(
      0x60,
      writeTlv(0x5f01, text(version)),
      writeTlv(0x5f36, text(unicode)),
      writeTlv(0x5c, hex(tags)),
    )

  test('of LDS 1.7 and 1.8 is read', () => {
    expect(parseEfCom(write('0107', '040000', '617563766E6F'))).toEqual({
      lds: '0107',
      unicode: '040000',
      dataGroups: [1, 2, 3, 4, 14, 15],
    })
    expect(parseEfCom(write('0108', '040000', '6175')).lds).toBe('0108')
  })

  test.each([
    ['another template', writeTlv(0x61, write('0107', '040000', '6175').subarray(2))],
    ['a length that is one less', shorten(write('0107', '040000', '6175'))],
    ['an unknown LDS version', write('0300', '040000', '6175')],
    ['an unknown Unicode version', write('0107', '050000', '6175')],
    ['no LDS version', writeTlv(0x60, writeTlv(0x5f36, text('040000')), writeTlv(0x5c, hex('6175')))],
    ['no Unicode version', writeTlv(0x60, writeTlv(0x5f01, text('0107')), writeTlv(0x5c, hex('6175')))],
    ['no list of groups', writeTlv(0x60, writeTlv(0x5f01, text('0107')), writeTlv(0x5f36, text('040000')))],
    ['a list without DG1', write('0107', '040000', '75')],
    ['a list with a tag that is no group', write('0107', '040000', '617599')],
    ['a list with a group twice', write('0107', '040000', '617575')],
  ])('with %s is refused', (_, file) => {
    expect(() => parseEfCom(file)).toThrow(MALFORMED)
  })
})

describe('DG1', () => {
  const write = (mrz: string, tag = 0x5f1f) => writeTlv(0x61, writeTlv(tag, text(mrz)))

  test('of a card has three lines', () => {
    expect(parseDg1(write(`I<UTO${'0'.repeat(85)}`))).toMatchObject({ format: 'TD1', lines: { length: 3 } })
  })

  test.each([
    ['no MRZ', write('A'.repeat(88), 0x5f20)],
    ['lower case', write('a'.repeat(88))],
    ['letters of several bytes', write('É'.repeat(44))],
    ['bytes that are no UTF-8', writeTlv(0x61, writeTlv(0x5f1f, Buffer.alloc(88, 0xff)))],
    ['an object after the MRZ', writeTlv(0x61, writeTlv(0x5f1f, text('A'.repeat(88))), hex('0400'))],
    ['a length that is one less', shorten(write('A'.repeat(88)))],
  ])('with %s is refused', (_, file) => {
    expect(() => parseDg1(file)).toThrow(MALFORMED)
  })
})

describe('DG2', () => {
  test('gives JPEG and JPEG 2000 by their first bytes, whatever the record states', () => {
    expect(parseDg2(writeDg2(writeFaceRecord(JPEG)))).toEqual([{ format: 'jpeg', bytes: JPEG }])
    expect(parseDg2(writeDg2(writeFaceRecord(JPEG_2000), { recordTag: 0x7f2e }))).toEqual([
      { format: 'jpeg2000', bytes: JPEG_2000 },
    ])
    expect(parseDg2(writeDg2(writeFaceRecord(hex('FF4FFF51 0000'))))).toMatchObject([{ format: 'jpeg2000' }])
  })

  test('passes over feature points, and accepts unknown features and an older form of the type', () => {
    const face = writeFaceRecord(JPEG, { points: 2, bytes: { 6: 0xff, 7: 0xff, 8: 0xff, 14: 180 } })
    expect(parseDg2(writeDg2(face))).toMatchObject([{ format: 'jpeg' }])
    for (const type of ['02', '0002', null]) expect(parseDg2(writeDg2(face, { type }))).toHaveLength(1)
  })

  test('of ISO/IEC 39794-5 gives the image of the representation', () => {
    const changes = { format: '8802 002A', recordTag: 0x7f2e }
    expect(parseDg2(writeDg2(writeExtensibleRecord(JPEG_2000), changes))).toEqual([
      { format: 'jpeg2000', bytes: JPEG_2000 },
    ])
    for (const record of [
      writeExtensibleRecord(hex('00')),
      writeExtensibleRecord(JPEG, 9),
      writeExtensibleRecord(
        JPEG,
        3,
        Array.from({ length: 12 }, () => 0xa0),
      ),
      writeFaceRecord(JPEG),
    ])
      expect(() => parseDg2(writeDg2(record, changes))).toThrow(MALFORMED)
  })

  const frames: readonly (readonly [string, Dg2Changes])[] = [
    ['another format owner', { owner: '8702 01FF' }],
    ['no format owner', { owner: '' }],
    ['another format', { format: '8802 0009' }],
    ['no format', { format: '' }],
    ['a type that is no face', { type: '000008' }],
    ['no number of instances', { count: hex('') }],
    ['no instance', { count: hex('020100') }],
    ['a wrong number of instances', { count: hex('020102') }],
    ['no record', { recordTag: 0x5f2f }],
  ]
  test.each(frames)('with %s is refused', (_, changes) => {
    expect(() => parseDg2(writeDg2(writeFaceRecord(JPEG), changes))).toThrow(MALFORMED)
  })

  const records: readonly (readonly [string, RecordChanges, Buffer?])[] = [
    ['another format identifier', { start: Buffer.from('FIR\x00010\x00', 'latin1') }],
    ['another version', { start: Buffer.from('FAC\x00020\x00', 'latin1') }],
    ['a length of the record that is one less', { recordLength: -1 }],
    ['a length of the face that leaves out the feature points', { points: 2, faceLength: -16 }],
    ['a length of the face beyond the record', { faceLength: 9 }],
    ['a face without length', { bytes: { 0: 0, 1: 0, 2: 0, 3: 0 } }],
    ['more feature points than bytes', { bytes: { 4: 0xff } }],
    ['no image in the record', { count: 0 }],
    ['more images than the record has', { count: 2 }],
    ['an unlawful gender', { bytes: { 6: 4 } }],
    ['an unlawful eye colour', { bytes: { 7: 9 } }],
    ['an unlawful hair colour', { bytes: { 8: 10 } }],
    ['an unlawful yaw', { bytes: { 14: 181 } }],
    ['an unlawful pitch', { bytes: { 15: 181 } }],
    ['an unlawful roll', { bytes: { 16: 181 } }],
    ['an unlawful uncertainty', { bytes: { 19: 182 } }],
    ['an unlawful type of image', { bytes: { 20: 3 } }],
    ['an unlawful type of data', { bytes: { 21: 2 } }],
    ['an image without bytes', {}, hex('')],
    ['an image of another format', {}, hex('89504E470D0A1A0A')],
  ]
  const cases = records.map(([name, changes, image = JPEG]) => [name, changes, image] as const)
  test.each(cases)('whose record has %s is refused', (_, changes, image) => {
    expect(() => parseDg2(writeDg2(writeFaceRecord(image, changes)))).toThrow(MALFORMED)
  })
})

test('DG7 gives its images, and is refused with another number of them', () => {
  const write = (count: number) => writeTlv(0x67, Buffer.of(2, 1, count), writeTlv(0x5f43, JPEG))
  expect(parseDg7(write(1))).toEqual([{ format: 'jpeg', bytes: JPEG }])
  for (const count of [0, 2, 200]) expect(() => parseDg7(write(count))).toThrow(MALFORMED)
  expect(() => parseDg7(writeTlv(0x67, hex('020101'), writeTlv(0x5f43, hex('00'))))).toThrow(MALFORMED)
})

/** A group whose list names the elements. */
function writeListed(group: number, elements: Readonly<Record<number, Buffer>>, ...more: Buffer[]): Buffer {
  const tags = Object.keys(elements).map(Number)
  const list = Buffer.concat(tags.map((tag) => Buffer.of(tag >> 8, tag & 0xff)))
  return writeTlv(
    group,
    writeTlv(0x5c, list),
    ...tags.map((tag) => writeTlv(tag, elements[tag] ?? hex(''))),
    ...more,
  )
}

describe('DG11', () => {
  test('gives every element, with the real letters of the name', () => {
    const others = writeTlv(0xa0, hex('020101'), writeTlv(0x5f0f, text('SCHMIDT<<EVA')))
    const file = writeListed(
      0x6b,
      {
        0x5f0e: text('MÜLLER<<ÉMILIE<ŻANETA'),
        0x5f10: text('12345'),
        0x5f2b: hex('19960812'),
        0x5f11: text('BERLIN<DE'),
        0x5f42: text('Straße 1<Berlin'),
        0x5f12: text('030'),
        0x5f13: text('ENGINEER'),
        0x5f14: text('DR'),
        0x5f15: text('SUMMARY'),
        0x5f16: JPEG,
        0x5f17: text('X1<X2'),
        0x5f18: text('CUSTODY'),
      },
      others,
    )
    expect(parseDg11(file)).toEqual({
      name: { surname: 'MÜLLER', givenNames: 'ÉMILIE ŻANETA' },
      otherNames: [{ surname: 'SCHMIDT', givenNames: 'EVA' }],
      personalNumber: '12345',
      dateOfBirth: '19960812',
      placeOfBirth: ['BERLIN', 'DE'],
      address: ['Straße 1', 'Berlin'],
      telephone: '030',
      profession: 'ENGINEER',
      title: 'DR',
      personalSummary: 'SUMMARY',
      proofOfCitizenship: { format: 'jpeg', bytes: JPEG },
      otherDocuments: ['X1', 'X2'],
      custody: 'CUSTODY',
    })
  })

  test('gives the date of birth as digits, too, and a name without given names', () => {
    const file = writeListed(0x6b, { 0x5f2b: text('19960812'), 0x5f0e: text('MONONYM') })
    expect(parseDg11(file)).toMatchObject({
      dateOfBirth: '19960812',
      name: { surname: 'MONONYM', givenNames: '' },
      telephone: null,
    })
  })

  test.each([
    [
      'an element that the list does not name',
      writeTlv(0x6b, writeTlv(0x5c, hex('5F0E')), writeTlv(0x5f10, text('1'))),
    ],
    ['no list', writeTlv(0x6b, writeTlv(0x5f10, text('1')))],
    ['a list that is cut off', writeTlv(0x6b, writeTlv(0x5c, hex('5F')))],
    ['an element twice', writeListed(0x6b, { 0x5f10: text('1') }, writeTlv(0x5f10, text('2')))],
    ['a date that is none', writeListed(0x6b, { 0x5f2b: text('1996081') })],
    ['a date in letters', writeListed(0x6b, { 0x5f2b: hex('1996AB12') })],
    ['a name that is no UTF-8', writeListed(0x6b, { 0x5f0e: hex('C328') })],
    [
      'fewer other names than their number',
      writeListed(0x6b, {}, writeTlv(0xa0, hex('020102'), writeTlv(0x5f0f, text('A')))),
    ],
  ])('with %s is refused', (_, file) => {
    expect(() => parseDg11(file)).toThrow(MALFORMED)
  })
})

test('DG12 gives every element', () => {
  const others = writeTlv(0xa0, hex('020101'), writeTlv(0x5f1a, text('PERSON')))
  const file = writeListed(
    0x6c,
    {
      0x5f19: text('UTOPIA'),
      0x5f26: text('20200101'),
      0x5f1b: text('NONE'),
      0x5f1c: text('EXIT'),
      0x5f1d: JPEG,
      0x5f1e: hex('00'),
      0x5f55: hex('20200102030405'),
      0x5f56: text('SN1'),
    },
    others,
  )
  expect(parseDg12(file)).toEqual({
    issuingAuthority: 'UTOPIA',
    dateOfIssue: '20200101',
    otherPersons: ['PERSON'],
    endorsements: 'NONE',
    taxOrExit: 'EXIT',
    front: { format: 'jpeg', bytes: JPEG },
    rear: null,
    personalisedAt: '20200102030405',
    personalisationSerialNumber: 'SN1',
  })
  expect(() => parseDg12(writeListed(0x6c, { 0x5f26: text('202') }))).toThrow(MALFORMED)
})

/** The same file whose outer length is one less. */
function shorten(file: Buffer): Buffer {
  const changed = Buffer.from(file)
  changed[1] = (changed[1] ?? 0) - 1
  return changed
}
