/** `evaluate session`: judges recorded liveness sessions, one row of results per row of the list. */
import { join } from 'node:path'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { UsageError } from '../../commands/usage.ts'
import { LINES_FILE } from '../../live/session-recording.ts'
import { LIVENESS_FILE } from '../../verification/liveness-limits.ts'
import { runOnThreads } from '../run-on-threads.ts'
import { describeModel, openModels, planThreads, say, type Job } from './job.ts'
import type { JudgedRecording } from './judge-recording.ts'
import { checkFiles, readRows, type ListFile, type ListRow } from './list-file.ts'
import { openResultsFile } from './results-file.ts'
import { takeResult, type ThreadReply } from './thread-reply.ts'

/** Names of the recordings: folders of the appliance's choosing. Anything else could leave the folder. */
export const RECORDING_NAME = /^[\w-]{1,100}$/

/** Recordings of a folder without a list, in the order of their names. Throws UsageError if there are none. */
export function listRecordings(folder: string): ListFile {
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && RECORDING_NAME.test(entry.name))
    .map(({ name }) => name)
    .sort()
  if (names.length === 0) throw new UsageError(`${folder} holds no recordings`)
  const rows = names.map((recording) => ({ recording }))
  const sha256 = createHash('sha256').update(names.join('\n')).digest('hex')
  return { rows, columns: ['recording'], sha256, filesSha256: checkRecordings(folder, folder, rows), folder }
}

/** The recordings of a list. Throws UsageError, also for a recording that the folder lacks. */
export function readRecordingList(path: string, folder: string): ListFile {
  const list = readRows(path, { needed: ['recording'] })
  return { ...list, filesSha256: checkRecordings(path, folder, list.rows), folder }
}

/** The size of its log identifies a recording, which never grows after its end. */
const checkRecordings = (path: string, folder: string, rows: readonly ListRow[]): string =>
  checkFiles(
    path,
    rows,
    ({ recording }) => [recording],
    (recording) => {
      if (!RECORDING_NAME.test(recording)) return 'is no name of a recording'
      const place = join(folder, recording)
      if (!statSync(place, { throwIfNoEntry: false })?.isDirectory()) return 'is no folder'
      return statSync(join(place, LINES_FILE), { throwIfNoEntry: false })?.size ?? 0
    },
  )

export async function evaluateRecordings(job: Job, list: ListFile, out: string): Promise<void> {
  if (job.dataDir !== null)
    throw new UsageError('session takes no --data: our own models judge the pictures of a session')
  const { models } = await openModels(job)
  const results = openResultsFile(
    out,
    'session',
    list,
    [
      ...models.map(describeModel),
      `limits sha256 ${createHash('sha256').update(readFileSync(LIVENESS_FILE)).digest('hex')}`,
      'decision of the whole session at the limits of this installation; codes: what decided it',
    ],
    ['recording', 'label', 'type', 'pictures', 'decision', 'outcome', 'codes'],
  )
  const rows = list.rows.slice(results.done)
  const folders = rows.map(({ recording }) => join(list.folder, recording))
  const plan = planThreads(job, new URL('./recording-thread.ts', import.meta.url))
  let done = 0
  try {
    await runOnThreads<string, ThreadReply<JudgedRecording>>(plan, folders, (reply, position) => {
      const { recording, label = '' } = rows[position]
      const { type, pictures, decision, outcome, codes } = takeResult(reply)
      results.add(results.done + position, [
        recording,
        label,
        type,
        String(pictures),
        decision,
        outcome,
        codes.join(' '),
      ])
      say(`${++done} of ${rows.length} sessions\n`)
    })
  } finally {
    results.close()
  }
}
