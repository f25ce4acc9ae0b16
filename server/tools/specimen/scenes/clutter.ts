/** Things on a table, as SVG in millimetres: printed sheets, cards of shops, pens, coins, keys of a keyboard. */
import { textPath } from '../passport/text.ts'
import type { RectMm } from './geometry.ts'
import type { BackgroundName } from './plan.ts'

type Random = () => number

const WORDS =
  'the order was sent on monday and will arrive before noon please sign below with your full name terms of delivery apply to all goods described in this note amount due within fourteen days thank you for choosing our shop opening hours from nine to six total including tax number of items received by'.split(
    ' ',
  )

const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)]
const number = (n: number) => n.toFixed(2)

const place = (x: number, y: number, turn: number, content: string) =>
  `<g transform="translate(${number(x)} ${number(y)}) rotate(${number(turn)})">${content}</g>`

const sheet = (width: number, height: number, colour: string, radius = 0): string =>
  [3, 2, 1]
    .map(
      (d) =>
        `<rect x="${-0.3 * d}" y="${0.3 * d}" width="${width + 0.8 * d}" height="${height + 0.5 * d}" rx="${radius + 0.4 * d}" fill="#000" fill-opacity="0.13"/>`,
    )
    .join('') + `<rect width="${number(width)}" height="${number(height)}" rx="${radius}" fill="${colour}"/>`

function sentence(random: Random, length: number): string {
  let text = ''
  while (text.length < length) text += `${text === '' ? '' : ' '}${pick(random, WORDS)}`
  return text
}

function printedSheet(random: Random): string {
  const width = 100 + 110 * random()
  const size = 2.4 + 1.6 * random()
  const parts = [sheet(width, 250, pick(random, ['#f4f2ec', '#fbfaf7', '#efe9da', '#e9eef2']))]
  parts.push(
    `<path d="${textPath(sentence(random, 18).toUpperCase(), 'bold', 12, 16, size * 1.7)}" fill="#2a2c33"/>`,
  )
  const characters = Math.floor((width - 24) / (size * 0.53))
  let d = ''
  for (let y = 26; y < 140; y += size * 1.55)
    if (random() > 0.12) d += textPath(sentence(random, characters * 0.92), 'regular', 12, y, size)
  parts.push(`<path d="${d}" fill="#33353c"/>`)
  return parts.join('')
}

/** A shop's card: larger or smaller than a document's format, without any element of a document. */
function shopCard(random: Random): string {
  const colour = pick(random, ['#b8403a', '#2f6f9f', '#3c8a57', '#d79a2b', '#5c4a86', '#20242c'])
  return (
    sheet(90, 50, colour, 2.5) +
    `<circle cx="16" cy="16" r="8" fill="#fff" fill-opacity="0.55"/>` +
    `<path d="${textPath(pick(random, ['bonus club', 'coffee pass', 'city pool', 'green market']), 'bold', 28, 19, 7)}" fill="#fff"/>`
  )
}

function note(random: Random): string {
  const line = (y: number) =>
    `M8 ${y}${Array.from({ length: 22 }, (_, i) => `q1.2 ${number(-3 * random())} 2.4 ${i % 2 ? 0.6 : -0.6}`).join('')}`
  return (
    sheet(76, 76, pick(random, ['#f5e27a', '#f4b7c6', '#b9e0b4'])) +
    `<path d="${line(20)}${line(34)}${line(48)}" fill="none" stroke="#2b3a80" stroke-width="0.7"/>`
  )
}

function pen(random: Random): string {
  const colour = pick(random, ['#1f2a55', '#8a1f22', '#222222', '#c9c6bd'])
  return (
    `<rect x="0.8" y="1.6" width="138" height="8" rx="4" fill="#000" fill-opacity="0.25"/>` +
    `<rect width="138" height="8" rx="4" fill="${colour}"/><rect y="1.4" width="132" height="1.6" rx="0.8" fill="#fff" fill-opacity="0.4"/>` +
    `<path d="M138 1.5L150 4L138 6.5Z" fill="#b9b3a4"/>`
  )
}

function coin(random: Random): string {
  const radius = 9 + 4 * random()
  const colour = pick(random, ['#b98a4a', '#c7c4bd', '#cdb46a'])
  return (
    `<circle cx="0.7" cy="0.9" r="${number(radius)}" fill="#000" fill-opacity="0.3"/>` +
    `<circle r="${number(radius)}" fill="${colour}"/><circle r="${number(radius * 0.86)}" fill="none" stroke="#000" stroke-opacity="0.3" stroke-width="0.7"/>` +
    `<path d="${textPath('10', 'bold', -4, 3, 8)}" fill="#000" fill-opacity="0.35"/>`
  )
}

function telephone(): string {
  return (
    sheet(72, 148, '#15161a', 8) +
    `<rect x="2.5" y="2.5" width="67" height="143" rx="6" fill="#22252c"/><path d="M10 2.5L50 2.5L22 145.5L4 145.5Z" fill="#fff" fill-opacity="0.06"/>`
  )
}

const cable = (random: Random): string =>
  `<path d="M-200 0C-60 ${number(90 * random())} 40 ${number(-120 * random())} 220 ${number(60 * random())}" fill="none" stroke="${pick(random, ['#e9e9e6', '#1c1c1f'])}" stroke-width="3.6"/>`

function keyboard(random: Random, area: RectMm): string {
  const isLight = random() < 0.5
  const [key, ink] = isLight ? ['#eceae6', '#3a3a3e'] : ['#2b2c31', '#d8d8dc']
  const parts: string[] = []
  for (let row = 0, y = area.y - 40; y < area.y + area.height + 40; row++, y += 19)
    for (let x = area.x - 40 + (row % 3) * 5; x < area.x + area.width + 40; x += 19) {
      const letter = pick(random, [...'QWERTZUIOPASDFGHJKLYXCVBNM'])
      parts.push(
        `<rect x="${number(x)}" y="${number(y)}" width="16.6" height="16.6" rx="2.2" fill="${key}" stroke="#000" stroke-opacity="0.45" stroke-width="0.6"/>`,
        `<path d="${textPath(letter, 'regular', x + 3, y + 8, 6)}" fill="${ink}"/>`,
      )
    }
  return place(0, 0, 14 * (random() - 0.5), parts.join(''))
}

/** Null if there is nothing to draw. */
export function clutterSvg(
  name: BackgroundName,
  random: Random,
  area: RectMm,
  keepFree: RectMm,
  { count, withCards }: { readonly count: number; readonly withCards: boolean },
  widthPx: number,
  heightPx: number,
): string | null {
  const items: string[] = []
  if (name === 'keyboard') items.push(keyboard(random, area))
  const sheets = name === 'papers' ? 3 : 0
  for (let i = 0; i < sheets; i++) {
    const x = area.x + area.width * (random() * 0.9 - 0.3)
    const y = area.y + area.height * (random() * 0.9 - 0.3)
    items.push(place(x, y, 60 * (random() - 0.5), printedSheet(random)))
  }
  const makers = [
    printedSheet,
    note,
    pen,
    coin,
    telephone,
    cable,
    coin,
    pen,
    ...(withCards ? [shopCard] : []),
  ]
  for (let i = 0; i < count; i++) {
    // Around the document, far enough from its middle that most of the thing is visible.
    const angle = random() * 2 * Math.PI
    const reach = 0.35 + 0.55 * random()
    const x = keepFree.x + keepFree.width / 2 + Math.cos(angle) * area.width * reach
    const y = keepFree.y + keepFree.height / 2 + Math.sin(angle) * area.height * reach
    items.push(place(x, y, 360 * random(), pick(random, makers)(random)))
  }
  if (items.length === 0) return null
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${widthPx}" height="${heightPx}" `,
    `viewBox="${number(area.x)} ${number(area.y)} ${number(area.width)} ${number(area.height)}" preserveAspectRatio="none">`,
    ...items,
    '</svg>',
  ].join('')
}
