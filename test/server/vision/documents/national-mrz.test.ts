/** Zones drawn line by line and read by the worker: national layouts, and what several frames show together. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isAcceptableReading } from '../../../../server/proofing/mrz/acceptance.ts'
import { startVision } from '../../../../server/vision/client.ts'
import { defaultModelsDir } from '../../../../server/vision/packs.ts'
import type { Vision } from '../../../../server/vision/protocol.ts'
import { poorFrame, mrzPage } from '../../../support/mrz-page.ts'
import { SWISS_LICENCE, VALID_VECTORS } from '../../../vectors/mrz.ts'

const PATIENCE_MS = 240_000
let vision: Vision
beforeAll(async () => {
  vision = await startVision({
    modelsDir: defaultModelsDir(),
    packs: ['core'],
    log: () => undefined,
    callTimeoutMs: PATIENCE_MS,
  })
}, PATIENCE_MS)
afterAll(() => vision.close())

const readingOf = async (image: Uint8Array, frames: readonly Uint8Array[] = []) =>
  (await vision.measureDocument({ image, frames })).mrz
const linesOf = (name: string) => VALID_VECTORS.find((vector) => vector.name.includes(name))?.lines ?? []

describe('a driving licence', () => {
  test(
    'of France is read from its single line',
    async () => {
      const lines = linesOf('licence of France')
      const reading = await readingOf(await mrzPage(lines))
      expect(reading).toMatchObject({ format: 'FRA_DL', lines, repaired: [] })
      expect(reading !== null && isAcceptableReading(reading)).toBe(true)
    },
    PATIENCE_MS,
  )

  test(
    'of another state, or with a wrong check digit, is no MRZ',
    async () => {
      for (const line of ['D1DEU13AA000026181231MARTIN<<9', 'D1FRA13AA000026181231MARTIN<<8'])
        expect(await readingOf(await mrzPage([line]))).toBeNull()
    },
    PATIENCE_MS,
  )

  test(
    'of Switzerland is read with its short line',
    async () => {
      const { lines } = SWISS_LICENCE
      const reading = await readingOf(await mrzPage(lines))
      expect(reading).toMatchObject({ format: 'CHE_DL', lines, repaired: [] })
      expect(reading?.recogniserReadings.map((reading) => reading.lines)).toEqual([lines, lines])
    },
    PATIENCE_MS,
  )
})

describe('several frames of one side', () => {
  test(
    'are accepted together where each single one leaves a doubt',
    async () => {
      const lines = linesOf('passport of Utopia')
      const page = await mrzPage(lines)
      // Each frame hides another part of the zone.
      const frames = await Promise.all([0.2, 0.34, 0.5].map((spot, i) => poorFrame(page, spot, i + 1)))
      for (const frame of frames) {
        const alone = await readingOf(frame)
        expect(alone !== null && isAcceptableReading(alone)).toBe(false)
      }
      const [image, ...others] = frames
      const together = await readingOf(image, others)
      expect(together).toMatchObject({ format: 'TD3', lines, repaired: [] })
      expect(together !== null && isAcceptableReading(together)).toBe(true)
      expect(together?.frameLines).toHaveLength(3)
      expect(together?.frame).toBe(0)
      expect(together?.recogniserReadings).toHaveLength(2)
    },
    PATIENCE_MS,
  )

  test(
    'tell on which of them the MRZ lies',
    async () => {
      const lines = linesOf('passport of Utopia')
      const page = await mrzPage(lines)
      const without = await mrzPage(['SPECIMEN'])
      const frames = await Promise.all([0.2, 0.34, 0.5].map((spot, i) => poorFrame(page, spot, i + 1)))
      const { mrz, mrzBand } = await vision.measureDocument({ image: without, frames })
      expect(mrz).toMatchObject({ lines, frame: 1 })
      expect(mrzBand).toBeNull()
    },
    PATIENCE_MS,
  )

  test(
    'of which one is damaged are read without it',
    async () => {
      const lines = linesOf('passport of Utopia')
      const reading = await readingOf(await mrzPage(lines), [new Uint8Array([1, 2, 3])])
      expect(reading).toMatchObject({ lines })
      expect(reading?.frameLines).toBeUndefined()
    },
    PATIENCE_MS,
  )
})
