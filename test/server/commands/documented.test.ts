/** Commands that our pages print can be typed as they stand: the action and every option are in the command's own help. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { main } from '../../../server/cli.ts'
import { collectOutput } from '../../support/output.ts'

const ROOT = join(import.meta.dirname, '../../..')
/** Those that stand in a page of the counter, too. */
const PAGES = ['*.md', 'renderer/*.tsx', 'renderer/*.ts']
const COMMANDS = [
  'audit',
  'backup',
  'brands',
  'cameras',
  'central',
  'chip',
  'conformance',
  'demo',
  'doctor',
  'document-register',
  'evaluate',
  'inspection',
  'journeys',
  'keys',
  'kek',
  'kiosk',
  'models',
  'policy',
  'readers',
  'retention',
  'signing-keys',
  'simulator',
  'specimen',
  'staff',
  'sync',
  'trust',
  'verify-proof',
  'verify-receipt',
  'watchlist',
  'webhooks',
]
/** Their first word is a file. */
const WITHOUT_ACTIONS = new Set(['verify-proof', 'verify-receipt'])

interface Printed {
  readonly page: string
  readonly command: string
  readonly words: string
}

/** Every `npm run COMMAND -- …` up to the end of its line or its mark. */
function printedCommands(): readonly Printed[] {
  const pages = execFileSync('git', ['ls-files', ...PAGES], { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n')
  return pages.flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/npm run ([a-z-]+) -- ([^`<\n]+)/g)].map(
      ([, command = '', words = '']) => ({ page, command, words: words.replace(/ (#|&&|\|) .*$/, '') }),
    ),
  )
}

let output: ReturnType<typeof collectOutput>
beforeEach(() => {
  output = collectOutput()
})
afterEach(() => {
  vi.restoreAllMocks()
})

describe.each(COMMANDS)('%s', (command) => {
  test('is printed with actions and options that it has', async () => {
    expect(await main([command, '--help'])).toBe(0)
    const help = output.text
    const printed = printedCommands().filter((each) => each.command === command)
    expect(printed).not.toEqual([])
    const unknown = printed.flatMap(({ page, words }) => {
      const options = (words.match(/--[a-z][a-z-]*/g) ?? []).filter((option) => option !== '--help')
      const [first = ''] = words.split(' ')
      const actions = WITHOUT_ACTIONS.has(command) ? [] : first.split(/\\?\|/)
      const named = [...options, ...actions.map((action) => action.replace(/…$/, '')).filter(isAction)]
      return named.filter((name) => !isIn(help, name)).map((name) => `${page}: ${name}`)
    })
    expect(unknown).toEqual([])
  })
})

function isAction(word: string): boolean {
  return /^[a-z][a-z-]*$/.test(word)
}

function isIn(help: string, name: string): boolean {
  return new RegExp(`(?<![a-z-])${name}(?![a-z-])`).test(help)
}
