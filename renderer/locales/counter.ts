/// <reference types="vite/client" />
/**
 * Texts of the counter. A build keeps only the section `counter` of each language file
 * (electron.vite.config.ts).
 */
import english from './en.json' with { type: 'json' }
import { buildSection } from './section.ts'
import type { Words } from './section.ts'

export const COUNTER = buildSection(
  'counter',
  english.counter,
  import.meta.glob<Words>(['./*.json', '!./en.json'], { import: 'counter' }),
)

/** The texts by their keys. */
export type CounterWords = typeof english.counter
