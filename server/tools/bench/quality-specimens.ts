/** The document sides that bench:quality photographs, drawn here for invented persons. */
import type { SpecimenKind } from '../specimen/documents/layout.ts'
import { renderDocumentSide } from '../specimen/documents/render.ts'
import type { FlatDocument } from './quality-scenes.ts'

export const SIDES: readonly (readonly [SpecimenKind, side: number])[] = [
  ['passport', 0],
  ['identity-card', 0],
  ['identity-card', 1],
  ['licence-north-america', 0],
  ['licence-europe', 0],
  ['residence-card', 0],
  ['identity-card-large', 0],
  ['passport', 0],
]
const DPI = 350

export interface Specimen extends FlatDocument {
  readonly label: string
}

export async function drawSpecimen([kind, side]: (typeof SIDES)[number], seed: number): Promise<Specimen> {
  const { pixels, widthPx, heightPx, truth } = await renderDocumentSide(kind, seed, side, DPI)
  return {
    label: `${kind} ${truth.side.toLowerCase()}`,
    raster: { data: pixels, width: widthPx, height: heightPx },
    widthMm: truth.size.width,
    heightMm: truth.size.height,
  }
}
