/**
 * Reads the elements of an XML text in pieces and keeps only the requested ones, each only while the caller uses it. It
 * declares and follows no entity: a text with a DOCTYPE is refused. Memory is bounded by the limits.
 */
import { SaxesParser } from 'saxes'
import type { Element } from './element.ts'

export interface XmlLimits {
  readonly maxDepth: number
  /** Elements within one requested element. */
  readonly maxNodes: number
  /** Characters between two tags; checked after each piece, within the length of a piece. */
  readonly maxTextLength: number
}

export type XmlProblem =
  | 'malformed'
  | 'doctype'
  | 'not-utf-8'
  | 'wrong-root'
  | 'too-deep'
  | 'too-many-nodes'
  | 'text-too-long'
  | 'empty'

export class XmlRefused extends Error {
  override readonly name = 'XmlRefused'
  readonly problem: XmlProblem
  readonly line: number
  constructor(problem: XmlProblem, line: number) {
    super(`${problem}, line ${line}`)
    this.problem = problem
    this.line = line
  }
}

interface Growing extends Element {
  readonly children: Growing[]
  text: string
}

interface ElementReader {
  /** Throws XmlRefused. */
  write(text: string): void
  /** Returns the attributes of the root. Throws XmlRefused. */
  end(): Readonly<Record<string, string>>
}

/**
 * @param root name of the root
 * @param names of the elements that `take` gets, each with its whole content
 */
export function createElementReader(
  root: string,
  names: ReadonlySet<string>,
  take: (element: Element) => void,
  { maxDepth, maxNodes, maxTextLength }: XmlLimits,
): ElementReader {
  const parser = new SaxesParser()
  const refuse = (problem: XmlProblem): never => {
    throw new XmlRefused(problem, parser.line)
  }
  const open: Growing[] = []
  let rootAttributes: Readonly<Record<string, string>> | null = null
  let depth = 0
  let nodes = 0
  let lastTagAt = 0

  parser.on('error', () => refuse('malformed'))
  parser.on('doctype', () => refuse('doctype'))
  parser.on('xmldecl', ({ encoding }) => {
    if (encoding !== undefined && !/^(utf-8|us-ascii)$/i.test(encoding)) refuse('not-utf-8')
  })
  parser.on('opentag', ({ name: qualified, attributes }) => {
    const name = qualified.replace(/^.*:/, '')
    lastTagAt = parser.position
    if (rootAttributes === null) {
      if (name !== root) refuse('wrong-root')
      rootAttributes = attributes
    }
    if (++depth > maxDepth) refuse('too-deep')
    if (open.length === 0 && !names.has(name)) return
    if (++nodes > maxNodes) refuse('too-many-nodes')
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

  return {
    write(text) {
      parser.write(text)
      if (parser.position - lastTagAt > maxTextLength) refuse('text-too-long')
    },
    end() {
      parser.close()
      return rootAttributes ?? refuse('empty')
    },
  }
}

/** The root with its content; null if the text is refused. */
export function parseElement(text: string, root: string, limits: XmlLimits): Element | null {
  const found: Element[] = []
  try {
    const reader = createElementReader(root, new Set([root]), (element) => found.push(element), limits)
    reader.write(text)
    reader.end()
  } catch (error) {
    if (error instanceof XmlRefused) return null
    throw error
  }
  return found.at(0) ?? null
}
