import { describe, expect, test } from 'vitest'
import { explanationWords } from '../../../server/commands/explain-words.ts'
import { loadFaultRules } from '../../../server/config/degraded.ts'
import { loadPolicies } from '../../../server/config/policies.ts'
import type { Explanation, Missing } from '../../../server/proofing/assurance/explain.ts'
import type { Policy } from '../../../server/proofing/assurance/policy.ts'

const policy = loadPolicies().get('gpg45') as Policy
const faults = loadFaultRules()

const explanation = (over: Partial<Explanation> = {}, assessment: object = {}): Explanation => ({
  policy,
  assessment: {
    levelOfAssurance: 'LOA2',
    profile: 'M1C',
    nameReferenceId: 'doc-1',
    countedIds: ['doc-1'],
    disagreements: [],
    scales: { activity: 0, verification: 3 },
    heldDownBy: [],
    ...assessment,
  },
  evidences: [
    { id: 'doc-1', type: 'PASSPORT', marks: { strength: 4, validity: 3 }, counted: true, leftOut: null },
    { id: 'doc-2', type: 'DRIVING_LICENSE', marks: {}, counted: false, leftOut: 'DISAGREES' },
  ],
  profiles: [{ name: 'M1C', levelOfAssurance: 'LOA2', met: true, pieces: ['doc-1'], missing: [] }],
  ...over,
})
const said = (of: Explanation, claimed: string | null = null): string =>
  explanationWords(of, policy, faults, claimed)

describe('an explanation says', () => {
  test('which level was reached, by which profile, and what each piece of evidence is worth', () => {
    const text = said(explanation())
    expect(text).toContain('LOA2 (medium): by the profile M1C')
    expect(text).toContain('PASSPORT doc-1 counts, strength 4, validity 3')
    expect(text).toContain('DRIVING_LICENSE doc-2 does not count: it says something else about the person')
    expect(text).toContain('activity 0, verification 3')
    expect(text).toContain('✓ LOA2 (medium) M1C is met')
  })

  test('that no profile is met, and that there is no evidence', () => {
    const none = { levelOfAssurance: 'LOA0', profile: null, scales: {} }
    expect(said(explanation({ evidences: [] }, none))).toContain(
      'LOA0 (none): no profile is met\n\nEvidence\n  none\n',
    )
  })

  test('what held the level down, in words where the table of faults has some', () => {
    const heldDownBy = ['CLOCK_UNVERIFIED', 'WATCHLIST_WARNING']
    const text = said(explanation({}, { heldDownBy }))
    expect(text).toContain('Held down by CLOCK_UNVERIFIED (LOA2 at most). The time was not known exactly')
    expect(text).toContain('Held down by WATCHLIST_WARNING (LOA1 at most).\n')
  })

  test('in which attributes evidence disagrees: their names', () => {
    const disagreements = [{ evidenceId: 'doc-2', attributes: ['dateOfBirth', 'surname'] }]
    expect(said(explanation({}, { disagreements }))).toContain(
      'doc-2 disagrees with what counts in: dateOfBirth, surname',
    )
  })

  test('that the file tells another level, and nothing where it tells the same', () => {
    expect(said(explanation(), 'LOA3')).toContain('The file itself says LOA3')
    expect(said(explanation(), 'LOA2')).not.toContain('The file itself')
  })

  test.each<readonly [Missing, string]>([
    [
      { what: 'PIECE', piece: 1, evidence: 'ANY' },
      'piece 2 (any kind of evidence): nothing that is there could be it; asked for is ANY: strength 3, validity 3',
    ],
    [
      { what: 'MARK', piece: 0, mark: 'validity', needed: 3, reached: 2 },
      'piece 1 (PASSPORT doc-1): validity is 2, 3 is needed\n',
    ],
    [
      { what: 'MARK', piece: 0, mark: 'strength', needed: 3, reached: 2 },
      '  strength 3: ID_DOCUMENT: of IDENTITY_CARD or DRIVING_LICENSE, issued by AUT ',
    ],
    [
      { what: 'SCORE', piece: 0, needed: 'LEVEL4', reached: 'LEVEL2' },
      'its score is LEVEL2, LEVEL4 is needed',
    ],
    [
      { what: 'STRENGTH', piece: 0, needed: 'LEVEL5', reached: 'LEVEL4' },
      'its strength is LEVEL4, LEVEL5 is needed',
    ],
    [
      { what: 'CHECK', piece: 0, check: 'HOLDER_LIVE' },
      'it is not shown that a portrait proven live shows the holder of the document (HOLDER_LIVE)',
    ],
    [{ what: 'CHECK', piece: 0, check: 'MRZ_FORMAT' }, 'it is not shown that MRZ_FORMAT passed'],
    [
      { what: 'SCALE', scale: 'fraud', needed: 1, reached: 0 },
      '  fraud 1: ANTIFRAUD: DOCUMENT_STATUS, DEATH_RECORD\n',
    ],
    [
      { what: 'SCALE', scale: 'fraud', needed: 2, reached: 0 },
      '  fraud 2: ANTIFRAUD: DOCUMENT_STATUS, DEATH_RECORD, KNOWN_FRAUD, WATCHLIST\n',
    ],
    [
      { what: 'SCALE', scale: 'fraud', needed: 3, reached: 0 },
      '  fraud 3: no check of this appliance gives it\n',
    ],
    [{ what: 'CAP', indicator: 'CLOCK_UNVERIFIED', maximum: 'LOA2' }, 'CLOCK_UNVERIFIED leaves LOA2 at most'],
  ])('what is missing: %j', (missing, words) => {
    const profiles = [
      { name: 'H2E', levelOfAssurance: 'LOA3', met: false, pieces: ['doc-1', null], missing: [missing] },
    ]
    const text = said(explanation({ profiles }))
    expect(text).toContain('✗ LOA3 (high) H2E, missing:')
    expect(text).toContain(words)
  })
})
