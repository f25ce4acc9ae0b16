/** Takes pictures the product's own way through the vision worker, and counts what that costs. */
import { readFileSync } from 'node:fs'
import type { PageKnowledge } from '../../proofing/visual-zone/knowledge.ts'
import { readDocument, type ReadDocument } from '../../verification/read-document.ts'
import type {
  AuthenticityMeasurement,
  BarcodeMeasurement,
  DocumentMeasurement,
  PageText,
  Vision,
} from '../../vision/protocol.ts'

export interface PictureReading {
  readonly side: DocumentMeasurement
  readonly barcode: BarcodeMeasurement
  readonly page: PageText
  readonly authenticity: AuthenticityMeasurement | null
  /** Milliseconds from here, sending and decoding included, by call. */
  readonly wallMs: Readonly<Record<'document' | 'barcode' | 'page' | 'authenticity', number>>
}

/** One picture through every call that the default pipeline makes for it, one after the other as the worker takes them. */
export async function readPicture(
  vision: Vision,
  image: Uint8Array,
  withAuthenticity: boolean,
): Promise<PictureReading> {
  const wallMs = { document: 0, barcode: 0, page: 0, authenticity: 0 }
  const timed = async <T>(call: keyof typeof wallMs, ask: () => Promise<T>): Promise<T> => {
    const startedAt = performance.now()
    const answer = await ask()
    wallMs[call] = performance.now() - startedAt
    return answer
  }
  const side = await timed('document', () => vision.measureDocument({ image }))
  const { outline, rotationDeg, portrait, mrz } = side
  const quad = outline?.quad ?? null
  const barcode = await timed('barcode', () => vision.readBarcode({ image }))
  const page = await timed('page', () => vision.readVisualZone({ image, quad, rotationDeg }))
  const authenticity = withAuthenticity
    ? await timed('authenticity', () =>
        vision.measureAuthenticity({
          image,
          quad,
          rotationDeg,
          portrait: portrait?.box ?? null,
          zone: mrz && { band: mrz.band, lines: mrz.lines, format: mrz.format },
        }),
      )
    : null
  return { side, barcode, page, authenticity, wallMs }
}

export function putTogether(
  readings: readonly PictureReading[],
  knowledge: PageKnowledge,
  now: Date,
): ReadDocument {
  return readDocument({
    sides: readings.map(({ side }) => side),
    barcodes: readings.map(({ barcode }) => barcode),
    pages: readings.map(({ page }) => page),
    scannedBarcode: null,
    now,
    knowledge,
  })
}

/** Hundredths of a second on Linux, whatever the kernel's own clock. */
const TICK_MS = 10

/** Processor time of a process and all its threads so far, milliseconds; null where the system does not tell (/proc, Linux only). */
export function processorTimeMs(pid: number): number | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS
  } catch {
    return null
  }
}
