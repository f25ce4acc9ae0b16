/** How a face is lit and shown: specimen persons, drawn over, darkened and lit from the side. */
import { beforeAll, describe, expect, test } from 'vitest'
import { measureAppearance } from '../../../../server/vision/faces/appearance.ts'
import { createDetector } from '../../../../server/vision/faces/detect.ts'
import { measureMesh, type FaceMesh } from '../../../../server/vision/faces/mesh.ts'
import { decodeImage } from '../../../../server/vision/image.ts'
import type { Box, Point } from '../../../../server/vision/protocol.ts'
import type { Raster } from '../../../../server/vision/raster.ts'
import { listSessions, type Sessions } from '../../../../server/vision/sessions.ts'
import { loadThresholds } from '../../../../server/verification/thresholds.ts'
import { openNetworks, specimenPhotograph } from '../../../support/subjects.ts'

const PEOPLE = ['alba', 'amber', 'cole', 'dorian'] as const
const limits = loadThresholds()

interface Seen {
  readonly raster: Raster
  readonly mesh: FaceMesh
  readonly box: Box
}
let seen: readonly Seen[]
beforeAll(async () => {
  const sessions = await openNetworks()
  seen = await Promise.all(PEOPLE.map((person) => look(sessions, person)))
})

async function look(sessions: Sessions, person: string): Promise<Seen> {
  const [detector] = listSessions(sessions, 'face-detector')
  const [meshSession] = listSessions(sessions, 'face-mesh')
  const { raster } = await decodeImage(specimenPhotograph(person, 'near-40cm.jpg'))
  const [face] = await createDetector(detector, meshSession)(raster)
  return { raster, mesh: await measureMesh(meshSession, raster, face), box: face.box }
}

type Rgb = readonly [number, number, number]
/** The same picture with every pixel that `where` names, or all, made again. */
function altered({ raster }: Seen, make: (rgb: Rgb, place: Point) => Rgb): Raster {
  const data = Uint8Array.from(raster.data)
  for (let i = 0; i < data.length; i += 3) {
    const place = { x: (i / 3) % raster.width, y: Math.floor(i / 3 / raster.width) }
    data.set(make([data[i], data[i + 1], data[i + 2]], place), i)
  }
  return { ...raster, data }
}
const measure = (person: Seen, raster = person.raster) =>
  measureAppearance(raster, person.mesh.points, person.box)
const scaled = ([r, g, b]: Rgb, by: number): Rgb => [r * by, g * by, b * by]
const width = ({ mesh }: Seen): number => Math.abs(mesh.points[454].x - mesh.points[234].x)

describe('specimen persons as they are', () => {
  test('are covered by nothing, evenly lit, before a plain background', () => {
    for (const person of seen) {
      const appearance = measure(person)
      expect(appearance.occludedShare).toBeLessThanOrEqual(limits.portraitMaximumOccludedShare)
      expect(appearance.illuminationUniformity).toBeGreaterThan(0.2)
      expect(appearance.backgroundUniformity).toBeGreaterThan(0.6)
    }
  })

  test('measure the same in a picture half as bright, and with skin that gives back a third of the light', () => {
    for (const person of seen) {
      const plain = measure(person)
      const shadesOfSkin = altered(person, ([r, g, b]) => [r * 0.62, g * 0.56, b * 0.52])
      for (const darker of [altered(person, (rgb) => scaled(rgb, 0.5)), shadesOfSkin]) {
        const dark = measure(person, darker)
        expect(dark.occludedShare).toBe(plain.occludedShare)
        expect(dark.illuminationUniformity).toBeCloseTo(plain.illuminationUniformity ?? NaN, 0)
      }
    }
  })
})

describe('a face drawn over', () => {
  const glasses = (person: Seen): Raster => {
    const { points } = person.mesh
    const eyes = [
      [33, 133],
      [362, 263],
    ].map(([a, b]) => ({ x: (points[a].x + points[b].x) / 2, y: (points[a].y + points[b].y) / 2 }))
    const reach = 0.2 * width(person)
    return altered(person, (rgb, { x, y }) =>
      eyes.some((eye) => Math.hypot(x - eye.x, (y - eye.y) * 1.3) < reach) ? [25, 24, 26] : rgb,
    )
  }
  const mask = (person: Seen, colour: Rgb): Raster => {
    const top = person.mesh.points[197].y
    return altered(person, (rgb, { y }) => (y > top ? colour : rgb))
  }

  test('with dark glasses, or a blue or a black mask, is covered more than is allowed', () => {
    for (const person of seen)
      for (const covered of [glasses(person), mask(person, [150, 190, 215]), mask(person, [30, 30, 32])])
        expect(measure(person, covered).occludedShare).toBeGreaterThan(limits.portraitMaximumOccludedShare)
  })

  test('with a spot on the forehead is not', () => {
    for (const person of seen) {
      const { x, y } = person.mesh.points[151]
      const spot = altered(person, (rgb, place) =>
        Math.hypot(place.x - x, place.y - y) < width(person) / 12 ? [20, 20, 20] : rgb,
      )
      expect(measure(person, spot).occludedShare).toBeLessThanOrEqual(limits.portraitMaximumOccludedShare)
    }
  })
})

test('the less light one half of the face has, the lower the uniformity, to where it is refused', () => {
  for (const person of seen) {
    const middle = person.mesh.points[4].x
    const [plain, ...darker] = [1, 0.5, 0.1].map(
      (share) =>
        measure(
          person,
          altered(person, (rgb, { x }) => scaled(rgb, x < middle ? share : 1)),
        ).illuminationUniformity ?? NaN,
    )
    expect(darker[0]).toBeLessThan(plain * 0.7)
    expect(darker[1]).toBeLessThan(limits.portraitMinimumIlluminationUniformity)
  }
})

test('stripes behind the head are no plain background, and where the head fills the picture there is none', () => {
  const [person] = seen
  const striped = altered(person, (rgb, { x, y }) => (((x >> 3) + (y >> 3)) % 2 ? [20, 20, 20] : rgb))
  expect(measure(person, striped).backgroundUniformity).toBeLessThan(0.75)
  const { mesh, raster } = person
  const [left, top] = [Math.round(mesh.points[234].x), Math.round(mesh.points[10].y)]
  const [across, down] = [Math.round(width(person)), Math.round(mesh.points[152].y) - top]
  const data = new Uint8Array(across * down * 3)
  for (let y = 0; y < down; y++) {
    const from = ((y + top) * raster.width + left) * 3
    data.set(raster.data.subarray(from, from + across * 3), y * across * 3)
  }
  const points = mesh.points.map((point) => ({ ...point, x: point.x - left, y: point.y - top }))
  const close = measureAppearance({ data, width: across, height: down }, points, {
    x: 0,
    y: 0,
    width: across,
    height: down,
  })
  expect(close.backgroundUniformity).toBeNull()
})

test('what lies outside the picture is not measured: null, not a pass', () => {
  const [person] = seen
  const beyond = person.mesh.points.map((point) => ({ ...point, x: point.x + 10_000 }))
  expect(measureAppearance(person.raster, beyond, person.box)).toMatchObject({
    illuminationUniformity: null,
    backgroundUniformity: null,
    occludedShare: null,
  })
})
