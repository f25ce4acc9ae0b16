/**
 * Checks the PDF417 barcode of a US or Canadian driving licence or identity card (AAMVA): present, readable,
 * and a card's barcode. Required on a document that was declared as such a card; used on any other document
 * that has one.
 */
import type { AamvaFacts } from '../../proofing/aamva/facts.ts'
import { parseAamva } from '../../proofing/aamva/parse.ts'
import { resultError } from '../../proofing/error-codes.ts'
import type { KeptBarcode } from '../../proofing/evidence.ts'
import type { CheckOutcome, Finding } from '../../proofing/judge.ts'
import type { BarcodeSymbol } from '../../vision/protocol.ts'
import { documentStep, sideWithMrz, type DocumentSubject, type StepTools } from '../subject.ts'

const TYPES: readonly DocumentSubject['declaredType'][] = ['DRIVING_LICENSE', 'IDENTITY_CARD']
const JURISDICTIONS: readonly DocumentSubject['jurisdiction'][] = ['USA', 'CAN']

export const documentBarcode = documentStep('document-barcode', async (subject, tools) => {
  const all = (await tools.barcodes()).flatMap((side) => side.symbols)
  const kept = { models: [], barcodes: all.flatMap(toKept) }
  const expectation = await decideExpectation(subject, tools)
  if (expectation === 'none') return { findings: [], ...kept }
  const symbols = all.filter(({ format }) => format === 'PDF417')
  const texts = [...symbols.map(({ text }) => text), subject.scannedBarcode].filter((text) => text !== null)
  const cards = texts.map(parseAamva).filter((facts) => facts !== null)
  const measured = { symbols: symbols.length, scanned: subject.scannedBarcode === null ? 0 : 1 }
  if (expectation === 'possible' && cards.length === 0) return { findings: [], ...kept }
  return { findings: [presence(texts.length > 0, measured), ...readings(texts, cards)], ...kept }
})

/** Keeps the raw symbol; other parts interpret it. */
function toKept({ format, text, bytes }: BarcodeSymbol): readonly KeptBarcode[] {
  if (text === null) return []
  return [{ format, text, ...(bytes ? { bytes: Buffer.from(bytes).toString('base64') } : {}) }]
}

type Expectation = 'certain' | 'possible' | 'none'

async function decideExpectation(subject: DocumentSubject, tools: StepTools): Promise<Expectation> {
  const { declaredType, jurisdiction } = subject
  const isElsewhere = jurisdiction !== null && !JURISDICTIONS.includes(jurisdiction)
  if (isElsewhere || (declaredType !== null && !TYPES.includes(declaredType))) return 'none'
  // A US passport card is an identity card with an MRZ in place of the barcode.
  const hasMrz = sideWithMrz(await tools.sides()) !== null
  if (hasMrz && declaredType !== 'DRIVING_LICENSE') return 'none'
  return declaredType !== null && jurisdiction !== null ? 'certain' : 'possible'
}

function presence(isRead: boolean, measured: Readonly<Record<string, number>>): Finding {
  const check = 'PDF417_BARCODE'
  if (isRead) return { check, outcome: 'passed', measured }
  return { check, outcome: 'failed', measured, errors: [resultError('1542')] }
}

/** All readings, from pictures and scanner, must come from the same card. */
function readings(texts: readonly string[], cards: readonly AamvaFacts[]): readonly Finding[] {
  if (texts.length === 0) return []
  const [first, ...others] = cards
  const isOne = others.every((other) => isSameCard(first, other))
  const outcome: CheckOutcome = cards.length > 0 && isOne ? 'passed' : 'failed'
  const measured = { cards: cards.length, deviations: cards.at(0)?.deviations.join(' ') ?? '' }
  return [{ check: 'BARCODE_READING', outcome, measured }]
}

function isSameCard(a: AamvaFacts, b: AamvaFacts): boolean {
  return a.documentNumber === b.documentNumber && a.birthDate === b.birthDate && a.surname === b.surname
}
