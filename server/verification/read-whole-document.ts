/**
 * Reads a document (`readDocument`), then repeats single readings where needed: the letter of the sex if only its label was
 * read, and the names in the language of the issuing state if that language has letters the first recognisers
 * lack. Adds no work for other documents.
 */
import { linesOfNames } from '../proofing/visual-zone/name-lines.ts'
import type { PageFacts } from '../proofing/visual-zone/page-facts.ts'
import type { PageText, Vision } from '../vision/protocol.ts'
import { readDocument, type DocumentReadings, type ReadDocument } from './read-document.ts'

interface WholeReading {
  readonly document: ReadDocument
  /** The pages after the last reading. */
  readonly pages: readonly PageText[]
}

/** `images`: pictures of the same sides, in the order front, back. */
export async function readWholeDocument(
  readings: DocumentReadings,
  images: readonly Uint8Array[],
  vision: Pick<Vision, 'readLinesAgain' | 'readCell'>,
): Promise<WholeReading> {
  const first = readDocument(readings)
  const pages = await withLetterOfSex(first.page, readings.pages, images, vision)
  const whole = { ...readings, pages }
  return withNames(pages === readings.pages ? first : readDocument(whole), whole, images, vision)
}

/**
 * Doc 9303 part 3 allows M, F and X (`<` in the MRZ). X is excluded because background lines look like it.
 */
const SEX = /^[MF]$/

/** Adds the letter to its page as a separate line if it was read for certain. */
async function withLetterOfSex(
  { sexNotRead = [] }: PageFacts,
  pages: readonly PageText[],
  images: readonly Uint8Array[],
  vision: Pick<Vision, 'readCell'>,
): Promise<readonly PageText[]> {
  for (const { captureIndex, row, cell, value: box } of sexNotRead) {
    const { frame } = pages[captureIndex]
    const letter = frame && (await vision.readCell({ image: images[captureIndex], frame, row, cell }))
    if (!letter || !SEX.test(letter.character)) continue
    const { character: text, confidence } = letter
    const line = { words: [{ text, confidence, box, isConfirmed: false }], box }
    return pages.map((page, side) =>
      side === captureIndex
        ? { ...page, lines: [...page.lines, line].sort((a, b) => a.box.y - b.box.y) }
        : page,
    )
  }
  return pages
}

async function withNames(
  document: ReadDocument,
  readings: DocumentReadings,
  images: readonly Uint8Array[],
  vision: Pick<Vision, 'readLinesAgain'>,
): Promise<WholeReading> {
  const { pages, knowledge } = readings
  const { mrz, licence, page } = document
  const issuer = mrz?.facts.issuingState ?? licence?.facts.country ?? page.country
  const language = issuer === null ? undefined : knowledge.languages[issuer]
  if (!language) return { document, pages }
  let isRead = true
  const again = await Promise.all(
    pages.map(async (text, side) => {
      const wanted = linesOfNames(page, text.lines, side)
      if (wanted.length === 0 || !text.frame) return text
      const { lines, models } = await vision.readLinesAgain({
        image: images[side],
        frame: text.frame,
        widthPx: text.widthPx,
        heightPx: text.heightPx,
        lines: wanted,
        language: language.code,
      })
      if (models.length === 0) isRead = false
      return {
        ...text,
        lines: text.lines.map((line) => lines[wanted.indexOf(line)] ?? line),
        models: [...text.models, ...models],
      }
    }),
  )
  if (!isRead) return { document: withoutLetters(document, language.letters), pages }
  return { document: readDocument({ ...readings, pages: again }), pages: again }
}

const withoutLetters = (document: ReadDocument, lettersNotRead: readonly string[]): ReadDocument => ({
  ...document,
  page: { ...document.page, lettersNotRead },
})
