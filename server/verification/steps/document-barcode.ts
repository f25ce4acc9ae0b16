/**
 * The PDF417 barcode of a driving licence or identity card of the United States or Canada (AAMVA): is it there, and can
 * it be read? What it says is not used in this release, so such a card is never verified by it.
 */
import { resultError } from '../../proofing/error-codes.ts'
import { documentStep, sideWithMrz, type DocumentSubject } from '../subject.ts'

const TYPES: readonly DocumentSubject['declaredType'][] = ['DRIVING_LICENSE', 'IDENTITY_CARD']
const JURISDICTIONS: readonly DocumentSubject['jurisdiction'][] = ['USA', 'CAN']

export const documentBarcode = documentStep('document-barcode', async (subject, tools) => {
  if (!TYPES.includes(subject.declaredType) || !JURISDICTIONS.includes(subject.jurisdiction)) {
    return { findings: [], models: [] }
  }
  // A US passport card is an identity card with a machine-readable zone in the barcode's place.
  const hasZone = sideWithMrz(await tools.sides()) !== null
  if (hasZone && subject.declaredType === 'IDENTITY_CARD') return { findings: [], models: [] }
  const barcodes = await tools.barcodes()
  const check = 'PDF417_BARCODE'
  const symbols = barcodes.flatMap((side) => side.symbols).filter(({ format }) => format === 'PDF417')
  const measured = { symbols: symbols.length }
  const isRead = symbols.some(({ text }) => text !== null)
  return {
    findings: [
      isRead
        ? { check, outcome: 'passed', measured }
        : { check, outcome: 'failed', measured, errors: [resultError('1542')] },
    ],
    models: [],
  }
})
