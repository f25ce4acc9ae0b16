/** A part of a zone must not pass for the whole of a shorter one: its own check digits may all be right. */
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isAcceptableReading } from '../../../../server/proofing/mrz/acceptance.ts'
import { doAllChecksPass } from '../../../../server/proofing/mrz/checks.ts'
import { renderScene } from '../../../../server/tools/specimen/scenes/scene.ts'
import { startVision } from '../../../../server/vision/client.ts'
import { findPeaks, fitLattices } from '../../../../server/vision/documents/lattice.ts'
import { bestLattice } from '../../../../server/vision/documents/read-band.ts'
import { rawLine } from '../../../../server/vision/documents/decode.ts'
import { countSuperfluous } from '../../../../server/vision/documents/wholeness.ts'
import { defaultModelsDir } from '../../../../server/vision/packs.ts'
import type { Vision } from '../../../../server/vision/protocol.ts'
import { mrzPage } from '../../../support/mrz-page.ts'
import { VALID_VECTORS } from '../../../vectors/mrz.ts'
import { PITCH, syntheticLine } from './synthetic-line.ts'

const UPPER = 'V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<'

describe('characters beside the grid', () => {
  test('are counted, whether they stand beside it or between its places', () => {
    const recognition = syntheticLine(UPPER)
    const peaks = findPeaks(recognition)
    const [whole] = fitLattices(recognition, 44, PITCH)
    expect(countSuperfluous(peaks, whole)).toBe(0)
    const [part] = fitLattices(recognition, 36, PITCH)
    expect(countSuperfluous(peaks, part)).toBe(8)
    const everySecond = { ...whole, places: whole.places.filter((_, n) => n % 2 === 0) }
    expect(countSuperfluous(peaks, everySecond)).toBeGreaterThanOrEqual(20)
  })
})

describe('a line seen from the side', () => {
  test('whose characters grow closer together keeps each of them', () => {
    const recognition = syntheticLine(UPPER, [], (column) => 3.7 + column * 0.065)
    const best = bestLattice('MRVA', 0, fitLattices(recognition, 44, PITCH))
    expect(best === null ? '' : rawLine(best)).toBe(UPPER)
  })
})

const PATIENCE_MS = 240_000

describe('an MRZ of 44 columns', () => {
  let vision: Vision
  beforeAll(async () => {
    const log = () => undefined
    vision = await startVision({
      modelsDir: defaultModelsDir(),
      packs: ['core'],
      log,
      callTimeoutMs: PATIENCE_MS,
    })
  }, PATIENCE_MS)
  afterAll(() => vision.close())

  test.each(['MRVA', 'TD3'] as const)(
    'of %s, of which the picture shows 36, is never accepted',
    async (format) => {
      const lines = VALID_VECTORS.find((vector) => vector.format === format)?.lines ?? []
      const page = await mrzPage(lines)
      // The characters of this page are 20 pixels apart and begin at 60: after 36 of them, and a little more and less.
      for (const width of [770, 782, 792]) {
        const cut = await sharp(page).extract({ left: 0, top: 0, width, height: 630 }).png().toBuffer()
        const { mrz } = await vision.measureDocument({ image: cut })
        expect(mrz === null || !isAcceptableReading(mrz)).toBe(true)
      }
    },
    PATIENCE_MS,
  )

  test('has a part that passes all check digits of a shorter one', () => {
    const lines = VALID_VECTORS.find((vector) => vector.format === 'MRVA')?.lines ?? []
    expect(doAllChecksPass(lines.map((line) => line.slice(0, 36)))).toBe(true)
  })

  // Scenes in which the first proposal held a part of the lines, or in which they were seen from the side.
  test.each([
    ['passport', 100],
    ['visa-a', 114],
    ['visa-a', 214],
  ] as const)(
    'on a photograph of a %s (seed %i) is read whole',
    async (kind, seed) => {
      const { jpeg, truth } = await renderScene({ kind, seed })
      const { mrz } = await vision.measureDocument({ image: jpeg })
      expect(mrz).toMatchObject({ isWhole: true, frame: 0, lines: truth.zone?.lines })
    },
    PATIENCE_MS,
  )
})
