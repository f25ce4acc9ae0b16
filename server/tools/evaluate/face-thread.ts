/** Thread of `npm run evaluate`: measures one picture file after the other. */
import { readFile } from 'node:fs/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { UsageError } from '../../commands/usage.ts'
import { readManifest, type Pack } from '../../vision/manifest.ts'
import { openSessions } from '../../vision/sessions.ts'
import { openToolEngines } from '../tool-engines.ts'
import { createFaceMeasurer } from './measure-face.ts'
import { toReply } from './thread-reply.ts'

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
    void toReply(readFile(path).then(measure, refuseFile)).then((reply) => parentPort?.postMessage(reply)),
)

/** The file was there when the run began: the run can be continued when it is there again. */
function refuseFile(error: Error): never {
  throw new UsageError(`a picture cannot be read: ${error.message}`)
}
