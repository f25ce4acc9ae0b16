/** Refusals at boot: each rule broken once, in the otherwise unchanged shipped policy. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { loadPolicies, parsePolicies } from '../../../server/config/policies.ts'
import { RESOURCES_DIR } from '../../../server/config/resources.ts'
import type { AppError } from '../../../server/errors.ts'
import type { Policy } from '../../../server/proofing/assurance/policy.ts'

const shipped = JSON.parse(readFileSync(join(RESOURCES_DIR, 'policies', 'default.json'), 'utf8')) as Policy

/** Fields and codes of the problems, without the name of the policy. */
function problemsOf(change: object): readonly string[] {
  const { policies, problems } = parsePolicies({ default: { ...shipped, ...change } })
  expect(policies.size === 0).toBe(problems.length > 0)
  return problems.map(({ field, code }) => `${field?.replace('policies/default:', '')} ${code}`)
}

const [lowest] = shipped.profiles

test('what is shipped has no problem', () => {
  expect(problemsOf({})).toEqual([])
})

describe('a policy is refused', () => {
  test.each<readonly [what: string, change: object, problem: string]>([
    [
      'whose levels do not ascend',
      { levels: [shipped.levels[0], shipped.levels[2], shipped.levels[1], ...shipped.levels.slice(3)] },
      'levels.2 not_ascending',
    ],
    [
      'with a level that no profile reaches',
      { levels: [...shipped.levels, { levelOfAssurance: 'LOA5', label: 'too high' }] },
      'levels.5 no_profile',
    ],
    [
      'with a profile of a level that it does not have',
      { profiles: [...shipped.profiles, { ...lowest, name: 'odd', levelOfAssurance: 'LOA7' }] },
      'profiles.7.levelOfAssurance unknown_level',
    ],
    [
      'with a profile for the lowest level, which needs no evidence',
      { profiles: [...shipped.profiles, { ...lowest, name: 'odd', levelOfAssurance: 'LOA0' }] },
      'profiles.7.levelOfAssurance lowest_level',
    ],
    [
      'with two profiles of one name',
      { profiles: [...shipped.profiles, lowest] },
      'profiles.7.name listed_twice',
    ],
    [
      'that asks for a mark which no rule gives',
      {
        profiles: [
          ...shipped.profiles,
          { name: 'odd', levelOfAssurance: 'LOA1', pieces: [{ evidence: 'ID_DOCUMENT', marks: { odd: 1 } }] },
        ],
      },
      'profiles.7.pieces.0.marks.odd unknown_mark',
    ],
    [
      'that asks a portrait for a mark which only documents are given',
      {
        profiles: [
          ...shipped.profiles,
          {
            name: 'odd',
            levelOfAssurance: 'LOA1',
            pieces: [{ evidence: 'PORTRAIT', marks: { confirmed: 1 } }],
          },
        ],
      },
      'profiles.7.pieces.0.marks.confirmed unknown_mark',
    ],
    [
      'that asks for a scale which no rule gives',
      { profiles: [...shipped.profiles, { ...lowest, name: 'odd', scales: { odd: 1 } }] },
      'profiles.7.scales.odd unknown_scale',
    ],
    [
      'that asks for a check which does not exist',
      { marks: [...shipped.marks, { mark: 'odd', value: 1, evidence: 'ID_DOCUMENT', requires: ['ODD'] }] },
      'marks.5.requires.0 unknown_check',
    ],
    [
      'that scores a document by its holder, who is not known then',
      {
        documentScore: [
          ...shipped.documentScore,
          { name: 'odd', score: 'LEVEL1', requires: ['HOLDER_MATCH'] },
        ],
      },
      'documentScore.12.requires.0 never_passed',
    ],
    [
      'that asks a portrait for its holder',
      {
        marks: [...shipped.marks, { mark: 'odd', value: 1, evidence: 'PORTRAIT', requires: ['HOLDER_LIVE'] }],
      },
      'marks.5.requires.0 never_passed',
    ],
    [
      'that asks fraud checks for what only evidence passes',
      { scales: [{ scale: 'fraud', value: 2, evidence: 'ANTIFRAUD', requires: ['MRZ_READING'] }] },
      'scales.0.requires.0 never_passed',
    ],
    [
      'that asks fraud checks for an age',
      { scales: [{ scale: 'fraud', value: 2, evidence: 'ANTIFRAUD', heldForDays: 2 }] },
      'scales.0 without_meaning',
    ],
    [
      'with a cap at a level that it does not have',
      { caps: { ...shipped.caps, CLOCK_UNVERIFIED: 'LOA9' } },
      'caps.CLOCK_UNVERIFIED unknown_level',
    ],
    [
      'with a cap for an indicator that nothing leaves',
      { caps: { ...shipped.caps, CLOK_UNVERIFIED: 'LOA1' } },
      'caps.CLOK_UNVERIFIED unknown_indicator',
    ],
    [
      'that gives what a person accepted more than a person’s word is worth',
      { adjudication: { ...shipped.adjudication, documentScore: 'LEVEL1' } },
      'adjudication.documentScore contradiction',
    ],
    [
      'that takes a person’s word and has no rule for it',
      { documentScore: shipped.documentScore.filter(({ name }) => name !== 'adjudicated') },
      'documentScore no_rule',
    ],
    [
      'with more submissions than can be tried out',
      {
        submissions: Array.from({ length: 15 }, (_, index) => ({
          ...shipped.submissions[0],
          name: `s${index}`,
        })),
      },
      'submissions over_the_most',
    ],
    ['with an unknown member', { odd: true }, ' unrecognized_keys'],
  ])('%s', (_what, change, problem) => {
    expect(problemsOf(change)).toEqual([problem])
  })

  test('that says nothing of a fault of the appliance, each by name', () => {
    const left = Object.entries(shipped.caps).filter(([name]) => !/^(CLOCK|TAMPER_EVIDENCE)_/.test(name))
    const caps = Object.fromEntries(left)
    const { problems } = parsePolicies({ default: { ...shipped, caps } })
    expect(problems.map(({ code }) => code)).toEqual(['missing_cap', 'missing_cap'])
    expect(problems[0].message).toContain('CLOCK_UNVERIFIED')
    expect(problems[1].message).toContain('TAMPER_EVIDENCE_UNVERIFIED')
  })

  test('with all its problems at once', () => {
    const caps = { ...shipped.caps, CLOK_UNVERIFIED: 'LOA9' }
    expect(problemsOf({ caps, profiles: [...shipped.profiles, lowest] })).toHaveLength(3)
  })
})

test('a policy of an archive may name what does not exist here, and still has to fit itself', () => {
  const caps = { FLOOD_UNVERIFIED: 'LOA1' }
  const documentScore = [...shipped.documentScore, { name: 'odd', score: 'LEVEL1', requires: ['ODD'] }]
  const archived = { ...shipped, caps, documentScore }
  expect(parsePolicies({ default: archived }).problems).not.toEqual([])
  expect(parsePolicies({ default: archived }, null).problems).toEqual([])
  expect(
    parsePolicies({ default: { ...archived, caps: { ODD_FAILED: 'LOA9' } } }, null).problems,
  ).toHaveLength(1)
})

describe('files', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'policies-'))
  })
  afterEach(() => {
    rmSync(folder, { recursive: true })
  })
  const problemsOfFiles = (files: Readonly<Record<string, object>>): unknown => {
    for (const [name, value] of Object.entries(files))
      writeFileSync(join(folder, name), JSON.stringify(value))
    try {
      return [...loadPolicies(folder).keys()]
    } catch (error) {
      return (error as AppError).problems.map(({ field }) => field)
    }
  }

  test('that are one policy twice are refused, and what is no JSON file is passed over', () => {
    writeFileSync(join(folder, 'README.md'), 'words')
    expect(problemsOfFiles({ 'a.json': shipped })).toEqual(['default'])
    expect(problemsOfFiles({ 'a.json': shipped, 'b.json': shipped })).toEqual(['policies/b.json:id'])
  })

  test('with problems are all named, not only the first', () => {
    const caps = { ...shipped.caps, CLOCK_UNVERIFIED: 'LOA9' }
    const broken = { ...shipped, id: 'broken', caps }
    expect(problemsOfFiles({ 'a.json': broken, 'b.json': { id: 'odd' } })).toEqual(
      expect.arrayContaining(['policies/a.json:caps.CLOCK_UNVERIFIED', 'policies/b.json:version']),
    )
  })
})
