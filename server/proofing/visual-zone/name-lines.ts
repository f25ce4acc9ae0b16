/** Finds the lines with names, which are worth a second reading for letters that the first recognisers lack. */
import type { PageFacts, PageFieldName } from './page-facts.ts'
import { bareText } from './spelling.ts'
import type { TextLine } from './text.ts'

const NAMES: readonly PageFieldName[] = ['surname', 'givenNames', 'fullName']

/** `captureIndex`: page to which the lines belong. A name may span two lines, and a line may contain more than a name. */
export function linesOfNames<Line extends TextLine>(
  { fields }: PageFacts,
  lines: readonly Line[],
  captureIndex: number,
): readonly Line[] {
  const names = fields
    .filter((field) => NAMES.includes(field.field) && field.captureIndex === captureIndex)
    .map(({ value }) => bareText(value))
  return lines.filter(({ words }) => {
    const line = bareText(words.map(({ text }) => text).join(' '))
    return line.length > 1 && names.some((name) => hasWords(line, name) || hasWords(name, line))
  })
}

const hasWords = (text: string, words: string): boolean => ` ${text} `.includes(` ${words} `)
