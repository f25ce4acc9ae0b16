/** A session's chosen pictures compared with each other. Specimen persons before a pretended camera, core pack. */
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import type { HeadPose } from '../../../../server/tools/specimen/liveness/camera.ts'
import type { HeadModel } from '../../../../server/tools/specimen/liveness/head-model.ts'
import type { PaiSpecies } from '../../../../server/tools/specimen/liveness/stage.ts'
import { createFaceTools } from '../../../../server/vision/faces/tools.ts'
import { decodeSmall } from '../../../../server/vision/image.ts'
import {
  createLivenessMeter,
  type LivenessMeter,
} from '../../../../server/vision/liveness/measure-liveness.ts'
import { createFaceTracker, TRACKED_SIDE_PX } from '../../../../server/vision/liveness/track-face.ts'
import type { TrackedPicture } from '../../../../server/vision/protocol.ts'
import {
  openNetworks,
  plainWall,
  presentHead,
  sit,
  specimenPhotograph,
  STRAIGHT,
} from '../../../support/subjects.ts'

const TURNS: readonly Partial<HeadPose>[] = [
  { yawDeg: 24 },
  { yawDeg: -24 },
  { pitchDeg: 16 },
  { distance: 34, pitchDeg: -8 },
]

let cole: HeadModel
let amber: HeadModel
let measure: LivenessMeter
let tracked: (image: Uint8Array) => Promise<TrackedPicture>

beforeAll(async () => {
  const sessions = await openNetworks()
  const faces = createFaceTools(sessions)
  const now = () => performance.now()
  const track = createFaceTracker(sessions, faces, now)
  measure = createLivenessMeter(sessions, now)
  tracked = async (image) => {
    const { raster, sent } = await decodeSmall(image, TRACKED_SIDE_PX)
    const { face } = await track({ raster, info: sent }, null)
    if (face === null) throw new Error('no face was found')
    return { image, points: face.points }
  }
  cole = await sit(sessions, 'cole', 1)
  amber = await sit(sessions, 'amber', 2)
})

type Session = Omit<Parameters<LivenessMeter>[0], 'emptyScene'>
const sessions = new Map<HeadModel, Promise<Session>>()
/** Drawing one takes longer than measuring it: each person has one session. */
function session(subjectHead: HeadModel): Promise<Session> {
  const known = sessions.get(subjectHead) ?? perform(subjectHead, 'live')
  sessions.set(subjectHead, known)
  return known
}

async function perform(subjectHead: HeadModel, species: PaiSpecies): Promise<Session> {
  const presentation = presentHead(subjectHead, { species, noise: 'low' })
  const take = async (pose: Partial<HeadPose>) =>
    tracked(await presentation.picture({ ...STRAIGHT, ...pose }))
  const reference = await take({})
  const targets: TrackedPicture[] = []
  for (const turn of TURNS) targets.push(await take(turn))
  return { reference, targets, portraits: [reference, await take({ x: 1 })] }
}

describe('a session of one living person', () => {
  test('has depth, one face all along, and its stills in an order', async () => {
    const found = await measure(await session(cole))
    expect(found.depth?.depth).toBeGreaterThan(0.35)
    expect(found.depth?.explainedShare).toBeGreaterThan(0.3)
    expect(found.depth?.views).toBe(4)
    expect(found.continuity).toMatchObject({ measure: 'cosine-similarity', compared: 5 })
    expect(found.continuity?.worst).toBeGreaterThan(found.continuity?.thresholds?.review ?? 1)
    expect(found.portraitsByQuality.toSorted()).toEqual([0, 1])
    expect(found.sceneChange).toBeNull()
    expect(found.models.map(({ id }) => id)).toEqual(['dlib-resnet29-150'])
  })

  test('is told from a session in which another takes the place', async () => {
    const [own, foreign] = [await session(cole), await session(amber)]
    const { continuity } = await measure({
      ...own,
      targets: [...own.targets.slice(0, 3), foreign.targets[3]],
    })
    const alone = await measure(own)
    expect(continuity?.worst).toBeLessThan((alone.continuity?.worst ?? 0) - 0.03)
  })

  test('also when the other shows only in a still', async () => {
    const [own, foreign] = [await session(cole), await session(amber)]
    const { continuity } = await measure({ ...own, portraits: [own.reference, foreign.reference] })
    expect(continuity?.worst).toBeLessThan(continuity?.thresholds?.review ?? 0)
  })
})

test('a print that is tilted has no depth', async () => {
  const { depth } = await measure(await perform(cole, 'flat'))
  expect(depth?.depth ?? 0).toBeLessThan(0.2)
})

test('open eyes and a straight look come before shut eyes and a turned head', async () => {
  const names = ['eyes-shut.jpg', 'yaw-left-25.jpg', 'near-40cm.jpg', 'pitch-down-10.jpg']
  const portraits: TrackedPicture[] = []
  for (const name of names) portraits.push(await tracked(specimenPhotograph('cole', name)))
  const straight = portraits[2]
  const { portraitsByQuality } = await measure({ reference: straight, targets: [], portraits })
  expect(portraitsByQuality[0]).toBe(2)
  expect(portraitsByQuality).toHaveLength(4)
})

test('a still that is out of focus comes after the sharp one', async () => {
  const sharpOne = await tracked(specimenPhotograph('amber', 'live.jpg'))
  const image = await sharp(sharpOne.image).blur(6).jpeg().toBuffer()
  const { portraitsByQuality } = await measure({
    reference: sharpOne,
    targets: [],
    portraits: [{ ...sharpOne, image }, sharpOne],
  })
  expect(portraitsByQuality).toEqual([1, 0])
})

test("the camera's empty scene is compared with the pictures", async () => {
  const jpegOf = (shade: number) =>
    sharp(plainWall(shade).data, { raw: { width: 640, height: 480, channels: 3 } })
      .jpeg()
      .toBuffer()
  const { reference, targets } = await session(cole)
  const changeFrom = async (emptyScene: Uint8Array) =>
    (await measure({ reference, targets, portraits: [], emptyScene })).sceneChange
  expect(await changeFrom(await jpegOf(128))).toBeLessThan(0.3)
  expect(await changeFrom(Buffer.from('no picture'))).toBeNull()
})

describe('a picture that cannot be used', () => {
  const face = (points: unknown, image: Uint8Array): TrackedPicture => ({
    image,
    points: points as Float32Array,
  })

  test('is left out, and the others are measured', async () => {
    const { reference, targets } = await session(cole)
    const { image, points } = targets[0]
    const other = await sharp(image).resize(320, 240).jpeg().toBuffer()
    const useless = [
      face(points, image.subarray(0, image.length >> 1)),
      face(points, Buffer.from('no picture')),
      face(points, other),
      face(new Float32Array(1404).fill(NaN), image),
      face(new Float32Array(7), image),
      face(new Float32Array(1404), image),
      face(
        points.map((value, i) => (i % 3 === 2 ? 1e37 : value)),
        image,
      ),
      face('points', image),
    ]
    const alone = await measure({ reference, targets, portraits: [reference] })
    const among = await measure({
      reference,
      targets: [...useless, ...targets],
      portraits: [...useless, reference],
    })
    expect(among.depth).toEqual(alone.depth)
    expect(among.continuity).toEqual(alone.continuity)
    expect(among.portraitsByQuality).toEqual([useless.length])
  })

  test('leaves nothing to say where it is the one that all are compared with', async () => {
    const { reference, targets, portraits } = await session(cole)
    const damaged = { ...reference, image: reference.image.subarray(0, 500) }
    expect(await measure({ reference: damaged, targets, portraits })).toMatchObject({
      depth: null,
      continuity: null,
      portraitsByQuality: [],
      sceneChange: null,
    })
  })

  test('whatever its points tell, ends in an answer', async () => {
    const { reference } = await session(cole)
    const made = (value: (i: number) => number) =>
      face(
        new Float32Array(1404).map((_, i) => value(i)),
        reference.image,
      )
    const strange = [
      made((i) => (i % 3 === 0 ? 100 : i)),
      made((i) => ((i * 7919) % 640) - 1),
      made((i) => (i % 3 === 2 ? 0 : 300 + (i % 20))),
      made((i) => (i % 3 === 1 ? 470 : (i % 600) + 20)),
      made((i) => -(i % 500)),
    ]
    for (const one of strange) {
      await expect(measure({ reference: one, targets: strange, portraits: strange })).resolves.toBeDefined()
      await expect(measure({ reference, targets: [one, one], portraits: [one] })).resolves.toBeDefined()
    }
  })
})
