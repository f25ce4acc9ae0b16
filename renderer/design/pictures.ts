/** The drawings: line engraving with register marks, in the colour of the text around them. No words, no people. */
import type { Shape } from './icons.ts'

/** How a part of a picture moves (screens.css): at most five seconds, three times, then it stands still. */
export type Movement = 'tilt' | 'flip' | 'turn' | 'nearer' | 'dot' | 'print' | 'insert' | 'glow' | 'press'

export interface Picture {
  readonly width: number
  readonly height: number
  readonly shapes: readonly Shape[]
  /** Drawn as a second, mirrored impression. */
  readonly mirrored: readonly Shape[]
  readonly moving?: readonly { readonly by: Movement; readonly shapes: readonly Shape[] }[]
}

const line = (d: string): Shape => ['path', { d }]
const fine = (d: string): Shape => ['path', { d, class: 'fine' }]
/** A closed shape in the colour of the paper, which hides what lies under it. */
const solid = (d: string): Shape => ['path', { d, class: 'solid' }]
const accent = (cx: number, cy: number, r: number): Shape => ['circle', { cx, cy, r, class: 'accent' }]
const ring = (cx: number, cy: number, r: number): Shape => ['circle', { cx, cy, r }]

const marks = (x: number, y: number, w: number, height: number, arm: number): Shape =>
  line(
    `M${x} ${y + arm}V${y}h${arm}M${x + w - arm} ${y}h${arm}v${arm}` +
      `M${x + w} ${y + height - arm}v${arm}h-${arm}M${x + arm} ${y + height}h-${arm}v-${arm}`,
  )
const cross = (x: number, y: number, r: number): readonly Shape[] => [
  ring(x, y, r * 0.55),
  line(`M${x - r} ${y}h${2 * r}M${x} ${y - r}v${2 * r}`),
]
/** Fine parallel lines of an engraved tone. */
const hatch = (x: number, y: number, w: number, rows: number, gap: number): Shape =>
  fine(Array.from({ length: rows }, (_, i) => `M${x} ${y + i * gap}h${w}`).join(''))

/** A document page: portrait, lines of print, two machine lines. */
const page = (x: number, y = 52): readonly Shape[] => [
  ['rect', { x, y, width: 236, height: 168, rx: 10, class: 'solid' }],
  ['rect', { x: x + 20, y: y + 22, width: 66, height: 84, rx: 4 }],
  ['ellipse', { cx: x + 53, cy: y + 54, rx: 17, ry: 21 }],
  line(`M${x + 26} ${y + 105}c4-26 50-26 54 0`),
  line(`M${x + 106} ${y + 32}h86M${x + 106} ${y + 54}h108M${x + 106} ${y + 76}h64`),
  hatch(x + 106, y + 88, 108, 4, 6),
  line(`M${x + 20} ${y + 132}h196M${x + 20} ${y + 150}h196`),
]
/** The other side of a card: a stripe, a field, lines. */
const backOfCard = (x: number, y = 52): readonly Shape[] => [
  ['rect', { x, y, width: 236, height: 168, rx: 10, class: 'solid' }],
  hatch(x + 1, y + 26, 234, 6, 6),
  ['rect', { x: x + 20, y: y + 80, width: 120, height: 64, rx: 4 }],
  fine(
    Array.from({ length: 14 }, (_, i) => `M${x + 30 + i * 7.5} ${y + 88}v${i % 3 === 0 ? 48 : 34}`).join(''),
  ),
  line(`M${x + 160} ${y + 90}h56M${x + 160} ${y + 110}h40M${x + 160} ${y + 130}h56`),
]
/** A hand that holds an edge: thumb in front, cuff outside. `way` 1 comes from the right, -1 from the left. */
const hand = (x: number, y: number, way: 1 | -1): readonly Shape[] => {
  const k = (dx: number) => x + dx * way
  return [
    solid(
      `M${k(84)} ${y - 34}C${k(58)} ${y - 44} ${k(34)} ${y - 34} ${k(10)} ${y - 20}` +
        `C${k(-14)} ${y - 10} ${k(-16)} ${y + 14} ${k(4)} ${y + 14}C${k(20)} ${y + 14} ${k(30)} ${y + 6} ${k(38)} ${y + 4}` +
        `C${k(40)} ${y + 26} ${k(58)} ${y + 38} ${k(84)} ${y + 40}`,
    ),
    line(`M${k(0)} ${y - 4}C${k(-4)} ${y} ${k(-4)} ${y + 4} ${k(1)} ${y + 8}`),
    solid(`M${k(84)} ${y - 46}h${20 * way}v${98}h${-20 * way}z`),
    hatch(k(84), y - 36, 20 * way, 8, 11),
  ]
}

const eyes = (cx: number, y: number, r: number): readonly Shape[] => [
  ['circle', { cx: cx - r * 0.36, cy: y, r: r * 0.055, class: 'filled' }],
  ['circle', { cx: cx + r * 0.36, cy: y, r: r * 0.055, class: 'filled' }],
]
/** A head of nobody: an oval, brows of fine lines, eyes, nose, mouth. */
const face = (cx: number, cy: number, r: number): readonly Shape[] => [
  ['ellipse', { cx, cy, rx: r * 0.78, ry: r, class: 'solid' }],
  ...eyes(cx, cy - r * 0.08, r),
  line(`M${cx} ${cy - r * 0.02}v${r * 0.28}h${r * 0.12}`),
  line(`M${cx - r * 0.2} ${cy + r * 0.52}h${r * 0.4}`),
  fine(`M${cx - r * 0.56} ${cy - r * 0.3}h${r * 0.36}M${cx + r * 0.2} ${cy - r * 0.3}h${r * 0.36}`),
]
const features = (cx: number, cy: number, r: number): readonly Shape[] => face(cx, cy, r).slice(1)
const shoulders = (cx: number, y: number, w: number): readonly Shape[] => [
  line(`M${cx - w} ${y + 54}C${cx - w * 0.9} ${y + 8} ${cx - w * 0.5} ${y} ${cx - w * 0.26} ${y - 8}`),
  line(`M${cx + w} ${y + 54}C${cx + w * 0.9} ${y + 8} ${cx + w * 0.5} ${y} ${cx + w * 0.26} ${y - 8}`),
]
/** A headscarf around a face. */
const scarf = (cx: number, cy: number, r: number): readonly Shape[] => [
  line(
    `M${cx - r * 0.3} ${cy + r * 1.25}C${cx - r * 1.35} ${cy + r * 0.7} ${cx - r * 1.2} ${cy - r * 1.3} ${cx} ${cy - r * 1.3}` +
      `C${cx + r * 1.2} ${cy - r * 1.3} ${cx + r * 1.35} ${cy + r * 0.7} ${cx + r * 0.3} ${cy + r * 1.25}`,
  ),
  fine(
    `M${cx - r * 0.62} ${cy + r * 0.86}C${cx - r * 1.08} ${cy + r * 0.3} ${cx - r} ${cy - r * 1.08} ${cx} ${cy - r * 1.12}`,
  ),
]
/** Somebody in a wheelchair, seen from the side. */
const wheelchair = (x: number, y: number): readonly Shape[] => [
  ring(x, y, 44),
  ring(x, y, 6),
  ring(x + 76, y + 32, 12),
  ring(x - 2, y - 128, 22),
  line(`M${x - 4} ${y - 104}C${x - 22} ${y - 84} ${x - 24} ${y - 60} ${x - 20} ${y - 26}h58l14 50h24`),
  line(`M${x - 8} ${y - 78}l28 22h30`),
  line(`M${x - 42} ${y - 92}v84M${x - 42} ${y - 92}h-16`),
]
const phone = (x: number, y: number): readonly Shape[] => [
  ['rect', { x, y, width: 104, height: 184, rx: 14, class: 'solid' }],
  line(`M${x + 40} ${y + 168}h24`),
  ['rect', { x: x + 10, y: y + 18, width: 84, height: 138, rx: 2 }],
]
/** Three squares of a code and some of its modules. */
const code = (x: number, y: number, m: number): readonly Shape[] => {
  const square = (cx: number, cy: number): Shape[] => [
    ['rect', { x: cx, y: cy, width: 7 * m, height: 7 * m }],
    ['rect', { x: cx + 2 * m, y: cy + 2 * m, width: 3 * m, height: 3 * m, class: 'filled' }],
  ]
  const modules = [
    '9,0',
    '11,2',
    '9,4',
    '12,5',
    '10,7',
    '0,9',
    '3,10',
    '6,9',
    '8,11',
    '11,10',
    '14,8',
    '16,11',
  ]
  const more = ['9,13', '12,14', '15,13', '18,9', '10,17', '13,18', '17,16', '19,19', '15,19', '19,13']
  return [
    ...square(x, y),
    ...square(x + 14 * m, y),
    ...square(x, y + 14 * m),
    ...[...modules, ...more].map((at): Shape => {
      const [column = 0, row = 0] = at.split(',').map(Number)
      return ['rect', { x: x + column * m, y: y + row * m, width: m, height: m, class: 'filled' }]
    }),
  ]
}
/** A paper strip that comes out of a slot, torn at its end. */
const receipt = (x: number, y: number): readonly Shape[] => [
  solid(`M${x} ${y}h96v132l-12-8-12 8-12-8-12 8-12-8-12 8-12-8-12 8z`),
  line(`M${x + 18} ${y + 24}h60M${x + 18} ${y + 42}h40`),
  ...code(x + 30, y + 60, 1.8),
]

export const PICTURES = {
  /** A document page and its mirrored second impression: the counterproof. */
  welcome: {
    width: 640,
    height: 272,
    shapes: [marks(20, 20, 600, 232, 36), ...page(62), ...cross(320, 136, 18), line('M320 36v72M320 164v72')],
    mirrored: page(62),
  },
  /** A page held at its edges, with all four corners in the frame. */
  hold: {
    width: 468,
    height: 272,
    shapes: [marks(74, 20, 320, 232, 36), ...page(116), ...hand(352, 150, 1), ...hand(116, 150, -1)],
    mirrored: [],
  },
  tilt: {
    width: 400,
    height: 272,
    shapes: [marks(40, 20, 320, 232, 36), line('M200 8v-6M200 262v8')],
    mirrored: [],
    moving: [
      { by: 'tilt', shapes: page(82) },
      { by: 'glow', shapes: [ring(262, 92, 26), line('M262 54v-10M262 130v10M224 92h-10M300 92h10')] },
    ],
  },
  flip: {
    width: 400,
    height: 272,
    shapes: [marks(40, 20, 320, 232, 36), ...backOfCard(82)],
    mirrored: [],
    moving: [{ by: 'flip', shapes: page(82) }],
  },
  /** Fingers on the short sides only. */
  edges: {
    width: 468,
    height: 272,
    shapes: [...page(116), ...hand(352, 140, 1), ...hand(116, 140, -1)],
    mirrored: [],
  },
  light: {
    width: 400,
    height: 272,
    shapes: [
      ...page(82, 92),
      line('M200 10v16M142 26l9 14M258 26l-9 14M104 62l16 8M296 62l-16 8'),
      ['path', { d: 'M176 58a24 24 0 0 1 48 0z' }],
    ],
    mirrored: [],
  },
  flat: {
    width: 400,
    height: 272,
    shapes: [
      marks(40, 20, 320, 232, 36),
      line('M86 196h228l-26-44H112z'),
      fine('M124 186h150M132 176h130M140 166h110'),
      line('M60 214h280'),
    ],
    mirrored: [],
    moving: [{ by: 'insert', shapes: [line('M200 60v62M182 104l18 20 18-20')] }],
  },
  open: {
    width: 400,
    height: 272,
    shapes: [
      marks(20, 12, 360, 248, 36),
      solid('M200 40H92a12 12 0 0 0-12 12v76h240V52a12 12 0 0 0-12-12z'),
      ['ellipse', { cx: 200, cy: 84, rx: 30, ry: 30 }],
      fine('M170 84h60M200 54c-16 18-16 42 0 60M200 54c16 18 16 42 0 60'),
      ['rect', { x: 80, y: 128, width: 240, height: 112, rx: 8, class: 'solid' }],
      ['rect', { x: 98, y: 142, width: 48, height: 60 }],
      ['ellipse', { cx: 122, cy: 164, rx: 12, ry: 15 }],
      line('M166 150h90M166 168h120M166 186h70M98 216h204M98 228h204'),
    ],
    mirrored: [],
  },
  /** Look here, and follow the dot. */
  turn: {
    width: 560,
    height: 272,
    shapes: [...shoulders(280, 210, 120), line('M280 8v10M268 13h24')],
    mirrored: [],
    moving: [
      { by: 'turn', shapes: [['ellipse', { cx: 280, cy: 122, rx: 70, ry: 90 }], ...features(280, 122, 84)] },
      { by: 'dot', shapes: [accent(488, 122, 17), ring(488, 122, 28)] },
    ],
  },
  nearer: {
    width: 560,
    height: 272,
    shapes: [marks(130, 12, 300, 248, 36)],
    mirrored: [],
    moving: [{ by: 'nearer', shapes: [...face(280, 122, 74), ...shoulders(280, 196, 92)] }],
  },
  /** The screen lights a face with soft colours. */
  colours: {
    width: 560,
    height: 272,
    shapes: [...face(200, 116, 76), ...shoulders(200, 202, 104), ...scarf(200, 116, 78)],
    mirrored: [],
    moving: [
      {
        by: 'glow',
        shapes: [
          ['rect', { x: 380, y: 40, width: 96, height: 184, rx: 8 }],
          fine(
            'M364 72l-36 10M364 112h-38M364 152l-36-8M396 72h64M396 100h64M396 128h64M396 156h64M396 184h64',
          ),
        ],
      },
    ],
  },
  /** Anybody: seated, with a headscarf, with glasses. */
  people: {
    width: 560,
    height: 272,
    shapes: [
      ...wheelchair(92, 204),
      ...face(280, 124, 62),
      ...scarf(280, 124, 64),
      ...shoulders(280, 208, 84),
      ...face(462, 124, 62),
      ring(440, 118, 17),
      ring(484, 118, 17),
      line('M457 116h10'),
      ...shoulders(462, 208, 72),
    ],
    mirrored: [],
  },
  glasses: {
    width: 400,
    height: 272,
    shapes: [
      ...face(200, 124, 92),
      ring(168, 114, 26),
      ring(232, 114, 26),
      line('M194 110h12M142 108l-14-8M258 108l14-8'),
      ...shoulders(200, 220, 110),
    ],
    mirrored: [],
  },
  window: {
    width: 400,
    height: 272,
    shapes: [
      ...face(150, 132, 76),
      ...shoulders(150, 218, 92),
      line('M300 36h72v104h-72zM336 36v104M300 88h72'),
      fine('M290 100l-44 14M290 76l-44-4M290 124l-34 26'),
    ],
    mirrored: [],
  },
  alone: {
    width: 400,
    height: 272,
    shapes: [marks(60, 12, 280, 248, 36), ...face(200, 116, 78), ...shoulders(200, 206, 96)],
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
      ring(200, 84, 30),
      line('M136 178c8-68 120-68 128 0'),
      line('M88 178h224'),
      hatch(100, 186, 200, 3, 6),
    ],
    mirrored: [],
  },
  /** Somebody to talk to across a counter. */
  counter: {
    width: 560,
    height: 272,
    shapes: [
      ...face(180, 84, 48),
      line('M104 200c4-66 24-72 52-80M256 200c-4-66-24-72-52-80'),
      ...face(382, 92, 48),
      ...scarf(382, 92, 50),
      line('M310 200c4-48 18-52 40-62M454 200c-4-48-18-52-40-62'),
      ['rect', { x: 60, y: 200, width: 440, height: 16, class: 'solid' }],
      line('M84 216v44M476 216v44'),
      hatch(84, 226, 392, 5, 7),
    ],
    mirrored: [],
  },
  /** Resting: the page lies in its frame, an hourglass beside it. */
  resting: {
    width: 560,
    height: 272,
    shapes: [
      marks(20, 20, 520, 232, 36),
      ...page(70),
      line('M380 62h96M380 210h96M392 62v24l36 50 36-50V62M392 210v-24l36-50 36 50v24'),
      fine('M402 200h52M408 192h40M416 184h24M428 140v34'),
    ],
    mirrored: [],
  },
  /** What to take along. */
  take: {
    width: 560,
    height: 272,
    shapes: [...page(40), line('M336 60h144')],
    mirrored: [],
    moving: [{ by: 'print', shapes: receipt(360, 60) }],
  },
  /** A phone that looks at a code. */
  scan: {
    width: 560,
    height: 272,
    shapes: [...code(60, 46, 8.6), marks(40, 26, 212, 220, 32)],
    mirrored: [],
    moving: [
      { by: 'insert', shapes: [...phone(352, 40), ...code(370, 82, 3), fine('M340 120h-60M340 140h-60')] },
    ],
  },
  keypad: {
    width: 560,
    height: 272,
    shapes: [
      ...phone(80, 44),
      line('M104 84h56M104 102h40'),
      ...[0, 1, 2, 3, 4, 5].map((i): Shape => [
        'rect',
        { x: 236 + i * 46 + (i > 2 ? 20 : 0), y: 112, width: 36, height: 48, rx: 4 },
      ]),
    ],
    mirrored: [],
    moving: [{ by: 'press', shapes: [0, 1, 2].map((i) => accent(254 + i * 46, 136, 6)) }],
  },
} satisfies Record<string, Picture>
export type PictureName = keyof typeof PICTURES
