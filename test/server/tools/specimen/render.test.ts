import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { readRecipes } from '../../../../server/tools/specimen/build-specimens.ts'
import type { SpecimenRecipe } from '../../../../server/tools/specimen/build-specimens.ts'
import { renderHead } from '../../../../server/tools/specimen/head/render.ts'
import { PASSPORT_VIEW } from '../../../../server/tools/specimen/head/view.ts'

const SIZE = { width: 24, height: 30, antialias: false }
const hash = (pixels: Uint8Array) => createHash('sha256').update(pixels).digest('hex')

let recipes: SpecimenRecipe[]
beforeAll(async () => {
  recipes = await readRecipes()
})

describe('the rendered head', () => {
  test('is the same picture every time it is rendered from the same recipe', () => {
    const [{ head }] = recipes
    const first = renderHead(head, PASSPORT_VIEW, SIZE)
    const second = renderHead(head, PASSPORT_VIEW, SIZE)
    expect(hash(first.pixels)).toBe(hash(second.pixels))
    expect(first.landmarks).toEqual(second.landmarks)
  })

  test('differs from person to person and from pose to pose', () => {
    const frontal = recipes.map(({ head }) => hash(renderHead(head, PASSPORT_VIEW, SIZE).pixels))
    const turnedView = { ...PASSPORT_VIEW, pose: { yawDeg: 20, pitchDeg: 0, rollDeg: 0 } }
    const turned = recipes.map(({ head }) => hash(renderHead(head, turnedView, SIZE).pixels))
    expect(new Set([...frontal, ...turned]).size).toBe(2 * recipes.length)
  })

  test("a nose that turns to the picture's right moves its landmark there, and a nod moves it down", () => {
    const [{ head }] = recipes
    const at = (yawDeg: number, pitchDeg: number) =>
      renderHead(head, { ...PASSPORT_VIEW, pose: { yawDeg, pitchDeg, rollDeg: 0 } }, SIZE).landmarks.noseTip
    const [x, y] = at(0, 0)
    expect(at(20, 0)[0]).toBeGreaterThan(x + 1)
    expect(at(-20, 0)[0]).toBeLessThan(x - 1)
    expect(at(0, -15)[1]).toBeGreaterThan(y + 0.5)
  })
})
