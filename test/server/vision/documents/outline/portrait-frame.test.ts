/** The frame of a printed portrait has strong edges and a face in it, and is no document. */
import { expect, test } from 'vitest'
import { quadIou } from '../../../../../server/tools/bench/documents/score.ts'
import { openFaceTools } from '../../../../../server/tools/specimen/find-face.ts'
import { renderScene } from '../../../../../server/tools/specimen/scenes/scene.ts'
import {
  searchOutline,
  type Candidate,
} from '../../../../../server/vision/documents/outline/locate-outline.ts'
import { settleOutline } from '../../../../../server/vision/documents/outline/settle-outline.ts'
import { decodeImage } from '../../../../../server/vision/image.ts'

test.each([
  ['licence-europe', 31],
  ['licence-north-america', 41],
] as const)(
  'a scan cut along the edges of a %s is the document, and not the portrait on it',
  async (kind, seed) => {
    const { detectFaces } = await openFaceTools()
    const { jpeg, truth } = await renderScene({
      kind,
      documentSeed: seed,
      seed: 2 * seed,
      sideIndex: 0,
      variant: 'full-bleed',
    })
    const { raster } = await decodeImage(jpeg)
    const { outline } = await settleOutline(searchOutline(raster, null), null, detectFaces)
    expect(outline).toMatchObject({ foundBy: 'whole-picture', uprightBy: 'portrait' })
    expect(outline?.quad).toEqual(truth.quad)
  },
)

test('of two sides in one picture without an MRZ the document is the one with the portrait, though the other has stronger edges', async () => {
  const { detectFaces } = await openFaceTools()
  const { jpeg, truth } = await renderScene({
    kind: 'licence-australia',
    documentSeed: 32,
    seed: 64,
    sideIndex: 0,
    variant: 'both-sides',
  })
  const { raster } = await decodeImage(jpeg)
  const search = searchOutline(raster, null)
  const isFront = ({ refined }: Candidate) => quadIou(refined.quad, truth.quad) > 0.1
  const [front, back] = [search.candidates.filter(isFront), search.candidates.filter((one) => !isFront(one))]
  expect([front[0].score, back[0].score].every((score) => score >= search.threshold)).toBe(true)
  const { outline } = await settleOutline({ ...search, candidates: [...back, ...front] }, null, detectFaces)
  expect(outline?.uprightBy).toBe('portrait')
  expect(quadIou(outline?.quad ?? truth.quad, truth.quad)).toBeGreaterThan(0.9)
})
