/**
 * Finds the tests that show a clause: a comment `// @clause STANDARD/CLAUSE` above a test or a suite, several clauses
 * separated by spaces.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { ROOT } from './table.ts'

export interface TaggedTest {
  readonly clause: string
  /** Repository path of the test file. */
  readonly file: string
  /** Names of the suites around it and its own, as the source has them: `%s` and `$name` stand for values of a table. */
  readonly names: readonly string[]
}

const TAG = /^\/\/ @clause (.+)$/

/** Throws if a tag stands above no test. */
export function findTaggedTests(): TaggedTest[] {
  return globSync('test/**/*.test.ts', { cwd: ROOT })
    .sort()
    .flatMap((file) => parseTags(file, readFileSync(join(ROOT, file), 'utf8')))
}

export function parseTags(file: string, source: string): TaggedTest[] {
  const written = source.match(/^ *\/\/ @clause .+$/gm) ?? []
  if (written.length === 0) return []
  const found: TaggedTest[] = []
  let attached = 0
  const visit = (node: ts.Node, around: readonly string[]): void => {
    const name = ts.isExpressionStatement(node) ? findTestName(node.expression) : undefined
    const names = name === undefined ? around : [...around, name]
    if (name !== undefined) {
      for (const clauses of readTags(source, node)) {
        attached++
        found.push(...clauses.map((clause) => ({ clause, file, names })))
      }
    }
    ts.forEachChild(node, (child) => visit(child, names))
  }
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true), [])
  if (attached !== written.length) throw new Error(`${file}: a @clause tag stands above no test`)
  return found
}

function readTags(source: string, node: ts.Node): string[][] {
  return (ts.getLeadingCommentRanges(source, node.getFullStart()) ?? []).flatMap(({ pos, end }) => {
    const [, clauses] = TAG.exec(source.slice(pos, end).trim()) ?? []
    return clauses === undefined ? [] : [clauses.split(/\s+/)]
  })
}

/** The name in `test('name', …)`, `describe.each(…)('name', …)` and so on; undefined for other calls. */
function findTestName(call: ts.Expression): string | undefined {
  if (!ts.isCallExpression(call)) return undefined
  let callee: ts.Expression = call.expression
  while (!ts.isIdentifier(callee)) {
    if (!ts.isCallExpression(callee) && !ts.isPropertyAccessExpression(callee)) return undefined
    callee = callee.expression
  }
  if (callee.text !== 'test' && callee.text !== 'describe') return undefined
  const [title] = call.arguments
  if (title === undefined) return undefined
  if (ts.isStringLiteralLike(title)) return title.text
  if (!ts.isTemplateExpression(title)) return undefined
  return title.head.text + title.templateSpans.map(({ literal }) => `%s${literal.text}`).join('')
}
