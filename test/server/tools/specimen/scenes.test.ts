import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { applyHomography } from '../../../../server/tools/specimen/passport/homography.ts'
import { DEGRADATIONS, degrade, type DegradationName } from '../../../support/degrade.ts'
import { placeCamera } from '../../../../server/tools/specimen/scenes/geometry.ts'
import { cleanPlan, planScene, type ScenePlan } from '../../../../server/tools/specimen/scenes/plan.ts'
import {
  renderNegative,
  renderPlan,
  renderScene,
  type Scene,
} from '../../../../server/tools/specimen/scenes/scene.ts'
import { VARIANT_NAMES, type VariantName } from '../../../../server/tools/specimen/documents/variants.ts'
import type { Point } from '../../../../server/vision/protocol.ts'

/** Small, so that the test is quick. */
const SMALL: Partial<ScenePlan> = { widthPx: 640, heightPx: 480 }
const small = (plan: ScenePlan): ScenePlan => ({ ...plan, ...SMALL })

async function pixelsOf(jpeg: Uint8Array) {
  const { data, info } = await sharp(jpeg).greyscale().raw().toBuffer({ resolveWithObject: true })
  const at = ({ x, y }: Point) => data[Math.round(y) * info.width + Math.round(x)]
  const mean = data.reduce((sum, value) => sum + value, 0) / data.length
  return { at, mean, width: info.width, height: info.height }
}

const towards = (from: Point, to: Point, share: number): Point => ({
  x: from.x + (to.x - from.x) * share,
  y: from.y + (to.y - from.y) * share,
})

describe('the truth of a scene', () => {
  test('has its corners where the card ends: bright inside, dark outside', async () => {
    const plan: ScenePlan = {
      ...small(cleanPlan('identity-card', 3, 1)),
      background: 'dark',
      tiltDeg: 18,
      tiltAxisDeg: 40,
      angleDeg: 7,
    }
    const { jpeg, truth } = await renderPlan(plan)
    const { at } = await pixelsOf(jpeg)
    const middle = towards(truth.quad[0], truth.quad[2], 0.5)
    for (const corner of truth.quad) {
      // Corners are rounded by 3 mm: look where the diagonal meets the card, and as far outside.
      expect(at(towards(corner, middle, 0.07))).toBeGreaterThan(120)
      expect(at(towards(corner, middle, -0.05))).toBeLessThan(90)
    }
  })

  test.each([
    [0, 0],
    [90, 270],
    [180, 180],
    [270, 90],
  ] as const)('names the turn back for content turned by %i degrees', async (contentTurn, rotationDeg) => {
    const { truth } = await renderPlan({ ...small(cleanPlan('passport', 2)), contentTurn })
    expect(truth.rotationDeg).toBe(rotationDeg)
    // The content's upper edge points where the turn says: right for 90 degrees.
    const [topLeft, , , bottomLeft] = truth.quad
    const up = Math.atan2(topLeft.x - bottomLeft.x, bottomLeft.y - topLeft.y) * (180 / Math.PI)
    expect(Math.abs(((up - contentTurn + 540) % 360) - 180)).toBeLessThan(6)
  })

  test('counts only the values that can be seen', async () => {
    const plan = small(cleanPlan('identity-card', 3))
    const whole = (await renderPlan(plan)).truth
    expect(whole.visible).toHaveLength(whole.fields.length)
    expect(whole.sidesOutside).toBe(0)
    const cut = (await renderPlan(degrade(plan, 'cut', 1))).truth
    expect(cut.sidesOutside).toBe(1)
    expect(cut.visible.length).toBeLessThan(whole.visible.length)
    const glaring = (await renderPlan(degrade(plan, 'glare', 1))).truth
    expect(glaring.visible.length).toBeLessThan(whole.visible.length)
    const held = (
      await renderPlan({ ...plan, hand: { style: 'press', edge: 'right', along: 0.8, depthMm: 24, tone: 2 } })
    ).truth
    expect(held.visible.map(({ field }) => field)).not.toContain('expiryDate')
  })

  test('accepts the page that a visa is glued to', async () => {
    const { truth } = await renderPlan(small(cleanPlan('visa-b', 2)))
    expect(truth.alsoRight).toHaveLength(1)
    expect((await renderPlan(small(cleanPlan('passport', 2)))).truth.alsoRight).toHaveLength(0)
  })
})

describe('a plan', () => {
  test('gives the same picture for the same seed and another for another', async () => {
    const size = [640, 480] as const
    const first = await renderScene({ seed: 11, size })
    const again = await renderScene({ seed: 11, size })
    const other = await renderScene({ seed: 12, size })
    expect(first.jpeg.equals(again.jpeg)).toBe(true)
    expect(first.truth).toEqual(again.truth)
    expect(first.jpeg.equals(other.jpeg)).toBe(false)
  })

  test('covers all turns, hands, shadows, glare and every surface within a few hundred seeds', () => {
    const plans = Array.from({ length: 300 }, (_, seed) => planScene({ seed }))
    expect(new Set(plans.map(({ contentTurn }) => contentTurn)).size).toBe(4)
    expect(new Set(plans.map(({ background }) => background)).size).toBe(9)
    expect(new Set(plans.map(({ kind }) => kind)).size).toBe(11)
    expect(plans.filter(({ hand }) => hand !== null).length).toBeGreaterThan(60)
    expect(plans.filter(({ shadows }) => shadows.length > 0).length).toBeGreaterThan(100)
    expect(plans.filter(({ glare }) => glare.length > 0).length).toBeGreaterThan(30)
    expect(Math.max(...plans.map(({ tiltDeg }) => tiltDeg))).toBeGreaterThan(18)
  })

  test('keeps the whole document in the picture unless it is meant to be cut', () => {
    const framed = { x: 0, y: 0, width: 125, height: 88 }
    for (let seed = 0; seed < 200; seed++) {
      const plan = planScene({ seed, kind: 'passport' })
      if (plan.mayBeCut) continue
      const { toPicture } = placeCamera(framed, { ...plan, angleDeg: plan.contentTurn + plan.angleDeg })
      for (const [x, y] of [[0, 0], [125, 0], [125, 88], [0, 88]]) {
        const [u, v] = applyHomography(toPicture, x, y)
        expect(u).toBeGreaterThan(0)
        expect(v).toBeGreaterThan(0)
        expect(u).toBeLessThan(plan.widthPx)
        expect(v).toBeLessThan(plan.heightPx)
      }
    }
  }) // oxfmt-ignore
})

describe('a weakness', () => {
  const plan = small(cleanPlan('identity-card', 3))

  test.each(DEGRADATIONS)('%s is nothing at strength 0 but for the numbers of the clean scene', (name) => {
    const { offset, share, exposure, lensSigmaPx, motionPx, tiltDeg, glare } = degrade(plan, name, 0)
    expect({ offset, share, exposure, lensSigmaPx, motionPx, tiltDeg, glare }).toEqual({
      offset: [0, 0],
      share: 0.5,
      exposure: 0.92,
      lensSigmaPx: 0.5,
      motionPx: 0,
      tiltDeg: 2,
      glare: [],
    })
  })

  test('grows with its strength in the picture', async () => {
    const steps = [0.25, 0.5, 1]
    const truths = async (name: DegradationName) =>
      Promise.all(steps.map(async (strength) => (await renderPlan(degrade(plan, name, strength))).truth))
    const falls = (values: readonly number[]) => values.every((value, i) => i === 0 || value < values[i - 1])
    const rises = (values: readonly number[]) => falls(values.map((value) => -value))
    expect(falls((await truths('far')).map(({ areaShare }) => areaShare))).toBe(true)
    expect(rises((await truths('near')).map(({ areaShare }) => areaShare))).toBe(true)
    expect(rises((await truths('cut')).map(({ quad }) => quad[1].x))).toBe(true)
    const means = await Promise.all(
      steps.map(
        async (strength) => (await pixelsOf((await renderPlan(degrade(plan, 'dark', strength))).jpeg)).mean,
      ),
    )
    expect(falls(means)).toBe(true)
  })

  test('keystone tilts the document by the angle that it names', async () => {
    const { quad } = (await renderPlan({ ...degrade(plan, 'keystone', 0.8), angleDeg: 0 })).truth
    const width = (a: Point, b: Point) => Math.hypot(a.x - b.x, a.y - b.y)
    expect(width(quad[2], quad[3]) / width(quad[0], quad[1])).not.toBeCloseTo(1, 1)
  })
})

test('a scene without a document is the same for the same seed', async () => {
  const first = await renderNegative(4)
  const again = await renderNegative(4)
  expect(first.jpeg.equals(again.jpeg)).toBe(true)
  expect((await sharp(first.jpeg).metadata()).width).toBe(first.plan.widthPx)
})

describe('a variant of a document', () => {
  const rendered = new Map<VariantName, Promise<Scene>>()
  /** Each once: a picture takes a second of a core. */
  const render = (variant: VariantName): Promise<Scene> => {
    const known =
      rendered.get(variant) ??
      renderScene({ seed: 21, kind: 'identity-card', sideIndex: 0, size: [640, 480], variant })
    rendered.set(variant, known)
    return known
  }

  test.each(VARIANT_NAMES.filter((name) => name !== 'plain' && name !== 'both-sides'))(
    '%s shows the same values in another picture',
    async (variant) => {
      const [plain, other] = [await render('plain'), await render(variant)]
      const valuesOf = ({ truth }: Scene) => truth.fields.map(({ field, value }) => [field, value])
      expect(valuesOf(other)).toEqual(valuesOf(plain))
      expect(other.jpeg.equals(plain.jpeg)).toBe(false)
    },
  )

  test('is plain unless a plan names another one', async () => {
    const options = { seed: 21, kind: 'identity-card', sideIndex: 0, size: [640, 480] } as const
    expect((await renderScene(options)).jpeg.equals((await render('plain')).jpeg)).toBe(true)
  })

  test('cut along the edges fills the picture with the document', async () => {
    const { jpeg, truth } = await render('full-bleed')
    const { width, height } = await sharp(jpeg).metadata()
    expect(truth.quad).toEqual([
      { x: 0, y: 0 },
      { x: width, y: 0 },
      { x: width, y: height },
      { x: 0, y: height },
    ])
    expect(width / height).toBeCloseTo(truth.size.width / truth.size.height, 1)
  })

  test('on a sheet shows the values of both sides, the MRZ and two outlines apart', async () => {
    const { truth } = await render('both-sides')
    const fields = truth.visible.map(({ field }) => field)
    // The surname is printed on the front alone, the address on the back alone.
    expect(fields).toEqual(expect.arrayContaining(['surname', 'address']))
    expect(new Set(fields).size).toBe(fields.length)
    expect(truth.isMrzVisible).toBe(true)
    expect(truth.alsoRight).toHaveLength(1)
    expect(truth.alsoRight[0][0].y).toBeGreaterThan(truth.quad[3].y)
  })

  test('with JPEG quality 40 has a smaller file', async () => {
    expect((await render('jpeg-40')).jpeg.length).toBeLessThan((await render('plain')).jpeg.length)
    expect(planScene({ seed: 21, variant: 'jpeg-40' }).jpegQuality).toBe(40)
  })
})
