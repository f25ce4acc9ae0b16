/**
 * The drawings: line engravings with register marks, in the colour of the surrounding text. They contain no
 * words and show no real person.
 */
import type { Shape } from './icons.ts'
import {
  glasses,
  head,
  holdingHand,
  drawBystander,
  person,
  shoulders,
  wavingHand,
  wheelchairUser,
} from './people.ts'
import { accent, cloth, fine, hatch, line, ring, solid } from './strokes.ts'

/** The movement of a part of a picture (screens.css): at most five seconds, three times, then it rests. */
export type Movement = 'tilt' | 'flip' | 'turn' | 'nearer' | 'dot' | 'print' | 'insert' | 'glow' | 'press'

export interface Picture {
  readonly width: number
  readonly height: number
  readonly shapes: readonly Shape[]
  /** Drawn as a second, mirrored impression. */
  readonly mirrored: readonly Shape[]
  readonly moving?: readonly { readonly by: Movement; readonly shapes: readonly Shape[] }[]
}

const marks = (x: number, y: number, w: number, height: number, arm: number): Shape =>
  line(
    `M${x} ${y + arm}V${y}h${arm}M${x + w - arm} ${y}h${arm}v${arm}` +
      `M${x + w} ${y + height - arm}v${arm}h-${arm}M${x + arm} ${y + height}h-${arm}v-${arm}`,
  )
const cross = (x: number, y: number, r: number): readonly Shape[] => [
  ring(x, y, r * 0.55),
  line(`M${x - r} ${y}h${2 * r}M${x} ${y - r}v${2 * r}`),
]
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

/** A reader of chips from above, with the waves that mark it at its end. */
const chipReader = (x: number, y: number, w: number, height: number): readonly Shape[] => [
  ['rect', { x, y, width: w, height, rx: 22, class: 'cloth' }],
  line(
    `M${x + w - 50} ${y + height / 2 - 9}c7 5 7 13 0 18M${x + w - 40} ${y + height / 2 - 18}c14 10 14 26 0 36` +
      `M${x + w - 30} ${y + height / 2 - 27}c21 15 21 39 0 54`,
  ),
]
/** The symbol of a document with a chip (ICAO Doc 9303-9, 3). */
const chipSymbol = (x: number, y: number): readonly Shape[] => [
  ['rect', { x, y, width: 44, height: 28 }],
  line(`M${x} ${y + 14}h12M${x + 32} ${y + 14}h12`),
  ring(x + 22, y + 14, 10),
]
/** The front of a card with the symbol beside its title. */
const frontOfCard = (x: number, y: number): readonly Shape[] => [
  ['rect', { x, y, width: 236, height: 152, rx: 12, class: 'solid' }],
  ['rect', { x: x + 20, y: y + 38, width: 66, height: 84, rx: 4 }],
  ['ellipse', { cx: x + 53, cy: y + 70, rx: 17, ry: 21 }],
  line(`M${x + 26} ${y + 121}c4-26 50-26 54 0`),
  line(`M${x + 20} ${y + 22}h110M${x + 106} ${y + 60}h100M${x + 106} ${y + 84}h108M${x + 106} ${y + 108}h64`),
  ...chipSymbol(x + 172, y + 14),
]
/** The closed front of a passport. */
const cover = (x: number, y: number): readonly Shape[] => [
  ['rect', { x, y, width: 128, height: 176, rx: 10, class: 'solid' }],
  ring(x + 64, y + 72, 30),
  fine(`M${x + 34} ${y + 72}h60M${x + 64} ${y + 42}c-16 18-16 42 0 60M${x + 64} ${y + 42}c16 18 16 42 0 60`),
  line(`M${x + 30} ${y + 22}h68`),
  ...chipSymbol(x + 42, y + 128),
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
    shapes: [
      marks(74, 20, 320, 232, 36),
      ...page(116),
      ...holdingHand(352, 150, 1),
      ...holdingHand(116, 150, -1),
    ],
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
    shapes: [...page(116), ...holdingHand(352, 140, 1), ...holdingHand(116, 140, -1)],
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
  /** A passport on a reader of chips: its page with the photo, or closed. */
  'chip-passport': {
    width: 600,
    height: 272,
    shapes: [...chipReader(10, 20, 332, 232), ...chipReader(366, 20, 224, 232)],
    mirrored: [],
    moving: [{ by: 'insert', shapes: [...page(32, 52), ...cover(388, 48)] }],
  },
  'chip-card': {
    width: 468,
    height: 272,
    shapes: chipReader(56, 20, 356, 232),
    mirrored: [],
    moving: [{ by: 'insert', shapes: frontOfCard(92, 60) }],
  },
  /** Look at the camera, then follow the dot. */
  turn: {
    width: 560,
    height: 272,
    shapes: [...shoulders(280, 116, 82, 236, 64)],
    mirrored: [],
    moving: [
      { by: 'turn', shapes: head(280, 116, 82, 'short') },
      { by: 'dot', shapes: [accent(488, 122, 17), ring(488, 122, 28)] },
    ],
  },
  nearer: {
    width: 560,
    height: 272,
    shapes: [marks(130, 12, 300, 248, 36)],
    mirrored: [],
    moving: [{ by: 'nearer', shapes: person(280, 118, 78, { hair: 'long', width: 214, height: 60 }) }],
  },
  /** People of several kinds: seated, with a headscarf, with glasses. */
  people: {
    width: 560,
    height: 272,
    shapes: [
      ...wheelchairUser(84, 196),
      ...person(312, 112, 62, { hair: 'scarf', width: 168, height: 92 }),
      ...person(476, 112, 60, { hair: 'grey', width: 148, height: 94 }),
      ...glasses(476, 112, 60),
    ],
    mirrored: [],
  },
  glasses: {
    width: 400,
    height: 272,
    shapes: [...person(200, 118, 92, { hair: 'short', width: 250, height: 54 }), ...glasses(200, 118, 92)],
    mirrored: [],
  },
  /** The light of a window falls on the face. */
  window: {
    width: 400,
    height: 272,
    shapes: [
      ...person(140, 130, 76, { hair: 'long', width: 206, height: 58 }),
      ['rect', { x: 292, y: 30, width: 88, height: 124, rx: 4, class: 'solid' }],
      line('M336 30v124M292 92h88M284 154h104'),
      fine('M278 64l-40 12M278 92h-44M278 120l-40-8'),
    ],
    mirrored: [],
  },
  /** One person in the frame; the others wait beside it. */
  alone: {
    width: 560,
    height: 272,
    shapes: [
      marks(140, 12, 280, 248, 36),
      ...person(280, 118, 78, { hair: 'curls', width: 214, height: 60 }),
    ],
    mirrored: [...drawBystander(62, 148, 48, 118, 52), ...drawBystander(498, 148, 48, 118, 52)],
  },
  finish: {
    width: 400,
    height: 220,
    shapes: [marks(40, 16, 320, 188, 32), line('M104 118l44 44 88-100'), line('M184 146l16 16 96-108')],
    mirrored: [],
  },
  /** An officer at the counter greets an applicant. */
  counter: {
    width: 560,
    height: 272,
    shapes: [
      ...person(272, 74, 56, { hair: 'long', width: 190, height: 80 }),
      cloth('M344 198L356 138H392L404 198Z'),
      ...wavingHand(373, 168, 66),
      ['rect', { x: 60, y: 192, width: 440, height: 18, class: 'solid' }],
      cloth('M84 210H476V264H84Z'),
      hatch(104, 226, 352, 3, 12),
      solid('M96 184a26 26 0 0 1 52 0z'),
      line('M88 190h68M122 158v-8M115 150h14'),
    ],
    mirrored: [],
  },
  /** Out of use: the page in its frame, an hourglass beside it. */
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
  /** The receipt to take along. */
  take: {
    width: 560,
    height: 272,
    shapes: [...page(40), line('M336 60h144')],
    mirrored: [],
    moving: [{ by: 'print', shapes: receipt(360, 60) }],
  },
  /** A phone that scans a code. */
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
