/** Which lines of a page say the names: those that are worth reading again for letters that the first readers lack. */
import type { PageFacts, PageFieldName } from './page-facts.ts'
import { bareText } from './spelling.ts'
import type { TextLine } from './text.ts'

const NAMES: readonly PageFieldName[] = ['surname', 'givenNames', 'fullName']

/** `captureIndex`: of the page whose lines these are. A name may run over two lines, and a line may say more than a name. */
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
