/** `evaluate match` and `evaluate pad`: scores of the faces in a laboratory's pictures, one row of results per row of the list. */
import { resolve } from 'node:path'
import { UsageError } from '../../commands/usage.ts'
import { runOnThreads } from '../run-on-threads.ts'
import { openToolEngines, requireAnswering } from '../tool-engines.ts'
import {
  describeAttackDetection,
  describeFaceMatching,
  openModels,
  planThreads,
  say,
  type Job,
} from './job.ts'
import type { ListFile } from './list-file.ts'
import { scoreAttack, scorePair, type MeasuredFace } from './measure-face.ts'
import { openResultsFile } from './results-file.ts'
import { takeResult, type ThreadReply } from './thread-reply.ts'

const PROGRESS_EVERY = 100
export const NO_ATTACK_NETWORKS =
  'the networks against presentation attacks are not installed: npm run models -- download'

const pathIn = ({ folder }: ListFile, file: string): string => resolve(folder, file)

/** Measures each picture of `paths` once. */
async function measureFaces(
  job: Job,
  paths: readonly string[],
  onFace: (path: string, face: MeasuredFace) => void,
): Promise<void> {
  let done = 0
  const plan = planThreads(job, new URL('./face-thread.ts', import.meta.url))
  await runOnThreads<string, ThreadReply<MeasuredFace>>(plan, paths, (reply, position) => {
    onFace(paths[position], takeResult(reply))
    if (++done % PROGRESS_EVERY === 0) say(`${done} of ${paths.length} pictures\n`)
  })
}

export async function evaluateMatches(job: Job, list: ListFile, out: string): Promise<void> {
  const sessions = await openModels(job)
  const engines = await openToolEngines(sessions, job.dataDir)
  await requireAnswering(engines.faceMatching)
  const results = openResultsFile(out, 'match', list, describeFaceMatching(sessions, engines.faceMatching), [
    'probe',
    'reference',
    'label',
    'score',
    'decision',
    'outcome',
  ])
  const rows = list.rows.slice(results.done)
  const files = [...new Set(rows.flatMap(({ probe, reference }) => [probe, reference]))]
  const paths = files.map((file) => pathIn(list, file))
  const faces = new Map<string, MeasuredFace>()
  let next = 0
  const writeReady = async (): Promise<void> => {
    for (; next < rows.length; next++) {
      const { probe, reference, label = '' } = rows[next]
      const [a, b] = [faces.get(pathIn(list, probe)), faces.get(pathIn(list, reference))]
      if (!a || !b) return
      const { score, decision, outcome } = await scorePair(engines, a, b)
      results.add(results.done + next, [probe, reference, label, score, decision, outcome])
    }
  }
  try {
    // One after the other, so that the rows keep the order of the list.
    let written = Promise.resolve()
    await measureFaces(job, paths, (path, face) => {
      faces.set(path, face)
      written = written.then(writeReady)
      written.catch(() => undefined) // thrown below
    })
    await written
  } finally {
    results.close()
  }
}

export async function evaluateAttacks(job: Job, list: ListFile, out: string): Promise<void> {
  const sessions = await openModels(job)
  const { attackDetection: engine } = await openToolEngines(sessions, job.dataDir)
  if (!engine) throw new UsageError(NO_ATTACK_NETWORKS)
  await requireAnswering(engine)
  const results = openResultsFile(out, 'pad', list, describeAttackDetection(sessions, engine), [
    'file',
    'label',
    'score',
    'decision',
    'outcome',
  ])
  const rows = list.rows.slice(results.done)
  const positions = new Map<string, number[]>()
  for (const [i, { file }] of rows.entries()) {
    const path = pathIn(list, file)
    positions.set(path, [...(positions.get(path) ?? []), i])
  }
  try {
    await measureFaces(job, [...positions.keys()], (path, face) => {
      const { score, decision, outcome } = scoreAttack(face, engine.point.threshold)
      for (const i of positions.get(path) ?? []) {
        const { file, label = '' } = rows[i]
        results.add(results.done + i, [file, label, score, decision, outcome])
      }
    })
  } finally {
    results.close()
  }
}
