/** The live picture and the marks on it. It only draws. */
import { h, svg } from '../dom.ts'
import type { OutlineDetail, PromptDetail } from './events.ts'

/** All marks are drawn in thousandths of the picture's width. */
const WIDTH = 1_000

export interface Stage {
  readonly element: HTMLElement
  readonly video: HTMLVideoElement
  setLabel(text: string): void
  /** The size of the camera's picture. */
  setShape(widthPx: number, heightPx: number): void
  setReady(isReady: boolean): void
  clear(): void
}
export interface DocumentStage extends Stage {
  setOutline(detail: OutlineDetail): void
  /** Closes the outline as the shutter is about to release. */
  setShare(share: number): void
  showStill(url: string | null, alt: string): void
}
export interface PortraitStage extends Stage {
  /** 1: the initial size. */
  setOval(scale: number): void
  setDot(side: PromptDetail['screenSide']): void
  setHolding(isHolding: boolean): void
}

function stage(kind: 'document' | 'portrait', marks: readonly Element[], over: readonly Element[]): Stage {
  const video = h('video', { autoplay: true, playsinline: true, tabindex: -1, disablepictureinpicture: true })
  // Set the property in addition to the attribute: browsers autoplay only muted videos.
  video.muted = true
  const drawing = svg('svg', {
    class: 'capture-marks',
    'aria-hidden': 'true',
    preserveAspectRatio: 'xMidYMid slice',
  })
  drawing.append(...marks)
  const element = h('div', { class: `capture-stage is-${kind}` }, video, drawing, ...over)
  const setShape = (widthPx: number, heightPx: number) => {
    const height = (WIDTH * heightPx) / widthPx
    drawing.setAttribute('viewBox', `0 0 ${WIDTH} ${height}`)
    element.style.setProperty('--picture-width', String(widthPx))
    element.style.setProperty('--picture-height', String(heightPx))
    element.style.setProperty('--marks-height', String(height))
  }
  setShape(4, 3)
  return {
    element,
    video,
    setLabel: (text) => video.setAttribute('aria-label', text),
    setShape,
    setReady: (isReady) => void element.classList.toggle('is-ready', isReady),
    clear: () => element.classList.remove('is-ready'),
  }
}

export function documentStage(): DocumentStage {
  const frame = svg('path', { class: 'capture-frame' })
  const outline = svg('polygon', { class: 'capture-outline' })
  const ring = svg('polygon', { class: 'capture-ring', pathLength: 100 })
  const spot = svg('circle', { class: 'capture-spot' })
  const still = h('img', { class: 'capture-still', alt: '', hidden: true })
  const base = stage('document', [frame, outline, ring, spot], [still])
  let height = 750
  const hide = (element: Element, isHidden: boolean) => void element.classList.toggle('is-hidden', isHidden)
  const setOutline = ({ corners, shinySpot }: OutlineDetail) => {
    const points = (corners ?? []).map(({ x, y }) => `${x * WIDTH},${y * height}`).join(' ')
    for (const shape of [outline, ring]) shape.setAttribute('points', points)
    hide(outline, corners === null)
    hide(ring, corners === null)
    hide(spot, shinySpot === null)
    if (!shinySpot) return
    spot.setAttribute('cx', String(shinySpot.x * WIDTH))
    spot.setAttribute('cy', String(shinySpot.y * height))
    // The ring surrounds the spot without covering it.
    spot.setAttribute('r', String(Math.max(24, shinySpot.radius * WIDTH * 1.5)))
  }
  const setShare = (share: number) => element.style.setProperty('--share', String(share))
  const { element } = base
  const showStill = (url: string | null, alt: string) => {
    still.hidden = url === null
    still.alt = alt
    if (url === null) still.removeAttribute('src')
    else still.src = url
  }
  const setShape = (widthPx: number, heightPx: number) => {
    base.setShape(widthPx, heightPx)
    height = (WIDTH * heightPx) / widthPx
    frame.setAttribute('d', registerMarks(height))
  }
  setShape(4, 3)
  setOutline({ corners: null, shinySpot: null })
  setShare(0)
  return {
    ...base,
    setShape,
    setOutline,
    setShare,
    showStill,
    clear: () => {
      base.clear()
      setOutline({ corners: null, shinySpot: null })
      setShare(0)
      showStill(null, '')
    },
  }
}

/** Four corners around the largest page of a passport's shape (125 × 88 mm) that leaves a margin. */
function registerMarks(height: number): string {
  const [page, margin] = [125 / 88, 60]
  const width = Math.min(WIDTH - 2 * margin, (height - 2 * margin) * page)
  const [w, tall] = [width / 2, width / page / 2]
  const [x, y, arm] = [WIDTH / 2, height / 2, 90]
  const corner = (sx: number, sy: number) =>
    `M${x + sx * w} ${y + sy * (tall - arm)}V${y + sy * tall}H${x + sx * (w - arm)}`
  return [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)].join('')
}

export function portraitStage(): PortraitStage {
  const oval = svg('ellipse', { class: 'capture-oval' })
  const dot = svg('circle', { class: 'capture-dot is-hidden', r: 34 })
  const base = stage('portrait', [oval, dot], [])
  let [height, scale] = [750, 1]
  let side: PromptDetail['screenSide'] = null
  const draw = () => {
    // The proportion of a head, at first 0.6 of the height at most, so that it can grow.
    const ry = Math.min(height * 0.3, (WIDTH * 0.34) / 0.76) * scale
    const shape = { cx: WIDTH / 2, cy: height / 2, rx: ry * 0.76, ry }
    for (const [name, value] of Object.entries(shape)) oval.setAttribute(name, String(value))
    dot.classList.toggle('is-hidden', side === null)
    const at = {
      left: [56, height / 2],
      right: [WIDTH - 56, height / 2],
      up: [WIDTH / 2, 56],
      down: [WIDTH / 2, height - 56],
    } as const
    const [x, y] = side ? at[side] : [WIDTH / 2, height / 2]
    dot.setAttribute('cx', String(x))
    dot.setAttribute('cy', String(y))
    base.element.dataset.dot = side ?? 'none'
  }
  const setHolding = (isHolding: boolean) => void base.element.classList.toggle('is-holding', isHolding)
  draw()
  return {
    ...base,
    setShape: (widthPx, heightPx) => {
      base.setShape(widthPx, heightPx)
      height = (WIDTH * heightPx) / widthPx
      draw()
    },
    setOval: (next) => {
      scale = next
      draw()
    },
    setDot: (next) => {
      side = next
      draw()
    },
    setHolding,
    clear: () => {
      base.clear()
      ;[scale, side] = [1, null]
      setHolding(false)
      draw()
    },
  }
}
