/** The committed locator network on the specimens' photographs, lying in every turn. */
import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { beforeAll, expect, test } from 'vitest'
import { decodeImage } from '../../server/vision/image.ts'
import { createNetworkProposer } from '../../server/vision/documents/outline/network.ts'
import type { NetworkProposer } from '../../server/vision/documents/outline/network.ts'
import { readManifest } from '../../server/vision/manifest.ts'
import { defaultModelsDir } from '../../server/vision/packs.ts'
import { openSessions, listSessions } from '../../server/vision/sessions.ts'
import type { Point, Quad, QuarterTurn } from '../../server/vision/protocol.ts'

const SPECIMENS = new URL('../../resources/specimens/', import.meta.url)
const PERSONS = ['alba', 'amber', 'cole', 'dorian']
/** The threshold of models/document/evaluate.py. */
const CLAIM = 0.7
/** Mean distance of the corners over the page's long side: the edges in the picture refine what is nearer. */
const NEAR = 0.02

let proposer: NetworkProposer

beforeAll(async () => {
  const sessions = await openSessions(readManifest(), defaultModelsDir(), ['core'])
  const [locator] = listSessions(sessions, 'document-locator')
  proposer = createNetworkProposer(locator)
})

/** The specimen's photograph turned clockwise, and where its page's corners then are. */
async function photograph(person: string, turn: QuarterTurn) {
  const { photo } = JSON.parse(await readFile(new URL(`${person}/truth.json`, SPECIMENS), 'utf8')) as {
    photo: { width: number; height: number; corners: [number, number][] }
  }
  const bytes = await sharp(await readFile(new URL(`${person}/passport-photo.jpg`, SPECIMENS)))
    .rotate(turn)
    .jpeg({ quality: 90 })
    .toBuffer()
  const { width, height } = photo
  const corners = photo.corners.map(([x, y]): Point => {
    if (turn === 90) return { x: height - y, y: x }
    if (turn === 180) return { x: width - x, y: height - y }
    return turn === 270 ? { x: y, y: width - x } : { x, y }
  })
  return { raster: (await decodeImage(bytes)).raster, corners: corners as unknown as Quad }
}

const distance = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y)

/** Corner for corner, in the order of the content. */
function cornerError(found: Quad, truth: Quad): number {
  const mean = found.reduce((sum, corner, i) => sum + distance(corner, truth[i]), 0) / 4
  return mean / distance(truth[0], truth[1])
}

test.each([0, 90, 180, 270] as const)(
  'the page of a booklet photographed under %i degrees is found, and which way up it lies',
  async (turn) => {
    for (const person of PERSONS) {
      const { raster, corners } = await photograph(person, turn)
      const [best] = await proposer.propose(raster)
      expect(best).toMatchObject({ foundBy: 'network', isUpright: true, uprightTurn: (360 - turn) % 360 })
      expect(best.score).toBeGreaterThan(CLAIM)
      expect(best.frontShare).toBeGreaterThan(0.5)
      expect(cornerError(best.quad, corners)).toBeLessThan(NEAR)
    }
  },
)

test('a table with a blank sheet holds no document', async () => {
  const { raster } = await decodeImage(await readFile(new URL('nothing.jpg', SPECIMENS)))
  expect((await proposer.propose(raster)).filter(({ score }) => score > CLAIM)).toEqual([])
})

test('a picture of one colour, or of one pixel, holds no document', async () => {
  for (const [width, height] of [
    [1, 1],
    [3000, 10],
    [640, 480],
  ]) {
    const data = new Uint8Array(width * height * 3).fill(127)
    const found = await proposer.propose({ data, width, height })
    expect(found.filter(({ score }) => score > CLAIM)).toEqual([])
  }
})
