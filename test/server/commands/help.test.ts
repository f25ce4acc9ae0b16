/** Every command's help has an example that can be typed: its words and options are in the same help. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { COMMAND_NAMES, main } from '../../../server/cli.ts'
import { collectOutput } from '../../support/output.ts'

let output: ReturnType<typeof collectOutput>
beforeEach(() => {
  output = collectOutput()
})
afterEach(() => {
  vi.restoreAllMocks()
})

describe.each(COMMAND_NAMES)('the help of %s', (command) => {
  test('has an example whose action and options it explains', async () => {
    expect(await main([command, '--help'])).toBe(0)
    const example = /^Example: (.+)$/m.exec(output.text)?.[1] ?? ''
    expect(example).toMatch(/^(npm (start|run [\w:-]+)( -- .+)?|node server\/run\.mjs exec .+)$/)
    const explanation = output.text.replace(/^Example: .*$/m, '')
    const words = example.replace(/^.*? -- /, '').split(' ')
    const options = words.filter((word) => word.startsWith('--'))
    const action = /^npm run [\w:-]+ -- ([a-z][a-z-]*)(?: |$)/.exec(example)?.[1]
    const missing = [...options, ...(action === undefined ? [] : [action])].filter(
      (word) => !new RegExp(`(?<![a-z-])${word}(?![a-z-])`).test(explanation),
    )
    expect(missing).toEqual([])
  })
})

test('the list of commands separates each name from its summary', async () => {
  await main(['--help'])
  for (const name of COMMAND_NAMES) expect(output.text).toMatch(new RegExp(`^ {2}${name} {2,}\\S`, 'm'))
})

const ROOT = join(import.meta.dirname, '../../..')
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Readonly<Record<string, string>>
}
/** Scripts that are a file of the repository and no command of the table. */
const FILES = Object.entries(scripts).filter(([, script]) => /\.(ts|sh)$/.test(script))

test.each(FILES)('npm run %s -- --help prints its help and does nothing else', (name, script) => {
  const help = execFileSync('bash', ['-c', `${script} --help`], {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: 60_000,
  })
  expect(help).toMatch(new RegExp(`npm run ${name}\\b`))
  expect(help).toMatch(/^ {2}--help /m)
  expect(help).not.toContain('examples are in')
})

test('every other script of npm is a command of the table or a tool of development', () => {
  const others = Object.entries(scripts).filter(
    ([name, script]) =>
      !FILES.some(([file]) => file === name) &&
      !COMMAND_NAMES.includes(/^(?:exec )?node server\/run\.mjs ([\w-]+)$/.exec(script)?.[1] ?? ''),
  )
  expect(others.map(([name]) => name)).toEqual([
    'types',
    'lint',
    'lint:rules',
    'lint:format',
    'format',
    'test',
    'check',
  ])
})
