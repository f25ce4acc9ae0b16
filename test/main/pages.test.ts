/** The shell's own pages, which stand before any server has said which languages there are. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { restingPage, STARTING_PAGE } from '../../main/pages.ts'

const LANGUAGES = readdirSync(join(import.meta.dirname, '../../renderer/locales'))
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.slice(0, -'.json'.length))

describe('the pages of the shell', () => {
  test.each([
    ['starting', STARTING_PAGE],
    ['resting', restingPage('The disk is full.')],
  ])('%s: a visitor reads it in every language of the screens', (_name, page) => {
    const html = decodeURIComponent(page)
    for (const language of LANGUAGES) expect(html).toContain(`<p lang="${language}" dir="auto">`)
  })

  test('advice for staff is text, whatever it holds', () => {
    const html = decodeURIComponent(restingPage('<script>"&\''))
    expect(html).toContain('&#60;script&#62;&#34;&#38;&#39;')
  })
})
