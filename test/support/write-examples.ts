/** `npm run examples`: writes the examples of the API's description from a run of a real appliance. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startExampleApp } from './example-walk.ts'

const FILE = join(import.meta.dirname, '..', '..', 'server', 'api', 'contract', 'example-answers.json')

const appliance = await startExampleApp()
try {
  const examples = Object.entries(await appliance.walk()).sort(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(examples), null, 2)}\n`)
  process.stdout.write(`${examples.length} examples are in ${FILE}\n`)
} finally {
  await appliance.close()
}
