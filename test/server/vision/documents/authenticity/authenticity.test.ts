/** Signals on pages that are forged here, with the places known: what each tells, and when it says nothing. */
import { beforeAll, describe, expect, test } from 'vitest'
import sharp from 'sharp'
import { genuinePage, reprintMrz, type Page } from '../../../../../server/tools/specimen/forgeries/page.ts'
import { copied } from '../../../../../server/tools/specimen/forgeries/copies.ts'
import { filmedScreen, VIEWINGS } from '../../../../../server/tools/specimen/forgeries/screens.ts'
import { PATCHES, setMrzInFont } from '../../../../../server/tools/specimen/forgeries/zones.ts'
import { createRandom } from '../../../../../server/tools/specimen/head/noise.ts'
import { MRZ, PAGE, PORTRAIT } from '../../../../../server/tools/specimen/passport/layout.ts'
import { loadAuthenticityLimits } from '../../../../../server/verification/authenticity-limits.ts'
import { measureAuthenticity } from '../../../../../server/vision/documents/authenticity/measure-authenticity.ts'
import type { AuthenticityHints } from '../../../../../server/vision/documents/authenticity/region.ts'
import { buildPyramid } from '../../../../../server/vision/documents/grey.ts'
import { decodeImage } from '../../../../../server/vision/image.ts'
import { toGrey, type Raster } from '../../../../../server/vision/raster.ts'
import type { AuthenticitySignalName } from '../../../../../server/vision/protocol.ts'

const { thresholds } = loadAuthenticityLimits()
const NOTHING: AuthenticityHints = { quad: null, rotationDeg: null, portrait: null, mrz: null }
/** Characters 22 pixels apart. */
const WIDTH = 1100

/** A page that fills the picture, with a sensor's grain. */
async function scanned(page: Page, width = WIDTH): Promise<{ raster: Raster; hints: AuthenticityHints }> {
  const { data, info } = await sharp(page.png)
    .resize(width)
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const random = createRandom(5)
  const grained = data.map((value) =>
    Math.max(0, Math.min(255, Math.round(value * 0.92 + (random() + random() - 1) * 5))),
  )
  return {
    raster: { data: grained, width: info.width, height: info.height },
    hints: hintsFor(page, info.width),
  }
}

function hintsFor({ facts }: Page, width: number): AuthenticityHints {
  const px = width / PAGE.width
  const capitals = 0.92 * MRZ.pitch
  const [left, right] = [MRZ.x, MRZ.x + 44 * MRZ.pitch]
  const top = MRZ.baselines[0] - capitals / 2 - 0.83 * capitals
  const bottom = MRZ.baselines[1] - capitals / 2 + 0.83 * capitals
  const at = (x: number, y: number) => ({ x: x * px, y: y * px })
  return {
    quad: [at(0, 0), at(PAGE.width, 0), at(PAGE.width, PAGE.height), at(0, PAGE.height)],
    rotationDeg: 0,
    portrait: {
      x: PORTRAIT.x * px,
      y: PORTRAIT.y * px,
      width: PORTRAIT.width * px,
      height: PORTRAIT.height * px,
    },
    mrz: {
      band: [at(left, top), at(right, top), at(right, bottom), at(left, bottom)],
      lines: facts.mrz,
      format: 'TD3',
    },
  }
}

async function scores(raster: Raster, hints: AuthenticityHints) {
  const { signals } = await measureAuthenticity(raster, buildPyramid(toGrey(raster)), hints, () => 0)
  return Object.fromEntries(signals.map(({ signal, score }) => [signal, score])) as Record<
    AuthenticitySignalName,
    number | null
  >
}

let page: Page
let genuine: Awaited<ReturnType<typeof scanned>>
beforeAll(async () => {
  page = await genuinePage(501)
  genuine = await scanned(page)
})

test('against a genuine page none of the signals speaks', async () => {
  const found = await scores(genuine.raster, genuine.hints)
  for (const [name, score] of Object.entries(found)) {
    expect(score, name).not.toBeNull()
    expect(score, name).toBeLessThan(thresholds[name as AuthenticitySignalName])
  }
})

describe('an MRZ', () => {
  const glyphs = async (forged: Page, width?: number) => {
    const { raster, hints } = await scanned(forged, width)
    return (await scores(raster, { ...NOTHING, mrz: hints.mrz })).ZONE_GLYPHS
  }

  test('printed in the font of an ordinary computer is told', async () => {
    expect(await glyphs(await setMrzInFont('noto-sans')(page))).toBeGreaterThan(thresholds.ZONE_GLYPHS)
  })

  test.each(['offset', 'ink'] as const)('with a group of characters of another %s is told', async (kind) => {
    const patched = await reprintMrz(page, (line, column) =>
      line === 1 && [14, 15, 19].includes(column) ? PATCHES[kind] : { font: 'ocr-b' },
    )
    expect(await glyphs(patched)).toBeGreaterThan(thresholds.ZONE_GLYPHS)
  })

  test('with two digits of another font is told', async () => {
    const patched = await reprintMrz(page, (line, column) => ({
      font: line === 1 && [14, 15].includes(column) ? 'noto-sans' : 'ocr-b',
    }))
    expect(await glyphs(patched)).toBeGreaterThan(thresholds.ZONE_GLYPHS)
  })

  test('that is reprinted in its own font is not detected, because its shapes are genuine', async () => {
    expect(await glyphs(await reprintMrz(page, () => ({ font: 'ocr-b' })))).toBeLessThan(
      thresholds.ZONE_GLYPHS,
    )
  })

  test('whose ends lie beside their lattice, as on a tilted page, is not taken for patched', async () => {
    const { raster, hints } = genuine
    const band = hints.mrz?.band ?? []
    const inset = 0.4 * MRZ.pitch * (WIDTH / PAGE.width)
    const narrow = band.map(({ x, y }, i) => ({ x: x + (i === 0 || i === 3 ? inset : -inset), y })) as never
    const mrz = hints.mrz && { ...hints.mrz, band: narrow }
    expect((await scores(raster, { ...NOTHING, mrz })).ZONE_GLYPHS).toBeLessThan(thresholds.ZONE_GLYPHS)
  })

  test('that was read where no MRZ is printed is not judged', async () => {
    const { raster, hints } = genuine
    const above = (hints.mrz?.band ?? []).map(({ x, y }) => ({ x, y: y - 0.35 * raster.height })) as never
    const mrz = hints.mrz && { ...hints.mrz, band: above }
    expect((await scores(raster, { ...NOTHING, mrz })).ZONE_GLYPHS).toBeNull()
  })

  test('too small to tell a font is not judged', async () => {
    expect(await glyphs(page, 340)).toBeNull()
  })
})

describe('colour', () => {
  test.each(['grey', 'toned', 'laser'] as const)('is missing on a %s copy', async (kind) => {
    const { raster, hints } = await scanned(await copied(page, 501, kind))
    expect((await scores(raster, hints)).PHOTOCOPY).toBeGreaterThan(thresholds.PHOTOCOPY)
  })

  test('is not asked of a side of which only the MRZ is known', async () => {
    const { raster, hints } = await scanned(await copied(page, 501, 'grey'))
    expect((await scores(raster, { ...NOTHING, mrz: hints.mrz })).PHOTOCOPY).toBeNull()
  })
})

test.each(['near', 'middle', 'fine'] as const)('a display filmed %s is told by its grid', async (kind) => {
  const { raster } = await decodeImage(await filmedScreen(page.png, 501, VIEWINGS[kind]))
  expect((await scores(raster, NOTHING)).SCREEN_RECAPTURE).toBeGreaterThan(thresholds.SCREEN_RECAPTURE)
})

test('a portrait without the grain of the picture around it is told', async () => {
  const { raster, hints } = genuine
  const { x, y, width, height } = hints.portrait ?? { x: 0, y: 0, width: 0, height: 0 }
  const data = Uint8Array.from(raster.data)
  // As set in from a file: every pixel the mean of its neighbours.
  for (let row = Math.ceil(y); row < y + height; row++)
    for (let column = Math.ceil(x); column < x + width; column++)
      for (let c = 0; c < 3; c++) {
        let sum = 0
        for (let dy = -2; dy <= 2; dy++)
          for (let dx = -2; dx <= 2; dx++)
            sum += raster.data[((row + dy) * raster.width + column + dx) * 3 + c]
        data[(row * raster.width + column) * 3 + c] = sum / 25
      }
  const found = await scores({ ...raster, data }, hints)
  expect(found.PORTRAIT_SUBSTITUTION).toBeGreaterThan(thresholds.PORTRAIT_SUBSTITUTION)
})

test('a picture of which nothing is known gives no score but for the display', async () => {
  expect(await scores(genuine.raster, NOTHING)).toMatchObject({
    ZONE_GLYPHS: null,
    PORTRAIT_SUBSTITUTION: null,
    PHOTOCOPY: null,
  })
})

test.each([
  [1, 1],
  [3, 700],
  [40, 30],
])(
  'a picture of %i × %i pixels gives no score and no error, whatever is said to be on it',
  async (width, height) => {
    const raster = { data: new Uint8Array(width * height * 3).fill(128), width, height }
    const flat = [0, 1, 2, 3].map(() => ({ x: 5, y: 5 })) as never
    const beyond = [
      { x: 0, y: 0 },
      { x: 9, y: 0 },
      { x: 1e9, y: -1e9 },
      { x: -5, y: 1e6 },
    ] as never
    const lines = genuine.hints.mrz?.lines ?? []
    for (const hints of [
      { ...genuine.hints, quad: beyond, mrz: { band: beyond, lines, format: 'TD3' as const } },
      NOTHING,
      genuine.hints,
      { ...genuine.hints, quad: flat, mrz: { band: flat, lines: ['', ''], format: 'TD3' as const } },
    ]) {
      for (const score of Object.values(await scores(raster, hints)))
        expect(score === null || score <= 1).toBe(true)
    }
  },
)
