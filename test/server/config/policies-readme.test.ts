/** resources/policies/README.md is compared with the files beside it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadFaultRules } from '../../../server/config/degraded.ts'
import { loadPolicies } from '../../../server/config/policies.ts'
import { RESOURCES_DIR } from '../../../server/config/resources.ts'
import { TOUCHED } from '../../../server/proofing/assurance/faults.ts'

const readme = readFileSync(join(RESOURCES_DIR, 'policies', 'README.md'), 'utf8')
const policies = ['default', 'gpg45', 'nist-800-63a', 'eidas'].flatMap((id) => loadPolicies().get(id) ?? [])
const rows = readme
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  )
const named = (name: string): readonly string[] | undefined => rows.find(([first]) => first === name)

test('every fault stands in the table with its indicator, its families and its caps', () => {
  for (const { fault, indicator, families } of loadFaultRules()) {
    const touched = families.length === TOUCHED.length ? 'all' : families.join(', ')
    expect(named(fault)).toEqual([fault, indicator, touched, ...policies.map(({ caps }) => caps[indicator])])
  }
})

test('every other cap stands in the table of what was found', () => {
  const faults = loadFaultRules().map(({ indicator }) => indicator)
  const found = new Set(policies.flatMap(({ caps }) => Object.keys(caps)))
  for (const indicator of [...found].filter((name) => !faults.includes(name))) {
    expect(named(indicator)).toEqual([indicator, ...policies.map(({ caps }) => caps[indicator] ?? '–')])
  }
})

test('every policy has a part of its own', () => {
  for (const { id } of policies) expect(readme).toContain(`## \`${id}\``)
})
