import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isAcceptableReading } from '../../../../server/proofing/mrz/acceptance.ts'
import type { Vision } from '../../../../server/vision/protocol.ts'
import { sharedData } from '../../../support/shared-data.ts'
import { lendVision } from '../../../support/remembering-vision.ts'

const folder = sharedData('mrz')
const hasShared = folder !== null
const specimen = (name: string) => readFileSync(join(folder ?? '', name))

const ICAO_PASSPORT = [
  'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<',
  'L898902C36UTO7408122F1204159ZE184226B<<<<<10',
]

let vision: Vision
beforeAll(async () => {
  vision = await lendVision()
})
afterAll(() => vision.close())

/** Pictures without a zone that tempt a reader of lines: nothing, stripes, print in rows. */
async function temptation(kind: 'paper' | 'stripes' | 'noise'): Promise<Buffer> {
  const [width, height] = [900, 600]
  const data = Buffer.alloc(width * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const row = y % 40 < 16
      // A linear congruence: the same specks in every run.
      const speck = ((x * 1103515245 + y * 12345 + ((x * y) % 97)) >>> 5) % 5 < 2
      const dark = kind === 'stripes' ? row && x % 20 < 8 : kind === 'noise' ? row && speck : false
      data[y * width + x] = dark ? 30 : 235
    }
  return sharp(data, { raw: { width, height, channels: 1 } })
    .png()
    .toBuffer()
}

describe('a picture without an MRZ', () => {
  test.each(['paper', 'stripes', 'noise'] as const)('has none invented: %s', async (kind) => {
    const measured = await vision.measureDocument({ image: await temptation(kind) })
    expect(measured).toMatchObject({ mrz: null, portrait: null })
  })

  test.skipIf(!hasShared)('has none invented: a payment card and the cover of a passport', async () => {
    for (const name of ['fm_nomrz.jpg', 'um_Passport-France_1200x864.jpg'])
      expect((await vision.measureDocument({ image: specimen(name) })).mrz).toBeNull()
  })
})

test.skipIf(!hasShared)(
  'a card with both sides in one picture has the portrait of its front, although the detector takes letters of its MRZ for a face',
  async () => {
    const measured = await vision.measureDocument({ image: specimen('ar_id_cards_Liechtenstein.png') })
    const { box } = measured.portrait ?? {}
    // The picture is 450 px high and shows the front in its upper half.
    expect(box && box.y + box.height).toBeLessThan(225)
    expect(measured.hasSecondFront).toBe(false)
  },
)

describe.skipIf(!hasShared)('a specimen passport', () => {
  test('is read whole, by two agreeing engines, with its portrait and its band', async () => {
    const measured = await vision.measureDocument({ image: specimen('pe_passport-td3.png') })
    const { mrz, mrzBand, portrait, quality } = measured
    expect(mrz).toMatchObject({ format: 'TD3', lines: ICAO_PASSPORT, repaired: [], rotationDeg: 0 })
    expect(mrz !== null && isAcceptableReading(mrz)).toBe(true)
    expect(mrz?.recogniserReadings.map((w) => w.lines)).toEqual([ICAO_PASSPORT, ICAO_PASSPORT])
    expect(mrzBand?.characterPitchPx).toBeCloseTo(24.1, 0)
    expect(mrzBand?.quad[0].y).toBeLessThan(mrzBand?.quad[3].y ?? 0)
    expect(portrait?.detectionScore).toBeGreaterThan(0.75)
    expect(quality.edgeWidthPx).toBeLessThan(3)
    expect(measured.models.map((m) => m.id)).toEqual(expect.arrayContaining(['ocrb-a', 'ocrb-b']))
  })

  test.each([90, 180, 270] as const)(
    'turned by %i degrees is read and its portrait is upright',
    async (turn) => {
      const upright = await vision.measureDocument({ image: specimen('pe_passport-td3.png') })
      const turned = await sharp(specimen('pe_passport-td3.png')).rotate(turn).png().toBuffer()
      const measured = await vision.measureDocument({ image: turned })
      expect(measured.mrz).toMatchObject({ lines: ICAO_PASSPORT, rotationDeg: (360 - turn) % 360 })
      const [was, is] = [upright.portrait, measured.portrait]
      expect(Math.abs((is?.widthPx ?? 0) - (was?.widthPx ?? -99))).toBeLessThan(12)
      // The box lies in the picture as sent: width and height change places with a quarter turn. It is cut out straight.
      const across = (turn === 180 ? is?.box.width : is?.box.height) ?? 0
      expect(Math.abs(across - (is?.widthPx ?? -99))).toBeLessThan(6)
    },
  )

  test('photographed askew is read too', async () => {
    const askew = await sharp(specimen('pe_passport-td3.png'))
      .rotate(14, { background: '#775533' })
      .png()
      .toBuffer()
    expect((await vision.measureDocument({ image: askew })).mrz?.lines).toEqual(ICAO_PASSPORT)
  })

  test('from too far away gives its band and pitch, and no guess', async () => {
    const far = await sharp(specimen('pe_passport-td3.png')).resize(290).png().toBuffer()
    const measured = await vision.measureDocument({ image: far })
    expect(measured.mrz).toBeNull()
    expect(measured.mrzBand?.characterPitchPx).toBeLessThan(7)
  })

  test('whose check digits are wrong in print is read as printed and not accepted by itself', async () => {
    const { mrz } = await vision.measureDocument({ image: specimen('ar_id_cards_Malta_BAD.png') })
    expect(mrz).toMatchObject({ format: 'TD1', repaired: [], marginNats: 0 })
    expect(mrz !== null && isAcceptableReading(mrz)).toBe(false)
  })
})
