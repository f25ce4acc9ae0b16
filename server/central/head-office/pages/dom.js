/** Builds elements one by one: text is text, never markup. */
/* global document */

/** Lines on a grid of 32; states differ by shape. */
const ICONS = {
  done: ['M5 17l6 6 9-11', 'M16 23l9-11'],
  late: ['M8 4h16', 'M8 28h16', 'M10 4c0 8 12 8 12 24', 'M22 4c0 8-12 8-12 24'],
  attention: ['M16 5l12 22H4z', 'M16 13v7', 'M16 22v3'],
  problem: ['M11 4h10l7 7v10l-7 7H11l-7-7V11z', 'M11 11l10 10', 'M21 11L11 21'],
  gone: ['M16 4a12 12 0 1 0 .01 0z', 'M7.5 7.5l17 17'],
  note: ['M16 4a12 12 0 1 0 .01 0z', 'M16 14v9', 'M16 9v3'],
}

/**
 * @param {string} name
 * @param {Record<string, unknown>} [props] attributes; `on…` are listeners
 * @param {...(Node | string | null | undefined)} children
 */
export function el(name, props = {}, ...children) {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue
    if (key.startsWith('on')) element.addEventListener(key.slice(2), /** @type {EventListener} */ (value))
    else element.setAttribute(key, value === true ? '' : String(value))
  }
  element.append(...children.filter((child) => child !== null && child !== undefined))
  return element
}

/** Decoration: a word stands beside it. */
export function icon(name) {
  const space = 'http://www.w3.org/2000/svg'
  const svg = document.createElementNS(space, 'svg')
  svg.setAttribute('viewBox', '0 0 32 32')
  svg.setAttribute('class', 'icon')
  svg.setAttribute('aria-hidden', 'true')
  for (const d of ICONS[name]) {
    const path = document.createElementNS(space, 'path')
    path.setAttribute('d', d)
    svg.append(path)
  }
  return svg
}

/** The element of this page with that id. */
export function byId(id) {
  const element = document.getElementById(id)
  if (!element) throw new TypeError(`the page has no #${id}`)
  return element
}

/** Says it to a screen reader. */
export function announce(text) {
  byId('announce').textContent = text
}

/** Shows a text where there is one, else hides the place. */
export function showText(element, text) {
  element.textContent = text ?? ''
  element.hidden = !text
}
