/**
 * Photographs specimen documents as a kiosk or a telephone does, with the truth about each. Every picture comes from a
 * plan and every plan from a seed; the same seed gives the same picture. Also photographs tables without a document.
 */
import type { Quad, QuarterTurn } from '../../../vision/protocol.ts'
import { DESIGNS, renderDocumentSide, type SideTruth, type TruthField } from '../documents/render.ts'
import { buildStyle, findVariant } from '../documents/variants.ts'
import { applyHomography } from '../passport/homography.ts'
import { paintBackground } from './background.ts'
import { expose } from './expose.ts'
import { bounds, listCorners, placeCamera, type Placement, type RectMm } from './geometry.ts'
import { drawHand, type Hand } from './hand.ts'
import { glareAt, glareField, lightField, type Reflection } from './light.ts'
import { makeObject, type SceneObject } from './object.ts'
import { planScene, type PlanOptions, type ScenePlan } from './plan.ts'
import { renderScan } from './scan.ts'
import { develop } from './sensor.ts'

export interface SceneTruth extends SideTruth {
  readonly plan: ScenePlan
  readonly widthPx: number
  readonly heightPx: number
  /** Corners of the document in the order of its upright content; they may be outside the picture. */
  readonly quad: Quad
  /** Further correct outlines, such as the page with a glued visa. */
  readonly alsoRight: readonly Quad[]
  /** Clockwise turn that makes the content upright, like `rotationDeg` of a measurement. */
  readonly rotationDeg: QuarterTurn
  /** Share of the picture's area. */
  readonly areaShare: number
  readonly sidesOutside: number
  /** Pixels per millimetre in the middle of the document. */
  readonly scale: number
  /** Visible fields: inside the picture, without a finger or strong glare on them. */
  readonly visible: readonly TruthField[]
  readonly isMrzVisible: boolean
  readonly isBarcodeVisible: boolean
}

/** Maps the camera's placement to the document's reflections. */
type Mirror = (placement: Placement) => Reflection

export interface Scene {
  readonly jpeg: Buffer
  readonly truth: SceneTruth
}

const MM_PER_INCH = 25.4
/** Maximum printing resolution; coarser pictures need less. */
const FINEST_DPI = 600
const COARSEST_DPI = 300
/** Blur of the table per millimetre behind the document: a telephone's lens of 2.4 mm, 20 cm away. */
const DEFOCUS = 0.012

export const renderScene = (options: PlanOptions): Promise<Scene> => renderPlan(planScene(options))

/** `mirror`: reflections on the document in addition to the lamps of the plan. */
export function renderPlan(plan: ScenePlan, mirror?: Mirror): Promise<Scene> {
  const { framing = 'photograph' } = findVariant(plan.variant)
  return framing === 'photograph' ? renderPhotograph(plan, mirror) : renderScan(plan)
}

async function renderPhotograph(plan: ScenePlan, mirror?: Mirror): Promise<Scene> {
  const { kind, seed, documentSeed, forgedSeed, sideIndex } = plan
  const size = { width: plan.widthPx, height: plan.heightPx }
  const framed: RectMm = { x: 0, y: 0, ...DESIGNS[kind].size }
  const view = { ...plan, angleDeg: plan.contentTurn + plan.angleDeg }
  const placement = placeCamera(framed, view)
  const dpi = Math.max(COARSEST_DPI, Math.min(FINEST_DPI, placement.scale * 1.15 * MM_PER_INCH))
  const side = await renderDocumentSide(
    kind,
    documentSeed,
    sideIndex,
    dpi,
    forgedSeed,
    buildStyle(plan.variant),
  )
  const object = await makeObject(side, Math.min(dpi / MM_PER_INCH, placement.scale * 1.15), plan.heldMm)
  const hand = plan.hand ? drawHand(plan.hand, handRect(object, plan), seed) : null
  const stage = {
    ...plan,
    placement,
    background: await paintBackground(plan.background, seed, visibleTable(plan, placement), object.rect, {
      count: plan.clutter,
      withCards: true,
      blurMm: plan.heldMm * DEFOCUS,
    }),
    object,
    hand,
    light: lightField(plan),
    glare: glareField(plan, object.document, placement, mirror?.(placement)),
  }
  const jpeg = await develop(expose(stage), size.width, size.height, plan, seed)
  return { jpeg, truth: buildTruth(plan, side.truth, object, hand, placement) }
}

/** The same tables and things, sometimes with a hand, but without a document. */
export async function renderNegative(seed: number): Promise<{ jpeg: Buffer; plan: ScenePlan }> {
  const plan = planScene({ seed: seed + 500_000, kind: 'identity-card' })
  const framed: RectMm = { x: 0, y: 0, width: 85.6, height: 54 }
  const placement = placeCamera(framed, { ...plan, angleDeg: plan.contentTurn + plan.angleDeg })
  const stage = {
    ...plan,
    placement,
    background: await paintBackground(plan.background, seed, visibleTable(plan, placement), framed, {
      count: Math.max(2, plan.clutter),
      withCards: false,
      blurMm: 0,
    }),
    object: null,
    hand: plan.hand ? drawHand(plan.hand, framed, seed) : null,
    light: lightField(plan),
    glare: null,
  }
  return { jpeg: await develop(expose(stage), plan.widthPx, plan.heightPx, plan, seed), plan }
}

/** The visible part of the table and a margin. */
function visibleTable({ widthPx, heightPx }: ScenePlan, { toTable }: Placement): RectMm {
  const corners = listCorners({ x: 0, y: 0, width: widthPx, height: heightPx })
  const { x, y, width, height } = bounds(corners.map(([u, v]) => applyHomography(toTable, u, v)))
  return { x: x - 1, y: y - 1, width: width + 2, height: height + 2 }
}

/** A booklet is held at its lower page. */
function handRect(object: SceneObject, plan: ScenePlan): RectMm {
  return plan.hand?.edge === 'top'
    ? object.rect
    : { ...object.rect, y: object.document.y, height: object.rect.y + object.rect.height - object.document.y }
}

function projectRect(rect: RectMm, { toPicture }: Placement): Quad {
  const [a, b, c, d] = listCorners(rect).map(([x, y]) => {
    const [u, v] = applyHomography(toPicture, x, y)
    return { x: u, y: v }
  })
  return [a, b, c, d]
}

function buildTruth(
  plan: ScenePlan,
  side: SideTruth,
  object: SceneObject,
  hand: Hand | null,
  placement: Placement,
): SceneTruth {
  const { widthPx, heightPx, contentTurn } = plan
  const quad = projectRect(object.document, placement)
  const isSeen = (box: RectMm) => isBoxSeen(box, plan, object, hand, placement)
  return {
    ...side,
    plan,
    widthPx,
    heightPx,
    quad,
    alsoRight: object.alsoRight.map((rect) => projectRect(rect, placement)),
    rotationDeg: ((360 - contentTurn) % 360) as QuarterTurn,
    areaShare: computeArea(quad) / (widthPx * heightPx),
    sidesOutside: sidesOutside(quad, widthPx, heightPx),
    scale: placement.scale,
    visible: side.fields.filter(({ box }) => isSeen(box)),
    isMrzVisible: side.zone !== null && isSeen(inset(side.zone.box, 4)),
    isBarcodeVisible: side.barcode !== null && isSeen(side.barcode.box),
  }
}

const inset = (box: RectMm, by: number): RectMm => ({
  x: box.x + by,
  y: box.y + by,
  width: box.width - 2 * by,
  height: box.height - 2 * by,
})

/** Added light that makes print unreadable: dark ink above 0.6 of white paper. */
const BLINDING = 0.45

function isBoxSeen(
  box: RectMm,
  plan: ScenePlan,
  object: SceneObject,
  hand: Hand | null,
  placement: Placement,
): boolean {
  for (let sy = 0; sy <= 2; sy++)
    for (let sx = 0; sx <= 8; sx++) {
      const x = box.x + (box.width * sx) / 8
      const y = box.y + (box.height * sy) / 2
      const [u, v] = applyHomography(placement.toPicture, x, y)
      if (u < 1 || v < 1 || u > plan.widthPx - 1 || v > plan.heightPx - 1) return false
      if (hand && isCovered(hand, x, y)) return false
      if (glareAt(plan.glare, object.document, x, y) * object.gloss > BLINDING) return false
    }
  return true
}

function isCovered({ above }: Hand, x: number, y: number): boolean {
  const i = Math.round((x - above.area.x) * above.scale)
  const j = Math.round((y - above.area.y) * above.scale)
  return i >= 0 && j >= 0 && i < above.width && j < above.height && above.alpha[j * above.width + i] > 0.2
}

function computeArea(quad: Quad): number {
  return Math.abs(
    quad.reduce((sum, { x, y }, i) => sum + x * quad[(i + 1) % 4].y - quad[(i + 1) % 4].x * y, 0) / 2,
  )
}

/** Edges whose ends are both beyond the same border, or whose middle is. */
function sidesOutside(quad: Quad, width: number, height: number): number {
  return quad.filter((a, i) => {
    const b = quad[(i + 1) % 4]
    const x = (a.x + b.x) / 2
    const y = (a.y + b.y) / 2
    return x < 0 || y < 0 || x > width || y > height
  }).length
}
