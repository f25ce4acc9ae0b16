/** Thread of `npm run evaluate`: measures one picture file after the other. */
import { readFile } from 'node:fs/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { readManifest, type Pack } from '../../vision/manifest.ts'
import { openSessions } from '../../vision/sessions.ts'
import { openToolEngines } from '../tool-engines.ts'
import { createFaceMeasurer } from './measure-face.ts'

export interface FaceSetup {
  readonly modelsDir: string
  readonly packs: readonly Pack[]
  /** Folder whose config.json mounts the engines; null: ours. */
  readonly dataDir: string | null
}

const { modelsDir, packs, dataDir } = workerData as FaceSetup
const sessions = await openSessions(readManifest(), modelsDir, packs)
const measure = createFaceMeasurer(sessions, await openToolEngines(sessions, dataDir))

parentPort?.on(
  'message',
  (path: string) =>
    void readFile(path)
      .catch(() => null)
      .then(measure)
      .then((reply) => parentPort?.postMessage(reply)),
)
