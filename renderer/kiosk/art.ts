/** The drawings: line engraving with register marks, in the colour of the text around them. No words, no people. */
import { svg } from './dom.ts'

type Shape = readonly [tag: string, attributes: Readonly<Record<string, string | number>>]

const line = (d: string): Shape => ['path', { d }]
const dot = (cx: number, cy: number, r = 2.5): Shape => ['circle', { cx, cy, r, class: 'impression' }]

/** Icons on a grid of 32, line 2.5, square ends, at most one filled dot (ux "Icons"). */
const ICONS = {
  help: [
    ['circle', { cx: 16, cy: 16, r: 12.5 }],
    line('M12 12.5a4 4 0 1 1 5.6 3.7c-1 .5-1.6 1.2-1.6 2.3v.7'),
    dot(16, 23, 1.8),
  ],
  text: [line('M3 25 10.5 6 18 25M5.8 18.5h9.4M19 25l5-13 5 13M20.8 20.5h6.4')],
  language: [
    ['circle', { cx: 16, cy: 16, r: 12.5 }],
    line('M3.5 16h25M16 3.5c-8 7-8 18 0 25M16 3.5c8 7 8 18 0 25'),
  ],
  restart: [line('M26.5 16A10.5 10.5 0 1 1 22 7.4M27 3v6.5h-6.5')],
  stop: [line('M11.2 4h9.6L28 11.2v9.6L20.8 28h-9.6L4 20.8v-9.6zM11.5 11.5l9 9M20.5 11.5l-9 9')],
  document: [
    ['rect', { x: 3, y: 6, width: 26, height: 20, rx: 2 }],
    ['circle', { cx: 10.5, cy: 13.5, r: 3 }],
    line('M6.5 20c1-3 7-3 8 0M18.5 12h7M18.5 16.5h7M6.5 23h19'),
  ],
  portrait: [['circle', { cx: 16, cy: 12, r: 6 }], line('M5 28c1.5-11 20.5-11 22 0M3 8V3h5M24 3h5v5')],
  compare: [['rect', { x: 3, y: 7, width: 14, height: 18, rx: 2 }], line('M21 7h8v18h-8M7 16l3 3 5-6')],
  corners: [
    line('M4 10V4h6M22 4h6v6M28 22v6h-6M10 28H4v-6'),
    ['rect', { x: 9, y: 11, width: 14, height: 10, rx: 1 }],
  ],
  flat: [line('M4 23h24M7 18.5l18-3M4 27.5h24'), dot(16, 11)],
  light: [
    ['circle', { cx: 16, cy: 16, r: 5 }],
    line(
      'M16 3v4M16 25v4M3 16h4M25 16h4M6.8 6.8l2.9 2.9M22.3 22.3l2.9 2.9M25.2 6.8l-2.9 2.9M9.7 22.3l-2.9 2.9',
    ),
  ],
  attention: [line('M16 4 29 27H3zM16 12v7.5'), dot(16, 23.2, 1.8)],
  note: [['circle', { cx: 16, cy: 16, r: 12.5 }], line('M16 14.5V23'), dot(16, 9.8, 1.8)],
  lock: [
    ['rect', { x: 6, y: 14, width: 20, height: 14, rx: 2 }],
    line('M10.5 14V9.5a5.5 5.5 0 0 1 11 0V14'),
    dot(16, 21),
  ],
  done: [line('M3 17.5l6.5 6.5L21 10'), line('M13.5 22l2 2L29 8')],
  todo: [['rect', { x: 6, y: 6, width: 20, height: 20 }]],
  waiting: [line('M8 4h16M8 28h16M10 4v5l6 7 6-7V4M10 28v-5l6-7 6 7v5')],
  camera: [
    ['rect', { x: 3, y: 9, width: 26, height: 18, rx: 2 }],
    line('M11 9l2-4h6l2 4'),
    ['circle', { cx: 16, cy: 18, r: 5 }],
  ],
  person: [['circle', { cx: 16, cy: 11, r: 5.5 }], line('M5 28c1.5-11 20.5-11 22 0')],
} satisfies Record<string, readonly Shape[]>
export type IconName = keyof typeof ICONS

const marks = (x: number, y: number, w: number, height: number, arm: number): Shape =>
  line(
    `M${x} ${y + arm}V${y}h${arm}M${x + w - arm} ${y}h${arm}v${arm}` +
      `M${x + w} ${y + height - arm}v${arm}h-${arm}M${x + arm} ${y + height}h-${arm}v-${arm}`,
  )
const cross = (x: number, y: number, r: number): readonly Shape[] => [
  ['circle', { cx: x, cy: y, r: r * 0.55 }],
  line(`M${x - r} ${y}h${2 * r}M${x} ${y - r}v${2 * r}`),
]
/** Fine parallel lines of an engraved tone. */
const hatch = (x: number, y: number, w: number, rows: number, gap: number): Shape => [
  'path',
  { d: Array.from({ length: rows }, (_, i) => `M${x} ${y + i * gap}h${w}`).join(''), class: 'fine' },
]

const page = (x: number): readonly Shape[] => [
  ['rect', { x, y: 52, width: 236, height: 168, rx: 10 }],
  ['rect', { x: x + 20, y: 74, width: 66, height: 84, rx: 4 }],
  ['ellipse', { cx: x + 53, cy: 106, rx: 17, ry: 21 }],
  line(`M${x + 26} 157c4-26 50-26 54 0`),
  line(`M${x + 106} 84h86M${x + 106} 106h108M${x + 106} 128h64`),
  hatch(x + 106, 140, 108, 4, 6),
  line(`M${x + 20} 184h196M${x + 20} 202h196`),
]

const PICTURES = {
  /** A document page and its mirrored second impression: the counterproof. */
  welcome: {
    width: 640,
    height: 272,
    shapes: [marks(20, 20, 600, 232, 36), ...page(62), ...cross(320, 136, 18), line('M320 36v72M320 164v72')],
    mirrored: page(62),
  },
  /** A page held at its edges, with all four corners in the frame. */
  hold: {
    width: 400,
    height: 272,
    shapes: [marks(40, 20, 320, 232, 36), ...page(82)],
    mirrored: [],
  },
  finish: {
    width: 400,
    height: 220,
    shapes: [marks(40, 16, 320, 188, 32), line('M104 118l44 44 88-100'), line('M184 146l16 16 96-108')],
    mirrored: [],
  },
  person: {
    width: 400,
    height: 220,
    shapes: [
      marks(40, 16, 320, 188, 32),
      ['circle', { cx: 200, cy: 84, r: 30 }],
      line('M136 178c8-68 120-68 128 0'),
      line('M88 178h224'),
      hatch(100, 186, 200, 3, 6),
    ],
    mirrored: [],
  },
} satisfies Record<
  string,
  { width: number; height: number; shapes: readonly Shape[]; mirrored: readonly Shape[] }
>
export type PictureName = keyof typeof PICTURES

/** Decoration beside words that say the same: hidden from assistive technology. */
export function icon(name: IconName): SVGElement {
  return svg(
    'svg',
    { class: 'icon', viewBox: '0 0 32 32', 'aria-hidden': 'true', focusable: 'false' },
    ...draw(ICONS[name]),
  )
}

export function picture(name: PictureName): SVGElement {
  const { width, height, shapes, mirrored } = PICTURES[name]
  const second = svg(
    'g',
    { transform: `translate(${width} 0) scale(-1 1)`, class: 'second' },
    ...draw(mirrored),
  )
  return svg(
    'svg',
    { class: 'picture', viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true', focusable: 'false' },
    ...draw(shapes),
    second,
  )
}

function draw(shapes: readonly Shape[]): SVGElement[] {
  return shapes.map(([tag, attributes]) => svg(tag, attributes))
}
