/**
 * Draws icons and pictures as SVG elements. Text beside them says the same, so they are hidden from speech.
 */
import { svg } from '../dom.ts'
import { ICONS } from './icons.ts'
import type { IconName, Shape } from './icons.ts'
import { PICTURES } from './pictures.ts'
import type { Picture, PictureName } from './pictures.ts'

export type { IconName, PictureName }

export function icon(name: IconName): SVGElement {
  return svg(
    'svg',
    { class: `icon icon-${name}`, viewBox: '0 0 32 32', 'aria-hidden': 'true', focusable: 'false' },
    ...draw(ICONS[name]),
  )
}

export function picture(name: PictureName): SVGElement {
  const { width, height, shapes, mirrored, moving = [] }: Picture = PICTURES[name]
  return svg(
    'svg',
    {
      class: `picture picture-${name}`,
      viewBox: `0 0 ${width} ${height}`,
      'aria-hidden': 'true',
      focusable: 'false',
    },
    ...draw(shapes),
    svg('g', { transform: `translate(${width} 0) scale(-1 1)`, class: 'second' }, ...draw(mirrored)),
    ...moving.map(({ by, shapes: part }) => svg('g', { class: `moving moving-${by}` }, ...draw(part))),
  )
}

function draw(shapes: readonly Shape[]): SVGElement[] {
  return shapes.map(([tag, attributes]) => svg(tag, attributes))
}
