/**
 * The face part of the vision worker: measures portraits and compares them with the manifest's thresholds. Stores no
 * picture or template and does not judge a person.
 */
import {
  EngineUnavailableError,
  relateToPoints,
  type Engines,
  type FacePicture,
  type FaceTemplate,
  type ScoredComparison,
} from '../engines/engine.ts'
import { openOwnEngines } from '../engines/own-engines.ts'
import { decodeImage } from '../image.ts'
import type { Raster } from '../raster.ts'
import type {
  EngineFailure,
  FaceComparison,
  FaceMeasurement,
  ImageInfo,
  ModelUse,
  PadMeasurement,
  PortraitMeasurement,
  VisionCalls,
} from '../protocol.ts'
import { ImageFaultError } from '../protocol.ts'
import type { Sessions } from '../sessions.ts'
import { listSessions } from '../sessions.ts'
import { measureAppearance } from './appearance.ts'
import type { FaceDetector } from './detect.ts'
import { createDetector } from './detect.ts'
import type { DetectedFace } from './blazeface.ts'
import { pickPoints } from './embed.ts'
import type { FaceMesh } from './mesh.ts'
import { measureMesh } from './mesh.ts'
import { stateOfMesh } from './pose.ts'
import { measureQuality } from './quality.ts'
import { detailCorrelation, extractDetail, type FaceDetail } from './same-picture.ts'
import { isAtOrBeyond } from './scores.ts'

/** Threshold: below this confidence the mesh's points are meaningless. */
const MESH_MIN_CONFIDENCE = 0.5
/** Maximum number of faces measured in full; further ones are only detected. */
const MAX_FACES = 10

export interface Portrait {
  readonly raster: Raster
  readonly info: ImageInfo
}
/** A portrait that was measured once, ready for any number of comparisons. */
export interface MeasuredPortrait {
  readonly measurement: PortraitMeasurement
  /** Template of the largest face; null if there is none, or after a failure of the engine. */
  readonly template: FaceTemplate | null
  readonly failure?: EngineFailure
  /** Detail of the same face; null if no template was requested. */
  readonly detail: FaceDetail | null
}

/** Returns null for a picture that cannot be decoded. */
async function openPortrait(image: Uint8Array): Promise<Portrait | null> {
  try {
    return await decodeImage(image)
  } catch (error) {
    if (error instanceof ImageFaultError) return null
    throw error
  }
}

export interface FaceTools {
  readonly detectFaces: FaceDetector
  measurePortrait(portrait: Portrait): Promise<PortraitMeasurement>
  /** Measurement and template together, to compare one portrait with many. */
  preparePortrait(portrait: Portrait): Promise<MeasuredPortrait>
  /** `further`: pictures of the probe, taken in quick succession. */
  compareFaces(probe: Portrait, reference: Portrait, further?: readonly Portrait[]): Promise<FaceComparison>
  /** Null for a template of another engine. Rejects with EngineUnavailableError. */
  compareTemplates(probe: FaceTemplate, reference: FaceTemplate): Promise<ScoredComparison | null>
  makeTemplate(images: readonly Uint8Array[]): Promise<VisionCalls['makeTemplate']['output']>
  compareStored(
    probe: Uint8Array,
    candidates: readonly Uint8Array[],
  ): Promise<VisionCalls['compareTemplates']['output']>
}

interface Asked<T> {
  readonly result: T | null
  readonly failure?: EngineFailure
}

/** Returns the failure of the engine; any other error is thrown. */
async function askEngine<T>(engine: ModelUse, answer: Promise<T>): Promise<Asked<T>> {
  try {
    return { result: await answer }
  } catch (error) {
    if (!(error instanceof EngineUnavailableError)) throw error
    return { result: null, failure: { engine, trouble: error.trouble } }
  }
}

/** `now`: clock in milliseconds. */
export function createFaceTools(
  sessions: Sessions,
  now: () => number = () => performance.now(),
  { faceMatching: matcher, attackDetection }: Engines = openOwnEngines(sessions),
): FaceTools {
  const [detectorSession] = listSessions(sessions, 'face-detector')
  const [meshSession] = listSessions(sessions, 'face-mesh')
  const detectFaces = createDetector(detectorSession, meshSession)

  /** Returns null if the network sees no face. */
  async function findMesh(raster: Raster, face: DetectedFace): Promise<FaceMesh | null> {
    const mesh = await measureMesh(meshSession, raster, face)
    return mesh.confidence < MESH_MIN_CONFIDENCE ? null : mesh
  }

  function measureFace(raster: Raster, face: DetectedFace, mesh: FaceMesh | null): FaceMeasurement {
    const { rightEye, leftEye } = face.landmarks
    const appearance = mesh && measureAppearance(raster, mesh.points, face.box)
    const { luminanceMean, clippedShare, sharpness } = appearance ?? measureQuality(raster, face.box)
    return {
      box: face.box,
      detectionScore: face.score,
      landmarks: face.landmarks,
      interEyePx: Math.hypot(leftEye.x - rightEye.x, leftEye.y - rightEye.y),
      appearance,
      mesh: mesh && { confidence: mesh.confidence, ...stateOfMesh(mesh.points) },
      luminanceMean,
      clippedShare,
      sharpness,
    }
  }

  async function prepare(
    { raster, info }: Portrait,
    { withTemplate, withPad }: { withTemplate: boolean; withPad: boolean },
  ): Promise<MeasuredPortrait> {
    const start = now()
    const found = (await detectFaces(raster)).slice(0, MAX_FACES)
    const meshes: (FaceMesh | null)[] = []
    for (const face of found) meshes.push(await findMesh(raster, face))
    const [largest] = found
    const face = largest && { raster, box: largest.box, points: pickPoints(largest, meshes[0]) }
    const pad = face && withPad ? await measurePad(face) : { pad: null }
    const embedded: Asked<FaceTemplate | null> =
      face && withTemplate ? await askEngine(matcher.about, matcher.embed(face)) : { result: null }
    return {
      template: embedded.result,
      ...pickFailure(embedded),
      detail: face && withTemplate ? extractDetail(raster, face.points) : null,
      measurement: {
        image: info,
        faces: found.map((face, i) => measureFace(raster, face, meshes[i])),
        ...pad,
        models: [detectorSession.model, meshSession.model, ...(pad.pad?.models ?? [])],
        elapsedMs: now() - start,
      },
    }
  }

  async function measurePad(face: FacePicture): Promise<Pick<PortraitMeasurement, 'pad' | 'padFailure'>> {
    if (!attackDetection) return { pad: null }
    const { about: engine, point, models } = attackDetection
    const asked = await askEngine(engine, attackDetection.score(face))
    if (asked.failure) return { pad: null, padFailure: asked.failure }
    const pad: PadMeasurement | null =
      asked.result === null ? null : { engine, score: asked.result, point, models }
    return { pad }
  }

  const preparePortrait = (portrait: Portrait): Promise<MeasuredPortrait> =>
    prepare(portrait, { withTemplate: true, withPad: true })
  const measurePortrait = async (portrait: Portrait): Promise<PortraitMeasurement> =>
    (await prepare(portrait, { withTemplate: false, withPad: true })).measurement

  /** For further pictures: computes only what the template needs. */
  async function computeTemplate({ raster }: Portrait): Promise<FaceTemplate | null> {
    const [face] = await detectFaces(raster, { atFirstLook: true })
    const mesh = face ? await findMesh(raster, face) : null
    return mesh && matcher.embed({ raster, box: face.box, points: pickPoints(face, mesh) })
  }

  /** True if the faces are similar enough for a human review; otherwise it is another person's face. */
  async function isPlausible(template: FaceTemplate, first: FaceTemplate): Promise<boolean> {
    const { measure, threshold } = matcher.points.review
    const [compared] = await matcher.compare(template, [first])
    return compared !== null && isAtOrBeyond(measure, compared.score, threshold)
  }

  /** Skips pictures without a face or with another person's face. */
  async function templatesOfProbe(
    first: FaceTemplate,
    further: readonly Portrait[],
  ): Promise<FaceTemplate[]> {
    const templates = [first]
    for (const portrait of further) {
      const template = await computeTemplate(portrait)
      if (template && (await isPlausible(template, first))) templates.push(template)
    }
    return templates
  }

  async function compareTemplates(probe: FaceTemplate, reference: FaceTemplate) {
    const [compared] = await matcher.compare(probe, [reference])
    return compared && relateToPoints(matcher, compared)
  }

  async function compareFaces(
    probe: Portrait,
    reference: Portrait,
    further: readonly Portrait[] = [],
  ): Promise<FaceComparison> {
    const start = now()
    const left = await prepare(probe, { withTemplate: true, withPad: true })
    const right = await prepare(reference, { withTemplate: true, withPad: false })
    const compare = async (first: FaceTemplate, second: FaceTemplate) => {
      const templates = await templatesOfProbe(first, further)
      return {
        used: templates.length,
        comparison: await compareTemplates(await matcher.fuse(templates), second),
      }
    }
    const compared =
      left.template && right.template
        ? await askEngine(matcher.about, compare(left.template, right.template))
        : { result: null, ...pickFailure(left, right) }
    return {
      probe: left.measurement,
      probesUsed: compared.result?.used ?? (left.template ? 1 : 0),
      reference: right.measurement,
      comparison: compared.result?.comparison ?? null,
      ...pickFailure(compared),
      detailCorrelation: left.detail && right.detail && detailCorrelation(left.detail, right.detail),
      elapsedMs: now() - start,
    }
  }

  /** Skips pictures that are damaged, show no face, or another person than the first: quality was judged before. */
  async function makeTemplate(images: readonly Uint8Array[]) {
    const { models } = matcher
    const portraits = (await Promise.all(images.map(openPortrait))).filter((portrait) => portrait !== null)
    for (const [i, portrait] of portraits.entries()) {
      const { template, failure } = await prepare(portrait, { withTemplate: true, withPad: false })
      if (failure) return { template: null, models, failure }
      if (!template) continue
      const fuse = async () => matcher.fuse(await templatesOfProbe(template, portraits.slice(i + 1)))
      const fused = await askEngine(matcher.about, fuse())
      return { template: fused.result, models, ...pickFailure(fused) }
    }
    return { template: null, models }
  }

  /**
   * A 1:N search uses the strict point. With N other people in the index, an unknown person matches at least one of them
   * with probability 1 − (1 − FMR)^N: at FMR 1e-4 that is 1 % for N = 100, 9.5 % for 1 000 and 63 % for 10 000 (the 0.1 %
   * of NIST SP 800-63A-4 holds for N = 10). A match is therefore a hint for an officer, never a verdict.
   */
  async function compareStored(probe: Uint8Array, candidates: readonly Uint8Array[]) {
    const operatingPoint = matcher.points.strict
    const asked = await askEngine(matcher.about, matcher.compare(probe, candidates))
    return {
      scores: asked.result?.map((compared) => compared && compared.score) ?? candidates.map(() => null),
      measure: operatingPoint.measure,
      operatingPoint,
      ...pickFailure(asked),
    }
  }

  return {
    detectFaces,
    measurePortrait,
    preparePortrait,
    compareFaces,
    compareTemplates,
    makeTemplate,
    compareStored,
  }
}

/** The first failure, if there is one. */
function pickFailure(...parts: readonly { readonly failure?: EngineFailure | undefined }[]): {
  readonly failure?: EngineFailure
} {
  const failure = parts.find((part) => part.failure)?.failure
  return failure ? { failure } : {}
}
