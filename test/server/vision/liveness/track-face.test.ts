/** One live picture: which face, how it is held, and in which signs. Specimen persons before a pretended camera. */
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { createFaceTools } from '../../../../server/vision/faces/tools.ts'
import { decodeImage, decodeSmall } from '../../../../server/vision/image.ts'
import { createFaceTracker, TRACKED_SIDE_PX } from '../../../../server/vision/liveness/track-face.ts'
import type { FaceFrame, TrackedFace } from '../../../../server/vision/protocol.ts'
import type { HeadModel } from '../../../../server/tools/specimen/liveness/head-model.ts'
import {
  openNetworks,
  plainWall,
  presentHead,
  sit,
  specimenPhotograph,
  STRAIGHT,
} from '../../../support/subjects.ts'

let subjectHead: HeadModel
let track: (image: Uint8Array, last?: Float32Array | null) => Promise<FaceFrame>

beforeAll(async () => {
  const sessions = await openNetworks()
  const tracker = createFaceTracker(sessions, createFaceTools(sessions), () => performance.now())
  track = async (image, last = null) => {
    const { raster, sent } = await decodeSmall(image, TRACKED_SIDE_PX)
    return tracker({ raster, info: sent }, last)
  }
  subjectHead = await sit(sessions, 'cole', 1)
})

async function faceOf(image: Uint8Array, last?: Float32Array | null): Promise<TrackedFace> {
  const { face } = await track(image, last)
  if (face === null) throw new Error('no face was found')
  return face
}

describe('the signs of a pose', () => {
  const seen = async (pose: Partial<typeof STRAIGHT>) => {
    const presentation = presentHead(subjectHead)
    const before = await faceOf(await presentation.picture(STRAIGHT))
    const after = await faceOf(await presentation.picture({ ...STRAIGHT, ...pose }))
    return {
      left: after.leftDeg - before.leftDeg,
      up: after.upDeg - before.upDeg,
      roll: after.rollDeg - before.rollDeg,
      nearer: after.headWidthPx / before.headWidthPx,
    }
  }

  test.each([
    [{ yawDeg: 20 }, 'left', 1],
    [{ yawDeg: -20 }, 'left', -1],
    [{ pitchDeg: 15 }, 'up', 1],
    [{ pitchDeg: -15 }, 'up', -1],
    [{ rollDeg: 15 }, 'roll', 1],
    [{ rollDeg: -15 }, 'roll', -1],
  ] as const)('%o is seen as %s times %d', async (pose, name, sign) => {
    const change = await seen(pose)
    expect(sign * change[name]).toBeGreaterThan(8)
    for (const other of (['left', 'up', 'roll'] as const).filter((it) => it !== name))
      expect(Math.abs(change[other])).toBeLessThan(8)
  })

  test('a face that moves from 60 to 40 cm appears about one and a half times as large', async () => {
    const presentation = presentHead(subjectHead)
    const far = await faceOf(await presentation.picture({ ...STRAIGHT, distance: 60 }))
    const near = await faceOf(await presentation.picture({ ...STRAIGHT, distance: 40 }))
    expect(near.headWidthPx / far.headWidthPx).toBeGreaterThan(1.25)
    expect(near.headWidthPx / far.headWidthPx).toBeLessThan(1.65)
  })

  test('and a turned head is as wide as a straight one', async () => {
    expect(Math.abs((await seen({ yawDeg: 25 })).nearer - 1)).toBeLessThan(0.15)
  })
})

describe('a face from picture to picture', () => {
  test('is found where it went, by the points of the picture before', async () => {
    const presentation = presentHead(subjectHead)
    const first = await faceOf(await presentation.picture(STRAIGHT))
    const second = await faceOf(await presentation.picture({ ...STRAIGHT, x: 3 }), first.points)
    expect(second.points).toHaveLength(1404)
    expect(second.box.x - first.box.x).toBeGreaterThan(20)
    expect(second.confidence).toBeGreaterThan(0.5)
  })

  test('is detected again if the last points are malformed or show no face', async () => {
    const image = await presentHead(subjectHead).picture(STRAIGHT)
    const { box } = await faceOf(image)
    const elsewhere = new Float32Array(1404).map((_, i) => (i % 3 === 2 ? 0 : 20 + ((i * 7) % 40)))
    const hostile: unknown[] = [
      new Float32Array(1404),
      new Float32Array(1404).fill(NaN),
      new Float32Array(1404).fill(Infinity),
      new Float32Array(1404).map((_, i) => (i % 2 === 0 ? 1e30 : -1e30)),
      new Float32Array(3),
      new Float32Array(0),
      new Float64Array(1404).fill(100),
      'points',
      { length: 1404 },
      elsewhere,
    ]
    for (const last of hostile) {
      const found = await faceOf(image, last as Float32Array)
      expect(Math.abs(found.box.x - box.x)).toBeLessThan(6)
      expect(Math.abs(found.box.width - box.width)).toBeLessThan(10)
    }
  })

  test('is lost in a picture of a wall', async () => {
    const wall = await sharp(plainWall().data, { raw: { width: 640, height: 480, channels: 3 } })
      .jpeg()
      .toBuffer()
    const { points } = await faceOf(await presentHead(subjectHead).picture(STRAIGHT))
    const { face, others, image } = await track(wall, points)
    expect({ face, others, image }).toEqual({
      face: null,
      others: [],
      image: { format: 'jpeg', widthPx: 640, heightPx: 480, exifOrientation: 1 },
    })
  })
})

describe('a picture larger than faces are looked for in', () => {
  test('is answered in its own pixels, and its points serve for the next one', async () => {
    const image = await presentHead(subjectHead).picture(STRAIGHT)
    const large = await sharp(image).resize(2560, 1920).jpeg().toBuffer()
    const [small, found] = [await faceOf(image), await track(large)]
    expect(found.image).toMatchObject({ widthPx: 2560, heightPx: 1920 })
    const face = found.face ?? small
    expect(face.headWidthPx / small.headWidthPx).toBeCloseTo(4, 0)
    for (const name of ['x', 'y', 'width', 'height'] as const)
      expect(Math.abs(face.box[name] / 4 - small.box[name])).toBeLessThan(4)
    expect(Math.abs(face.leftDeg - small.leftDeg)).toBeLessThan(2)
    const followed = await faceOf(large, face.points)
    expect(Math.abs(followed.points[0] - face.points[0])).toBeLessThan(12)
  })

  test('and beyond two cameras of 4K is refused', async () => {
    const huge = await sharp({ create: { width: 6000, height: 4000, channels: 3, background: '#888' } })
      .jpeg()
      .toBuffer()
    await expect(track(huge)).rejects.toMatchObject({ fault: 'too_many_pixels' })
  })
})

describe('more faces than one', () => {
  /** Two persons side by side, as one picture. */
  async function pair(left: { scale: number }, right: { scale: number }): Promise<Buffer> {
    const cut = async (person: string, scale: number) => {
      const { info } = await decodeImage(specimenPhotograph(person, 'live.jpg'))
      return sharp(specimenPhotograph(person, 'live.jpg'))
        .resize({
          height: Math.round(440 * scale),
          width: Math.round((440 * scale * info.widthPx) / info.heightPx),
        })
        .extract({
          left: Math.max(0, Math.round(((440 * scale * info.widthPx) / info.heightPx - 300 * scale) / 2)),
          top: 0,
          width: Math.round(300 * scale),
          height: Math.round(440 * scale),
        })
        .toBuffer()
    }
    return sharp({ create: { width: 640, height: 480, channels: 3, background: '#777' } })
      .composite([
        { input: await cut('cole', left.scale), left: 10, top: 20 },
        { input: await cut('amber', right.scale), left: 330, top: 20 },
      ])
      .jpeg()
      .toBuffer()
  }

  test('the largest is the face, and the other is told by its height', async () => {
    const { face, others } = await track(await pair({ scale: 1 }, { scale: 0.6 }))
    expect(face?.box.x).toBeLessThan(320)
    expect(others).toHaveLength(1)
    expect(others[0]).toBeGreaterThan(0.4)
    expect(others[0]).toBeLessThan(0.85)
  })

  test('the one that was followed gives way to a clearly larger one', async () => {
    const { points } = await faceOf(await pair({ scale: 1 }, { scale: 0.4 }))
    const { face, others } = await track(await pair({ scale: 0.6 }, { scale: 1 }), points)
    expect(face?.box.x).toBeGreaterThan(320)
    expect(others).toHaveLength(1)
    expect(others[0]).toBeLessThan(1)
  })

  test('a face alone has no others, turned or straight', async () => {
    const presentation = presentHead(subjectHead)
    let last: Float32Array | null = null
    for (const yawDeg of [0, 10, 20, 30, 20, 0, -15, -30]) {
      const { face, others }: FaceFrame = await track(
        await presentation.picture({ ...STRAIGHT, yawDeg }),
        last,
      )
      expect(others).toEqual([])
      last = face?.points ?? null
      expect(last).not.toBeNull()
    }
  })
})
