/** Links of the documents exist, and each command that they print is one of this package. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const OTHERS = new Set(['node_modules', 'out', 'coverage'])
const PAGES = globSync('**/*.md', { cwd: ROOT, exclude: (name) => OTHERS.has(basename(name)) })
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}
const read = (page: string): string => readFileSync(join(ROOT, page), 'utf8')

/** Returns GitHub's anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
const anchorsOf = (page: string): string[] =>
  [...read(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => anchorOf(heading))

describe.each(PAGES)('%s', (page) => {
  test('links only to files and headings that exist', () => {
    const links = [...read(page).matchAll(/\]\((?!\w+:)([^)\s]*)\)/g)].map(([, link]) => link)
    const broken = links.filter((link) => {
      const [path, anchor] = link.split('#')
      const target = path === '' ? page : join(dirname(page), path)
      if (!existsSync(join(ROOT, target))) return true
      return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor)
    })
    expect(broken).toEqual([])
  })

  test('prints only commands of this package', () => {
    const named = [...read(page).matchAll(/npm run (?:--silent )?([a-z][\w:-]*\w)(?![\w:*])/g)].map(
      ([, name]) => name,
    )
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })
})

test('every command of the package is in docs/commands.md, docs/measure.md or docs/develop.md', () => {
  const text = ['commands', 'measure', 'develop'].map((name) => read(`docs/${name}.md`)).join('\n')
  const missing = Object.keys(scripts).filter((name) => !new RegExp(`npm (run |)${name}\\b(?!:)`).test(text))
  expect(missing).toEqual([])
})

test('ARCHITECTURE.md names only files that exist', () => {
  const named = [...read('ARCHITECTURE.md').matchAll(/`([\w./-]+\/[\w.-]+\.(?:tsx?|mjs))`/g)].map(
    ([, path]) => path,
  )
  expect(named.length).toBeGreaterThan(30)
  const missing = named.filter(
    (path) => !existsSync(join(ROOT, path)) && !existsSync(join(ROOT, 'server', path)),
  )
  expect(missing).toEqual([])
})
