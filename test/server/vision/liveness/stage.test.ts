/** The pretended camera: what turns before it is a head, and what is held before it is a sheet. Specimen persons only. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { createRandom } from '../../../../server/tools/specimen/head/noise.ts'
import { FRAME, type HeadPose } from '../../../../server/tools/specimen/liveness/camera.ts'
import { drawTriangles, emptyCanvas } from '../../../../server/tools/specimen/liveness/rasterise.ts'
import { folded, rolledLevel, rolledUpright } from '../../../../server/tools/specimen/liveness/sheets.ts'
import { seat, type HeadModel } from '../../../../server/tools/specimen/liveness/head-model.ts'
import { present, type PaiSpecies } from '../../../../server/tools/specimen/liveness/stage.ts'
import { createDetector } from '../../../../server/vision/faces/detect.ts'
import { measureMesh } from '../../../../server/vision/faces/mesh.ts'
import { stateOfMesh } from '../../../../server/vision/faces/pose.ts'
import { decodeImage } from '../../../../server/vision/image.ts'
import type { Raster } from '../../../../server/vision/raster.ts'
import { readManifest } from '../../../../server/vision/manifest.ts'
import { buildCorePack, defaultModelsDir } from '../../../../server/vision/packs.ts'
import { openSessions, listSessions } from '../../../../server/vision/sessions.ts'

const STRAIGHT: HeadPose = { x: 0, y: 1, distance: 45, yawDeg: 0, pitchDeg: 0, rollDeg: 0, jaw: 0 }
const grey = (width: number, height: number): Raster => ({
  data: new Uint8Array(width * height * 3).fill(128),
  width,
  height,
})

describe('a sheet', () => {
  const corner = { x: 5, y: -7, z: 0 }

  test('that is rolled keeps its length along the roll and its height across it', () => {
    const { x, y, z } = rolledUpright(10)(corner)
    expect(10 * Math.atan2(x, 10 - z)).toBeCloseTo(5, 6)
    expect(y).toBe(-7)
    expect(rolledLevel(10)(corner).x).toBe(5)
  })

  test('that is folded keeps its distance from the fold', () => {
    const { x, z } = folded(0.5)(corner)
    expect(Math.hypot(x, z)).toBeCloseTo(5, 9)
  })
})

test('the nearer of two surfaces is seen, in whichever order they are drawn', () => {
  const texture = { ...grey(4, 4) }
  const square = (near: number, light: number) =>
    Float32Array.from(
      [
        [1, 1],
        [9, 1],
        [1, 9],
      ].flatMap(([x, y]) => [x, y, near, 1, 1, light]),
    )
  const triangle = Int32Array.from([0, 1, 2])
  for (const order of [
    [0.1, 0.2],
    [0.2, 0.1],
  ]) {
    const canvas = emptyCanvas(grey(10, 10))
    for (const near of order) drawTriangles(canvas, square(near, near === 0.2 ? 1 : 0.5), triangle, texture)
    expect(canvas.colour[(3 * 10 + 3) * 3]).toBeCloseTo(128, 3)
    expect(canvas.nearness[0]).toBe(0)
  }
})

describe('before the camera', () => {
  let meshOf: (raster: Raster) => ReturnType<typeof measureMesh>
  let subjectHead: HeadModel
  let wearer: HeadModel

  beforeAll(async () => {
    const manifest = readManifest()
    await buildCorePack(manifest, defaultModelsDir())
    const sessions = await openSessions(manifest, defaultModelsDir(), ['core'])
    const [detector] = listSessions(sessions, 'face-detector')
    const [mesh] = listSessions(sessions, 'face-mesh')
    const detect = createDetector(detector, mesh)
    meshOf = async (raster) => {
      const [face] = await detect(raster)
      return measureMesh(mesh, raster, face)
    }
    const sit = async (person: string, seed: number) => {
      const file = join(import.meta.dirname, '../../../../resources/specimens', person, 'near-40cm.jpg')
      const { raster } = await decodeImage(readFileSync(file))
      return seat(raster, await meshOf(raster), createRandom(seed))
    }
    ;[subjectHead, wearer] = [await sit('cole', 1), await sit('amber', 2)]
  })

  /** How far the mesh network sees the face turn when the prompt asks for 25 degrees. */
  async function seenTurn(species: PaiSpecies): Promise<number> {
    const presentation = present(
      { species, subjectHead, wearer, background: grey(FRAME.width, FRAME.height), noise: 'nominal' },
      createRandom(5),
    )
    const yawOf = async (yawDeg: number) => {
      const { raster } = await decodeImage(await presentation.picture({ ...STRAIGHT, yawDeg }))
      return stateOfMesh((await meshOf(raster)).points).yawDeg
    }
    return Math.abs((await yawOf(25)) - (await yawOf(0)))
  }

  test.each(['live', 'replay', 'mask', 'nosemask'] as const)(
    'what turns is seen to turn: %s',
    async (species) => {
      expect(await seenTurn(species)).toBeGreaterThan(10)
    },
  )

  test('a print that is tilted as far is not', async () => {
    expect(await seenTurn('flat')).toBeLessThan(10)
  })

  test('the same seed gives the same picture', async () => {
    const settings = {
      species: 'bent',
      subjectHead,
      wearer,
      background: grey(640, 480),
      noise: 'high',
    } as const
    const [a, b] = [present(settings, createRandom(9)), present(settings, createRandom(9))]
    expect(await a.picture(STRAIGHT)).toEqual(await b.picture(STRAIGHT))
  })
})
