/**
 * Measures a screen (docs/screens.md): targets, zones, letter sizes; nothing cut off, no overlaps, no broken
 * words. Runs inside the page.
 */
export interface Measures {
  /** Controls must not begin higher than this; null: they may stand anywhere. */
  readonly handTopPx: number | null
  readonly leastTargetPx: number
  readonly leastGapPx: number
  readonly leastLetterPx: number
}

interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** @returns what is wrong, in words; empty: nothing. */
export function lookOver({ handTopPx, leastTargetPx, leastGapPx, leastLetterPx }: Measures): string[] {
  const findings = new Set<string>()
  const dialog = document.querySelector<HTMLElement>('dialog[open]')
  const barTop = document.querySelector('.bar')?.getBoundingClientRect().top ?? innerHeight
  const apart =
    '.receipt, .visually-hidden, .file-input, .edge-dot, .is-other-page, .is-absent, [hidden], .second, .capture-stage'
  const elements = [
    ...(dialog ?? document.querySelector('.frame'))!.querySelectorAll<HTMLElement>('*'),
  ].filter((element) => {
    const { width, height } = element.getBoundingClientRect()
    return (
      !element.matches('div:empty') &&
      width > 0 &&
      height > 0 &&
      !element.closest(apart) &&
      element.checkVisibility({ visibilityProperty: true })
    )
  })
  const nameOf = (element: Element) => {
    const { className } = element as { className: unknown }
    const kind = typeof className === 'string' ? className : (element.getAttribute('class') ?? '')
    return `${element.tagName.toLowerCase()}.${kind} “${element.textContent.trim().slice(0, 30)}”`
  }
  const textsOf = (element: Element) =>
    [...element.childNodes].filter((node): node is Text => node instanceof Text && node.data.trim() !== '')
  const around = (boxes: readonly Box[]): Box => ({
    left: Math.min(...boxes.map(({ left }) => left)),
    top: Math.min(...boxes.map(({ top }) => top)),
    right: Math.max(...boxes.map(({ right }) => right)),
    bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
  })
  /** The boxes of the letters, line by line, without the font's space above and below. */
  const linesOf = (element: Element, nodes: readonly Text[]): readonly Box[] => {
    const range = document.createRange()
    const spare = parseFloat(getComputedStyle(element).fontSize) * 0.22
    return nodes.flatMap((node) => {
      range.selectNodeContents(node)
      return [...range.getClientRects()].map(({ left, right, top, bottom }) => ({
        left,
        right,
        top: top + spare,
        bottom: bottom - spare,
      }))
    })
  }
  const isIn = (inner: Box, outer: Box, spare = 1) =>
    inner.left >= outer.left - spare &&
    inner.right <= outer.right + spare &&
    inner.top >= outer.top - spare &&
    inner.bottom <= outer.bottom + spare
  const isOver = (a: Box, b: Box) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2
  const isControl = (element: Element) => element.matches('button, input, [href], select, textarea')

  const viewport = { left: 0, top: 0, right: innerWidth, bottom: innerHeight }
  const controls = elements.filter(isControl)
  const leaves: { element: Element; boxes: readonly Box[]; what: string }[] = []

  for (const element of elements) {
    const box = element.getBoundingClientRect()
    // For screen readers alone.
    if (box.width <= 1 && box.height <= 1) continue
    const what = nameOf(element)
    if (!(element instanceof SVGElement)) {
      if (!isIn(box, viewport)) findings.add(`outside: ${what}`)
      else if (!dialog && element.closest('.screen') && box.bottom > barTop + 1)
        findings.add(`under the bar: ${what}`)
    }
    if (element.matches('svg')) {
      const drawn = [...element.querySelectorAll('path, rect, circle, ellipse')].map((shape) =>
        shape.getBoundingClientRect(),
      )
      const strokes = drawn.length > 0 ? around(drawn) : box
      if (!isIn(strokes, box, 12)) findings.add(`drawing beside its place: ${what}`)
      if (element.matches('.picture') && !isIn(strokes, viewport, -16))
        findings.add(`drawing at the edge: ${what}`)
      if (element.matches('.picture') && Math.min(box.width, box.height) < 56)
        findings.add(`drawing too small: ${what}`)
      leaves.push({ element, boxes: [strokes], what })
    }
    if (element.matches('img, canvas, input')) leaves.push({ element, boxes: [box], what })
    if (element.matches('.step-marks li')) leaves.push({ element, boxes: [box], what })
    const nodes = textsOf(element)
    if (nodes.length === 0 || element instanceof SVGElement) continue
    if (parseFloat(getComputedStyle(element).fontSize) < leastLetterPx - 0.1)
      findings.add(`small letters: ${what}`)
    const lines = linesOf(element, nodes)
    const letters = around(lines)
    leaves.push({ element, boxes: lines, what })
    for (let outer: Element | null = element; outer; outer = outer.parentElement) {
      const clips = getComputedStyle(outer).overflowX !== 'visible' || isControl(outer)
      if (clips && !isIn(letters, outer.getBoundingClientRect(), 2))
        findings.add(`cut off by ${nameOf(outer)}: ${what}`)
    }
    for (const word of tornWords(element, nodes)) findings.add(`torn word ${word}: ${what}`)
  }

  for (const control of controls) {
    const { width, height, top } = control.getBoundingClientRect()
    if (Math.min(width, height) < leastTargetPx - 1) findings.add(`too small: ${nameOf(control)}`)
    if (control.matches('button') && handTopPx !== null && top < handTopPx - 1)
      findings.add(`too high: ${nameOf(control)} ${Math.round(handTopPx - top)}`)
  }
  eachPair(controls, (one, other) => {
    const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()]
    const between = Math.max(
      Math.max(a.left, b.left) - Math.min(a.right, b.right),
      Math.max(a.top, b.top) - Math.min(a.bottom, b.bottom),
    )
    if (between < leastGapPx - 1)
      findings.add(`too close (${Math.round(between)}): ${nameOf(one)} and ${nameOf(other)}`)
  })
  eachPair(leaves, (one, other) => {
    if (one.element.contains(other.element) || other.element.contains(one.element)) return
    // Line by line: a sign may stand before the first of two lines.
    if (one.boxes.some((a) => other.boxes.some((b) => isOver(a, b))))
      findings.add(`over each other: ${one.what} and ${other.what}`)
  })
  // Blocks that a clipping container would cut, such as a row across the page's edge.
  for (const clip of elements.filter((element) => getComputedStyle(element).overflowY === 'clip'))
    for (const block of clip.children) {
      const box = block.getBoundingClientRect()
      if (box.height > 0 && !block.closest(apart) && !isIn(box, clip.getBoundingClientRect(), 4))
        findings.add(`cut off: ${nameOf(block)}`)
    }
  const mains = elements.filter((element) => element.matches('.button-primary'))
  if (mains.length > 1) findings.add(`${mains.length} main buttons`)
  const heads = elements.filter((element) => element.matches(dialog ? 'h2' : 'h1'))
  if (heads.length !== 1) findings.add(`${heads.length} titles`)
  return [...findings]

  /** Words that continue in the next line without a hyphen; names and numbers of a person may. */
  function tornWords(element: Element, nodes: readonly Text[]): string[] {
    if (element.closest('.value, .reference, .code, bdi, [data-personal]')) return []
    const range = document.createRange()
    const least = parseFloat(getComputedStyle(element).fontSize) * 0.6
    return nodes.flatMap((node) =>
      [...node.data.matchAll(/[^\s\u00ad\u200b\u2010-\u2015/-]{4,}/g)].flatMap(({ 0: word, index }) => {
        range.setStart(node, index)
        range.setEnd(node, index + word.length)
        const rects = [...range.getClientRects()].filter(({ width }) => width > 0)
        // The hyphen of a soft one stands at the end of the line before.
        if (node.data[index - 1] === '\u00ad') rects.shift()
        const tops = rects.map(({ top }) => top)
        return Math.max(...tops) - Math.min(...tops) > least ? [word] : []
      }),
    )
  }

  function eachPair<T>(all: readonly T[], look: (one: T, other: T) => void): void {
    all.forEach((one, index) => all.slice(index + 1).forEach((other) => look(one, other)))
  }
}

/** Limits of the console (docs/screens.md). */
export const CONSOLE_MEASURES = { leastLetterPx: 14, leastTargetPx: 24 }

/** A page of the counter: what is beside the screen, cut off, too small to read or to point at. Runs inside the page. */
export function lookOverConsole({ leastLetterPx, leastTargetPx }: typeof CONSOLE_MEASURES): string[] {
  const findings = new Set<string>()
  const root = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body
  const scrolls = (element: Element) => {
    for (let outer = element.parentElement; outer; outer = outer.parentElement)
      if (/auto|scroll/.test(getComputedStyle(outer).overflowX)) return true
    return false
  }
  for (const element of root.querySelectorAll<HTMLElement>('*')) {
    const { width, height, left, right } = element.getBoundingClientRect()
    if (
      width < 2 ||
      height < 2 ||
      !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
    )
      continue
    if (element.closest('svg, .visually-hidden, [hidden]')) continue
    const what = `${element.localName} “${element.textContent.trim().slice(0, 30)}”`
    const style = getComputedStyle(element)
    const hasText = [...element.childNodes].some((node) => node instanceof Text && node.data.trim() !== '')
    if (hasText && parseFloat(style.fontSize) < leastLetterPx - 0.1) findings.add(`small letters: ${what}`)
    if ((left < -1 || right > innerWidth + 1) && !scrolls(element)) findings.add(`outside: ${what}`)
    const isCut = style.overflowX === 'hidden' && element.scrollWidth > element.clientWidth + 1
    if (hasText && isCut && style.textOverflow !== 'ellipsis') findings.add(`cut off: ${what}`)
    // A link in a sentence has the height of its line.
    const isTarget = element.matches(
      'button, select, textarea, summary, input:not([type=checkbox], [type=radio], [type=file])',
    )
    if (isTarget && Math.min(width, height) < leastTargetPx - 0.5) findings.add(`too small: ${what}`)
  }
  return [...findings]
}
