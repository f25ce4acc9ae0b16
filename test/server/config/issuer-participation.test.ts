/** The file of issuers that take part in issuer verification: complete, and refused where it contradicts itself. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { loadIssuerParticipation } from '../../../server/config/issuer-participation.ts'
import { RESOURCES_DIR } from '../../../server/config/resources.ts'
import { AppError } from '../../../server/errors.ts'

const folder = mkdtempSync(join(tmpdir(), 'participation-'))
afterAll(() => rmSync(folder, { recursive: true }))

type Shipped = Readonly<Record<'australia' | 'unitedStates', Readonly<Record<string, readonly string[]>>>>
const shipped = JSON.parse(readFileSync(join(RESOURCES_DIR, 'issuer-participation.json'), 'utf8')) as Shipped

function listRefused(change: object): readonly (string | undefined)[] {
  const file = join(folder, 'changed.json')
  writeFileSync(file, JSON.stringify({ ...shipped, ...change }))
  try {
    loadIssuerParticipation(file)
  } catch (error) {
    if (error instanceof AppError) return error.problems.map(({ field, message }) => `${field} ${message}`)
    throw error
  }
  return []
}

test('the shipped file names every state and territory of the USA once, and all states of Australia', () => {
  const { australia, unitedStates } = loadIssuerParticipation()
  expect(unitedStates.answering).toHaveLength(43)
  expect(australia.licenceCardNumber).toHaveLength(8)
})

test('a file that forgets a state, lists one twice or restricts one that does not answer is refused', () => {
  const { unitedStates } = shipped
  const refused = (change: object) => listRefused({ unitedStates: { ...unitedStates, ...change } }).join('\n')
  expect(refused({ answering: unitedStates.answering.slice(1) })).toContain('AL must be one state')
  expect(refused({ notAnswering: [...unitedStates.notAnswering, 'AL'] })).toContain('AL must be one state')
  expect(refused({ answering: [...unitedStates.answering, 'QQ'] })).toContain('QQ must be one state')
  expect(refused({ governmentOnly: ['NY'] })).toContain('governmentOnly NY does not answer')
})
