/** Each connector states what it verifies, when it may be called and what leaves the machine, in words that the product knows. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { pipelineChecks } from '../../../server/config/resources.ts'
import { MANIFESTS } from '../../../server/connectors/manifests.ts'
import { isKnownCheck, UNCOUNTED_CHECKS } from '../../../server/proofing/assurance/known-checks.ts'
import { VALUE_NAMES } from '../../../server/proofing/disclosure.ts'
import { RESULT_CODES } from '../../../server/proofing/error-codes.ts'
import { CONSENT_TYPES, EVIDENCE_TYPES } from '../../../server/proofing/types.ts'

const SERVER = join(import.meta.dirname, '../../../server')
const FOLDERS = readdirSync(join(SERVER, 'connectors'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'service')
  .map(({ name }) => name)

test('every folder of a connector has a manifest and a README, and is in the list', () => {
  expect(Object.keys(MANIFESTS).toSorted()).toEqual(FOLDERS.toSorted())
  const files = FOLDERS.flatMap((name) => ['manifest.ts', 'README.md'].map((file) => `${name}/${file}`))
  expect(files.filter((file) => !existsSync(join(SERVER, 'connectors', file)))).toEqual([
    'engines/README.md', // its protocol is in server/vision/engines
  ])
})

describe.each(Object.entries(MANIFESTS))('the manifest of %s', (id, manifest) => {
  test('bears the name of its folder and a section that the configuration describes', () => {
    expect(manifest.id).toBe(id)
    expect(readFileSync(join(SERVER, 'config/README.md'), 'utf8')).toContain(`| \`${manifest.section}\` |`)
  })

  test('uses words of the product alone, each once', () => {
    const checks = pipelineChecks()
    expect(
      manifest.checks.filter((check) => !isKnownCheck(check, checks) && !UNCOUNTED_CHECKS.includes(check)),
    ).toEqual([])
    const lists: readonly (readonly [readonly string[], readonly string[]])[] = [
      [manifest.checks, manifest.checks],
      [manifest.codes, RESULT_CODES],
      [manifest.consents, CONSENT_TYPES],
      [manifest.evidenceTypes, EVIDENCE_TYPES],
      [manifest.discloses, VALUE_NAMES],
    ]
    for (const [used, known] of lists) {
      expect(used.filter((word) => !known.includes(word))).toEqual([])
      expect(new Set(used).size).toBe(used.length)
    }
  })
})

test('the kiosk has words in every language for each value that a source may receive by a consent', () => {
  const folder = join(SERVER, '../renderer/locales')
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    const { kiosk } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
      kiosk: Record<string, string>
    }
    const values = [MANIFESTS.issuer, MANIFESTS.operator, MANIFESTS.bureau].flatMap(
      ({ discloses }) => discloses,
    )
    const missing = values.filter((name) => !kiosk[`consent.value.${name}`])
    expect(missing, file).toEqual([])
  }
})

test('every value name is disclosed by a connector', () => {
  const used = Object.values(MANIFESTS).flatMap(({ discloses }) => discloses)
  expect(VALUE_NAMES.filter((name) => !used.includes(name))).toEqual([])
})
