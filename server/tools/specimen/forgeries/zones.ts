/** Forged MRZs: printed whole in another font, or patched character by character. */
import { createRandom } from '../head/noise.ts'
import type { FontId } from './fonts.ts'
import { reprintMrz, type CharacterPrint, type Page } from './page.ts'

/** The whole MRZ in another font. */
export const setMrzInFont =
  (font: FontId) =>
  (page: Page): Promise<Page> =>
    reprintMrz(page, () => ({ font }))

/** Changes of single characters. */
export const PATCHES = {
  /** Another font's character in place of two digits of the date of birth. */
  font: { font: 'liberation-sans' },
  /** The right font, a quarter of a millimetre off: a tenth of the character pitch. */
  offset: { font: 'ocr-b', dx: 0.22, dy: 0.25 },
  /** The right font in paler ink on a lighter ground. */
  ink: { font: 'ocr-b', ink: '#4a4a52', ground: '#ffffff' },
} as const satisfies Readonly<Record<string, CharacterPrint>>

/** Patches two digits of the birth date or of the expiry date, and their check digit. */
export const patchMrz =
  (kind: keyof typeof PATCHES) =>
  (page: Page, seed: number): Promise<Page> => {
    const random = createRandom(seed + 55)
    const first = random() < 0.5 ? 13 : 21
    const at = first + Math.floor(random() * 5)
    const patched = [at, at + 1, first + 6]
    return reprintMrz(page, (line, column) =>
      line === 1 && patched.includes(column) ? PATCHES[kind] : { font: 'ocr-b' },
    )
  }
