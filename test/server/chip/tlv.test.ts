import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ChipFault } from '../../../server/chip/outcome.ts'
import { findValue, measureTlv, readTlv, readTlvs, writeTlv } from '../../../server/chip/tlv.ts'
import { hex } from '../../../server/tools/simulator/chip/hex.ts'

const MALFORMED = expect.objectContaining({ name: 'ChipFault', reason: 'malformed_data' }) as ChipFault

describe('reading data objects', () => {
  test('gives tags of one, two and three bytes, and lengths in every form', () => {
    const objects = readTlvs(
      hex('8001AA 7F6102BBCC 5F2E8101DD 7F810200 86820001EE 8783000001FF 888400000001 11'),
    )
    expect(objects.map(({ tag, value }) => [tag, Buffer.from(value).toString('hex')])).toEqual([
      [0x80, 'aa'],
      [0x7f61, 'bbcc'],
      [0x5f2e, 'dd'],
      [0x7f8102, ''],
      [0x86, 'ee'],
      [0x87, 'ff'],
      [0x88, '11'],
    ])
  })

  test.each([
    ['a value that is cut off', '8002AA'],
    ['a header without a length', '80'],
    ['a tag without its second byte', '7F'],
    ['a tag of four bytes', '7F81828300'],
    ['a length of five bytes', '80850000000001AA'],
    ['a length beyond the end', '8084FFFFFFFF'],
    ['the tag zero', '0000'],
    ['an indefinite length', '30800000'],
  ])('refuses %s', (_, bytes) => {
    expect(() => readTlvs(hex(bytes))).toThrow(MALFORMED)
  })

  test('refuses more objects than the bound', () => {
    expect(() => readTlvs(Buffer.alloc(2 * 4097).fill(hex('8000')))).toThrow(MALFORMED)
  })

  test('accepts one object only if it has the tag and fills the bytes', () => {
    expect(Buffer.from(readTlv(hex('7C020102'), 0x7c).value)).toEqual(hex('0102'))
    expect(() => readTlv(hex('7C020102'), 0x7d)).toThrow(MALFORMED)
    expect(() => readTlv(hex('7C020102FF'), 0x7c)).toThrow(MALFORMED)
    expect(() => readTlv(hex(''), 0x7c)).toThrow(MALFORMED)
  })

  test('refuses a second object where one is meant', () => {
    const objects = readTlvs(hex('8001018001FF'))
    expect(() => findValue(objects, 0x80)).toThrow(MALFORMED)
    expect(findValue(objects, 0x99)).toBeNull()
  })
})

describe('the indefinite length', () => {
  const read = (bytes: string) => readTlvs(hex(bytes), { indefinite: true })

  test('ends at its own zero bytes, also around other indefinite objects', () => {
    const [outer, next] = read('3080 2480 0402 0000 0000 0201 05 0000 020106')
    expect(Buffer.from(outer?.value ?? [])).toEqual(hex('248004020000 0000 020105'))
    expect(Buffer.from(outer?.raw ?? [])).toEqual(hex('3080248004020000 0000 020105 0000'))
    expect(next?.tag).toBe(2)
  })

  test.each([
    ['an object that does not end', '3080020105'],
    ['a primitive object', '04800000'],
    ['an end with a length', '30800001'],
    ['more levels than the bound', '3080'.repeat(40) + '0000'.repeat(40)],
  ])('refuses %s', (_, bytes) => {
    expect(() => read(bytes)).toThrow(MALFORMED)
  })
})

test('the length of a file is known from its first bytes', () => {
  expect(measureTlv(hex('75'))).toBeNull()
  expect(measureTlv(hex('7582'))).toBeNull()
  expect(measureTlv(hex('75823039'))).toEqual({ tag: 0x75, headerLength: 4, totalLength: 12_349 })
  expect(() => measureTlv(hex('7580'))).toThrow(MALFORMED)
})

test('a written object is read again as it was', () => {
  const tags = fc.constantFrom(0x30, 0x61, 0x5f1f, 0x7f61, 0x87)
  fc.assert(
    fc.property(tags, fc.uint8Array({ maxLength: 70_000, size: 'max' }), (tag, value) => {
      expect(Buffer.compare(readTlv(writeTlv(tag, value), tag).value, value)).toBe(0)
    }),
    { numRuns: 30 },
  )
})

test('arbitrary bytes give objects or a fault, never another error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), fc.boolean(), (bytes, indefinite) => {
      try {
        const objects = readTlvs(bytes, { indefinite })
        expect(Buffer.concat(objects.map(({ raw }) => raw))).toEqual(Buffer.from(bytes))
      } catch (error) {
        expect(error).toBeInstanceOf(ChipFault)
      }
    }),
    { numRuns: 2000 },
  )
})
