/** Thread of `npm run evaluate`: judges one recorded session after the other. */
import { parentPort, workerData } from 'node:worker_threads'
import { readManifest } from '../../vision/manifest.ts'
import { openSessions } from '../../vision/sessions.ts'
import type { FaceSetup } from './face-thread.ts'
import { createRecordingJudge } from './judge-recording.ts'
import { toReply } from './thread-reply.ts'

const { modelsDir, packs } = workerData as FaceSetup
const judge = createRecordingJudge(await openSessions(readManifest(), modelsDir, packs))

parentPort?.on(
  'message',
  (folder: string) => void toReply(judge(folder)).then((reply) => parentPort?.postMessage(reply)),
)
