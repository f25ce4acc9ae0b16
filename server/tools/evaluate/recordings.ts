/** `evaluate session`: judges recorded liveness sessions, one row of results per row of the list. */
import { join, resolve } from 'node:path'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { UsageError } from '../../commands/usage.ts'
import { LIVENESS_FILE } from '../../verification/liveness-limits.ts'
import { runOnThreads } from '../run-on-threads.ts'
import { describeModel, describeProduct, openModels, planThreads, say, type Job } from './job.ts'
import type { JudgedRecording } from './judge-recording.ts'
import type { ListFile } from './list-file.ts'
import { openResultsFile } from './results-file.ts'

/** Names of the recordings: folders of the appliance's choosing. Anything else could leave the folder. */
export const RECORDING_NAME = /^[\w-]{1,100}$/

/** Recordings of a folder without a list, in the order of their names. Throws UsageError if there are none. */
export function listRecordings(folder: string): ListFile {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`${folder} is no folder`)
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && RECORDING_NAME.test(entry.name))
    .map(({ name }) => name)
    .sort()
  if (names.length === 0) throw new UsageError(`${folder} holds no recordings`)
  return {
    rows: names.map((recording) => ({ recording })),
    columns: ['recording'],
    sha256: createHash('sha256').update(names.join('\n')).digest('hex'),
    folder,
  }
}

export async function evaluateRecordings(job: Job, list: ListFile, out: string): Promise<void> {
  const misnamed = list.rows.findIndex(({ recording }) => !RECORDING_NAME.test(recording))
  if (misnamed >= 0) throw new UsageError(`row ${misnamed + 1} of the list names no folder of a recording`)
  const { models } = await openModels(job)
  const results = openResultsFile(
    out,
    [
      describeProduct('session'),
      `list sha256 ${list.sha256}`,
      ...models.map(describeModel),
      `limits sha256 ${createHash('sha256').update(readFileSync(LIVENESS_FILE)).digest('hex')}`,
      'decision of the whole session at the limits of this installation; codes: what decided it',
    ],
    ['recording', 'label', 'type', 'pictures', 'decision', 'outcome', 'codes'],
  )
  const rows = list.rows.slice(results.done)
  const folders = rows.map(({ recording }) => resolve(join(list.folder, recording)))
  const plan = planThreads(job, new URL('./recording-thread.ts', import.meta.url))
  let done = 0
  try {
    await runOnThreads<string, JudgedRecording>(plan, folders, (judged, position) => {
      const { recording, label = '' } = rows[position]
      const { type, pictures, decision, outcome, codes } = judged
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
