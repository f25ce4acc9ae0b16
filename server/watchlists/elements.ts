/**
 * Elements of an XML file, one after the other: only those that are asked for are kept, each for as long as it is looked
 * at. Declares no entity and follows none: a file with a DOCTYPE is refused.
 */
import { SaxesParser } from 'saxes'
import type { TextFile } from './read-file.ts'
import { ListRefused } from './parsed-list.ts'

/** Published lists are 11 deep. */
const DEEPEST = 40
/** Of one person: the longest entries have a few thousand. */
const MAX_NODES = 100_000
/** Between two tags. */
const MAX_TEXT_LENGTH = 2_000_000

export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly Element[]
  /** Its own, without that of its children. */
  readonly text: string
}
interface Growing extends Element {
  readonly children: Growing[]
  text: string
}

/**
 * Calls `take` for every element of these names, with all that is in it. Throws ListRefused for a file that is not
 * well-formed, cut off, not of this root, or made to exhaust its reader.
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
  parser.on('doctype', () => refuse('declares a document type, which lists have no need of'))
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

/** Those of this name, directly below. */
export function childrenOf(element: Element | undefined, name: string): readonly Element[] {
  return element?.children.filter((child) => child.name === name) ?? []
}

export function childOf(element: Element | undefined, name: string): Element | undefined {
  return element?.children.find((child) => child.name === name)
}

/** Trimmed; empty where there is no such child. */
export function textOf(element: Element | undefined, name: string): string {
  return childOf(element, name)?.text.trim() ?? ''
}

/** Of all elements of this name, however deep below. */
export function* descendantsOf(element: Element, name: string): Generator<Element> {
  for (const child of element.children) {
    if (child.name === name) yield child
    yield* descendantsOf(child, name)
  }
}
