import { describe, expect, test } from 'vitest'
import { fuzzChip } from '../../../../server/tools/bench/fuzz/chip.ts'
import { makeChipTargets } from '../../../../server/tools/bench/fuzz/chip-targets.ts'

const SEEDS = [Buffer.from('0102030405060708', 'hex')]

describe('the bench that damages what a chip says', () => {
  test('finds no fault in the parsers: none crashes, is slow, or accepts a forgery', () => {
    const result = fuzzChip({ inputs: 120, seed: 1 })
    expect(result.failures).toEqual({})
    for (const { sent, read, refused } of Object.values(result.parsers)) {
      expect(sent).toBe(120)
      expect(read + refused).toBe(sent)
      expect(refused).toBeGreaterThan(0)
    }
  })

  test('sends the same inputs for the same seed', () => {
    const [one, other] = [1, 1].map((seed) => {
      const sent: string[] = []
      const parse = (bytes: Uint8Array): number => sent.push(Buffer.from(bytes).toString('hex'))
      fuzzChip({ inputs: 50, seed }, [{ name: 'parser', seeds: SEEDS, parse }])
      return sent
    })
    expect(one).toEqual(other)
    expect(new Set(one).size).toBeGreaterThan(30)
  })

  test.each([
    [
      'a parser that crashes',
      { parse: (): number => (undefined as unknown as Buffer).length },
      'parser: TypeError',
    ],
    [
      'a parser that accepts a forgery',
      { parse: (): boolean => true, isGenuine: (): boolean => false },
      'parser: forgery accepted',
    ],
  ] as const)('reports %s', (_, target, failure) => {
    const result = fuzzChip({ inputs: 20, seed: 2 }, [{ name: 'parser', seeds: SEEDS, ...target }])
    expect(result.failures[failure]).toBeGreaterThan(0)
  })

  test('begins with inputs that are read', () => {
    for (const { seeds, parse } of makeChipTargets())
      for (const seed of seeds) expect(() => parse(seed)).not.toThrow()
  })
})
