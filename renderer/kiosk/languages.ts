/**
 * Loads the texts of the screens and cameras in one language. One language is fetched before the first
 * screen. The other languages of the branch follow while the page is idle, so that they work when the server
 * is unreachable later.
 */
import { fetchTexts } from '../capture/texts.ts'
import { loadTexts } from '../locales/index.ts'
import type { Translate } from '../locales/index.ts'
import { KIOSK } from '../locales/kiosk.ts'
import type { Words } from '../locales/section.ts'

/** Loads all texts or none, so that the page and its camera always speak the same language. */
export async function loadLanguage(tag: string, own: Words = {}): Promise<Translate> {
  const [texts] = await Promise.all([loadTexts(KIOSK, tag, own), fetchTexts(tag)])
  return texts
}
