import { describe, expect, test } from 'vitest'
import { parseAamva } from '../../../../server/proofing/aamva/parse.ts'
import { isMedicareNumber } from '../../../../server/proofing/medicare.ts'
import { doAllChecksPass } from '../../../../server/proofing/mrz/checks.ts'
import { detectFormat } from '../../../../server/proofing/mrz/detect.ts'
import { parseMrz } from '../../../../server/proofing/mrz/parse.ts'
import { aamvaText } from '../../../../server/tools/specimen/documents/aamva-text.ts'
import { inventCard, truthDate } from '../../../../server/tools/specimen/documents/card-facts.ts'
import { SPECIMEN_KINDS, type BoxMm } from '../../../../server/tools/specimen/documents/layout.ts'
import { inventPerson, plainSpelling } from '../../../../server/tools/specimen/documents/person.ts'
import { DESIGNS } from '../../../../server/tools/specimen/documents/render.ts'
import { renderDocument } from '../../../support/specimen-sides.ts'
import { drawSide } from '../../../../server/tools/specimen/documents/side-svg.ts'
import { textWidth } from '../../../../server/tools/specimen/passport/text.ts'

const NOW = new Date('2026-11-21T00:00:00Z')
const seeds = (count: number) => Array.from({ length: count }, (_, i) => i + 1)
const factsOf = (kind: (typeof SPECIMEN_KINDS)[number], seed: number) =>
  inventCard(seed, DESIGNS[kind].numberStyle, DESIGNS[kind].validYears)

const overlap = (a: BoxMm, b: BoxMm) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

describe('the invented holders', () => {
  test('have marks on their letters, two surnames and long names often enough to be met in a small sample', () => {
    const persons = seeds(400).map(inventPerson)
    const share = (has: (person: (typeof persons)[number]) => boolean) =>
      persons.filter(has).length / persons.length
    expect(
      share(({ surname, givenNames }) => /[^A-Z '-]/.test(surname + givenNames.join(''))),
    ).toBeGreaterThan(0.3)
    expect(share(({ surname }) => /[ -]/.test(surname))).toBeGreaterThan(0.1)
    expect(
      share(({ surname, givenNames }) => surname.length + givenNames.join(' ').length > 30),
    ).toBeGreaterThan(0.05)
    expect(share(({ birthDate }) => birthDate.day === null)).toBeGreaterThan(0.05)
    expect(share(({ birthDate }) => birthDate.day === null)).toBeLessThan(0.15)
  })

  test('have names that an MRZ can spell and the fonts can print', () => {
    for (const { surname, givenNames } of seeds(400).map(inventPerson)) {
      expect(plainSpelling(surname)).toMatch(/^[A-Z]+( [A-Z]+)*$/)
      // A letter without a glyph would be an empty box of another width than any of its neighbours.
      for (const letter of surname + givenNames.join(''))
        expect(textWidth(letter, 'bold', 10), letter).toBeGreaterThan(1)
    }
  })
})

describe('the MRZs', () => {
  const kinds = SPECIMEN_KINDS.filter((kind) => DESIGNS[kind].mrzLines)

  test.each(kinds)('of the %s pass every check digit and name its format, for any seed', (kind) => {
    const side = DESIGNS[kind].sides.find(({ zone }) => zone)
    for (const seed of seeds(150)) {
      const lines = DESIGNS[kind].mrzLines?.(factsOf(kind, seed)) ?? []
      expect(doAllChecksPass(lines)).toBe(true)
      expect(detectFormat(lines)).toBe(side?.zone?.format)
    }
  })

  test('say what is printed beside them', () => {
    for (const seed of seeds(60)) {
      const facts = factsOf('identity-card', seed)
      const zone = parseMrz(DESIGNS['identity-card'].mrzLines?.(facts) ?? [], NOW)
      expect(zone.issuingState).toBe('UTO')
      expect(zone.documentNumber).toBe(facts.documentNumber)
      expect(zone.sex).toBe(facts.holder.sex)
      expect(zone.expiryDate).toEqual(facts.expiryDate)
    }
  })
})

describe('the barcode of the North American licence', () => {
  test('is read back as the facts that were written, for any seed', () => {
    for (const seed of seeds(100)) {
      const facts = factsOf('licence-north-america', seed)
      const read = parseAamva(aamvaText(facts))
      expect(read).toMatchObject({
        version: 10,
        documentNumber: facts.documentNumber,
        surname: plainSpelling(facts.holder.surname).slice(0, 40),
        expiryDate: truthDate(facts.expiryDate),
        sex: facts.holder.sex,
        jurisdiction: null,
      })
    }
  })
})

test('the number of the health care card carries its check digit', () => {
  for (const seed of seeds(100))
    expect(isMedicareNumber(factsOf('medicare-card', seed).medicareNumber)).toBe(true)
})

describe('a drawn side', () => {
  test.each(SPECIMEN_KINDS)(
    'of the %s keeps its values on the card, apart from each other and from portrait and MRZ',
    async (kind) => {
      const design = DESIGNS[kind]
      for (const seed of [1, 2, 3, 8, 21])
        for (const side of design.sides) {
          const facts = factsOf(kind, seed)
          const { fields } = await drawSide(design, side, { printed: facts, coded: facts }, 100)
          const taken = [side.portrait, side.chip, side.barcode].filter((box) => box !== undefined)
          fields.forEach(({ field, box }, i) => {
            const what = `${kind} ${side.side} ${field} seed ${seed}`
            expect(box.x, what).toBeGreaterThanOrEqual(0)
            expect(box.x + box.width, what).toBeLessThanOrEqual(design.size.width)
            expect(box.y + box.height, what).toBeLessThanOrEqual(side.zone?.top ?? design.size.height)
            expect(
              taken.some((other) => overlap(box, other)),
              what,
            ).toBe(false)
            expect(
              fields
                .slice(i + 1)
                .filter((other) => overlap(box, other.box))
                .map((other) => other.field),
              what,
            ).toEqual([])
          })
        }
    },
  )

  test('says SPECIMEN in its texts, on every side of every kind', () => {
    for (const kind of SPECIMEN_KINDS)
      for (const { texts } of DESIGNS[kind].sides)
        expect(texts.some(({ text, size }) => text === 'SPECIMEN' && size >= 3.4)).toBe(true)
  })
})

test('the same kind and seed give the same pixels, another seed gives others', async () => {
  const [first] = await renderDocument('identity-card', 5, 100)
  const [again] = await renderDocument('identity-card', 5, 100)
  const [other] = await renderDocument('identity-card', 6, 100)
  expect(Buffer.compare(first.pixels, again.pixels)).toBe(0)
  expect(Buffer.compare(first.pixels, other.pixels)).not.toBe(0)
  expect(first.truth).toEqual(again.truth)
})

test('both sides are one card: same holder, same size', async () => {
  const sides = await renderDocument('licence-north-america', 4, 60)
  expect(sides.map(({ truth }) => truth.side)).toEqual(['FRONT', 'BACK'])
  const number = sides[0].truth.fields.find(({ field }) => field === 'documentNumber')?.value
  expect(sides[1].truth.barcode?.text).toContain(`DAQ${number}`)
  expect(sides[1].truth.size).toEqual(sides[0].truth.size)
})
