/**
 * Submits a laboratory's documents to an appliance of its own and writes what the API answered. The values stay in the
 * appliance's temporary folder: the results say whether a value is the expected one.
 */
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { measureRecognition } from '../bench/documents/ask-about-document.ts'
import { compareField, LABELS, type Label } from '../bench/documents/labels.ts'
import { RelyingService } from '../demo/client.ts'
import { withTemporaryServer } from '../demo/server-process.ts'
import type { ListFile, ListRow } from './list-file.ts'
import { openResultsFile } from './results-file.ts'

/** @param models header lines on the models */
export async function evaluateDocuments(
  list: ListFile,
  out: string,
  models: readonly string[],
  packs: 'core' | 'all',
  threads = availableParallelism(),
): Promise<void> {
  const expected = LABELS.filter((label) => list.columns.includes(label))
  const results = openResultsFile(
    out,
    'document',
    list,
    [
      ...models,
      'decision verified if the status is VERIFIED; each expected field: exact, wrong, confirmed wrong or missing',
    ],
    ['file', 'label', 'status', 'codes', 'decision', ...expected],
  )
  const rows = list.rows.slice(results.done)
  if (rows.length === 0) return results.close()
  const evaluate = async (service: RelyingService): Promise<void> => {
    let next = 0
    const work = async (): Promise<void> => {
      while (next < rows.length) {
        const position = next++
        results.add(
          results.done + position,
          await describeRow(service, list.folder, rows[position], expected),
        )
      }
    }
    await Promise.all(Array.from({ length: Math.min(threads, rows.length) }, work))
  }
  try {
    await withTemporaryServer('evaluate', ({ url }, keys) => evaluate(new RelyingService(url, keys)), {
      vision: { packs },
    })
  } finally {
    results.close()
  }
}

async function describeRow(
  service: RelyingService,
  folder: string,
  row: ListRow,
  expected: readonly Label[],
): Promise<string[]> {
  const { file, back = '', label = '' } = row
  const sides = [file, back].filter((side) => side !== '').map((side) => resolve(folder, side))
  const [front, other] = sides
  const answer = await measureRecognition(service, front, other)
  const document = answer.evidence?.idDocumentData ?? null
  return [
    file,
    label,
    answer.status,
    answer.codes.join(' '),
    answer.status === 'VERIFIED' ? 'verified' : 'not_verified',
    ...expected.map((field) => (isAbsent(row[field]) ? '' : compareField(field, row[field], document))),
  ]
}

const isAbsent = (value: string): boolean => value === '' || value === '-'
