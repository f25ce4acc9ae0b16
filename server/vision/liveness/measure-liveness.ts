/**
 * Compares a session's selected pictures: depth, continuity of the person, best still, empty scene, signs of a display. Skips unusable
 * pictures, so a measurement may be missing. Gives no verdict.
 */
import type { DepthMeasurement, ScreenMeasurement } from '../../proofing/liveness/types.ts'
import { median } from '../documents/percentiles.ts'
import { createTemplateComparer, type TemplateComparer } from '../faces/compare.ts'
import { createEmbedder, type Embedder, type Template } from '../faces/embed.ts'
import type { FaceMesh } from '../faces/mesh.ts'
import { alignmentPoints } from '../faces/pose.ts'
import { decodeSmall } from '../image.ts'
import {
  ImageFaultError,
  type LivenessMeasurement,
  type TrackedPicture,
  type VisionCalls,
} from '../protocol.ts'
import type { Raster } from '../raster.ts'
import { listSessions, type Sessions } from '../sessions.ts'
import { measureFaceDepth, type FaceView } from './face-depth.ts'
import { measureFrontEdge } from './measure-front-edge.ts'
import { measureMovedScene } from './measure-moved-scene.ts'
import { measureSceneChange } from './measure-scene.ts'
import { rankPortraits } from './rank-portraits.ts'
import { meshPoints, computeScale } from './sent-points.ts'

/** Working size: a face that fills a third of the picture then has twice the width at which it is measured. */
const MEASURED_SIDE_PX = 1280

export type LivenessMeter = (input: VisionCalls['measureLiveness']['input']) => Promise<LivenessMeasurement>

export function createLivenessMeter(sessions: Sessions, now: () => number): LivenessMeter {
  /**
   * Our own networks, whichever engine compares portraits with documents: the limits of a session were measured with them.
   * Created on first use, because they may have been refused.
   */
  let own: (TemplateComparer & { readonly embed: Embedder }) | null = null
  const models = listSessions(sessions, 'face-embedding').map(({ model }) => model)

  async function measureContinuity(
    reference: FaceView,
    others: readonly FaceView[],
  ): Promise<LivenessMeasurement['continuity']> {
    own ??= { embed: createEmbedder(sessions), ...createTemplateComparer(sessions) }
    const { embed, compare, points } = own
    const computeTemplate = ({ picture, mesh }: FaceView): Promise<Template> =>
      embed(picture, alignmentPoints(mesh.points))
    const known = await computeTemplate(reference)
    const scores: number[] = []
    for (const other of new Set(others))
      if (other !== reference) scores.push(compare(known, await computeTemplate(other)).score)
    if (scores.length === 0) return null
    const { decision, review } = points
    return {
      measure: decision.measure,
      worst: decision.measure === 'euclidean-distance' ? Math.max(...scores) : Math.min(...scores),
      compared: scores.length,
      thresholds: { decision: decision.threshold, review: review.threshold },
    }
  }

  return async (input) => {
    const start = now()
    const open = createOpener()
    const reference = await open(input.reference)
    const ofOneSize = (view: FaceView | null) => (view && reference && hasSize(view, reference) ? view : null)
    const targets: FaceView[] = []
    for (const target of input.targets) {
      const view = ofOneSize(await open(target))
      if (view) targets.push(view)
    }
    const portraits: (FaceView | null)[] = []
    for (const portrait of input.portraits) portraits.push(ofOneSize(await open(portrait)))
    const stills = portraits.filter((view) => view !== null)
    const emptyScene = input.emptyScene ? await openScene(input.emptyScene) : null
    return {
      depth: reference && measureDepth(reference, targets),
      continuity: reference && (await measureContinuity(reference, [...targets, ...stills])),
      portraitsByQuality: rankPortraits(
        portraits,
        reference ? [reference.mesh] : [],
        targets.map(({ mesh }) => mesh),
      ),
      sceneChange: reference && emptyScene && findSceneChange([reference, ...targets], emptyScene),
      screen: reference && findScreen(reference, new Set([...targets, ...stills]), stills, input.cameraMoves),
      models,
      elapsedMs: now() - start,
    }
  }
}

/**
 * Returns null for an unusable picture. Decodes a picture only once if it has several roles, such as target and still.
 */
function createOpener(): (tracked: TrackedPicture) => Promise<FaceView | null> {
  const opened: { readonly tracked: TrackedPicture; readonly view: Promise<FaceView | null> }[] = []
  return (tracked) => {
    const known = opened.find((one) => isSame(one.tracked, tracked))
    if (known) return known.view
    const view = openView(tracked)
    opened.push({ tracked, view })
    return view
  }
}

function isSame(a: TrackedPicture, b: TrackedPicture): boolean {
  const [p, q]: unknown[] = [a.points, b.points]
  return (
    p instanceof Float32Array &&
    q instanceof Float32Array &&
    p.length === q.length &&
    p.every((value, i) => value === q[i]) &&
    Buffer.compare(a.image, b.image) === 0
  )
}

async function openView({ image, points }: TrackedPicture): Promise<FaceView | null> {
  const picture = await openLive(image)
  if (picture === null) return null
  const mesh = meshOn(picture, points)
  return mesh && { picture: picture.raster, mesh }
}

type LivePicture = Awaited<ReturnType<typeof decodeSmall>>

async function openLive(image: Uint8Array): Promise<LivePicture | null> {
  try {
    return await decodeSmall(image, MEASURED_SIDE_PX)
  } catch (error) {
    if (error instanceof ImageFaultError) return null
    throw error
  }
}

async function openScene(image: Uint8Array): Promise<Raster | null> {
  return (await openLive(image))?.raster ?? null
}

/** The tracker verified the face before, so its confidence is not checked again. */
function meshOn({ raster, sent }: LivePicture, points: Float32Array): FaceMesh | null {
  const found = meshPoints(points, computeScale(raster, sent), raster)
  return found && { confidence: 1, points: found }
}

function hasSize({ picture: a }: FaceView, { picture: b }: FaceView): boolean {
  return a.width === b.width && a.height === b.height
}

function measureDepth(reference: FaceView, targets: readonly FaceView[]): DepthMeasurement | null {
  const found = measureFaceDepth(reference, targets)
  if (found === null) return null
  const { depth, explainedShare, residualPx, views, points, approach } = found
  return { depth, explainedShare, residualPx: residualPx.with, views, points, approach }
}

/** `others`: each view once. The edge is looked for at rest, where the face leaves it room. */
function findScreen(
  reference: FaceView,
  others: ReadonlySet<FaceView>,
  stills: readonly FaceView[],
  cameraMoves = false,
): ScreenMeasurement {
  const edges = [...new Set([reference, ...stills])].map(measureFrontEdge).filter((edge) => edge !== null)
  const further = [...others].filter((view) => view !== reference)
  return {
    sceneMoved: cameraMoves ? null : measureMovedScene(reference, further),
    frontEdge: edges.length > 0 ? median(edges) : null,
  }
}

/** Uses the median: a person who briefly passes in the background is no scene change. */
function findSceneChange(views: readonly FaceView[], emptyScene: Raster): number | null {
  const changes = views
    .map(({ picture, mesh }) => measureSceneChange(picture, mesh.points, emptyScene))
    .filter((change) => change !== null)
  return changes.length > 0 ? median(changes) : null
}
