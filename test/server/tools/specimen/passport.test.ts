import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { doAllChecksPass } from '../../../../server/proofing/mrz/checks.ts'
import { parseMrz } from '../../../../server/proofing/mrz/parse.ts'
import { SPECIMENS_FOLDER, readRecipes } from '../../../../server/tools/specimen/build-specimens.ts'
import { inventHolder, isoDate } from '../../../../server/tools/specimen/passport/holder.ts'
import { applyHomography, homographyBetween } from '../../../../server/tools/specimen/passport/homography.ts'
import type { PlanePoint } from '../../../../server/tools/specimen/passport/homography.ts'
import { pageSvg } from '../../../../server/tools/specimen/passport/page.ts'
import { centreCrop, portraitCrop } from '../../../../server/tools/specimen/passport/portrait.ts'
import type { SpecimenTruth } from '../../../../server/tools/specimen/passport/specimen-document.ts'

const NOW = new Date('2026-11-21T00:00:00Z')

const truthOf = async (id: string) =>
  JSON.parse(await readFile(join(SPECIMENS_FOLDER, id, 'truth.json'), 'utf8')) as SpecimenTruth

describe('the invented holder', () => {
  test('carries an MRZ whose every check digit is right, for any seed', () => {
    for (let seed = 0; seed < 300; seed++) {
      const { mrz } = inventHolder({ seed })
      expect(mrz.map((line) => line.length)).toEqual([44, 44])
      expect(doAllChecksPass(mrz)).toBe(true)
    }
  })

  test('is an adult with a passport of ten years that is valid in the year of this release', () => {
    for (let seed = 0; seed < 300; seed++) {
      const { birthDate, issueDate, expiryDate } = inventHolder({ seed })
      expect(issueDate.year - birthDate.year).toBeGreaterThan(18)
      expect(Number(isoDate(expiryDate).slice(0, 4)) - issueDate.year).toBeGreaterThanOrEqual(9)
      expect(Date.parse(isoDate(expiryDate))).toBeGreaterThan(NOW.getTime())
    }
  })

  test('is the same for the same seed and another for another', () => {
    expect(inventHolder({ seed: 3 })).toEqual(inventHolder({ seed: 3 }))
    expect(inventHolder({ seed: 3 }).mrz).not.toEqual(inventHolder({ seed: 4 }).mrz)
  })
})

describe('the committed specimen passports', () => {
  test('print issuer UTO and an MRZ that parses to the very fields of their truth', async () => {
    const recipes = await readRecipes()
    expect(recipes.length).toBeGreaterThanOrEqual(4)
    for (const { id } of recipes) {
      const truth = await truthOf(id)
      expect(doAllChecksPass(truth.mrz)).toBe(true)
      const facts = parseMrz(truth.mrz, NOW)
      expect(facts).toMatchObject({
        issuingState: 'UTO',
        documentNumber: truth.fields.documentNumber,
        surname: truth.fields.surname,
      })
      expect(truth.note).toContain('SPECIMEN')
    }
  })

  test('are photographed with characters far enough apart to be read', async () => {
    for (const { id } of await readRecipes()) {
      const { photo } = await truthOf(id)
      expect(photo.characterPitchPx).toBeGreaterThan(14)
      for (const [x, y] of photo.corners) {
        expect(x).toBeGreaterThan(0)
        expect(x).toBeLessThan(photo.width)
        expect(y).toBeGreaterThan(0)
        expect(y).toBeLessThan(photo.height)
      }
    }
  })
})

describe('the page', () => {
  test('needs no installed font: every letter is an outline', () => {
    const svg = pageSvg(inventHolder({ seed: 1 }), 1, 150)
    expect(svg).not.toContain('<text')
    expect(svg).not.toContain('NaN')
    expect(svg).not.toContain('undefined')
  })

  test('maps through a perspective and back onto itself', () => {
    const from: PlanePoint[] = [
      [0, 0],
      [125, 0],
      [125, 88],
      [0, 88],
    ]
    const to: PlanePoint[] = [
      [310, 420],
      [2050, 380],
      [2140, 1640],
      [250, 1600],
    ]
    const there = homographyBetween(from, to)
    const back = homographyBetween(to, from)
    for (const [x, y] of [...from, [40, 33] as const]) {
      const [u, v] = applyHomography(there, x, y)
      const [x2, y2] = applyHomography(back, u, v)
      expect(x2).toBeCloseTo(x, 6)
      expect(y2).toBeCloseTo(y, 6)
    }
    expect(() => homographyBetween([from[0], from[0], from[0], from[1]], to)).toThrow(TypeError)
  })

  test('crops a portrait inside the picture, also when the face touches its edge', () => {
    for (const face of [
      { x: 0, y: 0, width: 90, height: 90 },
      { x: 170, y: 160, width: 80, height: 90 },
      { x: 60, y: 60, width: 200, height: 200 },
    ]) {
      const crop = portraitCrop(face, 250, 250)
      expect(crop.x).toBeGreaterThanOrEqual(0)
      expect(crop.y).toBeGreaterThanOrEqual(0)
      expect(crop.x + crop.width).toBeLessThanOrEqual(250 + 1e-9)
      expect(crop.y + crop.height).toBeLessThanOrEqual(250 + 1e-9)
      expect(crop.width / crop.height).toBeCloseTo(33 / 42.5, 6)
    }
    const middle = centreCrop(480, 600)
    expect(middle.x * 2 + middle.width).toBeCloseTo(480, 6)
  })
})
