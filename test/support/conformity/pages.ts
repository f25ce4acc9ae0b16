/** Writes the conformity statement as pages: pure text of table, tags and results. */
import { findResult, type Results } from './results.ts'
import { type Clause, getTagName, STATES, type Standard } from './table.ts'
import type { TaggedTest } from './tags.ts'

/** Both places of the pages are two folders deep, so that links into the repository are the same. */
const UP = '../..'

const NOTE = `<!-- Written by \`npm run conformity\` from the JSON files beside it and the tags on tests: do not edit. -->`

interface Statement {
  readonly standards: readonly Standard[]
  readonly tests: readonly TaggedTest[]
  /** null: the pages name no results. */
  readonly results: Results | null
}

/** Sentences that the build refuses to pass over. */
export function findProblems({ standards, tests }: Pick<Statement, 'standards' | 'tests'>): string[] {
  const tagged = new Set(tests.map(({ clause }) => clause))
  const clauses = standards.flatMap((standard) =>
    standard.clauses.map((clause) => ({ name: getTagName(standard, clause), state: clause.state })),
  )
  const known = new Set(clauses.map(({ name }) => name))
  return [
    ...clauses
      .filter(({ name, state }) => state.startsWith('met') && !tagged.has(name))
      .map(({ name, state }) => `${name} claims "${state}", but no test has its tag`),
    ...tests
      .filter(({ clause }) => !known.has(clause))
      .map(({ clause, file, names }) => `${file}: "${names.join(' > ')}" names the unknown clause ${clause}`),
  ]
}

/** Name of the page → its text. */
export function renderPages(statement: Statement): Map<string, string> {
  return new Map([
    ['README.md', renderOverview(statement)],
    ...statement.standards.map(
      (standard) => [`${standard.page}.md`, renderStandard(standard, statement)] as const,
    ),
  ])
}

const HOW = `Each page lists clauses of one standard: the requirement in our own words, what the product does, the tests that show it, and what
an operator must do. The statement is ours. No laboratory, auditor or authority has confirmed it, and a clause that is not listed is not
claimed.

| state | meaning |
|---|---|
| met | the product alone does it, and at least one test shows it |
| met with an operator’s act | the product does its part, which a test shows; the page names the act that remains |
| partly | the product does a part of it; the page names what is missing |
| not met | the product does not do it |
| not applicable | the page names the reason |

A test shows a clause by a comment above it, and \`test/conformity.test.ts\` fails if a clause that claims to be met has no test, if a
tag names an unknown clause, or if these pages are not those that the command writes:

\`\`\`ts
// @clause NIST-63A-4/3.8-codes
test('keeps its leading zeros', () => {
\`\`\`

\`npm run conformity\` writes these pages from the tags and from the JSON file beside each page. It also writes them to
\`out/conformity/\` with the last result of each test on that machine, its day and its commit. Run \`npm test\` before it; a test
without a result is listed as "not run here".`

function renderOverview({ standards, tests, results }: Statement): string {
  const rows = standards.map((standard) => {
    const counts = STATES.map((state) => standard.clauses.filter((clause) => clause.state === state).length)
    const shown = tests.filter(({ clause }) => clause.startsWith(`${standard.id}/`)).length
    return `| [${standard.title}](${standard.page}.md) | ${counts.join(' | ')} | ${shown} |`
  })
  return page([
    '# Conformity statement',
    HOW,
    '## Overview',
    [
      `| standard | ${STATES.join(' | ')} | tests |`,
      `|---|${'---|'.repeat(STATES.length + 1)}`,
      ...rows,
    ].join('\n'),
    ...(results === null ? [] : [countResults(tests, results)]),
  ])
}

/** One sentence, also for the end of a run. */
export function countResults(tests: readonly TaggedTest[], results: Results): string {
  const states = tests.map((test) => findResult(test, results)?.state ?? 'not run here')
  const count = (state: string) => states.filter((one) => one === state).length
  return `Tests of this statement on this machine: ${count('passed')} passed, ${count('failed')} failed, ${count('not run here')} not run here.`
}

function renderStandard(standard: Standard, { tests, results }: Statement): string {
  return page([
    `# ${standard.title}`,
    `[All standards](README.md). Edition: ${standard.edition}. ${link(standard.scope)}`,
    `**Source.** ${link(standard.source)}`,
    [
      '| clause | state |',
      '|---|---|',
      ...standard.clauses.map((clause) => `| ${heading(clause)} | ${clause.state} |`),
    ].join('\n'),
    ...standard.clauses.map((clause) => {
      const name = getTagName(standard, clause)
      return renderClause(
        clause,
        tests.filter((test) => test.clause === name),
        results,
      )
    }),
  ])
}

const heading = ({ number, topic }: Clause): string => (number === null ? topic : `${number}: ${topic}`)

function renderClause(clause: Clause, tests: readonly TaggedTest[], results: Results | null): string {
  return [
    `## ${heading(clause)}`,
    `**${clause.state}** · ${link(clause.requirement)}`,
    clause.state === 'not applicable'
      ? `**Reason.** ${link(clause.product)}`
      : `**Product.** ${link(clause.product)}`,
    ...(clause.operator === undefined ? [] : [`**Operator.** ${link(clause.operator)}`]),
    ...(tests.length === 0 ? [] : [tests.map((test) => renderTest(test, results)).join('\n')]),
  ].join('\n\n')
}

function renderTest(test: TaggedTest, results: Results | null): string {
  const line = `- ${test.names.join(' › ').replaceAll(/[<>|]/g, '\\$&')} ([test](${UP}/${test.file}))`
  if (results === null) return line
  const result = findResult(test, results)
  return `${line}: ${result === null ? 'not run here' : `${result.state} on ${result.on} at ${result.commit ?? 'no commit'}`}`
}

const link = (text: string): string => text.replaceAll('](/', `](${UP}/`)

const page = (parts: readonly string[]): string => `${[NOTE, ...parts].join('\n\n')}\n`
