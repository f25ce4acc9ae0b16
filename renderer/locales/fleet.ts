/// <reference types="vite/client" />
/**
 * Texts of the pages of the head office. A build keeps only the section `fleet` of each language file
 * (electron.vite.config.ts).
 */
import english from './en.json' with { type: 'json' }
import { buildSection } from './section.ts'
import type { Words } from './section.ts'

export const FLEET = buildSection(
  'fleet',
  english.fleet,
  import.meta.glob<Words>(['./*.json', '!./en.json'], { import: 'fleet' }),
)

/** The texts by their keys. */
export type FleetWords = typeof english.fleet
