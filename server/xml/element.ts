/** An element of an XML file with its content, as the reader keeps it, and the ways to look into it. */
export interface Element {
  /** Local name, without prefix. */
  readonly name: string
  /** Keys are the names as written, prefix included. */
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly Element[]
  /** The element's own text, without that of its children. */
  readonly text: string
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
