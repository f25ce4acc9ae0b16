/** Drawn documents for tests, all sides at once. */
import {
  DESIGNS,
  renderDocumentSide,
  type RenderedSide,
} from '../../server/tools/specimen/documents/render.ts'
import type { SpecimenKind } from '../../server/tools/specimen/documents/layout.ts'

/** Front first. */
export function renderDocument(kind: SpecimenKind, seed: number, dpi?: number): Promise<RenderedSide[]> {
  return Promise.all(DESIGNS[kind].sides.map((_, index) => renderDocumentSide(kind, seed, index, dpi)))
}
