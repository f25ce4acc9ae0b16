/**
 * One example per message, of drawn specimen persons. Answers and events are what a real appliance has answered:
 * `npm run examples` writes example-answers.json, and a test compares it with the next run.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REQUESTS } from './example-requests.ts'

const ANSWERS = join(import.meta.dirname, 'example-answers.json')

/** Maps the name of each message (a ContractName, or the name of a webhook message) to an example. */
export const EXAMPLES: Readonly<Record<string, unknown>> = {
  ...REQUESTS,
  ...(JSON.parse(readFileSync(ANSWERS, 'utf8')) as Record<string, unknown>),
}
