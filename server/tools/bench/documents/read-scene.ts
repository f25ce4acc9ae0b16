/** Sends pictures through the vision worker as the product does. */
import type { PageKnowledge } from '../../../proofing/visual-zone/knowledge.ts'
import { readWholeDocument } from '../../../verification/read-whole-document.ts'
import type { ReadDocument } from '../../../verification/read-document.ts'
import { toHints } from '../../../verification/step-tools.ts'
import { deriveTurn } from '../../../vision/documents/outline/settle-outline.ts'
import type { DocumentMeasurement, QuarterTurn, SideReading, Vision } from '../../../vision/protocol.ts'

export interface PictureReading extends SideReading {
  readonly side: DocumentMeasurement
  /** Milliseconds per call, including sending and decoding. */
  readonly wallMs: Readonly<Record<'document' | 'rest', number>>
}

/** Makes both calls of the default pipeline for one picture. */
export async function readPicture(vision: Vision, image: Uint8Array): Promise<PictureReading> {
  const startedAt = performance.now()
  const side = await vision.measureDocument({ image, readsNext: true })
  const measuredAt = performance.now()
  const rest = await vision.readSide({ image, ...toHints(side) })
  const wallMs = { document: measuredAt - startedAt, rest: performance.now() - measuredAt }
  return { side, ...rest, wallMs }
}

/** Rotation as found by MRZ or portrait, otherwise by the text, otherwise by the locator network's order of corners. */
export function turnTold({ side, page }: PictureReading): QuarterTurn | null {
  const { rotationDeg, outline } = side
  const byNetwork = outline?.uprightBy === 'network' ? deriveTurn(outline.quad) : null
  return rotationDeg ?? page.uprightTurnDeg ?? byNetwork
}

export async function putTogether(
  vision: Vision,
  images: readonly Uint8Array[],
  readings: readonly PictureReading[],
  knowledge: PageKnowledge,
  now: Date,
): Promise<ReadDocument> {
  const parts = {
    sides: readings.map(({ side }) => side),
    barcodes: readings.map(({ barcode }) => barcode),
    pages: readings.map(({ page }) => page),
    scannedBarcode: null,
    now,
    knowledge,
  }
  return (await readWholeDocument(parts, images, vision)).document
}
