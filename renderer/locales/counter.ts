/// <reference types="vite/client" />
/** What staff read. A build leaves of each language file the section `counter` here (electron.vite.config.ts). */
import english from './en.json' with { type: 'json' }
import { sectionOf } from './section.ts'
import type { Words } from './section.ts'

export const COUNTER = sectionOf(
  'counter',
  english.counter,
  import.meta.glob<Words>(['./*.json', '!./en.json'], { import: 'counter' }),
)

/** The texts there are, by their keys. */
export type CounterWords = typeof english.counter
