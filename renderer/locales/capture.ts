/// <reference types="vite/client" />
/** What the capture elements say, on our pages and on those of others. A build leaves of each language file the section `capture` here (electron.vite.config.ts). */
import english from './en.json' with { type: 'json' }
import { sectionOf } from './section.ts'
import type { Words } from './section.ts'

export const CAPTURE = sectionOf(
  'capture',
  english.capture,
  import.meta.glob<Words>(['./*.json', '!./en.json'], { import: 'capture' }),
)

/** The texts there are, by their keys. */
export type CaptureWords = typeof english.capture
