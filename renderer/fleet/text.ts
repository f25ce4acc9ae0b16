/** Texts of these pages in the reader's language. */
import { useText, type Texts } from '../counter/text.tsx'

export type FleetTexts = Texts<'fleet'>

export const useFleetText = (): FleetTexts => useText<'fleet'>()
