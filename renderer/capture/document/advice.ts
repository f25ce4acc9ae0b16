/** Chooses the one advice to show, from the appliance's guidance and the page's own measurements. Pure. */
import type { CaptureGuidance } from '../../../server/api/contract/capture.ts'
import type { DocumentGuidanceCode, Point } from '../events.ts'

export type Direction = 'left' | 'right' | 'up' | 'down'
export interface Advice {
  readonly code: DocumentGuidanceCode
  /** The direction in which the hand should move, as the applicant sees it. */
  readonly direction: Direction | null
}

export interface Seeing {
  readonly guidance: CaptureGuidance
  readonly moving: boolean
  /** The document still shows the side that was captured already. */
  readonly sameSide: boolean
  readonly tooBright: boolean
  /** The advice to tilt was repeated often enough: several pictures are captured during the tilting. */
  readonly tiltSeries: boolean
  /** This document was refused and has not moved since. */
  readonly waitsForChange: boolean
  /** The camera faces the applicant, who holds the document towards it: left and right are swapped. */
  readonly facesPerson: boolean
}

type PictureCode = CaptureGuidance['codes'][number]

/**
 * Highest priority first. A document that is too near also has cut corners: the advice about distance comes
 * first.
 */
const ROWS: readonly (readonly [PictureCode, DocumentGuidanceCode])[] = [
  ['1531', 'DARK'],
  ['1540', 'NEAR'],
  ['1535', 'CUT'],
  ['1541', 'FAR'],
  ['1539', 'KEYSTONE'],
  ['1532', 'GLARE'],
]

export function chooseAdvice(seeing: Seeing): Advice {
  const { guidance } = seeing
  const plain = (code: DocumentGuidanceCode): Advice => ({ code, direction: null })
  if (guidance.hint === 'SHOW_DOCUMENT') return plain('NO_DOC')
  if (guidance.hint === 'SHOW_DOCUMENT_NOT_FACE') return plain('FACE')
  if (seeing.sameSide) return plain('WRONG_SIDE')
  for (const [code, row] of ROWS) {
    if (!guidance.codes.includes(code)) continue
    if (row === 'CUT') return { code: row, direction: wayBack(guidance.outline, seeing.facesPerson) }
    if (row !== 'GLARE') return plain(row)
    if (seeing.tooBright) return plain('BRIGHT')
    return plain(seeing.tiltSeries ? 'TILT_SLOWLY' : 'GLARE')
  }
  if (seeing.waitsForChange && guidance.ready) return plain('CHANGE')
  if (seeing.moving) return plain('MOVING')
  if (guidance.codes.includes('1533')) return plain('BLUR')
  return plain(guidance.ready ? 'READY' : 'NO_DOC')
}

/** CUT: a corner is less than 1 % from the edge. */
const EDGE_SHARE = 0.01

/** Returns the direction that brings the document back into the picture; null if several sides are cut. */
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

/**
 * True if glare is the only problem: several such pictures, with the glare in different places, can be read
 * together.
 */
export function isGlareAlone({ codes }: CaptureGuidance): boolean {
  return codes.length === 1 && codes[0] === '1532'
}
