/**
 * A section of the language files, as one page needs it: English is built in and complete, the other languages are fetched
 * when somebody chooses them. Nobody waits for the words of languages that are not spoken to him.
 */
export type Words = Readonly<Record<string, string>>

export interface SectionTexts<S extends string = string> {
  readonly section: S
  readonly english: Words
  /** The other languages, each by its tag; undefined: the file has no such section. */
  readonly others: Readonly<Record<string, (() => Promise<Words | undefined>) | undefined>>
}

/** @param files by their paths, `./fr.json`. */
export function sectionOf<S extends string>(
  section: S,
  english: Words,
  files: Readonly<Record<string, () => Promise<Words | undefined>>>,
): SectionTexts<S> {
  const byTag = Object.entries(files).map(([path, load]) => [path.replace(/^.*\/|\.json$/g, ''), load])
  return { section, english, others: Object.fromEntries(byTag) as SectionTexts['others'] }
}

/** Each language there is a file for; a file more is a language more. */
export function tagsOf({ others }: SectionTexts): readonly string[] {
  return ['en', ...Object.keys(others)].sort()
}
