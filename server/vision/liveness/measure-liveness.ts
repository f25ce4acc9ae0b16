/**
 * A session's chosen pictures compared with each other: depth, one person all along, the best still, the empty scene.
 * A picture that cannot be used is left out; what is left may be too little to measure. Never judges.
 */
import type { DepthMeasurement } from '../../proofing/liveness/types.ts'
import { median } from '../documents/percentiles.ts'
import type { DetectedFace } from '../faces/detect.ts'
import { createEmbedder, type Embedder, type Template } from '../faces/embed.ts'
import type { FaceMesh } from '../faces/mesh.ts'
import { alignmentPoints } from '../faces/pose.ts'
import type { FaceTools } from '../faces/tools.ts'
import { decodeSmall } from '../image.ts'
import {
  ImageFaultError,
  type LivenessMeasurement,
  type TrackedPicture,
  type VisionCalls,
} from '../protocol.ts'
import { boxAround, type Raster } from '../raster.ts'
import { sessionsOf, type Sessions } from '../sessions.ts'
import { measureFaceDepth, type FaceView } from './face-depth.ts'
import { measureSceneChange } from './measure-scene.ts'
import { rankPortraits } from './rank-portraits.ts'
import { meshPoints, scaleOf } from './sent-points.ts'

/** A picture's longer side here: a face that fills a third of it is twice as wide as what it is measured at. */
const MEASURED_SIDE_PX = 1280

export type LivenessMeter = (input: VisionCalls['measureLiveness']['input']) => Promise<LivenessMeasurement>

export function createLivenessMeter(sessions: Sessions, faces: FaceTools, now: () => number): LivenessMeter {
  /** Made when it is first asked for: where embedders were refused, it never is. */
  let embedder: Embedder | null = null
  const models = sessionsOf(sessions, 'face-embedding').map(({ model }) => model)

  async function continuityOf(
    reference: FaceView,
    others: readonly FaceView[],
  ): Promise<LivenessMeasurement['continuity']> {
    const embed = (embedder ??= createEmbedder(sessions))
    const templateOf = ({ picture, mesh }: FaceView): Promise<Template> =>
      embed(picture, detectedOn(mesh), mesh)
    const known = await templateOf(reference)
    const compared: ReturnType<FaceTools['compareTemplates']>[] = []
    for (const other of new Set(others))
      if (other !== reference) compared.push(faces.compareTemplates(known, await templateOf(other)))
    if (compared.length === 0) return null
    const [{ operatingPoint }] = compared
    const scores = compared.map(({ score }) => score)
    const isDistance = operatingPoint.measure === 'euclidean-distance'
    return {
      measure: operatingPoint.measure,
      worst: isDistance ? Math.max(...scores) : Math.min(...scores),
      compared: compared.length,
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
      depth: reference && depthOf(reference, targets),
      continuity: reference && (await continuityOf(reference, [...targets, ...stills])),
      portraitsByQuality: rankPortraits(
        portraits,
        reference ? [reference.mesh] : [],
        targets.map(({ mesh }) => mesh),
      ),
      sceneChange: reference && emptyScene && sceneChangeOf([reference, ...targets], emptyScene),
      models,
      elapsedMs: now() - start,
    }
  }
}

/** As the detector would have told of it. */
function detectedOn({ points, confidence }: FaceMesh): DetectedFace {
  const [rightEye, leftEye, nose, mouth] = alignmentPoints(points)
  return { box: boxAround(points), score: confidence, landmarks: { rightEye, leftEye, nose, mouth } }
}

/** Null for a picture that cannot be used. One that is handed in twice, say as a target and as a still, is opened once. */
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

/** Whoever tracked the face believed in it: that is asked no second time. */
function meshOn({ raster, sent }: LivePicture, points: Float32Array): FaceMesh | null {
  const found = meshPoints(points, scaleOf(raster, sent), raster)
  return found && { confidence: 1, points: found }
}

function hasSize({ picture: a }: FaceView, { picture: b }: FaceView): boolean {
  return a.width === b.width && a.height === b.height
}

function depthOf(reference: FaceView, targets: readonly FaceView[]): DepthMeasurement | null {
  const found = measureFaceDepth(reference, targets)
  if (found === null) return null
  const { depth, explainedShare, residualPx, views, points, approach } = found
  return { depth, explainedShare, residualPx: residualPx.with, views, points, approach }
}

/** The usual one: somebody who passes behind the person for a moment is no other scene. */
function sceneChangeOf(views: readonly FaceView[], emptyScene: Raster): number | null {
  const changes = views
    .map(({ picture, mesh }) => measureSceneChange(picture, mesh.points, emptyScene))
    .filter((change) => change !== null)
  return changes.length > 0 ? median(changes) : null
}
