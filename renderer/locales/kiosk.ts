/// <reference types="vite/client" />
/** What visitors read: the kiosk, and the display that faces them at the counter. A build leaves of each language file the section `kiosk` here (electron.vite.config.ts). */
import english from './en.json' with { type: 'json' }
import { sectionOf } from './section.ts'
import type { Words } from './section.ts'

export const KIOSK = sectionOf(
  'kiosk',
  english.kiosk,
  import.meta.glob<Words>(['./*.json', '!./en.json'], { import: 'kiosk' }),
)

/** The texts there are, by their keys. */
export type KioskWords = typeof english.kiosk
