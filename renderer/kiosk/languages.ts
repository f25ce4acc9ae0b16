/**
 * The words of the whole page in one language, of its screens and of its cameras. One language is fetched before the first
 * screen; the others of the branch follow while nobody waits, so that a server that is away later keeps nobody from his.
 */
import { fetchTexts } from '../capture/texts.ts'
import { loadTexts } from '../locales/index.ts'
import type { Translate } from '../locales/index.ts'
import { KIOSK } from '../locales/kiosk.ts'
import type { Words } from '../locales/section.ts'

/** A language that could not be fetched ahead is tried again. */
const AGAIN_MS = 20_000

/** All or nothing: a page that speaks one language and its camera another helps nobody. */
export async function loadLanguage(tag: string, own: Words = {}): Promise<Translate> {
  const [texts] = await Promise.all([loadTexts(KIOSK, tag, own), fetchTexts(tag)])
  return texts
}

export function fetchAhead(tags: readonly string[]): void {
  requestIdleCallback(() => {
    for (const tag of tags) loadLanguage(tag).catch(() => setTimeout(() => fetchAhead([tag]), AGAIN_MS))
  })
}
