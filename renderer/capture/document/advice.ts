/** From what the appliance says of a picture, and what the page sees itself, to the one advice that is shown. Pure. */
import type { CaptureGuidance } from '../../../server/api/contract/capture.ts'
import type { DocumentGuidanceCode, Point } from '../events.ts'

export type Direction = 'left' | 'right' | 'up' | 'down'
export interface Advice {
  readonly code: DocumentGuidanceCode
  /** Where the hand should move, as the person sees it. */
  readonly direction: Direction | null
}

export interface Seeing {
  readonly guidance: CaptureGuidance
  readonly moving: boolean
  /** The side that was taken already is still shown. */
  readonly sameSide: boolean
  readonly tooBright: boolean
  /** Asked to tilt often enough: several pictures are taken while it is tilted. */
  readonly tiltSeries: boolean
  /** The camera looks at the person, who then holds the document towards it: left and right are the other way round. */
  readonly facesPerson: boolean
}

type PictureCode = CaptureGuidance['codes'][number]

/** Highest row first. Of a document that is too near, corners are cut as well: the distance is told first. */
const ROWS: readonly (readonly [PictureCode, DocumentGuidanceCode])[] = [
  ['1531', 'DARK'],
  ['1540', 'NEAR'],
  ['1535', 'CUT'],
  ['1541', 'FAR'],
  ['1539', 'KEYSTONE'],
  ['1532', 'GLARE'],
]

export function adviceFor(seeing: Seeing): Advice {
  const { guidance } = seeing
  const plain = (code: DocumentGuidanceCode): Advice => ({ code, direction: null })
  if (guidance.hint === 'SHOW_DOCUMENT') return plain('NO_DOC')
  if (seeing.sameSide) return plain('WRONG_SIDE')
  for (const [code, row] of ROWS) {
    if (!guidance.codes.includes(code)) continue
    if (row === 'CUT') return { code: row, direction: wayBack(guidance.outline, seeing.facesPerson) }
    if (row !== 'GLARE') return plain(row)
    if (seeing.tooBright) return plain('BRIGHT')
    return plain(seeing.tiltSeries ? 'TILT_SLOWLY' : 'GLARE')
  }
  if (seeing.moving) return plain('MOVING')
  if (guidance.codes.includes('1533')) return plain('BLUR')
  return plain(guidance.ready ? 'READY' : 'NO_DOC')
}

/** ux "Document guidance table", CUT: a corner less than 1 % from the edge. */
const EDGE_SHARE = 0.01

/** The way the hand goes so that the document comes back into the picture; null where more than one side is cut. */
export function wayBack(outline: readonly Point[] | null, facesPerson: boolean): Direction | null {
  if (!outline) return null
  const beyond = {
    left: outline.some(({ x }) => x < EDGE_SHARE),
    right: outline.some(({ x }) => x > 1 - EDGE_SHARE),
    up: outline.some(({ y }) => y < EDGE_SHARE),
    down: outline.some(({ y }) => y > 1 - EDGE_SHARE),
  }
  const across = facesPerson
    ? ({ left: 'left', right: 'right' } as const)
    : ({ left: 'right', right: 'left' } as const)
  if (beyond.left !== beyond.right) return beyond.left ? across.left : across.right
  if (beyond.up !== beyond.down) return beyond.up ? 'down' : 'up'
  return null
}

/** Nothing is wrong but a shiny spot: several such pictures, each with the spot elsewhere, can be read together. */
export function isGlareAlone({ codes }: CaptureGuidance): boolean {
  return codes.length === 1 && codes[0] === '1532'
}
