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

const count = (text: string, pattern: RegExp): number => [...text.matchAll(pattern)].length

test.each([
  [
    'nobody, somebody, anybody: name the applicant, the officer, the caller',
    /\b(nobody|somebody|anybody)\b/gi,
    4,
  ],
  ['whoever: name who it is', /\bwhoever\b/gi, 2],
  ['anew: again', /\banew\b/gi, 1],
  ['held against: compared with', /\bheld against\b/gi, 4],
  ['goes on: continues', /\bgo(es|ing)? on\b/gi, 4],
  ['told apart: distinguished', /\btold apart\b/gi, 1],
  ['sitter: subject', /\bsitters?\b/gi, 0],
  ['the centre: the central service', /\bthe centre\b(?! of)/gi, 1],
  [
    'a comment begins with what the thing is or does, not with a preposition or a question',
    /^\s*(\/\*\*|\/\/|\*) (What|Of|By|From|Where|Whoever|Nobody|With|Without|In|On|At|Under|Beside|Below) /gm,
    189,
  ],
])('%s', (_, pattern, limit) => {
  expect(count(PROSE, pattern)).toBeLessThanOrEqual(limit)
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
