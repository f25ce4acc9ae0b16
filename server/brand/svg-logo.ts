/**
 * Sanitises an SVG logo. The file is untrusted, so the served file is written again from an allow list of elements and
 * attributes. Anything that could run code, load a resource or expand is refused by name; metadata of drawing programs is
 * dropped. Pure.
 */
import { SaxesParser, type SaxesTagNS } from 'saxes'
import { escapeXml } from '../xml/escape.ts'

export const MAX_SVG_BYTES = 256 * 1024
const MAX_ELEMENTS = 2_000
const DEEPEST = 24
const SVG = 'http://www.w3.org/2000/svg'
const XLINK = 'http://www.w3.org/1999/xlink'

const ELEMENTS = new Set([
  ...['svg', 'g', 'defs', 'title', 'desc', 'style'],
  ...['path', 'rect', 'circle', 'ellipse', 'line', 'polyline', 'polygon'],
  ...['linearGradient', 'radialGradient', 'stop', 'clipPath', 'mask'],
])
/** Texts for editors and screen readers; the page itself names the logo. */
const DROPPED = new Set(['title', 'desc', 'metadata'])

const ATTRIBUTES = new Set([
  ...[
    'id',
    'class',
    'style',
    'viewBox',
    'width',
    'height',
    'x',
    'y',
    'x1',
    'y1',
    'x2',
    'y2',
    'cx',
    'cy',
    'r',
  ],
  ...['rx', 'ry', 'fx', 'fy', 'd', 'points', 'transform', 'preserveAspectRatio', 'version', 'overflow'],
  ...['fill', 'fill-rule', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-linecap'],
  ...['stroke-linejoin', 'stroke-miterlimit', 'stroke-dasharray', 'stroke-dashoffset', 'opacity', 'color'],
  ...[
    'clip-path',
    'clip-rule',
    'clipPathUnits',
    'mask',
    'maskUnits',
    'maskContentUnits',
    'display',
    'visibility',
  ],
  ...['gradientUnits', 'gradientTransform', 'spreadMethod', 'offset', 'stop-color', 'stop-opacity', 'type'],
])

/** Matches an external address, an import, or an escape that could hide one, in a style or attribute. */
const REACHES_OUT = /url\((?!\s*["']?#)|image(?:-set)?\(|@|\\|javascript:/i
/** Advice for refused elements. Text depends on the fonts of the machine; only shapes look the same everywhere. */
const WHAT_INSTEAD: Readonly<Record<string, string>> = {
  text: 'turn letters into paths',
  tspan: 'turn letters into paths',
  use: 'expand clones and symbols',
  symbol: 'expand clones and symbols',
  image: 'draw it as paths, or take a PNG file',
}

export type ParsedLogo<Problem = string> =
  | { readonly bytes: Buffer; readonly problems: readonly [] }
  | { readonly bytes: null; readonly problems: readonly Problem[] }

export function parseSvgLogo(file: Uint8Array): ParsedLogo {
  if (file.length > MAX_SVG_BYTES)
    return refused([`it has ${file.length} bytes; ${MAX_SVG_BYTES} are the most`])
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(file)
  } catch {
    return refused(['it is not written in UTF-8'])
  }
  const writer = new Writer()
  const parser = new SaxesParser({ xmlns: true })
  parser.on('error', () => writer.stop('it is no well-formed XML: it is damaged or cut off'))
  parser.on('doctype', () => writer.stop('it declares a document type: save it as "plain SVG"'))
  parser.on('processinginstruction', () => writer.problem('it holds a processing instruction'))
  parser.on('opentag', (tag) => writer.open(tag))
  parser.on('closetag', () => writer.close())
  parser.on('text', (words) => writer.text(words))
  parser.on('cdata', (words) => writer.text(words))
  try {
    parser.write(text).close()
  } catch (error) {
    if (!(error instanceof Stopped)) throw error
  }
  return writer.end()
}

class Stopped extends Error {}

const refused = (problems: readonly string[]): ParsedLogo => ({ bytes: null, problems })

class Writer {
  readonly #problems = new Set<string>()
  readonly #open: (string | null)[] = []
  #written = ''
  #elements = 0
  #hasShape = false

  problem(message: string): void {
    this.#problems.add(message)
  }

  stop(message: string): never {
    this.problem(message)
    throw new Stopped()
  }

  open({ local, uri, attributes }: SaxesTagNS): void {
    if (++this.#elements > MAX_ELEMENTS) this.stop(`it has more than ${MAX_ELEMENTS} elements`)
    if (this.#open.length >= DEEPEST) this.stop(`its elements stand more than ${DEEPEST} deep`)
    const isRoot = this.#open.length === 0
    if (isRoot && (local !== 'svg' || uri !== SVG)) this.stop(`its first element is no svg of ${SVG}`)
    const isInside = isRoot || this.#open.at(-1) !== null
    const isDropped = !isInside || uri !== SVG || DROPPED.has(local)
    this.#open.push(isDropped ? null : local)
    if (isDropped) {
      // HTML inside an SVG is active content, so it is refused and not dropped as metadata.
      if (uri === 'http://www.w3.org/1999/xhtml') this.problem('it holds HTML')
      return
    }
    if (!ELEMENTS.has(local)) {
      const instead = WHAT_INSTEAD[local]
      this.problem(`it holds <${local}>, which no logo may have${instead ? `: ${instead}` : ''}`)
    }
    if (['path', 'rect', 'circle', 'ellipse', 'line', 'polyline', 'polygon'].includes(local))
      this.#hasShape = true
    this.#written += `<${local}${isRoot ? ` xmlns="${SVG}"` : ''}`
    const kept: Record<string, string> = {}
    for (const { local: name, uri: space, prefix, value } of Object.values(attributes)) {
      if (prefix === 'xmlns' || name === 'xmlns') continue
      if (/^on/i.test(name)) this.problem(`<${local}> has the attribute ${name}, which runs code`)
      else if (name === 'href' && (space === '' || space === XLINK)) {
        if (!value.startsWith('#')) this.problem(`<${local}> refers to something outside the file`)
        else kept[name] = value
      } else if (space !== '' || !ATTRIBUTES.has(name)) continue
      else if (REACHES_OUT.test(value)) this.problem(`${name} of <${local}> refers to something outside`)
      else kept[name] = value
    }
    if (isRoot) this.#checkSize(kept)
    for (const [name, value] of Object.entries(kept)) this.#written += ` ${name}="${escapeXml(value)}"`
    this.#written += '>'
  }

  close(): void {
    const name = this.#open.pop()
    if (name) this.#written += `</${name}>`
  }

  text(words: string): void {
    if (this.#open.at(-1) !== 'style') return
    if (REACHES_OUT.test(words)) this.problem('<style> refers to something outside the file')
    this.#written += escapeXml(words)
  }

  end(): ParsedLogo {
    if (this.#problems.size === 0 && !this.#hasShape) this.problem('it draws nothing')
    if (this.#problems.size > 0) return refused([...this.#problems])
    return { bytes: Buffer.from(this.#written, 'utf8'), problems: [] }
  }

  /** A browser draws an SVG without a size at 300 × 150 pixels. */
  #checkSize({ viewBox, width, height }: Readonly<Record<string, string>>): void {
    const [, , boxWidth, boxHeight] = (viewBox ?? '')
      .trim()
      .split(/[\s,]+/)
      .map(Number)
    const sides =
      viewBox === undefined
        ? [width, height].map((side) => Number.parseFloat(side ?? ''))
        : [boxWidth, boxHeight]
    if (!sides.every((side) => side !== undefined && Number.isFinite(side) && side > 0))
      this.problem('it has no viewBox of a positive width and height')
  }
}
