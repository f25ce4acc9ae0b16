/** Draws plots as SVG. Pure. */
import { escapeXml } from '../../../xml/escape.ts'

export interface Line {
  readonly label: string
  /** A null value breaks the line. */
  readonly points: readonly (readonly [minutes: number, value: number | null])[]
  /** Single events, in place of a line. */
  readonly isDots?: boolean
}

export interface Plot {
  readonly title: string
  readonly unit: string
  readonly lines: readonly Line[]
  readonly minutes: number
  /** Minutes at which something disturbed the appliance. */
  readonly marks: readonly { readonly minutes: number; readonly label: string }[]
}

const WIDTH = 920
const HEIGHT = 230
const LEFT = 62
const RIGHT = 14
const TOP = 30
const BOTTOM = 34
const TICKS = 5
/** A screen shows no more. */
const MAX_POINTS = 1_200
/** Distinguishable with the common forms of colour blindness (Okabe and Ito, 2008). */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00']

export function drawPlot({ title, unit, lines, minutes, marks }: Plot): string {
  const values = lines.flatMap(({ points }) => points.flatMap(([, value]) => (value === null ? [] : [value])))
  const top = findNiceTop(values.reduce((most, value) => Math.max(most, value), 0))
  const x = (at: number): number => LEFT + (at / Math.max(minutes, 1e-9)) * (WIDTH - LEFT - RIGHT)
  const y = (value: number): number => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM)
  const heading = unit === '' ? title : `${title}, ${unit}`
  return [
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeXml(heading)}">`,
    `<text class="title" x="${LEFT}" y="16">${escapeXml(heading)}</text>`,
    ...drawMarks(marks, x),
    ...drawAxes(top, minutes, x, y),
    ...lines.map((line, index) => drawLine(line, COLOURS[index % COLOURS.length], x, y)),
    ...drawLegend(lines),
    '</svg>',
  ].join('\n')
}

type Scale = (value: number) => number

function drawMarks(marks: Plot['marks'], x: Scale): readonly string[] {
  return marks.map(
    ({ minutes, label }) =>
      `<line class="mark" x1="${format(x(minutes))}" x2="${format(x(minutes))}" y1="${TOP}" y2="${HEIGHT - BOTTOM}">` +
      `<title>${escapeXml(label)}</title></line>`,
  )
}

function drawAxes(top: number, minutes: number, x: Scale, y: Scale): readonly string[] {
  const shares = Array.from({ length: TICKS + 1 }, (_, index) => index / TICKS)
  const between = findNiceTop(minutes / TICKS)
  const columns = Array.from({ length: Math.floor(minutes / between) + 1 }, (_, index) => {
    const at = index * between
    return `<text x="${format(x(at))}" y="${HEIGHT - BOTTOM + 16}" text-anchor="middle">${formatNumber(at)}</text>`
  })
  const rows = shares.map((share) => {
    const at = format(y(share * top))
    return (
      `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}"/>` +
      `<text x="${LEFT - 6}" y="${at}" dy="4" text-anchor="end">${formatNumber(share * top)}</text>`
    )
  })
  const caption = `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 3}" text-anchor="middle">minutes</text>`
  return [...rows, ...columns, caption]
}

function drawLine({ points, isDots }: Line, colour: string, x: Scale, y: Scale): string {
  const step = Math.ceil(points.length / MAX_POINTS)
  const used = points.filter((point, index) => index % step === 0 || point[1] === null)
  if (isDots === true)
    return used
      .flatMap(([at, value]) =>
        value === null
          ? []
          : [`<circle cx="${format(x(at))}" cy="${format(y(value))}" r="2" fill="${colour}"/>`],
      )
      .join('')
  const path: string[] = []
  let isBroken = true
  for (const [at, value] of used) {
    if (value !== null) path.push(`${isBroken ? 'M' : 'L'}${format(x(at))} ${format(y(value))}`)
    isBroken = value === null
  }
  return `<path d="${path.join('')}" stroke="${colour}"/>`
}

function drawLegend(lines: readonly Line[]): readonly string[] {
  const widths = lines.map(({ label }) => 26 + label.length * 7)
  let at = WIDTH - RIGHT - widths.reduce((sum, width) => sum + width, 0)
  return lines.map(({ label }, index) => {
    const colour = COLOURS[index % COLOURS.length]
    const entry =
      `<rect x="${at}" y="7" width="12" height="10" fill="${colour}"/>` +
      `<text x="${at + 16}" y="16">${escapeXml(label)}</text>`
    at += widths[index] ?? 0
    return entry
  })
}

/** The next of 1, 2, 2.5, 5, 10 times a power of ten. */
export function findNiceTop(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  const factor = [1, 2, 2.5, 5, 10].find((each) => each * power >= value) ?? 10
  return factor * power
}

const format = (value: number): string => value.toFixed(1)

export function formatNumber(value: number): string {
  if (value === 0) return '0'
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 0.1 ? 2 : 4
  return String(Number(value.toFixed(digits)))
}
