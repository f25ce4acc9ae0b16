/** The icons: line drawings in the colour of the surrounding text. No words, no people. */

export type Shape = readonly [tag: string, attributes: Readonly<Record<string, string | number>>]

const line = (d: string): Shape => ['path', { d }]
const dot = (cx: number, cy: number, r = 2.5): Shape => ['circle', { cx, cy, r, class: 'impression' }]
const ring = (cx: number, cy: number, r: number): Shape => ['circle', { cx, cy, r }]
const box = (x: number, y: number, width: number, height: number, rx = 2): Shape => [
  'rect',
  { x, y, width, height, rx },
]

/** Icons on a grid of 32, line 2.5, square ends, at most one filled dot. */
export const ICONS = {
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
  // The counter
  today: [
    ['rect', { x: 4, y: 6, width: 24, height: 22, rx: 2 }],
    line('M4 13h24M10.5 3v6M21.5 3v6'),
    dot(11, 20),
    line('M16 20h7'),
  ],
  assist: [line('M3 27c1-8 11-8 12 0M21 5h8v8M29 5 19 15M17 27h12'), ['circle', { cx: 9, cy: 15, r: 4 }]],
  desk: [
    ['rect', { x: 3, y: 5, width: 11, height: 14 }],
    line('M18 5h11v14H18M3 24h26M3 28.5h26'),
    dot(8.5, 12),
  ],
  devices: [['rect', { x: 8, y: 3, width: 16, height: 20, rx: 2 }], line('M16 23v5M9 28.5h14'), dot(16, 8)],
  sync: [line('M5 13A11.5 11.5 0 0 1 25 9.5M26 3v7h-7M27 19A11.5 11.5 0 0 1 7 22.5M6 29v-7h7')],
  audit: [line('M6 3h20v26H6zM11 10h10M11 16h10M11 22h5'), dot(21, 22)],
  charts: [line('M4 4v24h25M10 24v-8M16 24V9M22 24v-5')],
  staff: [
    ['circle', { cx: 12, cy: 11, r: 5 }],
    line('M2.5 27c1.5-10 17.5-10 19 0M21 6.5a5 5 0 0 1 0 9M24 19.5c3 1.2 4.8 3.7 5.5 7.5'),
  ],
  keys: [['circle', { cx: 10, cy: 16, r: 6 }], line('M16 16h13v6M23 16v4.5'), dot(10, 16, 2)],
  search: [['circle', { cx: 13.5, cy: 13.5, r: 9 }], line('M20.5 20.5 29 29')],
  clock: [['circle', { cx: 16, cy: 16, r: 12.5 }], line('M16 8.5V16l5.5 4')],
  offline: [line('M4 12c7-6 17-6 24 0M9 18c4-3.5 10-3.5 14 0M4 28 28 4'), dot(16, 25)],
  online: [line('M4 12c7-6 17-6 24 0M9 18c4-3.5 10-3.5 14 0'), dot(16, 25)],
  close: [line('M6 6l20 20M26 6 6 26')],
  next: [line('M12 5l11 11-11 11')],
  back: [line('M20 5 9 16l11 11')],
  down: [line('M5 12l11 11 11-11')],
  /** Points at something beside the screen; the style rotates it. */
  point: [line('M16 30V5M5 16 16 5l11 11')],
  up: [line('M5 20 16 9l11 11')],
  sort: [line('M10 13l6-8 6 8M10 19l6 8 6-8')],
  eye: [line('M3 16c6-11 20-11 26 0-6 11-20 11-26 0z'), ['circle', { cx: 16, cy: 16, r: 4 }]],
  'eye-off': [line('M3 16c6-11 20-11 26 0-6 11-20 11-26 0zM6 28 26 4')],
  copy: [['rect', { x: 10, y: 10, width: 18, height: 18 }], line('M22 6V4H4v18h2')],
  print: [line('M9 12V4h14v8M9 24H4V12h24v12h-5M9 19h14v9H9z'), dot(23.5, 16, 1.6)],
  download: [line('M16 4v16M9 14l7 7 7-7M5 28h22')],
  add: [line('M16 5v22M5 16h22')],
  erase: [line('M5 8h22M12 8V4h8v4M8 8l1.5 20h13L24 8M13 13.5v9M19 13.5v9')],
  webhook: [
    ['circle', { cx: 7, cy: 24, r: 3.5 }],
    ['circle', { cx: 25, cy: 24, r: 3.5 }],
    ['circle', { cx: 16, cy: 8, r: 3.5 }],
    line('M14 11 8.5 20.5M18 11l5.5 9.5M10.5 24h11'),
  ],
  settings: [
    line('M4 10h14M24 10h4M4 22h4M14 22h14'),
    ['circle', { cx: 21, cy: 10, r: 3 }],
    ['circle', { cx: 11, cy: 22, r: 3 }],
  ],
  leave: [line('M18 5H5v22h13M12 16h17M23 10l6 6-6 6')],
  passkey: [
    ['circle', { cx: 11, cy: 10, r: 5 }],
    line('M3 27c0-12 16-12 16 0M24 14.5V28l-3-3'),
    ['circle', { cx: 24, cy: 11.5, r: 3.5 }],
  ],
  menu: [line('M4 8h24M4 16h24M4 24h24')],
  retry: [line('M26.5 16A10.5 10.5 0 1 1 22 7.4M27 3v6.5h-6.5')],
  octagon: [line('M11.2 4h9.6L28 11.2v9.6L20.8 28h-9.6L4 20.8v-9.6zM16 10v8'), dot(16, 22, 1.8)],
  // The kiosk's screens
  edges: [line('M2 12c4-1 6 0 7 3s-2 6-7 6M30 12c-4-1-6 0-7 3s2 6 7 6'), box(9, 7, 14, 18, 1)],
  several: [
    ring(12, 11, 5),
    line('M3 27c1-9.5 17-9.5 18 0M20 6.5a5 5 0 0 1 0 9M23.5 19.5c3 1 5 3.5 5.5 7.5'),
  ],
  counter: [ring(16, 8, 4.5), line('M8.5 20c1-7 14-7 15 0M2 20h28M5 20v8.5h22V20')],
  phone: [box(8, 3, 16, 26), line('M13 25h6'), dot(16, 7, 1.4)],
  message: [line('M4 6h24v16H14l-6 6v-6H4zM9 12h14M9 16.5h9')],
  headset: [line('M5 19v-3a11 11 0 0 1 22 0v3'), box(3.5, 18, 5, 9, 1), box(23.5, 18, 5, 9, 1)],
  sound: [line('M4 12h5l7-6v20l-7-6H4zM20.5 11.5a6.5 6.5 0 0 1 0 9M24 7.5a12 12 0 0 1 0 17')],
  silent: [line('M4 12h5l7-6v20l-7-6H4zM21 12.5l7 7M28 12.5l-7 7')],
  contrast: [ring(16, 16, 12.5), ['path', { d: 'M16 3.5a12.5 12.5 0 0 1 0 25z', class: 'impression' }]],
  lower: [line('M4 4h24v24H4zM9 23h14M16 8v9M11.5 13l4.5 4.5 4.5-4.5')],
  calm: [line('M3 12c4-4 9-4 13 0s9 4 13 0M3 20c4-4 9-4 13 0s9 4 13 0')],
  pause: [ring(16, 16, 12.5), line('M12.5 11v10M19.5 11v10')],
  play: [ring(16, 16, 12.5), line('M12.5 10v12l9.5-6z')],
  keyboard: [
    box(2, 7, 28, 18),
    line('M6.5 12.5h2M12 12.5h2M18 12.5h2M23.5 12.5h2M6.5 16.5h2M12 16.5h2M18 16.5h2M23.5 16.5h2M10 21h12'),
  ],
  nearer: [line('M12 12 4 4M4 10V4h6M20 12l8-8M28 10V4h-6M12 20l-8 8M4 22v6h6M20 20l8 8M28 22v6h-6')],
  farther: [line('M4 4l8 8M12 6v6H6M28 4l-8 8M20 6v6h6M4 28l8-8M12 26v-6H6M28 28l-8-8M20 26v-6h6')],
  left: [line('M27 16H6M14.5 7l-9 9 9 9')],
  right: [line('M5 16h21M17.5 7l9 9-9 9')],
  tilt: [line('M4 22l24-6M4 22v4l24-6v-4M6 12a11 11 0 0 1 18-5M24 2v6h-6')],
  mouth: [line('M4 16c5-7 9-6 12-4 3-2 7-3 12 4-5 7-19 7-24 0zM4 16h24')],
  shift: [line('M16 5 4.5 16.5H11V26h10v-9.5h6.5z')],
  backspace: [line('M11 6h18v20H11L3 16zM15.5 11.5l9 9M24.5 11.5l-9 9')],
  flip: [
    box(9, 9, 14, 14, 1),
    line('M5 25a13 13 0 0 0 19 2M27 7A13 13 0 0 0 8 5M24.5 21.5v6h-6M7.5 10.5v-6h6'),
  ],
  upload: [line('M16 21V5M9 11.5 16 4.5l7 7M4 20v7.5h24V20')],
  passport: [
    box(6, 3, 20, 26),
    ring(16, 13, 5),
    line('M11 13h10M16 8c-3 3-3 7 0 10M16 8c3 3 3 7 0 10M10.5 24h11'),
  ],
  card: [box(2.5, 7, 27, 18), box(6, 11, 7, 9, 1), line('M17 12h9M17 16h9M17 20h5')],
  licence: [
    box(2.5, 7, 27, 18),
    ring(9.5, 16, 4.5),
    dot(9.5, 16, 1.3),
    line('M5 16h3M11 16h3M9.5 17.5v3M18 12h8M18 16h8M18 20h5'),
  ],
  residence: [box(2.5, 7, 27, 18), line('M5.5 16 10.5 11l5 5M7 14.8V21h7v-6.2M19 12h7M19 16h7M19 20h4')],
  other: [box(2.5, 7, 27, 18), dot(9.5, 16, 1.9), dot(16, 16, 1.9), dot(22.5, 16, 1.9)],
  glasses: [ring(9, 17, 5), ring(23, 17, 5), line('M14 16c1-1.5 3-1.5 4 0M4 16 3 10M28 16l1-6')],
} satisfies Record<string, readonly Shape[]>
export type IconName = keyof typeof ICONS
