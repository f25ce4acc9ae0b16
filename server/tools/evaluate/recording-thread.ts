/** Thread of `npm run evaluate`: judges one recorded session after the other. */
import { parentPort, workerData } from 'node:worker_threads'
import { readManifest } from '../../vision/manifest.ts'
import { openSessions } from '../../vision/sessions.ts'
import { openToolEngines } from '../tool-engines.ts'
import type { FaceSetup } from './face-thread.ts'
import { createRecordingJudge } from './judge-recording.ts'
import { toReply } from './thread-reply.ts'

const { modelsDir, packs, dataDir } = workerData as FaceSetup
const sessions = await openSessions(readManifest(), modelsDir, packs)
const judge = createRecordingJudge(sessions, await openToolEngines(sessions, dataDir))

parentPort?.on(
  'message',
  (folder: string) => void toReply(judge(folder)).then((reply) => parentPort?.postMessage(reply)),
)
