/** Thread of `npm run evaluate`: template and attack score of one picture after the other, as the product measures them. */
import { readFile } from 'node:fs/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { FaceTemplate } from '../../vision/engines/engine.ts'
import { createFaceTools } from '../../vision/faces/tools.ts'
import { decodeImage } from '../../vision/image.ts'
import { readManifest, type Pack } from '../../vision/manifest.ts'
import { openSessions } from '../../vision/sessions.ts'
import { engineFailed, openToolEngines } from '../tool-engines.ts'

export interface FaceSetup {
  readonly modelsDir: string
  readonly packs: readonly Pack[]
  /** Folder whose config.json mounts the engines; null: ours. */
  readonly dataDir: string | null
}

/** Why there is no template or score. */
export type FaceOutcome = 'ok' | 'unreadable' | 'no_face'

export interface FaceReply {
  readonly outcome: FaceOutcome
  readonly template: FaceTemplate | null
  /** Bona-fide probability, 0–1; null without attack networks or with too little background. */
  readonly padScore: number | null
}

const { modelsDir, packs, dataDir } = workerData as FaceSetup
const sessions = await openSessions(readManifest(), modelsDir, packs)
const tools = createFaceTools(sessions, undefined, await openToolEngines(sessions, dataDir))

/** `path`: of a picture file. */
async function measure(path: string): Promise<FaceReply> {
  const picture = await readFile(path)
    .then(decodeImage)
    .catch(() => null)
  if (picture === null) return { outcome: 'unreadable', template: null, padScore: null }
  const { template, measurement, failure = measurement.padFailure } = await tools.preparePortrait(picture)
  if (failure) throw engineFailed(failure)
  return {
    outcome: template ? 'ok' : 'no_face',
    template,
    padScore: measurement.pad?.score ?? null,
  }
}

parentPort?.on(
  'message',
  (path: string) => void measure(path).then((reply) => parentPort?.postMessage(reply)),
)
