/** Builds elements without markup strings, so that the page's content policy can forbid inline markup. */

type Child = Node | string | null | undefined | false
type Attributes = Readonly<Record<string, string | number | boolean | undefined | ((event: Event) => void)>>

const SVG_NAMESPACE = 'http://www.w3.org/2000/svg'

/**
 * Creates an HTML element. A function attribute is a listener under its event's name, `true` an attribute
 * without value.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return furnish(document.createElement(tag), attributes, children)
}

/** Creates an SVG element. */
export function svg(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  return furnish(document.createElementNS(SVG_NAMESPACE, tag), attributes, children)
}

function furnish<E extends Element>(element: E, attributes: Attributes, children: readonly Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value)
    else if (value === true) element.setAttribute(name, '')
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value))
  }
  for (const child of children) if (child) element.append(child)
  return element
}
