/** Settings of one `npm run evaluate`, and the texts that its results share. */
import { PRODUCT_VERSION } from '../../version.ts'
import type { AttackDetectionEngine, Engine, FaceMatchEngine } from '../../vision/engines/engine.ts'
import type { ThreadPlan } from '../run-on-threads.ts'
import type { FaceSetup } from './face-thread.ts'
import type { Manifest, Pack } from '../../vision/manifest.ts'
import type { ModelUse } from '../../vision/protocol.ts'
import { openSessions, type Sessions } from '../../vision/sessions.ts'

export interface Job {
  readonly manifest: Manifest
  readonly modelsDir: string
  readonly packs: readonly Pack[]
  readonly threads: number | undefined
  /** Folder whose config.json mounts the engines; null: ours. */
  readonly dataDir: string | null
}

/** Threads that run this file with the models and engines of the job. */
export const planThreads = ({ modelsDir, packs, threads, dataDir }: Job, file: URL): ThreadPlan => ({
  file,
  workerData: { modelsDir, packs, dataDir } satisfies FaceSetup,
  ...(threads === undefined ? {} : { threads }),
})

export const openModels = ({ manifest, modelsDir, packs }: Job): Promise<Sessions> =>
  openSessions(manifest, modelsDir, packs)

export const say = (text: string): void => void process.stderr.write(text)

/** A score as text of fixed length: the same on each machine with the same models. */
export const toText = (score: number | null): string => (score === null ? '' : score.toFixed(6))

export const describeProduct = (action: string): string =>
  `counterproof ${PRODUCT_VERSION} evaluate ${action}`

export const describeModel = ({ id, version, sha256 }: ModelUse): string =>
  `model ${id} ${version} sha256 ${sha256}`

const describeRole = (sessions: Sessions, role: string): string[] =>
  sessions.models.filter((model) => model.role === role).map(describeModel)

const describeEngine = ({ about, models }: Engine): string[] => [
  `engine ${about.id} ${about.version}`,
  ...models.map(describeModel),
]

/** Header lines of a face comparison. */
export function describeFaceMatching(sessions: Sessions, engine: FaceMatchEngine): string[] {
  const { decision, review } = engine.points
  return [
    ...describeRole(sessions, 'face-detector'),
    ...describeRole(sessions, 'face-mesh'),
    ...describeEngine(engine),
    `score ${decision.measure}, ${decision.measure === 'euclidean-distance' ? 'lower' : 'higher'} is more similar`,
    `decision ${decision.id} at ${decision.threshold}, claimed FMR ${decision.fmr}`,
    `review ${review.id} at ${review.threshold}`,
  ]
}

/** Header lines of attack detection on still pictures. */
export const describeAttackDetection = (sessions: Sessions, engine: AttackDetectionEngine): string[] => [
  ...describeRole(sessions, 'face-detector'),
  ...describeEngine(engine),
  'score bona-fide probability of one still picture, 0 to 1, higher is more bona fide',
  `decision bona fide at ${engine.point.threshold} or above`,
]
