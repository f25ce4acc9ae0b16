import { describe, expect, test } from 'vitest'
import {
  isInAgreement,
  agreeingSets,
  disagreementsWith,
} from '../../../../server/proofing/assurance/agreeing-sets.ts'
import type { EvidenceFacts } from '../../../../server/proofing/assurance/facts.ts'
import { someEvidence } from '../../../support/assurance.ts'

const at = (id: string, ...others: readonly string[]): EvidenceFacts =>
  someEvidence({ id, disagreements: others.map((evidenceId) => ({ evidenceId, attributes: ['surname'] })) })

const idsOf = (evidences: readonly EvidenceFacts[]): readonly string[] =>
  agreeingSets(evidences)
    .map((set) => set.map(({ id }) => id).join(''))
    .sort()

describe('sets of evidence that agree', () => {
  test.each<[string, readonly EvidenceFacts[], readonly string[]]>([
    ['one that contradicts two which agree', [at('a', 'b', 'c'), at('b'), at('c')], ['a', 'bc']],
    [
      'a ring of four, each beside two others',
      [at('a', 'c'), at('b', 'd'), at('c'), at('d')],
      ['ab', 'ad', 'bc', 'cd'],
    ],
    ['a chain', [at('a', 'b'), at('b', 'c'), at('c', 'd'), at('d')], ['ac', 'ad', 'bd']],
    [
      'two persons with three documents each',
      [at('a', 'x', 'y', 'z'), at('b', 'x', 'y', 'z'), at('c', 'x', 'y', 'z'), at('x'), at('y'), at('z')],
      ['abc', 'xyz'],
    ],
    ['evidence that contradicts itself, beside another', [at('a', 'a'), at('b')], ['ab']],
  ])('each once: %s', (_, evidences, expected) => {
    expect(idsOf(evidences)).toEqual(expected)
    expect(idsOf(evidences.toReversed())).toEqual(expected)
  })

  test('of two persons with many documents are found without trying what they have in common again and again', () => {
    let looks = 0
    const counting = (id: string, others: readonly string[]): EvidenceFacts => {
      const evidence = at(id, ...others)
      return Object.defineProperty({ ...evidence }, 'disagreements', {
        get: () => {
          looks += 1
          return evidence.disagreements
        },
      })
    }
    const numbers = Array.from({ length: 12 }, (_, index) => String.fromCharCode(97 + index))
    const first = numbers.map((name) => `1${name}`)
    const second = numbers.map((name) => `2${name}`)
    const sets = agreeingSets([
      ...first.map((id) => counting(id, second)),
      ...second.map((id) => counting(id, [])),
    ])
    expect(sets.map((set) => set.map(({ id }) => id))).toEqual([first, second])
    // 2^12 subsets of either would be looked at without a pivot: hundreds of thousands.
    expect(looks).toBeLessThan(10_000)
  })
})

test('evidence agrees with itself, whatever it says of itself', () => {
  expect(isInAgreement(at('a', 'a'), at('a', 'a'))).toBe(true)
  expect(disagreementsWith([at('a', 'a')], [at('a', 'a')])).toEqual([])
})

test('a disagreement is named by what the two say of each other, and by nothing that either says of others', () => {
  const of = (evidenceId: string, ...attributes: readonly string[]) => ({ evidenceId, attributes })
  const a = someEvidence({ id: 'a', disagreements: [of('y', 'surname'), of('z', 'gender')] })
  const z = someEvidence({
    id: 'z',
    disagreements: [of('a', 'dateOfBirth', 'gender'), of('q', 'nationality')],
  })
  expect(disagreementsWith([a], [z, at('y'), at('q')])).toEqual([
    { evidenceId: 'y', attributes: ['surname'] },
    { evidenceId: 'z', attributes: ['dateOfBirth', 'gender'] },
  ])
})
