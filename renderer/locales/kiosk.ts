/// <reference types="vite/client" />
/**
 * Texts for applicants: the kiosk, and the display that faces them at the counter. A build keeps only the
 * section `kiosk` of each language file (electron.vite.config.ts).
 */
import english from './en.json' with { type: 'json' }
import { buildSection } from './section.ts'
import type { Words } from './section.ts'

export const KIOSK = buildSection(
  'kiosk',
  english.kiosk,
  import.meta.glob<Words>(['./*.json', '!./en.json'], { import: 'kiosk' }),
)

/** The texts by their keys. */
export type KioskWords = typeof english.kiosk
