/** The frame of a printed portrait has strong edges and a face in it, and is no document. */
import { expect, test } from 'vitest'
import { openFaceTools } from '../../../../../server/specimen/find-face.ts'
import { renderScene } from '../../../../../server/specimen/scenes/scene.ts'
import { searchOutline } from '../../../../../server/vision/documents/outline/locate-outline.ts'
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
