/** Links of the documents exist, and each command that they print is one of this package. */
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
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

test('ARCHITECTURE.md has a row for every folder of the repository and every part of the server', () => {
  const parts = readdirSync(join(ROOT, 'server'), { withFileTypes: true }).map((part) =>
    part.isDirectory() ? `${part.name}/` : part.name,
  )
  const rules = readdirSync(join(ROOT, 'server/proofing'), { withFileTypes: true })
    .filter((part) => part.isDirectory())
    .map(({ name }) => `${name}/`)
  const folders = execFileSync('git', ['ls-tree', '-d', '--name-only', 'HEAD'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .trim()
    .split('\n')
    .map((name) => `${name}/`)
  const rows =
    read('ARCHITECTURE.md')
      .match(/^\|.*$/gm)
      ?.join('\n') ?? ''
  const missing = [...parts, ...rules, ...folders].filter((name) => !rows.includes(`\`${name}`))
  expect(missing).toEqual([])
})

test('no source and no page cites a document that is not in the repository, or the number of an issue', () => {
  const foreign = /\b(ux|domain-data|domain-rules|style-guide|plain-english)\.md\b|\(ux ["§\d]|\(issue \d/
  const files = globSync(
    '{client,conformance,docs,main,models,renderer,resources,server,test}/**/*.{ts,tsx,css,json,md}',
    {
      cwd: ROOT,
      exclude: (name) => OTHERS.has(basename(name)),
    },
  )
  expect(files.length).toBeGreaterThan(1000)
  expect(files.filter((file) => file !== 'test/docs.test.ts' && foreign.test(read(file)))).toEqual([])
})
