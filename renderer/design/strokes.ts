/** The strokes of the drawings. */
import type { Shape } from './icons.ts'

export const line = (d: string): Shape => ['path', { d }]
export const fine = (d: string): Shape => ['path', { d, class: 'fine' }]
/** A closed shape in the colour of the paper, which covers the shapes below it. */
export const solid = (d: string): Shape => ['path', { d, class: 'solid' }]
/** Cloth: covers the shapes below it, in its own tone. */
export const cloth = (d: string): Shape => ['path', { d, class: 'cloth' }]
export const ring = (cx: number, cy: number, r: number): Shape => ['circle', { cx, cy, r }]
export const spot = (cx: number, cy: number, r: number): Shape => ['circle', { cx, cy, r, class: 'filled' }]
export const accent = (cx: number, cy: number, r: number): Shape => ['circle', { cx, cy, r, class: 'accent' }]

/** Fine parallel lines of an engraved tone. */
export const hatch = (x: number, y: number, w: number, rows: number, gap: number): Shape =>
  fine(Array.from({ length: rows }, (_, i) => `M${x} ${y + i * gap}h${w}`).join(''))

/** Scales a path of absolute points, drawn around 0 0 with a radius of 1, and moves it to its place. */
export const placed =
  (cx: number, cy: number, r: number) =>
  (d: string): string =>
    d.replaceAll(
      /(-?[\d.]+) (-?[\d.]+)/g,
      (_, x: string, y: string) => `${(cx + Number(x) * r).toFixed(1)} ${(cy + Number(y) * r).toFixed(1)}`,
    )
