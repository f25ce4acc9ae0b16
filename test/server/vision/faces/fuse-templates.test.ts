/** Several pictures of one face as one template: arithmetic on made-up numbers. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Template } from '../../../../server/vision/faces/embed.ts'
import { mirrorSquare, normalise, withoutColour } from '../../../../server/vision/faces/embed.ts'
import { fuseTemplates } from '../../../../server/vision/faces/fuse-templates.ts'
import { dlibCosine, mobileFaceNetCosine } from '../../../../server/vision/faces/scores.ts'

const SIZE = 128
const vector = (seed: number): Float32Array =>
  Float32Array.from({ length: SIZE }, (_, i) => Math.sin(seed * 12.9898 + i * 78.233))
/** A picture of a person: his own numbers and, by `apart`, those of the moment. */
const picture = (person: number, moment: number, apart = 0.3): Template => {
  const mixed = vector(person).map((value, i) => value + apart * vector(1000 + moment)[i])
  return { dlib: normalise(mixed), mobileFaceNet: normalise(mixed) }
}

describe('pictures of one person fused into one template', () => {
  const moments = fc.uniqueArray(fc.nat({ max: 500 }), { minLength: 2, maxLength: 5 })

  test('say the same in any order', () => {
    fc.assert(
      fc.property(moments, (list) => {
        const [forth, back] = [list, [...list].reverse()].map((order) =>
          fuseTemplates(order.map((moment) => picture(7, moment))),
        )
        const other = picture(3, 900)
        expect(dlibCosine(forth, other)).toBeCloseTo(dlibCosine(back, other), 5)
        expect(mobileFaceNetCosine(forth, other)).toBeCloseTo(mobileFaceNetCosine(back, other) ?? NaN, 5)
      }),
    )
  })

  test('that are all alike say what one of them says', () => {
    const one = picture(7, 1)
    const fused = fuseTemplates([one, one, one])
    expect(dlibCosine(fused, picture(3, 2))).toBeCloseTo(dlibCosine(one, picture(3, 2)), 5)
    expect(mobileFaceNetCosine(fused, picture(3, 2))).toBeCloseTo(
      mobileFaceNetCosine(one, picture(3, 2)) ?? NaN,
      5,
    )
  })

  test('come nearer to the person than they are on average', () => {
    const shots = [1, 2, 3, 4].map((moment) => picture(7, moment, 0.6))
    const reference = picture(7, 99, 0.6)
    const single = shots.map((shot) => dlibCosine(shot, reference))
    expect(dlibCosine(fuseTemplates(shots), reference)).toBeGreaterThan(
      single.reduce((sum, value) => sum + value, 0) / single.length,
    )
  })

  test('come hardly nearer to a stranger: what averaging takes off is put back', () => {
    const shots = [1, 2, 3, 4].map((moment) => picture(7, moment, 0.6))
    const stranger = picture(3, 99, 0.6)
    const single = shots.map((shot) => dlibCosine(shot, stranger))
    const mean = single.reduce((sum, value) => sum + value, 0) / single.length
    const fused = fuseTemplates(shots)
    const bare = dlibCosine({ ...fused, agreement: undefined }, stranger)
    const corrected = dlibCosine(fused, stranger)
    expect(Math.abs(corrected)).toBeLessThan(Math.abs(bare))
    expect(Math.abs(corrected - mean)).toBeLessThan(Math.abs(bare - mean) / 2)
  })

  test('have no cosine with a template of fewer networks', () => {
    const core: Template = { dlib: normalise(vector(1)), mobileFaceNet: null }
    expect(mobileFaceNetCosine(fuseTemplates([picture(7, 1), picture(7, 2)]), core)).toBeNull()
    expect(fuseTemplates([core, picture(7, 1)]).mobileFaceNet).toBeNull()
  })
})

test('a mirrored chip has its columns turned round, and mirrored twice it is itself', () => {
  const chip = Float32Array.from({ length: 3 * 3 * 3 }, (_, i) => i)
  expect([...mirrorSquare(chip, 3).subarray(0, 9)]).toEqual([6, 7, 8, 3, 4, 5, 0, 1, 2])
  expect(mirrorSquare(mirrorSquare(chip, 3), 3)).toEqual(chip)
})

test('a chip without colour has one luma in all three channels', () => {
  const grey = withoutColour(Float32Array.of(255, 0, 0, 90, 90, 90))
  expect(grey[0]).toBeCloseTo(76.245, 3)
  expect([grey[1], grey[2], grey[3]]).toEqual([grey[0], grey[0], grey[4]])
  expect(grey[3]).toBeCloseTo(90, 4)
})
