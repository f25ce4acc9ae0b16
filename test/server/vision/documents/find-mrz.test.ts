/** How long a zone is looked for. */
import { expect, test } from 'vitest'
import { locateMrz } from '../../../../server/vision/documents/find-mrz.ts'
import { buildPyramid } from '../../../../server/vision/documents/grey.ts'
import type { LineRecogniser } from '../../../../server/vision/documents/tools.ts'

/** A page of text lines, none of them machine-readable. */
function pageOfText(turned: boolean) {
  const [width, height] = [1200, 900]
  const data = new Uint8Array(width * height).fill(230)
  for (let v = 100; v < 800; v += 60)
    for (let u = 120; u < (turned ? 780 : 1080); u += 12)
      for (let y = 0; y < 22; y++)
        for (let x = 0; x < 5; x++) data[turned ? (u + x) * width + v + y : (v + y) * width + u + x] = 20
  return buildPyramid({ data, width, height })
}

/** Sees nothing anywhere, and counts how often it is asked. */
function blindRecogniser(): LineRecogniser & { readonly runs: () => number } {
  let runs = 0
  return {
    model: { id: 'blind', version: '1', sha256: '0'.repeat(64) },
    run: async (_, widthPx) => {
      runs++
      const steps = Math.floor(widthPx / 4)
      return { logProbabilities: new Float32Array(steps * 38).fill(-3.6), steps, classes: 38 }
    },
    runs: () => runs,
  }
}

async function countRuns(turned: boolean, frontDeg: number | null): Promise<number> {
  const recogniser = blindRecogniser()
  await locateMrz(pageOfText(turned), recogniser, 8, {
    slopesDeg: [0, 90, 180, 270],
    findFrontDeg: async () => frontDeg,
  })
  return recogniser.runs()
}

test('on the front of a card one look along its text is enough; any other page is searched to the end', async () => {
  const [front, other] = [await countRuns(false, 0), await countRuns(false, null)]
  expect(front).toBeGreaterThan(0)
  expect(front).toBeLessThan(other)
})

test('the front of a card that lies on its side is looked at along its own text', async () => {
  expect(await countRuns(true, 0)).toBeLessThan(await countRuns(true, 90))
})
