/**
 * The face part of the vision worker: measures portraits and compares them with the manifest's thresholds. Stores no
 * picture or template and does not judge a person.
 */
import { decodeImage } from '../image.ts'
import type { Raster } from '../raster.ts'
import { toOperatingPoint } from '../manifest.ts'
import type {
  FaceComparison,
  FaceMeasurement,
  ImageInfo,
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
import { createTemplateComparer, type TemplateComparer, type TemplateComparison } from './compare.ts'
import type { Template } from './embed.ts'
import { createEmbedder, DLIB, MOBILEFACENET, pickPoints, type Embedder } from './embed.ts'
import { fuseTemplates } from './fuse-templates.ts'
import type { FaceMesh } from './mesh.ts'
import { measureMesh } from './mesh.ts'
import { createPadMeter } from './pad.ts'
import { stateOfMesh } from './pose.ts'
import { measureQuality } from './quality.ts'
import { detailCorrelation, extractDetail, type FaceDetail } from './same-picture.ts'
import { decodeTemplate, encodeTemplate, templateModelId } from './templates.ts'

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
  /** Template of the largest face; null if there is none. */
  readonly template: Template | null
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
  compareTemplates(probe: Template, reference: Template): TemplateComparison
  makeTemplate(images: readonly Uint8Array[]): Promise<VisionCalls['makeTemplate']['output']>
  compareStored(
    probe: Uint8Array,
    candidates: readonly Uint8Array[],
  ): Promise<VisionCalls['compareTemplates']['output']>
}

function createMatching(sessions: Sessions): TemplateComparer & { readonly embed: Embedder } {
  if (listSessions(sessions, 'face-embedding').length > 0)
    return { embed: createEmbedder(sessions), ...createTemplateComparer(sessions) }
  const refuse = (): never => {
    throw new TypeError('no embedder is loaded')
  }
  return { embed: refuse, compare: refuse, isPlausible: refuse, strict: refuse }
}

/** `now`: clock in milliseconds. */
export function createFaceTools(sessions: Sessions, now: () => number = () => performance.now()): FaceTools {
  const [detectorSession] = listSessions(sessions, 'face-detector')
  const [meshSession] = listSessions(sessions, 'face-mesh')
  const detectFaces = createDetector(detectorSession, meshSession)
  const measurePad = createPadMeter(sessions)
  // If the embedders' files were refused, faces are still detected; comparisons are rejected earlier.
  const { embed, compare: compareTemplates, isPlausible, strict } = createMatching(sessions)
  const templateModels = [DLIB, MOBILEFACENET]
    .map((id) => sessions.byId.get(id)?.model)
    .filter((model) => model !== undefined)
  const templateIds = templateModels.map(templateModelId)

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
    const pad = largest && withPad ? await measurePad(raster, largest.box) : null
    const template = largest && withTemplate ? await embed(raster, largest, meshes[0]) : null
    return {
      template,
      detail: template && extractDetail(raster, pickPoints(largest, meshes[0])),
      measurement: {
        image: info,
        faces: found.map((face, i) => measureFace(raster, face, meshes[i])),
        pad,
        models: [detectorSession.model, meshSession.model, ...(pad?.models ?? [])],
        elapsedMs: now() - start,
      },
    }
  }
  const preparePortrait = (portrait: Portrait): Promise<MeasuredPortrait> =>
    prepare(portrait, { withTemplate: true, withPad: true })
  const measurePortrait = async (portrait: Portrait): Promise<PortraitMeasurement> =>
    (await prepare(portrait, { withTemplate: false, withPad: true })).measurement

  /** For further pictures: computes only what the template needs. */
  async function computeTemplate({ raster }: Portrait): Promise<Template | null> {
    const [face] = await detectFaces(raster, { atFirstLook: true })
    const mesh = face ? await findMesh(raster, face) : null
    return mesh && embed(raster, face, mesh)
  }

  /** Skips pictures without a face or with another person's face. */
  async function templatesOfProbe(first: Template, further: readonly Portrait[]): Promise<Template[]> {
    const templates = [first]
    for (const portrait of further) {
      const template = await computeTemplate(portrait)
      if (template && isPlausible(template, first)) templates.push(template)
    }
    return templates
  }

  async function compareFaces(
    probe: Portrait,
    reference: Portrait,
    further: readonly Portrait[] = [],
  ): Promise<FaceComparison> {
    const start = now()
    const left = await prepare(probe, { withTemplate: true, withPad: true })
    const right = await prepare(reference, { withTemplate: true, withPad: false })
    const comparable = left.template !== null && right.template !== null
    const templates = comparable ? await templatesOfProbe(left.template, further) : []
    return {
      probe: left.measurement,
      probesUsed: comparable ? templates.length : left.template ? 1 : 0,
      reference: right.measurement,
      comparison: comparable ? compareTemplates(fuseTemplates(templates), right.template) : null,
      detailCorrelation: left.detail && right.detail && detailCorrelation(left.detail, right.detail),
      elapsedMs: now() - start,
    }
  }

  /** Skips pictures that are damaged, show no face, or another person than the first: quality was judged before. */
  async function makeTemplate(images: readonly Uint8Array[]) {
    const portraits = (await Promise.all(images.map(openPortrait))).filter((portrait) => portrait !== null)
    for (const [i, portrait] of portraits.entries()) {
      const { template } = await prepare(portrait, { withTemplate: true, withPad: false })
      if (!template) continue
      const fused = fuseTemplates(await templatesOfProbe(template, portraits.slice(i + 1)))
      return { template: encodeTemplate(fused, templateIds), models: templateModels }
    }
    return { template: null, models: templateModels }
  }

  /**
   * A 1:N search uses the strict point. With N other people in the index, an unknown person matches at least one of them
   * with probability 1 − (1 − FMR)^N: at FMR 1e-4 that is 1 % for N = 100, 9.5 % for 1 000 and 63 % for 10 000 (the 0.1 %
   * of NIST SP 800-63A-4 holds for N = 10). A match is therefore a hint for an officer, never a verdict.
   */
  function compareStored(probe: Uint8Array, candidates: readonly Uint8Array[]) {
    const known = decodeTemplate(probe, templateIds)
    const scores = candidates.map((bytes) => {
      const candidate = known && decodeTemplate(bytes, templateIds)
      return candidate && compareTemplates(known, candidate).score
    })
    const point = strict()
    return { scores, measure: point.measure, operatingPoint: toOperatingPoint(point) }
  }

  return {
    detectFaces,
    measurePortrait,
    preparePortrait,
    compareFaces,
    compareTemplates,
    makeTemplate,
    compareStored: async (probe, candidates) => compareStored(probe, candidates),
  }
}
