/** GPG 45: every profile at its exact scores, and what this appliance gives which score for. */
import { describe, expect, test } from 'vitest'
import { meetsProfile, type ScoredPiece } from '../../../../server/proofing/assurance/profiles.ts'
import { buildPiece } from '../../../../server/proofing/assurance/pieces.ts'
import type { EvidenceFacts } from '../../../../server/proofing/assurance/facts.ts'
import { EVIDENCE_TYPES } from '../../../../server/proofing/types.ts'
import {
  aClaim,
  aDocument,
  assessed,
  CHIP,
  COUNTER,
  ISSUER,
  levelOf,
  LIVE,
  policyOf,
  SEEN,
} from './shipped.ts'

/**
 * Strength and validity of each piece | activity/fraud/verification. Source: Gpg45Profile in
 * govuk-one-login/ipv-core-back, compared with the guide's own tables.
 */
const TABLE = `
LOA1 L1A 22|0/1/1 L1B 32|0/0/1 L1C 11|3/2/2 L2A 11+11|2/1/2 L2B 11+11|2/2/1 L3A 11+11+11|2/1/1
LOA2 M1A 42|0/1/2 M1B 32|1/2/2 M1C 33|0/0/3 M1D 22|2/1/3 M2A 22+22|3/2/2 M2B 32+22|1/1/2 M2C 32+22|0/1/3
LOA2 M3A 22+22+22|2/2/2
LOA3 H1A 43|0/1/3 H1B 33|2/1/3 H1C 43|0/0/4 H2A 22+22|3/2/3 H2B 42+32|0/2/3 H2C 33+22|1/1/3 H2D 33+22|0/1/3
LOA3 H2E 43+33|0/0/3 H3A 22+22+22|2/2/3
LOA4 V1A 43|0/3/3 V1B 44|0/1/3 V1C 43|1/1/4 V1D 44|0/0/4 V2A 33+33|3/2/3 V2B 43+33|0/2/3 V2C 43+22|2/2/3
LOA4 V2D 44+44|0/0/3 V3A 33+22+22|3/3/3`

interface Row {
  readonly level: string
  readonly name: string
  readonly pieces: readonly { readonly strength: number; readonly validity: number }[]
  readonly scales: Readonly<Record<'activity' | 'fraud' | 'verification', number>>
}

const ROWS: readonly Row[] = TABLE.trim()
  .split('\n')
  .flatMap((line) => {
    const [level, ...words] = line.split(' ')
    return words.flatMap((name, index): Row[] => {
      if (index % 2 === 1) return []
      const [pieces, scales] = words[index + 1].split('|')
      const [activity, fraud, verification] = scales.split('/').map(Number)
      return [
        {
          level,
          name,
          pieces: pieces
            .split('+')
            .map(([strength, validity]) => ({ strength: +strength, validity: +validity })),
          scales: { activity, fraud, verification },
        },
      ]
    })
  })

const policy = policyOf('gpg45')

/** Pieces with nothing but these marks, each of another type: documents of one type would be one piece. */
function piecesWith(marks: Row['pieces']): readonly ScoredPiece[] {
  return marks.map((own, index) => ({
    id: `p${index}`,
    kind: 'ID_DOCUMENT',
    type: EVIDENCE_TYPES[index],
    strength: 'LEVEL0',
    score: 'LEVEL0',
    marks: { ...own },
    passed: [],
  }))
}

const profileOf = (name: string) => {
  const found = policy.profiles.find((profile) => profile.name === name)
  if (!found) throw new TypeError(`no profile ${name}`)
  return found
}
const isMet = ({ name, pieces, scales }: Row): boolean =>
  meetsProfile(profileOf(name), piecesWith(pieces), scales)

/** The row with one score less by one, for every score above 0. */
function missedByOne(row: Row): readonly Row[] {
  const { pieces, scales } = row
  const lessOfPiece = pieces.flatMap((piece, index) =>
    (['strength', 'validity'] as const).map((mark) => ({
      ...row,
      pieces: pieces.with(index, { ...piece, [mark]: piece[mark] - 1 }),
    })),
  )
  const lessOfScale = (['activity', 'fraud', 'verification'] as const)
    .filter((scale) => scales[scale] > 0)
    .map((scale) => ({ ...row, scales: { ...scales, [scale]: scales[scale] - 1 } }))
  const onePieceLess = { ...row, pieces: pieces.slice(1) }
  return [...lessOfPiece, ...lessOfScale, onePieceLess]
}

describe('the profiles', () => {
  test('are the 32 of the guide, at its levels', () => {
    expect(ROWS).toHaveLength(32)
    expect(policy.profiles.map(({ name, levelOfAssurance }) => [levelOfAssurance, name])).toEqual(
      ROWS.map(({ level, name }) => [level, name]),
    )
  })

  describe.each(ROWS)('$level $name', (row) => {
    // @clause GPG-45/profiles
    test('is met exactly at its scores', () => {
      expect(isMet(row)).toBe(true)
    })

    // @clause GPG-45/profiles
    test('is missed by one less in any single score', () => {
      const less = missedByOne(row)
      expect(less.length).toBeGreaterThan(3)
      expect(less.filter(isMet)).toEqual([])
    })

    test('is met with more of everything, and by pieces in any order', () => {
      const more = row.pieces.map(({ strength, validity }) => ({
        strength: strength + 1,
        validity: validity + 1,
      }))
      const scales = { activity: 4, fraud: 4, verification: 4 }
      expect(isMet({ ...row, pieces: more, scales })).toBe(true)
      expect(isMet({ ...row, pieces: row.pieces.toReversed() })).toBe(true)
    })

    test('is not met by strength of one piece and validity of another', () => {
      const { strength, validity } = row.pieces[0]
      const split = [
        { strength, validity: 0 },
        { strength: 0, validity },
        ...row.pieces.slice(1).map(() => ({ strength: 0, validity: 0 })),
      ]
      expect(isMet({ ...row, pieces: split })).toBe(false)
    })
  })

  // @clause GPG-45/once
  test('count two documents of one type once', () => {
    const [first] = piecesWith([{ strength: 4, validity: 4 }])
    const twice = [first, { ...first, id: 'again' }]
    const scales = { activity: 0, fraud: 0, verification: 3 }
    expect(meetsProfile(profileOf('V2D'), twice, scales)).toBe(false)
  })
})

const marksOf = (evidence: EvidenceFacts, about: readonly string[] = []): readonly number[] => {
  const { marks } = buildPiece(policy, evidence, about)
  return [marks.strength ?? 0, marks.validity ?? 0]
}

// @clause GPG-45/strength GPG-45/validity
describe('strength and validity of one piece, beside what One Login gives', () => {
  test.each<
    readonly [what: string, piece: EvidenceFacts, about: readonly string[], scores: readonly number[]]
  >([
    [
      'a passport whose chip was read and that no register has: 43',
      aDocument('PASSPORT', [...CHIP]),
      ['DOCUMENT_STATUS'],
      [4, 3],
    ],
    ['a passport whose chip was read, no register asked: 42', aDocument('PASSPORT', [...CHIP]), [], [4, 2]],
    [
      'chip and issuer, no register has it: 44',
      aDocument('PASSPORT', [...CHIP, ISSUER]),
      ['DOCUMENT_STATUS'],
      [4, 4],
    ],
    [
      'a British residence permit with its chip: 43',
      aDocument('RESIDENT_CARD', [...CHIP]),
      ['DOCUMENT_STATUS'],
      [4, 3],
    ],
    [
      'a British residence permit with its chip, no register asked: 42',
      aDocument('RESIDENT_CARD', [...CHIP]),
      [],
      [4, 2],
    ],
    ['a passport at the counter, its chip symbol seen: 42', aDocument('PASSPORT', COUNTER), [], [4, 2]],
    [
      'a passport at the counter without chip symbol: 32',
      aDocument('PASSPORT', COUNTER.slice(0, 2)),
      [],
      [3, 2],
    ],
    ['a British licence at the counter: 32', aDocument('DRIVING_LICENSE', COUNTER), [], [3, 2]],
    ['a British licence that its issuer confirms: 32', aDocument('DRIVING_LICENSE', [ISSUER]), [], [3, 2]],
    [
      'its text alone, confirmed by the issuer: 32',
      aDocument('DRIVING_LICENSE', [], { passed: [ISSUER, 'DOCUMENT_EXPIRY'] }),
      [],
      [3, 2],
    ],
    ['a bank account whose provider is worth LEVEL3: 32', aClaim('LEVEL3'), [], [3, 2]],
    ['a provider worth LEVEL2: 22', aClaim('LEVEL2'), [], [2, 2]],
    ['a provider worth LEVEL1: nothing', aClaim('LEVEL1'), [], [0, 0]],
    [
      'a passport seen by the camera alone: 31, less than One Login’s app gives',
      aDocument('PASSPORT'),
      [],
      [3, 1],
    ],
    [
      'an expired passport at the counter: validity 0',
      aDocument('PASSPORT', [], { passed: COUNTER }),
      [],
      [4, 0],
    ],
    [
      'an expired passport with its chip: validity 0',
      aDocument('PASSPORT', [], { passed: ['DOCUMENT_READING', ...CHIP] }),
      ['DOCUMENT_STATUS'],
      [4, 0],
    ],
    [
      'optical signals against it: validity 0',
      aDocument('PASSPORT', [], { passed: SEEN.filter((check) => check !== 'DOCUMENT_AUTHENTICITY') }),
      [],
      [3, 0],
    ],
    [
      'a licence of a state that the guide does not name: strength 2',
      aDocument('DRIVING_LICENSE', [ISSUER], { issuer: 'USA' }),
      [],
      [2, 2],
    ],
    [
      'a licence of an unknown issuer: strength 2',
      aDocument('DRIVING_LICENSE', [ISSUER], { issuer: undefined }),
      [],
      [2, 2],
    ],
    [
      'an identity card of a member state: strength 3',
      aDocument('IDENTITY_CARD', [], { issuer: 'DEU' }),
      [],
      [3, 1],
    ],
    [
      'an identity card of a member state with its chip: strength 4',
      aDocument('IDENTITY_CARD', [...CHIP], { issuer: 'DEU' }),
      [],
      [4, 2],
    ],
    ['a tax card: strength 1', aDocument('TAX_CARD'), [], [1, 1]],
  ])('%s', (_what, piece, about, scores) => {
    expect(marksOf(piece, about)).toEqual(scores)
  })
})

describe('activity, fraud and verification', () => {
  const scalesOf = (...given: Parameters<typeof assessed>) => assessed(...given).scales

  // @clause GPG-45/activity
  test('activity 1 is a record of 180 days whose date the issuer confirms', () => {
    const activity = (more: readonly string[], heldForDays: number | null) =>
      scalesOf('gpg45', { documents: [aDocument('DRIVING_LICENSE', more, { heldForDays })] }).activity
    expect(activity([ISSUER], 180)).toBe(1)
    expect(activity([ISSUER], 179)).toBe(0)
    expect(activity([ISSUER], null)).toBe(0)
    expect(activity([], 9_000)).toBe(0)
    // No interaction over time is looked at: two is never given.
    expect(activity([ISSUER], 9_000)).toBe(1)
  })

  test('fraud 1 needs a register that knows the deceased', () => {
    const fraud = (passed: readonly string[]) =>
      scalesOf('gpg45', { documents: [aDocument('PASSPORT')], fraud: passed }).fraud
    expect(fraud(['DOCUMENT_STATUS', 'DEATH_RECORD'])).toBe(1)
    expect(fraud(['DOCUMENT_STATUS'])).toBe(0)
    expect(fraud(['DOCUMENT_STATUS', 'DOCUMENT_STATUS_ISSUER', 'WATCHLIST', 'DUPLICATE_DOCUMENT'])).toBe(0)
    expect(
      fraud(['DOCUMENT_STATUS', 'DEATH_RECORD', 'DOCUMENT_STATUS_ISSUER', 'WATCHLIST', 'VELOCITY']),
    ).toBe(1)
  })

  // @clause GPG-45/fraud
  test('fraud 2 needs a register of known fraud and the watchlists beside that', () => {
    const fraud = (...passed: readonly string[]) =>
      scalesOf('gpg45', { documents: [aDocument('PASSPORT')], fraud: passed }).fraud
    const all = ['DOCUMENT_STATUS', 'DEATH_RECORD', 'KNOWN_FRAUD', 'WATCHLIST']
    expect(fraud(...all)).toBe(2)
    for (const one of all) expect(fraud(...all.filter((name) => name !== one))).toBeLessThan(2)
  })

  // @clause GPG-45/verification
  test.each<
    readonly [what: string, document: readonly string[], portrait: readonly string[], verification: number]
  >([
    ['a live face and the chip’s portrait: 3', [...CHIP], [...LIVE, 'NFC_PORTRAIT_MATCH'], 3],
    ['a live face and the issuer’s portrait: 3', [ISSUER], [...LIVE, 'GIV_PORTRAIT_MATCH'], 3],
    ['a face at the counter and a document inspected there: 3', COUNTER, [LIVE[0], 'ATTENDED_CAPTURE'], 3],
    ['a live face and a document inspected at the counter: 3', COUNTER, LIVE, 3],
    ['a live face and a printed portrait, data confirmed by the issuer: 2', [ISSUER], LIVE, 2],
    ['a live face and a printed portrait: 2', [], LIVE, 2],
    [
      'a live face, the chip’s portrait and no signature of the chip: 2',
      [],
      [...LIVE, 'NFC_PORTRAIT_MATCH'],
      2,
    ],
    ['an uploaded picture that matches the chip: 0', [...CHIP], [LIVE[0], 'NFC_PORTRAIT_MATCH'], 0],
    ['an uploaded picture: 0', [], [LIVE[0]], 0],
  ])('verification: %s', (_what, document, portrait, verification) => {
    const documents = [aDocument('PASSPORT', document)]
    expect(scalesOf('gpg45', { documents, portrait }).verification).toBe(verification)
  })
})

describe('profiles of whole identities', () => {
  const CLEAR = ['DOCUMENT_STATUS', 'DEATH_RECORD']
  const CHIP_FACE = [...LIVE, 'NFC_PORTRAIT_MATCH']

  test.each<readonly [profile: string | null, level: string, given: Parameters<typeof assessed>[1]]>([
    [
      'V1B',
      'LOA4',
      { documents: [aDocument('PASSPORT', [...CHIP, ISSUER])], portrait: CHIP_FACE, fraud: CLEAR },
    ],
    ['H1A', 'LOA3', { documents: [aDocument('PASSPORT', [...CHIP])], portrait: CHIP_FACE, fraud: CLEAR }],
    [
      'M1C',
      'LOA2',
      { documents: [aDocument('PASSPORT', [...CHIP])], portrait: CHIP_FACE, fraud: ['DOCUMENT_STATUS'] },
    ],
    ['M1A', 'LOA2', { documents: [aDocument('PASSPORT', COUNTER)], portrait: LIVE, fraud: CLEAR }],
    [
      'M1B',
      'LOA2',
      {
        documents: [aDocument('PASSPORT', [ISSUER], { heldForDays: 180 })],
        portrait: LIVE,
        fraud: [...CLEAR, 'KNOWN_FRAUD', 'WATCHLIST'],
      },
    ],
    ['L1B', 'LOA1', { documents: [aDocument('DRIVING_LICENSE', [ISSUER])], portrait: LIVE }],
    [
      'M2C',
      'LOA2',
      {
        documents: [aDocument('DRIVING_LICENSE', COUNTER)],
        portrait: LIVE,
        others: [aClaim('LEVEL2')],
        fraud: CLEAR,
      },
    ],
    [null, 'LOA0', { documents: [aDocument('PASSPORT')], portrait: LIVE, fraud: CLEAR }],
    [null, 'LOA0', { documents: [aDocument('PASSPORT', [...CHIP, ISSUER])], fraud: ['DOCUMENT_STATUS'] }],
  ])('%s at %s', (profile, level, given) => {
    expect(assessed('gpg45', given)).toMatchObject({ profile, levelOfAssurance: level })
  })

  test('what a person accepted by its pictures has no validity', () => {
    const passed = ['ADJUDICATION', 'DOCUMENT_READING', 'DOCUMENT_EXPIRY']
    expect(marksOf(aDocument('PASSPORT', [], { passed }))).toEqual([3, 0])
    const documents = [aDocument('PASSPORT', [], { passed })]
    expect(levelOf('gpg45', { documents, portrait: LIVE, fraud: CLEAR })).toBe('LOA0')
  })
})
