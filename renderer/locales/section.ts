/**
 * One section of the language files, as a page needs it: English is built in and complete, the other
 * languages are fetched when they are chosen, so that no page waits for unused languages.
 */
export type Words = Readonly<Record<string, string>>

export interface SectionTexts<S extends string = string> {
  readonly section: S
  readonly english: Words
  /** The other languages by tag; undefined: the file has no such section. */
  readonly others: Readonly<Record<string, (() => Promise<Words | undefined>) | undefined>>
}

/** @param files by their paths, `./fr.json`. */
export function buildSection<S extends string>(
  section: S,
  english: Words,
  files: Readonly<Record<string, () => Promise<Words | undefined>>>,
): SectionTexts<S> {
  const byTag = Object.entries(files).map(([path, load]) => [path.replace(/^.*\/|\.json$/g, ''), load])
  return { section, english, others: Object.fromEntries(byTag) as SectionTexts['others'] }
}

/** Lists the languages: one per file. */
export function listTags({ others }: SectionTexts): readonly string[] {
  return ['en', ...Object.keys(others)].sort()
}
