/**
 * The words of docs/glossary.md and of plain English in comments and documents. Older text still has words that new text must
 * not have: each limit is today's count. Lower it when you rewrite; never raise it.
 */
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const SKIPPED = new Set([
  'node_modules',
  'out',
  'coverage',
  'CHANGELOG.md',
  'glossary.md',
  'plain-english.test.ts',
])
const FILES = globSync('**/*.{ts,tsx,md}', { cwd: ROOT, exclude: (name) => SKIPPED.has(basename(name)) })

/** The prose of a file: a document, or the comments of a source. */
function readProse(file: string): string {
  const text = readFileSync(join(ROOT, file), 'utf8')
  if (file.endsWith('.md')) return text
  return [...text.matchAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm)].map(([comment]) => comment).join('\n')
}

const PROSE = FILES.map(readProse).join('\n')
const readAll = (files: readonly string[]): string =>
  files.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n')

const SOURCES = FILES.filter((file) => !file.endsWith('.md'))
const SOURCE = readAll(SOURCES)
const PRODUCT = readAll(SOURCES.filter((file) => !file.startsWith('test/')))

/** The names of tests and suites, and the first words of the rows of their tables. */
const TEST_NAMES = SOURCES.filter((file) => file.startsWith('test/'))
  .flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8')
    const called = text.matchAll(/(?:\b(?:test|describe)(?:\.\w+)*|\))\(\s*(['"`])(.+?)\1(?=[,)])/g)
    const rows = text.matchAll(/^\s*\[\s*(['"`])(.+?)\1,/gm)
    return [...called, ...rows].map(([, , name]) => name)
  })
  .join('\n')

const count = (text: string, pattern: RegExp): number => [...text.matchAll(pattern)].length

test.each([
  [
    'nobody, somebody, anybody: name the applicant, the officer, the caller',
    /\b(nobody|somebody|anybody)\b/gi,
    0,
  ],
  ['whoever: name who it is', /\bwhoever\b/gi, 0],
  ['anew: again', /\banew\b/gi, 0],
  ['held against: compared with', /\bheld against\b/gi, 0],
  ['goes on: continues', /\bgo(es|ing)? on\b/gi, 0],
  ['told apart: distinguished', /\btold apart\b/gi, 0],
  ['sitter: subject', /\bsitters?\b/gi, 0],
  ['the centre: the central service', /\bthe centre\b(?! of)/gi, 0],
  [
    'a comment begins with what the thing is or does, not with a preposition or a question',
    /^\s*(\/\*\*|\/\/|\*) (What|Of|By|From|Where|Whoever|Nobody|With|Without|In|On|At|Under|Beside|Below) /gm,
    75,
  ],
])('%s', (_, pattern, limit) => {
  expect(count(PROSE, pattern)).toBeLessThanOrEqual(limit)
})

test('the names of tests say who acts, in the words of the glossary', () => {
  const found = TEST_NAMES.match(
    /^.*\b(nobody|somebody|anybody|everybody|someone|whoever|no one|anew|held against|go(es)? on|told apart|sitters?|the centre(?! of)|his|him|himself|an? zone|machine-readable zone)\b.*$/gim,
  )
  expect(found ?? []).toEqual([])
})

/** `hasCentre` is a member of the answers to the kiosk's page; `headCentre` and `computeCentre` are places in a picture. */
test('identifiers call the central service Central, not Centre', () => {
  const found = SOURCE.match(
    /\b(?!(?:hasCentre|headCentre|computeCentre)\b)(?:\w*[a-z]Centre|Centre[A-Z]\w*)\b/g,
  )
  expect(found ?? []).toEqual([])
})

test('bounds are named MAX_ and MIN_', () => {
  expect(count(SOURCE, /\b(MOST|LEAST|LONGEST)_[A-Z]/g)).toBe(0)
})

/** The three that stay build the shapes of the conformance suite, as `oneOf` of JSON Schema does. */
test('functions of the product are named verb + noun, not after what they return: nameOf', () => {
  expect(
    count(
      PRODUCT,
      /\bfunction\*? \w*[a-z]Of\b|\b\w*[a-z]Of(?: =|:) (?:async )?(?:\([^()]*\)|\w+)(?:: [^=;\n]+)? =>/g,
    ),
  ).toBeLessThanOrEqual(3)
})
