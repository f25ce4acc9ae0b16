/**
 * Places a picture in the viewer: fitted, enlarged, rotated and moved; faces with equal distances between the
 * eyes. Pure.
 */

export interface Size {
  readonly width: number
  readonly height: number
}
export interface Place {
  readonly x: number
  readonly y: number
}
export interface Box extends Place, Size {}
export interface Eyes {
  readonly left: Place
  readonly right: Place
}

/**
 * The adjudicator's settings. `x` and `y`: how far the picture was moved, in widths and heights of the
 * viewer.
 */
export interface View {
  readonly zoom: number
  readonly x: number
  readonly y: number
  readonly turn: 0 | 90 | 180 | 270
}

export const STILL: View = { zoom: 1, x: 0, y: 0, turn: 0 }
const MAX_ZOOM = 8
/**
 * Faces: distance between the eyes, and their distance from the top, as shares of a square viewer. Starting
 * values.
 */
const EYES_APART = 0.24
const EYES_DOWN = 0.42
/** A selected field fills this share of the viewer. Starting value. */
const FIELD_SHARE = 0.7

interface Laid {
  readonly scale: number
  /** The point of the picture that is placed at `at` of the viewer. */
  readonly middle: Place
  readonly at: Place
}

function lay(picture: Size, glass: Size, { turn }: View, eyes: Eyes | null): Laid {
  const centre = { x: glass.width / 2, y: glass.height / 2 }
  if (eyes) {
    const apart = Math.max(1, Math.hypot(eyes.right.x - eyes.left.x, eyes.right.y - eyes.left.y))
    return {
      scale: (Math.min(glass.width, glass.height) * EYES_APART) / apart,
      middle: { x: (eyes.left.x + eyes.right.x) / 2, y: (eyes.left.y + eyes.right.y) / 2 },
      at: { x: centre.x, y: glass.height * EYES_DOWN },
    }
  }
  const isLying = turn === 90 || turn === 270
  const width = isLying ? picture.height : picture.width
  const height = isLying ? picture.width : picture.height
  return {
    scale: Math.min(glass.width / Math.max(1, width), glass.height / Math.max(1, height)),
    middle: { x: picture.width / 2, y: picture.height / 2 },
    at: centre,
  }
}

/** Returns a CSS matrix for a picture in its natural size with its origin at the top left. */
export function computeMatrix(picture: Size, glass: Size, view: View, eyes: Eyes | null): string {
  const { scale, middle, at } = lay(picture, glass, view, eyes)
  const size = scale * view.zoom
  const { cos, sin } = turned(view.turn)
  const [a, b] = [size * cos, size * sin]
  const x = at.x + view.x * glass.width - (a * middle.x - b * middle.y)
  const y = at.y + view.y * glass.height - (b * middle.x + a * middle.y)
  return `matrix(${[a, b, -b, a, x, y].map((number) => Number(number.toFixed(4))).join(', ')})`
}

/** Exact for quarter turns. */
function turned(turn: View['turn']): { readonly cos: number; readonly sin: number } {
  return {
    0: { cos: 1, sin: 0 },
    90: { cos: 0, sin: 1 },
    180: { cos: -1, sin: 0 },
    270: { cos: 0, sin: -1 },
  }[turn]
}

/** Returns the view in which a field of the picture fills the viewer. */
export function viewOfField(picture: Size, glass: Size, view: View, box: Box): View {
  const { scale, middle, at } = lay(picture, glass, view, null)
  const isLying = view.turn === 90 || view.turn === 270
  const width = (isLying ? box.height : box.width) * scale
  const height = (isLying ? box.width : box.height) * scale
  const fits = Math.min(
    (glass.width * FIELD_SHARE) / Math.max(1, width),
    (glass.height * FIELD_SHARE) / Math.max(1, height),
  )
  const zoom = Math.min(MAX_ZOOM, Math.max(1, fits))
  const { cos, sin } = turned(view.turn)
  const from = { x: box.x + box.width / 2 - middle.x, y: box.y + box.height / 2 - middle.y }
  const size = scale * zoom
  return {
    ...view,
    zoom,
    x: (glass.width / 2 - at.x - size * (cos * from.x - sin * from.y)) / glass.width,
    y: (glass.height / 2 - at.y - size * (sin * from.x + cos * from.y)) / glass.height,
  }
}

/** Zooms about a point of the viewer, given in widths and heights from the middle. */
export function zoomView(view: View, zoom: number, about: Place = { x: 0, y: 0 }): View {
  const next = Math.min(MAX_ZOOM, Math.max(1, zoom))
  const ratio = next / view.zoom
  return moveView({
    ...view,
    zoom: next,
    x: about.x - (about.x - view.x) * ratio,
    y: about.y - (about.y - view.y) * ratio,
  })
}

/** Moves the picture; it never leaves the viewer completely. */
export function moveView(view: View, dx = 0, dy = 0): View {
  const most = view.zoom / 2
  const within = (value: number) => Math.min(most, Math.max(-most, value))
  return { ...view, x: within(view.x + dx), y: within(view.y + dy) }
}

export function rotateView(view: View): View {
  const next = { 0: 90, 90: 180, 180: 270, 270: 0 } as const
  return { ...view, turn: next[view.turn], x: 0, y: 0 }
}
