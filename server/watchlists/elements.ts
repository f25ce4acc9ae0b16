/**
 * Reads the elements of an XML file one after the other and keeps only the requested ones, each only while the caller
 * uses it. It declares and follows no entity: a file with a DOCTYPE is refused.
 */
import { SaxesParser } from 'saxes'
import type { TextFile } from './read-file.ts'
import { ListRefused } from './parsed-list.ts'

/** Published lists are 11 levels deep. */
const DEEPEST = 40
/** Limit per person; the longest entries have a few thousand nodes. */
const MAX_NODES = 100_000
/** Limit between two tags. */
const MAX_TEXT_LENGTH = 2_000_000

export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly Element[]
  /** The element's own text, without that of its children. */
  readonly text: string
}
interface Growing extends Element {
  readonly children: Growing[]
  text: string
}

/**
 * Calls `take` for every element with one of these names, with its whole content. Throws ListRefused if the file is not
 * well-formed, is cut off, has another root, or would exhaust the reader.
 */
export async function readElements(
  file: TextFile,
  root: string,
  names: ReadonlySet<string>,
  take: (element: Element) => void,
): Promise<Readonly<Record<string, string>>> {
  const parser = new SaxesParser()
  const refuse = (problem: string): never => {
    throw new ListRefused(`${file.name} ${problem}, line ${parser.line}`)
  }
  const open: Growing[] = []
  let rootAttributes: Readonly<Record<string, string>> | null = null
  let depth = 0
  let nodes = 0
  let lastTagAt = 0

  parser.on('error', () => refuse('is no well-formed XML: it is damaged or cut off'))
  parser.on('doctype', () => refuse('declares a document type, which no list needs'))
  parser.on('xmldecl', ({ encoding }) => {
    if (encoding !== undefined && !/^(utf-8|us-ascii)$/i.test(encoding)) refuse('is not in UTF-8')
  })
  parser.on('opentag', ({ name: qualified, attributes }) => {
    const name = qualified.replace(/^.*:/, '')
    lastTagAt = parser.position
    if (rootAttributes === null) {
      if (name !== root) refuse(`is another kind of file: it begins with another element than ${root}`)
      rootAttributes = attributes
    }
    if (++depth > DEEPEST) refuse('has elements within elements without end')
    if (open.length === 0 && !names.has(name)) return
    if (++nodes > MAX_NODES) refuse('has an entry without end')
    const element: Growing = { name, attributes, children: [], text: '' }
    open.at(-1)?.children.push(element)
    open.push(element)
  })
  parser.on('closetag', () => {
    depth--
    lastTagAt = parser.position
    const closed = open.pop()
    if (!closed || open.length > 0) return
    nodes = 0
    take(closed)
  })
  const addText = (text: string): void => {
    const element = open.at(-1)
    if (element) element.text += text
  }
  parser.on('text', addText)
  parser.on('cdata', addText)

  for await (const text of file.text()) {
    parser.write(text)
    if (parser.position - lastTagAt > MAX_TEXT_LENGTH) refuse('has a text without end')
  }
  parser.close()
  return rootAttributes ?? refuse('holds no element')
}

/** The direct children with this name. */
export function listChildren(element: Element | undefined, name: string): readonly Element[] {
  return element?.children.filter((child) => child.name === name) ?? []
}

export function findChild(element: Element | undefined, name: string): Element | undefined {
  return element?.children.find((child) => child.name === name)
}

/** Trimmed text of the child; empty if there is no such child. */
export function readText(element: Element | undefined, name: string): string {
  return findChild(element, name)?.text.trim() ?? ''
}

/** All descendants with this name, at any depth. */
export function* listDescendants(element: Element, name: string): Generator<Element> {
  for (const child of element.children) {
    if (child.name === name) yield child
    yield* listDescendants(child, name)
  }
}
