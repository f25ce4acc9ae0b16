/**
 * A specimen's genuine data page as material for a forger, and the reprinting of its MRZ. The issuer is Utopia, as for
 * all specimens.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { createRandom } from '../head/noise.ts'
import { inventHolder, type PassportFacts } from '../passport/holder.ts'
import { MRZ, PAGE } from '../passport/layout.ts'
import { renderPage } from '../passport/page.ts'
import { centreCrop, cropPortrait } from '../passport/portrait.ts'
import { characterPath, type FontId } from './fonts.ts'

const SPECIMENS = fileURLToPath(new URL('../../../../resources/specimens/', import.meta.url))
/** Twice the resolution of the photographs that are made of it. */
export const PAGE_DPI = 450
export const PX_PER_MM = PAGE_DPI / 25.4

export interface Page {
  readonly facts: PassportFacts
  readonly png: Buffer
}

const PERSONS = readdirSync(SPECIMENS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'recipes')
  .map(({ name }) => name)
  .sort()

/** Portrait of the specimen person that the seed draws, or of another one. */
export async function drawPortrait(seed: number, another = false): Promise<Buffer> {
  const drawn = Math.floor(createRandom(seed + 17)() * PERSONS.length)
  const person = PERSONS[(drawn + (another ? 1 : 0)) % PERSONS.length]
  const image = readFileSync(join(SPECIMENS, person, 'portrait.jpg'))
  return cropPortrait(image, centreCrop(480, 600))
}

const rendered = new Map<number, Promise<Page>>()

/** Rendered once per seed, so that every species is made of the same pages. */
export function genuinePage(seed: number): Promise<Page> {
  const known = rendered.get(seed) ?? renderGenuinePage(seed)
  rendered.set(seed, known)
  return known
}

async function renderGenuinePage(seed: number): Promise<Page> {
  const facts = inventHolder({ seed })
  return { facts, png: await renderPage({ facts, portrait: await drawPortrait(seed), seed, dpi: PAGE_DPI }) }
}

/** The difference of one character from its neighbours, in millimetres and colour. */
export interface CharacterPrint {
  readonly font: FontId
  readonly dx?: number
  readonly dy?: number
  readonly ink?: string
  /** The colour with which the place was first painted over, as with correction fluid or in an image editor. */
  readonly ground?: string
}

/** Covers the MRZ and prints it again, character by character. */
export async function reprintMrz(
  page: Page,
  print: (line: number, column: number) => CharacterPrint,
): Promise<Page> {
  const marks = page.facts.mrz.flatMap((text, line) =>
    [...text].map((character, column) => {
      const { font, dx = 0, dy = 0, ink = '#14141a', ground } = print(line, column)
      const cell = { x: MRZ.x + column * MRZ.pitch, y: MRZ.baselines[line], pitch: MRZ.pitch }
      const cover = ground
        ? `<rect x="${cell.x}" y="${cell.y - 3.2}" width="${MRZ.pitch}" height="4.2" fill="${ground}"/>`
        : ''
      const moved = { ...cell, x: cell.x + dx, y: cell.y + dy }
      return `${cover}<path d="${characterPath(character, font, moved)}" fill="${ink}"/>`
    }),
  )
  const { width, height } = await sharp(page.png).metadata()
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${PAGE.width} ${PAGE.height}"><rect x="0" y="${MRZ.top}" width="${PAGE.width}" height="${PAGE.height - MRZ.top}" fill="#f7f4ec"/>${marks.join('')}</svg>`
  const png = await sharp(page.png)
    .composite([{ input: Buffer.from(svg) }])
    .png()
    .toBuffer()
  return { ...page, png }
}
