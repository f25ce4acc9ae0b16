/**
 * Draws a QR code from its rows as one crisp path: dark on light in every theme, with the quiet zone that
 * scanners need.
 */
import type { QrCode } from '../../../server/kiosk/contract/index.ts'
import { svg } from '../../dom.ts'

/** ISO/IEC 18004: a quiet zone of four modules on every side. */
const QUIET = 4

export function qrPicture({ rows }: QrCode, label: string): SVGElement {
  const size = rows.length + 2 * QUIET
  return svg(
    'svg',
    { class: 'qr', viewBox: `0 0 ${size} ${size}`, role: 'img', 'aria-label': label },
    svg('rect', { class: 'qr-paper', width: size, height: size }),
    svg('path', { class: 'qr-ink', d: rows.map(pathOfRow).join(''), 'shape-rendering': 'crispEdges' }),
  )
}

/** Joins neighbours in a row into one rectangle, so that no hairline appears between them. */
function pathOfRow(row: string, y: number): string {
  return [...row.matchAll(/1+/g)]
    .map(({ 0: run, index }) => `M${index + QUIET} ${y + QUIET}h${run.length}v1h-${run.length}z`)
    .join('')
}
