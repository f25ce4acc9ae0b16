/**
 * Measures real, labelled documents: starts an appliance, posts each picture to it and compares its answer with the print.
 * The appliance runs in its own process, so the figures are those of an API client.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RelyingService } from '../../demo/client.ts'
import { withTemporaryServer } from '../../demo/server-process.ts'
import { median } from '../../../vision/documents/percentiles.ts'
import { readTable } from '../table.ts'
import { measureRecognition } from './ask-about-document.ts'
import { agreesWithMrz, compareField, hasDecidingPrint, LABELS, type Label, type Outcome } from './labels.ts'
import { readCpuMs } from '../worker-process.ts'

interface LabelledDocument {
  readonly file: string
  readonly kind: string
  /** The evidence's status, or REFUSED if the upload was refused. */
  readonly status: string
  /** Codes of the answer or of the refusal. */
  readonly codes: readonly string[]
  readonly hasMrz: boolean
  /** Whether the print and the MRZ of the document agree. */
  readonly mrzAgrees: boolean
  /** Whether the picture shows the printed fields that decide a match with the MRZ. */
  readonly hasDecidingPrint: boolean
  readonly matched: boolean
  readonly outcomes: Readonly<Partial<Record<Label, Outcome>>>
  readonly wallMs: number
  /** Processor time of the server and its workers; null on systems without /proc. */
  readonly cpuMs: number | null
}

/** The only members that `--json` prints, for any labelled set. */
export interface LabelledFigures {
  readonly documents: number
  /** Printed values of the labelled fields that the API can return. */
  readonly fields: number
  readonly exact: number
  /** Returned values that differ from the print. */
  readonly wrong: number
  readonly withMrz: number
  readonly matched: number
  readonly verified: number
  readonly cpuMsMedian: number | null
  readonly wallMsMedian: number
}

export interface LabelledBench extends LabelledFigures {
  /** Values returned with `verified: true` that differ from the print. */
  readonly confirmedWrong: number
  /** Documents whose print agrees with their MRZ. */
  readonly withAgreeingMrz: number
  /** Those among them whose picture shows the fields that decide a match. */
  readonly withComparableMrz: number
  /** Matched although the print contradicts the MRZ. */
  readonly matchedWrongly: number
  readonly perDocument: readonly LabelledDocument[]
}

export function toFigures(result: LabelledBench): LabelledFigures {
  const { documents, fields, exact, wrong, withMrz, matched, verified, cpuMsMedian, wallMsMedian } = result
  return { documents, fields, exact, wrong, withMrz, matched, verified, cpuMsMedian, wallMsMedian }
}

/**
 * Throws TypeError for a manifest without the columns of `documents.tsv`, and the file system's error for a missing file.
 */
export async function measureLabelled(
  manifest: string,
  images: string,
  tell: (line: string) => void,
): Promise<LabelledBench> {
  const listed = readTable(readFileSync(manifest, 'utf8'), ['file', 'kind', 'mrz', ...LABELS])
  const rows = listed.filter(({ file }) => existsSync(join(images, file)))
  const missing = listed.length - rows.length
  if (missing > 0) process.stderr.write(`${missing} of ${listed.length} labelled pictures are missing\n`)
  return withTemporaryServer('bench', async (server, keys) => {
    const service = new RelyingService(server.url, keys)
    const perDocument: LabelledDocument[] = []
    for (const row of rows) {
      const measured = await measureDocument(service, server.pid, join(images, row.file), row)
      perDocument.push(measured)
      tell(describeDocument(measured))
    }
    return sumUp(perDocument)
  })
}

async function measureDocument(
  service: RelyingService,
  serverPid: number,
  path: string,
  row: Readonly<Record<string, string>>,
): Promise<LabelledDocument> {
  const [cpuBefore, began] = [processorTimeOfFamily(serverPid), performance.now()]
  const { status, codes, evidence } = await measureRecognition(service, path)
  const wallMs = performance.now() - began
  const cpuAfter = processorTimeOfFamily(serverPid)
  const outcomes: Partial<Record<Label, Outcome>> = {}
  for (const label of LABELS)
    if (row[label] !== '-')
      outcomes[label] = compareField(label, row[label], evidence?.idDocumentData ?? null)
  const hasMrz = row.mrz !== '-'
  return {
    file: row.file,
    kind: row.kind,
    status,
    codes,
    hasMrz,
    mrzAgrees: hasMrz && agreesWithMrz(row),
    hasDecidingPrint: hasDecidingPrint(row.kind),
    matched: evidence?.evidenceStatus.positiveIndicators.includes('VISUAL_ZONE_MATCH_OK') ?? false,
    outcomes,
    wallMs: Math.round(wallMs),
    cpuMs: cpuBefore === null || cpuAfter === null ? null : cpuAfter - cpuBefore,
  }
}

/** Processor time of a process and its running descendants in milliseconds; null without /proc. */
function processorTimeOfFamily(pid: number): number | null {
  const own = readCpuMs(pid)
  if (own === null) return null
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readChildren(`/proc/${pid}/task/${task}/children`),
  )
  return children.reduce((sum, child) => sum + (processorTimeOfFamily(child) ?? 0), own)
}

function readChildren(path: string): number[] {
  try {
    return readFileSync(path, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

function describeDocument({
  file,
  status,
  codes,
  matched,
  outcomes,
  wallMs,
  cpuMs,
}: LabelledDocument): string {
  const named = (wanted: readonly Outcome[]): string =>
    Object.entries(outcomes)
      .filter(([, outcome]) => wanted.includes(outcome))
      .map(([label]) => label)
      .join(',') || '-'
  const what = `wrong=${named(['wrong', 'confirmed wrong'])} missing=${named(['missing'])} matched=${matched ? 'yes' : 'no'}`
  return `${file} ${status}${codes.length > 0 ? ` ${codes.join(',')}` : ''} ${what} ${wallMs} ms, ${cpuMs ?? '-'} ms CPU`
}

function sumUp(perDocument: readonly LabelledDocument[]): LabelledBench {
  const outcomes = perDocument.flatMap((document) => Object.values(document.outcomes))
  const count = (...wanted: Outcome[]): number =>
    outcomes.filter((outcome) => wanted.includes(outcome)).length
  const withMrz = perDocument.filter(({ hasMrz }) => hasMrz)
  const cpuTimes = perDocument.flatMap(({ cpuMs }) => (cpuMs === null ? [] : [cpuMs]))
  return {
    documents: perDocument.length,
    fields: outcomes.length,
    exact: count('exact'),
    wrong: count('wrong', 'confirmed wrong'),
    confirmedWrong: count('confirmed wrong'),
    withMrz: withMrz.length,
    withAgreeingMrz: withMrz.filter(({ mrzAgrees }) => mrzAgrees).length,
    withComparableMrz: withMrz.filter((document) => document.mrzAgrees && document.hasDecidingPrint).length,
    matched: withMrz.filter(({ mrzAgrees, matched }) => mrzAgrees && matched).length,
    matchedWrongly: withMrz.filter(({ mrzAgrees, matched }) => !mrzAgrees && matched).length,
    verified: perDocument.filter(({ status }) => status === 'VERIFIED').length,
    cpuMsMedian: cpuTimes.length === 0 ? null : median(cpuTimes),
    wallMsMedian: median(perDocument.map(({ wallMs }) => wallMs)),
    perDocument,
  }
}
