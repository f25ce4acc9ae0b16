/** Thread of `npm run bench:faces`: makes the templates of one photograph after the other with face tools of its own. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { portraitFindings, type PortraitQualityField } from '../../../proofing/portrait-quality.ts'
import { toPortraitMeasures } from '../../../verification/steps/portrait-quality.ts'
import { loadThresholds } from '../../../verification/thresholds.ts'
import type { FaceTemplate } from '../../../vision/engines/engine.ts'
import { measureMesh } from '../../../vision/faces/mesh.ts'
import { measureSkinLight } from '../../../vision/faces/skin-light.ts'
import { createFaceTools } from '../../../vision/faces/tools.ts'
import { decodeImage } from '../../../vision/image.ts'
import { readManifest, type Pack } from '../../../vision/manifest.ts'
import { openSessions, listSessions } from '../../../vision/sessions.ts'
import { engineFailed, openToolEngines } from '../../tool-engines.ts'
import { findMonkTone } from './skin-tone.ts'
import { simulateIdPortrait } from '../simulate-id-portrait.ts'

export interface EnrolSetup {
  readonly imagesDir: string
  readonly modelsDir: string
  readonly packs: readonly Pack[]
  /** Folder whose config.json mounts the engine; null: ours. */
  readonly dataDir: string | null
}

export interface EnrolRequest {
  readonly index: number
  /** Relative to the folder of images. */
  readonly file: string
}

export interface EnrolReply {
  readonly index: number
  /** Null if the picture cannot be read or shows no face. */
  readonly template: FaceTemplate | null
  readonly identityTemplate: FaceTemplate | null
  /** Fields by which the photograph would be refused; null if it could not be measured. */
  readonly findings: readonly PortraitQualityField[] | null
  /** Tone of the Monk scale, 1 to 10; null if too little skin can be measured. */
  readonly skinTone: number | null
  /** Decode, detect, measure, embed; null if the file cannot be read. */
  readonly elapsedMs: number | null
}

const { imagesDir, modelsDir, packs, dataDir } = workerData as EnrolSetup
const sessions = await openSessions(readManifest(), modelsDir, packs)
const tools = createFaceTools(sessions, undefined, await openToolEngines(sessions, dataDir))
const [meshSession] = listSessions(sessions, 'face-mesh')
const limits = loadThresholds()

const orNull = <T>(work: Promise<T>): Promise<T | null> => work.catch(() => null)

const enrol = async (bytes: Uint8Array) => tools.preparePortrait(await decodeImage(bytes))

async function simulate(bytes: Uint8Array, index: number): Promise<FaceTemplate | null> {
  const { raster } = await decodeImage(bytes)
  const [face] = await tools.detectFaces(raster)
  if (!face) return null
  return (await enrol(await simulateIdPortrait(raster, face, index % 2 ? 'faded' : 'grey'))).template
}

async function measureSkinTone(bytes: Uint8Array): Promise<number | null> {
  const { raster } = await decodeImage(bytes)
  const [face] = await tools.detectFaces(raster)
  if (!face) return null
  const { skin } = measureSkinLight(raster, (await measureMesh(meshSession, raster, face)).points)
  return skin && findMonkTone(skin)
}

async function answer({ index, file }: EnrolRequest): Promise<EnrolReply> {
  const none = {
    index,
    template: null,
    identityTemplate: null,
    findings: null,
    skinTone: null,
    elapsedMs: null,
  }
  const bytes = await orNull(readFile(join(imagesDir, file)))
  if (bytes === null) return none
  const start = performance.now()
  const measured = await orNull(enrol(bytes))
  const elapsedMs = performance.now() - start
  if (measured?.failure) throw engineFailed(measured.failure)
  return {
    index,
    template: measured?.template ?? null,
    identityTemplate: await orNull(simulate(bytes, index)),
    skinTone: await orNull(measureSkinTone(bytes)),
    findings: measured && portraitFindings(toPortraitMeasures(measured.measurement), limits),
    elapsedMs,
  }
}

parentPort?.on('message', (request: EnrolRequest) => {
  void answer(request).then((reply) => parentPort?.postMessage(reply))
})
