/// <reference types="vite/client" />
/**
 * Texts of the capture elements, on our pages and on others. A build keeps only the section `capture` of each
 * language file (electron.vite.config.ts).
 */
import english from './en.json' with { type: 'json' }
import { buildSection } from './section.ts'
import type { Words } from './section.ts'

export const CAPTURE = buildSection(
  'capture',
  english.capture,
  import.meta.glob<Words>(['./*.json', '!./en.json'], { import: 'capture' }),
)

/** The texts by their keys. */
export type CaptureWords = typeof english.capture
