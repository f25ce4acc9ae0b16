/** `npm run conformity`: writes the conformity statement from its table and from the tags on tests. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { countResults, findProblems, renderPages } from './pages.ts'
import { readResults } from './results.ts'
import { FOLDER, loadStandards, ROOT } from './table.ts'
import { findTaggedTests } from './tags.ts'

const WITH_RESULTS = 'out/conformity'

const HELP = `Writes the conformity statement from the clauses in ${FOLDER}/*.json and the tags on tests:
${FOLDER}/*.md, and with the last result of each test on this machine ${WITH_RESULTS}/*.md.
Ends with 1 if a clause claims more than the tests show.

  --help   prints this text

Example: npm test && npm run conformity
`

const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } })
if (values.help) process.stdout.write(HELP)
else writeConformity()

function writeConformity(): void {
  const statement = { standards: loadStandards(), tests: findTaggedTests() }
  write(FOLDER, renderPages({ ...statement, results: null }))
  const results = readResults()
  write(WITH_RESULTS, renderPages({ ...statement, results }))
  const clauses = statement.standards.flatMap((standard) => standard.clauses).length
  process.stdout.write(
    `${clauses} clauses and ${statement.tests.length} tags are in ${FOLDER} and, with results, in ${WITH_RESULTS}\n${countResults(statement.tests, results)}\n`,
  )
  const problems = findProblems(statement)
  for (const problem of problems) process.stderr.write(`${problem}\n`)
  if (problems.length > 0) process.exitCode = 1
}

function write(folder: string, pages: ReadonlyMap<string, string>): void {
  mkdirSync(join(ROOT, folder), { recursive: true })
  for (const [name, text] of pages) writeFileSync(join(ROOT, folder, name), text)
}
