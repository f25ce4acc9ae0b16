/** `npm run examples`: writes the examples of the API's description from a run of a real appliance. */
import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { startExampleApp } from './example-walk.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const FILE = join(ROOT, 'server', 'api', 'contract', 'example-answers.json')

const HELP = `Starts an appliance in a temporary folder, calls its API, and writes the answers as the examples of the API's description:
${relative(ROOT, FILE)}

  --help   prints this text

Example: npm run examples
`

const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } })
if (values.help) process.stdout.write(HELP)
else await writeExamples()

async function writeExamples(): Promise<void> {
  const appliance = await startExampleApp()
  try {
    const examples = Object.entries(await appliance.walk()).sort(([a], [b]) => (a < b ? -1 : 1))
    writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(examples), null, 2)}\n`)
    process.stdout.write(`${examples.length} examples are in ${FILE}\n`)
  } finally {
    await appliance.close()
  }
}
