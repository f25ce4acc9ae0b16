/** Tests where the value of a label is found: behind it, to its right or below it, how far, and what is in the way. */
import { describe, expect, test } from 'vitest'
import { findValue } from '../../../../server/proofing/visual-zone/beside-label.ts'
import type { Label } from '../../../../server/proofing/visual-zone/labels.ts'
import type { PageFieldName } from '../../../../server/proofing/visual-zone/page-facts.ts'
import type { Segment } from '../../../../server/proofing/visual-zone/segments.ts'
import { CONTEXT, piece } from './a-piece.ts'

describe('a value beside a label', () => {
  const label = piece('Surname')
  const beside = (
    candidates: readonly Segment[],
    name: PageFieldName = 'surname',
    rest: Segment | null = null,
    labels: readonly Label[] = [],
  ) => findValue({ segment: label, field: name, rest }, name, candidates, labels, CONTEXT)

  test('stands behind it, to the right of it or below it, the nearest first', () => {
    const below = piece('BELOW', { y: 12 })
    const right = piece('RIGHT', { x: 45 })
    const far = piece('FAR', { y: 40 })
    expect(beside([far, below])?.value).toBe('BELOW')
    expect(beside([far, right])?.value).toBe('RIGHT')
    expect(beside([below], 'surname', piece('BEHIND'))).toMatchObject({ value: 'BEHIND', distance: 0 })
    expect(beside([])).toBeNull()
  })

  test('behind it counts where it was read better than the one beside it', () => {
    const below = piece('BELOW', { y: 12, confidence: 0.8 })
    expect(beside([below], 'surname', piece('BEHIND', { confidence: 0.85 }))?.value).toBe('BEHIND')
    expect(beside([below], 'surname', piece('BEHIND', { confidence: 0.84 }))?.value).toBe('BEHIND')
    expect(beside([below], 'surname', piece('BEHIND', { confidence: 0.8 }))?.value).toBe('BEHIND')
    expect(beside([below], 'surname', piece('BEHIND', { confidence: 0.79 }))?.value).toBe('BELOW')
  })

  test('behind it gives way where it is not certain and another was read better', () => {
    const below = piece('BELOW', { y: 12, confidence: 0.95 })
    expect(beside([below], 'surname', piece('BEHIND', { confidence: 0.85 }))?.value).toBe('BEHIND')
    expect(beside([below], 'surname', piece('BEHIND', { confidence: 0.84 }))?.value).toBe('BELOW')
    expect(beside([below], 'surname', piece('12345'))?.value).toBe('BELOW')
  })

  test.each([
    ['right of it', { x: 45 }, 1.5],
    ['twice as far', { x: 55 }, 2],
    ['at the end of a line', { x: 125 }, 5.5],
    ['in the column of a table', { x: 135 }, 10],
    ['at the end of the table', { x: 295 }, 18],
    ['below it', { y: 12 }, 0.2],
    ['below and a little to the right', { y: 12, x: 10 }, 0.5],
    ['below and beginning before', { y: 12, x: -15 }, 0.65],
    ['below and centred', { y: 12, x: -20 }, 1.8],
    ['touching it from below', { y: 5.6 }, 0],
    ['overlapping it from below', { y: 4, x: 15 }, 0.45],
  ])('is so far away: %s', (_, place, distance) => {
    expect(beside([piece('ERIKSSON', place)])?.distance).toBeCloseTo(distance)
  })

  test.each([
    ['under two fifths of it', 'ERIKSSON', { y: 12, x: 21 }, true],
    ['under less than that', 'ERIKSSON', { y: 12, x: 21.1 }, false],
    ['short, two fifths under it', 'AB', { y: 12, x: 31 }, true],
    ['short, less than that under it', 'AB', { y: 12, x: 31.1 }, false],
    ['short, beginning a little before', 'AB', { y: 12, x: -15 }, true],
    ['short, beginning farther before', 'AB', { y: 12, x: -15.1 }, false],
    ['long, beginning ten heights before', 'ABCDEFGHIJKLMNOPQRSTUVWXYZABCD', { y: 12, x: -100 }, true],
    ['long, beginning before that', 'ABCDEFGHIJKLMNOPQRSTUVWXYZABCD', { y: 12, x: -100.1 }, false],
    ['overlapping too much', 'ERIKSSON', { x: 29 }, false],
    ['overlapping from above', 'ERIKSSON', { y: 3.9, x: 15 }, false],
  ])('stands below, %s: %j %j is %s', (_, text, place, isFound) => {
    expect(beside([piece(text, place)]) !== null).toBe(isFound)
  })

  test('is never beyond something else, unless it is a date or a sex', () => {
    const other = piece('12345', { y: 12 })
    expect(beside([other, piece('ERIKSSON', { y: 24 })])).toBeNull()
    expect(beside([piece('ERIKSSON', { y: 12 }), piece('12.08.1974', { y: 24 })], 'birthDate')?.value).toBe(
      '1974-08-12',
    )
    expect(beside([piece('12345', { y: 12 }), piece('F', { y: 24 })], 'sex')?.value).toBe('F')
  })

  test.each([
    ['to the right as far as nine heights', { x: 125 }, true],
    ['as far as a table goes', { x: 35 + 260 }, true],
    ['farther than a table', { x: 35 + 261 }, false],
    ['overlapping a little', { x: 30 }, true],
    ['below as far as four heights', { y: 10 + 42 }, true],
    ['farther below', { y: 10 + 43 }, false],
    ['on the other side', { y: 12, captureIndex: 1 }, false],
    ['smaller than the label', { y: 12, height: 6.9 }, false],
    ['not quite as large', { y: 12, height: 7 }, true],
    ['below and beginning a little before', { y: 12, x: -15 }, true],
    ['below and to the right', { y: 12, x: 60 }, false],
    ['above', { y: -20 }, false],
  ])('stands %s: %j', (_, place, isFound) => {
    expect(beside([piece('ERIKSSON', place)]) !== null).toBe(isFound)
  })

  test.each([
    ['of another field right above it', { y: 14 }, 'givenNames', false],
    ['of no field of ours', { y: 14 }, null, false],
    ['of the same field in another language', { y: 14 }, 'surname', true],
    ['in another column', { y: 14, x: 40 }, 'givenNames', true],
    ['below it', { y: 42 }, 'givenNames', true],
    ['on the other side', { y: 14, captureIndex: 1 }, 'givenNames', true],
  ] as const)('is not the value of a label that stands between: one %s', (_, place, field, isFound) => {
    const between: Label = { segment: piece('Label', place), field, rest: null }
    expect(beside([piece('ERIKSSON', { y: 28 })], 'surname', null, [between]) !== null).toBe(isFound)
  })
})
