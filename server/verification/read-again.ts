/**
 * The document as it was read, and its names once more in the language of the state that issued it, where that has letters
 * which the first readers lack. Costs nothing on documents of other states.
 */
import { linesOfNames } from '../proofing/visual-zone/name-lines.ts'
import type { PageText, Vision } from '../vision/protocol.ts'
import { readDocument, type DocumentReadings, type ReadDocument } from './read-document.ts'

export interface WholeReading {
  readonly document: ReadDocument
  /** As they were read last. */
  readonly pages: readonly PageText[]
}

/** `images`: of the same sides, in the order front, back. */
export async function readWithLanguage(
  readings: DocumentReadings,
  images: readonly Uint8Array[],
  vision: Pick<Vision, 'readLinesAgain'>,
): Promise<WholeReading> {
  const { pages, knowledge } = readings
  const document = readDocument(readings)
  const { zone, licence, page } = document
  const issuer = zone?.facts.issuingState ?? licence?.facts.country ?? page.country
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
