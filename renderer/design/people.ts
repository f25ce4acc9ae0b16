/**
 * The people of the drawings: friendly, of no particular age, sex or colour, some with a headscarf, glasses
 * or a wheelchair. They smile and look at the reader. Hands have fingers.
 */
import type { Shape } from './icons.ts'
import { cloth, fine, hatch, line, placed, ring, solid, spot } from './strokes.ts'

export type Hair = 'short' | 'long' | 'curls' | 'grey' | 'scarf'

const HEAD =
  'M-0.76 -0.1C-0.76 -0.72 -0.42 -1 0 -1C0.42 -1 0.76 -0.72 0.76 -0.1C0.76 0.52 0.4 1 0 1C-0.4 1 -0.76 0.52 -0.76 -0.1Z'
const EARS = 'M-0.72 -0.06C-0.96 -0.18 -0.98 0.3 -0.68 0.28M0.72 -0.06C0.96 -0.18 0.98 0.3 0.68 0.28'
const CURLS: readonly (readonly [x: number, y: number, r: number])[] = [
  [-0.72, -0.38, 0.24],
  [-0.6, -0.74, 0.27],
  [-0.24, -0.98, 0.29],
  [0.2, -1, 0.29],
  [0.56, -0.78, 0.27],
  [0.72, -0.4, 0.24],
  [-0.1, -0.76, 0.24],
  [0.26, -0.74, 0.24],
]

/** Eyes, brows, nose and a smile. */
function features(cx: number, cy: number, r: number): readonly Shape[] {
  const at = placed(cx, cy, r)
  return [
    spot(cx - r * 0.3, cy - r * 0.04, r * 0.075),
    spot(cx + r * 0.3, cy - r * 0.04, r * 0.075),
    fine(at('M-0.44 -0.26C-0.38 -0.34 -0.24 -0.34 -0.17 -0.28M0.44 -0.26C0.38 -0.34 0.24 -0.34 0.17 -0.28')),
    fine(at('M-0.02 0.06C0 0.16 0.1 0.26 0 0.3C-0.03 0.31 -0.06 0.3 -0.08 0.28')),
    line(at('M-0.27 0.5C-0.16 0.66 0.16 0.66 0.27 0.5')),
  ]
}

/** Dark in every theme: a light face with lighter hair would look like a negative. */
const drawHair = (d: string): Shape => ['path', { d, class: 'hair' }]

function behindHead(hair: Hair, at: (d: string) => string): readonly Shape[] {
  if (hair === 'long')
    return [
      drawHair(
        at(
          'M0 -1.17C0.62 -1.17 0.95 -0.8 0.92 -0.1C0.91 0.3 0.98 0.62 1.06 0.86C0.9 1 0.6 1.02 0.46 0.98L-0.46 0.98C-0.6 1.02 -0.9 1 -1.06 0.86C-0.98 0.62 -0.91 0.3 -0.92 -0.1C-0.95 -0.8 -0.62 -1.17 0 -1.17Z',
        ),
      ),
    ]
  return []
}

function overHead(
  hair: Hair,
  at: (d: string) => string,
  cx: number,
  cy: number,
  r: number,
): readonly Shape[] {
  switch (hair) {
    case 'short':
      return [
        drawHair(
          at(
            'M-0.8 -0.08C-0.96 -0.8 -0.58 -1.18 -0.02 -1.16C0.6 -1.2 0.96 -0.76 0.8 -0.08C0.74 -0.26 0.7 -0.42 0.58 -0.56C0.3 -0.46 -0.12 -0.5 -0.34 -0.66C-0.46 -0.5 -0.7 -0.36 -0.8 -0.08Z',
          ),
        ),
      ]
    case 'long':
      return [
        drawHair(
          at(
            'M-0.8 0.02C-0.94 -0.78 -0.5 -1.14 0 -1.14C0.5 -1.14 0.94 -0.78 0.8 0.02C0.72 -0.3 0.4 -0.56 0.06 -0.74C-0.2 -0.52 -0.66 -0.34 -0.8 0.02Z',
          ),
        ),
      ]
    case 'curls':
      return CURLS.map(([x, y, size]) => [
        'circle',
        { cx: cx + x * r, cy: cy + y * r, r: size * r, class: 'hair' },
      ])
    case 'grey':
      return [
        solid(
          at(
            'M-0.78 0.06C-0.98 -0.2 -0.94 -0.66 -0.66 -0.86C-0.4 -1.16 0.4 -1.16 0.66 -0.86C0.94 -0.66 0.98 -0.2 0.78 0.06C0.74 -0.24 0.66 -0.46 0.46 -0.6C0.2 -0.5 -0.2 -0.5 -0.46 -0.6C-0.66 -0.46 -0.74 -0.24 -0.78 0.06Z',
          ),
        ),
        fine(
          at(
            'M-0.8 -0.2C-0.78 -0.5 -0.66 -0.68 -0.5 -0.78M0.8 -0.2C0.78 -0.5 0.66 -0.68 0.5 -0.78M-0.36 -0.74C-0.14 -0.66 0.14 -0.66 0.36 -0.74M-0.3 -0.9C-0.1 -0.84 0.1 -0.84 0.3 -0.9',
          ),
        ),
      ]
    case 'scarf':
      return []
  }
}

/** @param r half of the head's height */
export function head(cx: number, cy: number, r: number, hair: Hair): readonly Shape[] {
  const at = placed(cx, cy, r)
  if (hair === 'scarf')
    return [
      cloth(
        at(
          'M0 -1.2C-0.72 -1.2 -1.02 -0.68 -0.98 0C-0.95 0.5 -0.98 0.86 -1.14 1.2C-0.72 1.62 0.72 1.62 1.14 1.2C0.98 0.86 0.95 0.5 0.98 0C1.02 -0.68 0.72 -1.2 0 -1.2Z',
        ),
      ),
      solid(
        at(
          'M-0.66 -0.06C-0.66 -0.6 -0.4 -0.86 0 -0.86C0.4 -0.86 0.66 -0.6 0.66 -0.06C0.66 0.5 0.36 0.94 0 0.94C-0.36 0.94 -0.66 0.5 -0.66 -0.06Z',
        ),
      ),
      fine(at('M0.62 0.36C0.56 0.8 0.1 1.2 -0.62 1.3M0.44 0.72C0.3 1.06 0.06 1.24 -0.3 1.42')),
      ...features(cx, cy, r),
    ]
  return [
    ...behindHead(hair, at),
    solid(at(EARS)),
    solid(at(HEAD)),
    ...features(cx, cy, r),
    ...overHead(hair, at, cx, cy, r),
  ]
}

/** Neck and shoulders, `height` down from the chin; drawn before the head. */
export function shoulders(
  cx: number,
  cy: number,
  r: number,
  width: number,
  height: number,
): readonly Shape[] {
  const top = cy + r * 1.12
  const wide = placed(cx, top, 1)
  const w = width / 2
  const neck = r * 0.3
  return [
    solid(`M${cx - neck} ${cy + r * 0.7}V${top + r * 0.3}h${neck * 2}V${cy + r * 0.7}`),
    cloth(
      wide(
        `M${-w} ${height}C${-w} ${height * 0.34} ${-w * 0.72} ${r * 0.2} ${-neck * 1.3} 0` +
          `C${-neck * 0.8} ${r * 0.34} ${neck * 0.8} ${r * 0.34} ${neck * 1.3} 0` +
          `C${w * 0.72} ${r * 0.2} ${w} ${height * 0.34} ${w} ${height}`,
      ),
    ),
  ]
}

/** @param width width of the shoulders @param height visible height below the neck */
export function person(
  cx: number,
  cy: number,
  r: number,
  { hair, width = r * 2.7, height = r * 0.9 }: { hair: Hair; width?: number; height?: number },
): readonly Shape[] {
  return [...shoulders(cx, cy, r, width, height), ...head(cx, cy, r, hair)]
}

export function glasses(cx: number, cy: number, r: number): readonly Shape[] {
  const at = placed(cx, cy, r)
  const lens = (side: 1 | -1): Shape => [
    'rect',
    { x: cx + r * (0.34 * side - 0.26), y: cy - r * 0.21, width: r * 0.52, height: r * 0.42, rx: r * 0.16 },
  ]
  return [
    lens(-1),
    lens(1),
    line(at('M-0.08 -0.06C-0.04 -0.1 0.04 -0.1 0.08 -0.06M-0.6 -0.08L-0.75 -0.12M0.6 -0.08L0.75 -0.12')),
  ]
}

/** A bystander: an outline without a face. */
export function drawBystander(
  cx: number,
  cy: number,
  r: number,
  width: number,
  height: number,
): readonly Shape[] {
  return [...shoulders(cx, cy, r, width, height).slice(1), solid(placed(cx, cy, r)(HEAD))]
}

/**
 * Draws four fingers around the edge of a page at `x`, and the thumb behind it. `way` 1: the hand comes from the
 * right, -1: from the left.
 */
export function holdingHand(x: number, y: number, way: 1 | -1): readonly Shape[] {
  const k = (dx: number) => x + dx * way
  const sweep = way === 1 ? 0 : 1
  /** Length of the fingertips over the edge. */
  const tips = [7, 13, 11, 4]
  return [
    cloth(`M${k(80)} ${y - 38}L${k(114)} ${y - 46}V${y + 54}L${k(80)} ${y + 42}Z`),
    solid(
      `M${k(30)} ${y - 42}C${k(50)} ${y - 52} ${k(68)} ${y - 44} ${k(84)} ${y - 34}V${y + 36}` +
        `C${k(68)} ${y + 48} ${k(50)} ${y + 52} ${k(30)} ${y + 44}Z`,
    ),
    ...tips.flatMap((tip, i): Shape[] => {
      const [top, high] = [y - 43 + i * 22, 21]
      return [
        solid(
          `M${k(42)} ${top}H${k(high / 2 - tip)}A${high / 2} ${high / 2} 0 0 ${sweep} ${k(high / 2 - tip)} ${top + high}H${k(42)}`,
        ),
        fine(`M${k(12 - tip)} ${top + 6}a5 4.5 0 0 ${sweep} 0 9`),
      ]
    }),
    hatch(Math.min(k(92), k(108)), y - 28, 16, 6, 12),
  ]
}

/** Draws an open hand that waves. Its wrist is at about `x`, `y`. */
export function wavingHand(x: number, y: number, size: number): readonly Shape[] {
  const at = placed(x, y, size)
  return [
    solid(
      at(
        'M-0.16 -0.5C-0.34 -0.62 -0.5 -0.8 -0.56 -0.98C-0.58 -1.1 -0.44 -1.14 -0.38 -1.04C-0.34 -0.96 -0.28 -0.9 -0.22 -0.88L-0.26 -1.42C-0.27 -1.56 -0.1 -1.58 -0.08 -1.44L-0.03 -1.04L0 -1.54C0.01 -1.68 0.18 -1.68 0.18 -1.53L0.16 -1.04L0.26 -1.47C0.29 -1.6 0.45 -1.57 0.42 -1.43L0.33 -1L0.46 -1.3C0.52 -1.42 0.66 -1.36 0.61 -1.23C0.54 -0.98 0.46 -0.68 0.28 -0.5Z',
      ),
    ),
  ]
}

/** A person in a wheelchair, seen from the side; `x`, `y`: the middle of the large wheel. */
export function wheelchairUser(x: number, y: number): readonly Shape[] {
  return [
    line(`M${x - 38} ${y - 104}V${y - 16}M${x - 38} ${y - 104}h-20M${x + 62} ${y - 26}l22 88h34`),
    // Leg and shoe.
    cloth(`M${x - 30} ${y - 44}h82c15 0 22 7 26 20l18 74h-27l-16-58h-83z`),
    solid(`M${x + 66} ${y + 50}h32c12 1 20 5 20 12h-52z`),
    cloth(
      `M${x - 36} ${y - 12}C${x - 42} ${y - 66} ${x - 38} ${y - 104} ${x - 8} ${y - 108}C${x + 24} ${y - 104} ${x + 26} ${y - 66} ${x + 24} ${y - 12}Z`,
    ),
    ['circle', { cx: x, cy: y + 10, r: 52, class: 'solid' }],
    ring(x, y + 10, 43),
    ring(x, y + 10, 7),
    fine(
      Array.from({ length: 8 }, (_, i) => {
        const [cos, sin] = [Math.cos((i * Math.PI) / 4), Math.sin((i * Math.PI) / 4)]
        const point = (r: number) => `${(x + r * cos).toFixed(1)} ${(y + 10 + r * sin).toFixed(1)}`
        return `M${point(8)}L${point(42)}`
      }).join(''),
    ),
    // An arm that rests on the wheel.
    cloth(
      `M${x - 22} ${y - 82}C${x - 26} ${y - 48} ${x - 12} ${y - 38} ${x + 16} ${y - 36}v-18C${x + 2} ${y - 56} ${x - 2} ${y - 62} ${x - 2} ${y - 82}`,
    ),
    solid(`M${x + 16} ${y - 56}h13a10 10 0 0 1 0 20h-13z`),
    ...head(x - 4, y - 146, 36, 'curls'),
  ]
}
