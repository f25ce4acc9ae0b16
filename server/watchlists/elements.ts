/** Reads the elements of a published XML list, and says in words of the operator why a file is refused. */
import type { Element } from '../xml/element.ts'
import { createElementReader, XmlRefused, type XmlProblem } from '../xml/element-reader.ts'
import type { TextFile } from './read-file.ts'
import { ListRefused } from './parsed-list.ts'

/** Published lists are 11 levels deep; the longest entries have a few thousand nodes. */
const LIMITS = { maxDepth: 40, maxNodes: 100_000, maxTextLength: 2_000_000 }

const WORDS: Readonly<Record<Exclude<XmlProblem, 'wrong-root'>, string>> = {
  malformed: 'is no well-formed XML: it is damaged or cut off',
  doctype: 'declares a document type, which no list needs',
  'not-utf-8': 'is not in UTF-8',
  'too-deep': 'has elements within elements without end',
  'too-many-nodes': 'has an entry without end',
  'text-too-long': 'has a text without end',
  empty: 'holds no element',
}

/**
 * Calls `take` for every element with one of these names, with its whole content. Returns the attributes of the root. Throws
 * ListRefused if the file is not well-formed, is cut off, has another root, or would exhaust the reader.
 */
export async function readElements(
  file: TextFile,
  root: string,
  names: ReadonlySet<string>,
  take: (element: Element) => void,
): Promise<Readonly<Record<string, string>>> {
  const reader = createElementReader(root, names, take, LIMITS)
  try {
    for await (const text of file.text()) reader.write(text)
    return reader.end()
  } catch (error) {
    if (!(error instanceof XmlRefused)) throw error
    const { problem, line } = error
    const words =
      problem === 'wrong-root'
        ? `is another kind of file: it begins with another element than ${root}`
        : WORDS[problem]
    throw new ListRefused(`${file.name} ${words}, line ${line}`)
  }
}
