/** The icons of the advice, on a grid of 32: they show the movement that helps. No words, no people. */
import type { GuidanceIcon } from './events.ts'
import { svg } from '../dom.ts'

const PATHS: Readonly<Record<GuidanceIcon, string>> = {
  show: 'M4 10V4h6M22 4h6v6M28 22v6h-6M10 28H4v-6M9 11h14v10H9z',
  'turn-over': 'M6 12a11 6 0 0 1 20 0M26 12l1-6M26 12l-6-2M26 20a11 6 0 0 1-20 0M6 20l-1 6M6 20l6 2',
  light:
    'M11 16a5 5 0 1 0 10 0a5 5 0 1 0-10 0M16 3v4M16 25v4M3 16h4M25 16h4M7 7l3 3M22 22l3 3M25 7l-3 3M10 22l-3 3',
  'less-light': 'M11 16a5 5 0 1 0 10 0a5 5 0 1 0-10 0M5 27 27 5M16 3v4M3 16h4M25 16h4M16 25v4',
  nearer: 'M4 4l8 8M12 6v6H6M28 4l-8 8M20 6v6h6M4 28l8-8M6 20h6v6M28 28l-8-8M26 20h-6v6',
  farther: 'M12 12 4 4M4 10V4h6M20 12l8-8M22 4h6v6M12 20l-8 8M4 22v6h6M20 20l8 8M28 22v6h-6',
  left: 'M28 16H5M13 7l-9 9 9 9',
  right: 'M4 16h23M19 7l9 9-9 9',
  up: 'M16 28V5M7 13l9-9 9 9',
  down: 'M16 4v23M7 19l9 9 9-9',
  corners: 'M4 11V4h7M21 4h7v7M28 21v7h-7M11 28H4v-7',
  flat: 'M4 22h24M8 16h16M4 27h24M16 4v7M12 8l4 4 4-4',
  tilt: 'M4 24 26 12M4 24h22M26 24a22 22 0 0 0-2-9',
  still: 'M8 8h16v16H8zM4 12v8M28 12v8',
  face: 'M8 14a8 10 0 1 0 16 0a8 10 0 1 0-16 0M13 13v1M19 13v1M13 19q3 2 6 0',
  'one-person': 'M11 10a5 5 0 1 0 10 0a5 5 0 1 0-10 0M6 28c1-11 19-11 20 0',
  straight: 'M9 14a7 9 0 1 0 14 0a7 9 0 1 0-14 0M16 1v3M16 25v6M13 13v1M19 13v1',
  uncover: 'M8 14a8 10 0 1 0 16 0a8 10 0 1 0-16 0M4 29 28 3',
  eyes: 'M3 16q13-14 26 0q-13 14-26 0M13 16a3 3 0 1 0 6 0a3 3 0 1 0-6 0',
  mouth: 'M4 16q12-6 24 0M4 16q12 6 24 0M4 16h24',
  colours: 'M4 6h8v20H4zM12 6h8v20h-8zM20 6h8v20h-8zM8 12v8M24 12v8',
  good: 'M3 17.5l6.5 6.5L21 10M13.5 22l2 2L29 8',
  attention: 'M16 4 29 27H3zM16 12v7M16 23v1',
  wait: 'M8 4h16M8 28h16M10 4v5l6 7 6-7V4M10 28v-5l6-7 6 7v5',
}

export function guidanceIcon(name: GuidanceIcon): SVGElement {
  const path = svg('path', { d: PATHS[name] })
  return svg('svg', { class: 'capture-icon', viewBox: '0 0 32 32', 'aria-hidden': 'true' }, path)
}
