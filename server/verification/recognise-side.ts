/**
 * Recognises what the picture of one side shows: whether it is a document, which kind and which side. Runs
 * before submission and gives no verdict. The measurement is cached for verification of the same picture.
 */
import type { SideSight } from '../proofing/capture-session.ts'
import { DOCUMENT_TYPES } from '../proofing/types.ts'
import type { BarcodeMeasurement, PageText } from '../vision/protocol.ts'
import { buildDocumentData } from './data-of-document.ts'
import { readDocument, type ReadDocument } from './read-document.ts'
import type { ToolParts } from './step-tools.ts'

const NO_BARCODE: BarcodeMeasurement = { symbols: [] }
const NO_TEXT: PageText = { lines: [], widthPx: 1, heightPx: 1, uprightTurnDeg: 0, models: [], elapsedMs: 0 }

/** A face alone may be that of a person in the background, so it does not indicate a document. */
const OF_DOCUMENTS: readonly string[] = ['zone', 'barcode', 'template', 'words', 'outline']

/** Throws `ImageFaultError` for a picture that cannot be decoded. */
export async function recogniseSide(
  image: Uint8Array,
  /** Null if the picture does not belong to an evidence yet. */
  evidenceId: string | null,
  { vision, knowledge, clock, measured }: Pick<ToolParts, 'vision' | 'knowledge' | 'clock' | 'measured'>,
): Promise<SideSight> {
  const side = await vision.measureDocument({ image })
  if (evidenceId !== null) measured.keep(evidenceId, image, side)
  const where = { quad: side.outline?.quad ?? null, rotationDeg: side.rotationDeg }
  // The MRZ names kind and issuer, so nothing else needs to be read.
  const barcode = side.mrz ? NO_BARCODE : await vision.readBarcode({ image })
  const page = side.mrz ? NO_TEXT : await vision.readVisualZone({ image, ...where })
  return describeSight(
    readDocument({
      sides: [side],
      barcodes: [barcode],
      pages: [page],
      scannedBarcode: null,
      now: clock.now(),
      knowledge,
    }),
  )
}

function describeSight(document: ReadDocument): SideSight {
  const { classification, page } = document
  const data = buildDocumentData(document, null)
  const kind = data?.idDocumentType ?? page.kind
  return {
    isDocument:
      classification.layout !== 'NONE' && classification.evidence.some((name) => OF_DOCUMENTS.includes(name)),
    documentType: DOCUMENT_TYPES.find((type) => type === kind) ?? null,
    issuingCountry: data?.issuingCountry ?? page.country,
    shows: classification.sides[0] ?? null,
  }
}
