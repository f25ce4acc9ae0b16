import { writeFileSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { findRegions } from '../../../../server/vision/documents/components.ts'
import { buildPyramid, cutOblong, pointIn } from '../../../../server/vision/documents/grey.ts'
import { bridgeRows, otsuThreshold } from '../../../../server/vision/documents/morphology.ts'
import { turnBack, turnRaster } from '../../../../server/vision/documents/portrait.ts'
import { loadQualityThresholds } from '../../../../server/vision/documents/quality-thresholds.ts'
import { measureDocumentQuality } from '../../../../server/vision/documents/quality.ts'
import { blackhat, close } from '../../../../server/vision/documents/running-extremes.ts'
import { toRotation } from '../../../../server/vision/documents/read-mrz.ts'
import { readManifest } from '../../../../server/tools/bench/mrz.ts'

const grey = (width: number, height: number, value: (x: number, y: number) => number) => ({
  width,
  height,
  data: Uint8Array.from({ length: width * height }, (_, i) => value(i % width, Math.floor(i / width))),
})

describe('directions', () => {
  test('text that runs downwards is made upright by three clockwise quarter turns', () => {
    expect([0, 90, 180, -90, 270, 88, -3, 361].map(toRotation)).toEqual([0, 270, 180, 90, 90, 270, 0, 0])
  })

  test.each([0, 90, 180, 270] as const)(
    'a box found after a turn by %i lies on the same pixels before it',
    (turn) => {
      const marked = { x: 3, y: 1, width: 2, height: 1 }
      const raster = { width: 7, height: 4, data: new Uint8Array(7 * 4 * 3) }
      raster.data.fill(9, (1 * 7 + 3) * 3, (1 * 7 + 5) * 3)
      const turned = turnRaster(raster, turn)
      const found = [...turned.data].flatMap((v, i) => (v === 9 && i % 3 === 0 ? [i / 3] : []))
      const xs = found.map((i) => i % turned.width)
      const ys = found.map((i) => Math.floor(i / turned.width))
      const box = {
        x: Math.min(...xs),
        y: Math.min(...ys),
        width: Math.max(...xs) - Math.min(...xs) + 1,
        height: Math.max(...ys) - Math.min(...ys) + 1,
      }
      expect(turnBack(box, turn, raster)).toEqual(marked)
    },
  )

  test('an oblong cut along its direction shows what lies there', () => {
    // A bright bar of 60 × 10 along the direction of 30 degrees through the middle.
    const bar = { centre: { x: 99.5, y: 99.5 }, width: 60, height: 10, angleDeg: 30 }
    const r = Math.PI / 6
    const picture = grey(200, 200, (x, y) => {
      const [dx, dy] = [x - 99.5, y - 99.5]
      const along = dx * Math.cos(r) + dy * Math.sin(r)
      const across = dy * Math.cos(r) - dx * Math.sin(r)
      return Math.abs(along) < 32 && Math.abs(across) < 7 ? 200 : 20
    })
    const cut = cutOblong(buildPyramid(picture), bar, 1)
    expect([cut.width, cut.height]).toEqual([60, 10])
    expect(Math.min(...cut.data)).toBeGreaterThan(190)
    const corner = pointIn(bar, 30, 0)
    expect(corner.x).toBeCloseTo(99.5 + 30 * Math.cos(r))
  })
})

describe('the line finder’s operations', () => {
  test('closing fills a dark stroke narrower than the window and keeps a wider one', () => {
    const stroke = grey(40, 11, (x) => ((x >= 10 && x < 13) || (x >= 20 && x < 30) ? 0 : 200))
    const closed = close(stroke, 5, 1)
    expect(closed.data[5 * 40 + 11]).toBe(200)
    expect(closed.data[5 * 40 + 25]).toBe(0)
    expect(blackhat(stroke, 5, 1).data[5 * 40 + 11]).toBe(200)
  })

  test('gaps shorter than the bridge are closed, runs shorter than a line are dropped', () => {
    const mask = grey(100, 9, (x, y) =>
      y > 2 && y < 7 && ((x > 9 && x < 30) || (x > 34 && x < 60) || x > 95) ? 255 : 0,
    )
    const lines = findRegions(bridgeRows(mask, 10, 40), 1)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatchObject({ width: 50, height: 4, centre: { x: 34.5, y: 4.5 } })
  })

  test('a tilted bar is one region with its length and angle', () => {
    const slope = Math.tan((5 * Math.PI) / 180)
    const mask = grey(300, 80, (x, y) => (x > 20 && x < 280 && Math.abs(y - 20 - x * slope) < 4 ? 255 : 0))
    const [region] = findRegions(mask, 100)
    expect(region.angleDeg).toBeCloseTo(5, 0)
    expect(Math.abs(region.width - 260)).toBeLessThan(5)
  })

  test('two grey levels are parted between them', () => {
    const threshold = otsuThreshold(Uint8Array.from({ length: 100 }, (_, i) => (i < 30 ? 40 : 180)))
    expect(threshold).toBeGreaterThanOrEqual(40)
    expect(threshold).toBeLessThan(180)
  })
})

describe('quality', () => {
  test('a flat picture has no edges, those of a clean pattern are narrow, white is clipped', () => {
    const nothingFound = { outline: null, band: null, portrait: null, proposed: null }
    const flat = measureDocumentQuality(buildPyramid(grey(200, 200, () => 120)), nothingFound)
    expect(flat).toMatchObject({ luminanceMean: 120, clippedShare: 0, edgeWidthPx: null })
    const stripes = buildPyramid(grey(200, 200, (x) => (x % 8 < 4 ? 0 : 255)))
    const edges = measureDocumentQuality(stripes, nothingFound)
    expect(edges.edgeWidthPx).toBeLessThan(2.5)
    expect(edges.clippedShare).toBeCloseTo(0.5, 1)
  })

  test('the thresholds come from a file that says where each of them is from', () => {
    expect(loadQualityThresholds().minPitchPx).toBe(7)
  })

  test('a file with a missing or additional threshold is refused', () => {
    const path = join(mkdtempSync(join(tmpdir(), 'quality-')), 'quality.json')
    writeFileSync(path, '{"origin":"x","thresholds":{}}')
    expect(() => loadQualityThresholds(path)).toThrow('configuration_invalid')
    expect(() => loadQualityThresholds(`${path}.absent`)).toThrow('configuration_invalid')
  })
})

describe('the bench', () => {
  test('takes any manifest with its columns and refuses one without', () => {
    const text = 'format\tfile\tmrz_lines_joined_by_|\nTD1\ta.jpg\tA|B|C\nNONE\tb.jpg\t\n'
    expect(readManifest(text)).toEqual([
      { file: 'a.jpg', truth: ['A', 'B', 'C'], hasValidDigits: false, bandWidthPx: null },
      { file: 'b.jpg', truth: [], hasValidDigits: false, bandWidthPx: null },
    ])
    const more = 'file\tformat\tmrz_lines_joined_by_|\tband_width_px\tcheck_digits_valid_on_document\n'
    expect(readManifest(`${more}a.jpg\tTD1\tA\t612\tTrue\n`)).toEqual([
      { file: 'a.jpg', truth: ['A'], hasValidDigits: true, bandWidthPx: 612 },
    ])
    expect(() => readManifest('file\tformat\n')).toThrow(TypeError)
  })
})
