/** Log messages are sentences, and the messages that docs/RUNBOOK.md explains exist in the sources. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const SOURCES = globSync('{server,main}/**/*.ts', { cwd: ROOT, exclude: (name) => name === 'node_modules' })
  .map((file) => readFileSync(join(ROOT, file), 'utf8'))
  .filter((text) => /\blog\b/.test(text))

/** Collects the literals that are passed to `log.info`, `log.warn`, `log.error`, and to the vision client's `log(…)`. */
function collectMessages(text: string): string[] {
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /\blog(\.(info|warn|error))?$/.test(node.expression.getText())) {
      const literals = node.arguments.flatMap((argument) =>
        ts.isConditionalExpression(argument) ? [argument.whenTrue, argument.whenFalse] : [argument],
      )
      found.push(...literals.filter(ts.isStringLiteral).map((literal) => literal.text))
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true))
  return found
}

test('a log message is a sentence without a prefix', () => {
  const messages = SOURCES.flatMap(collectMessages)
  expect(messages.length).toBeGreaterThan(80)
  expect(messages.filter((message) => !message.includes(' ') || /^\w+: /.test(message))).toEqual([])
})

test('each message in the table of the runbook exists in the sources', () => {
  const [, section = ''] = readFileSync(join(ROOT, 'docs/RUNBOOK.md'), 'utf8').split('## Log messages')
  const named = [...section.matchAll(/^\| ([^|]+?) \| (?:info|warn|error) \|/gm)].map(
    ([, message = '']) => message,
  )
  expect(named.length).toBeGreaterThan(40)
  expect(named.filter((message) => !SOURCES.some((text) => text.includes(`'${message}'`)))).toEqual([])
})
