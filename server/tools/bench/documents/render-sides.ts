/** Renders the pictures of one specimen document in the variant for its seed. */
import type { SpecimenKind } from '../../specimen/documents/layout.ts'
import { DESIGNS } from '../../specimen/documents/render.ts'
import { findVariant, type VariantName } from '../../specimen/documents/variants.ts'
import { renderScene, type Scene } from '../../specimen/scenes/scene.ts'

interface SpecimenOrder {
  readonly kind: SpecimenKind
  readonly documentSeed: number
  /** MRZ and barcode differ from the print in one character, drawn by this seed. */
  readonly forgedSeed?: number | null
  readonly variant: VariantName
}

/** The seed selects the variant in turn, so that a document can be rendered alone. A single side has no back. */
export function pickVariant(
  kind: SpecimenKind,
  documentSeed: number,
  variants: readonly VariantName[],
): VariantName {
  const turn = variants[documentSeed % variants.length]
  const isImpossible = findVariant(turn).framing === 'both-sides' && DESIGNS[kind].sides.length < 2
  return isImpossible ? 'plain' : turn
}

/** One picture per side with the side at a different place; one picture of both if the variant puts them on a sheet. */
export async function renderSides(order: SpecimenOrder): Promise<Scene[]> {
  const { kind, documentSeed, variant } = order
  const count = findVariant(variant).framing === 'both-sides' ? 1 : DESIGNS[kind].sides.length
  const scenes: Scene[] = []
  for (let sideIndex = 0; sideIndex < count; sideIndex++)
    scenes.push(await renderScene({ ...order, sideIndex, seed: documentSeed * 2 + sideIndex }))
  return scenes
}
