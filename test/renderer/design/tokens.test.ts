/** The head office's pages are served without a build and hold their colours themselves: they must not drift from the screens'. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')
const screens = readFileSync(join(ROOT, 'renderer/design/tokens.css'), 'utf8')
const headOffice = readFileSync(join(ROOT, 'server/central/head-office/pages/tokens.css'), 'utf8')

/** The colours of a rule's first block, by their names. */
function coloursOf(css: string, beginning: string): Record<string, string> {
  const at = css.indexOf(beginning)
  const block = at < 0 ? '' : css.slice(at, css.indexOf('}', at))
  const pairs = [...block.matchAll(/(--[\w-]+):\s*(#[0-9a-f]{6})/g)]
  return Object.fromEntries(pairs.map(([, name, value]) => [name ?? '', value ?? '']))
}

describe.each([
  ['paper', ':root {', ':root {'],
  ['ink', "[data-surround='ink'] {", '@media (prefers-color-scheme: dark)'],
])('%s', (_name, ofScreens, ofHeadOffice) => {
  const shared = coloursOf(headOffice, ofHeadOffice)

  test('has the colours of the visual system', () =>
    expect(Object.keys(shared)).toEqual(expect.arrayContaining(['--bg', '--text', '--action', '--problem'])))

  test('has the same ones at the head office', () =>
    expect(coloursOf(screens, ofScreens)).toMatchObject(shared))
})
