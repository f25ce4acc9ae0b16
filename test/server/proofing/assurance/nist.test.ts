/** NIST SP 800-63A-4: worked cases of each assurance level, and what keeps an unattended kiosk at IAL2. */
import { describe, expect, test } from 'vitest'
import type { EvidenceFacts } from '../../../../server/proofing/assurance/facts.ts'
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

const policy = policyOf('nist-800-63a')
type Case = Parameters<typeof assessed>[1]
const at = (given: Case) => levelOf('nist-800-63a', given)

const DEATH = ['DOCUMENT_STATUS', 'DEATH_RECORD']
const ATTENDED_FACE = [...LIVE, 'ATTENDED_CAPTURE']
const usa = { issuer: 'USA' }

/** SUPERIOR, STRONG, FAIR; each validated by its chip, or by an officer. */
const ePassport = aDocument('PASSPORT', [...CHIP])
const strongCard = (more: readonly string[]): EvidenceFacts => aDocument('IDENTITY_CARD', more, usa)
const strongLicence = (more: readonly string[]): EvidenceFacts => aDocument('DRIVING_LICENSE', more, usa)
const fairCard = (more: readonly string[]): EvidenceFacts =>
  aDocument('RESIDENT_CARD', more, { issuer: 'UTO' })

// @clause NIST-63A-4/4.2.2-evidence
describe('an unattended kiosk', () => {
  test.each<readonly [what: string, level: string, given: Case]>([
    ['SUPERIOR: IAL2', 'LOA2', { documents: [ePassport], portrait: LIVE, fraud: DEATH }],
    [
      'two STRONG: IAL2',
      'LOA2',
      { documents: [strongCard([...CHIP, ISSUER]), strongLicence([...CHIP])], portrait: LIVE, fraud: DEATH },
    ],
    [
      'FAIR and STRONG: IAL2',
      'LOA2',
      { documents: [fairCard([...CHIP]), strongCard([...CHIP, ISSUER])], portrait: LIVE, fraud: DEATH },
    ],
    [
      'an account and STRONG: IAL2',
      'LOA2',
      {
        documents: [strongCard([...CHIP, ISSUER])],
        others: [aClaim('LEVEL3')],
        portrait: LIVE,
        fraud: DEATH,
      },
    ],
    [
      'one STRONG: IAL1',
      'LOA1',
      { documents: [strongCard([...CHIP, ISSUER])], portrait: LIVE, fraud: DEATH },
    ],
    [
      'two FAIR: IAL1',
      'LOA1',
      {
        documents: [fairCard([...CHIP, ISSUER]), aDocument('VOTER_CARD', [...CHIP])],
        portrait: LIVE,
        fraud: DEATH,
      },
    ],
    [
      'a passport whose chip was not read is STRONG, and nothing shows that it is genuine: none',
      'LOA0',
      { documents: [aDocument('PASSPORT', [ISSUER])], portrait: LIVE, fraud: DEATH },
    ],
    [
      'the camera alone: none, its signals miss too many forgeries',
      'LOA0',
      { documents: [aDocument('PASSPORT')], portrait: LIVE, fraud: DEATH },
    ],
    [
      'SUPERIOR and an uploaded picture: none',
      'LOA0',
      { documents: [ePassport], portrait: [LIVE[0]], fraud: DEATH },
    ],
    ['SUPERIOR without a portrait: none', 'LOA0', { documents: [ePassport], fraud: DEATH }],
    [
      'SUPERIOR without a check of the death record: none',
      'LOA0',
      { documents: [ePassport], portrait: LIVE, fraud: ['DOCUMENT_STATUS'] },
    ],
    [
      'an expired SUPERIOR: none',
      'LOA0',
      {
        documents: [aDocument('PASSPORT', [], { passed: [...CHIP, 'VISUAL_ZONE_MATCH', ISSUER] })],
        portrait: LIVE,
        fraud: DEATH,
      },
    ],
    [
      'MRZ and print not compared: none',
      'LOA0',
      {
        documents: [aDocument('PASSPORT', [], { passed: [...CHIP, 'DOCUMENT_EXPIRY', ISSUER] })],
        portrait: LIVE,
        fraud: DEATH,
      },
    ],
    [
      'an account at a provider worth LEVEL2 is no FAIR piece',
      'LOA1',
      {
        documents: [strongCard([...CHIP, ISSUER])],
        others: [aClaim('LEVEL2')],
        portrait: LIVE,
        fraud: DEATH,
      },
    ],
  ])('%s', (_what, level, given) => {
    expect(at(given)).toBe(level)
  })

  // @clause NIST-63A-4/4.2.6-all
  test('verifies every evidence: a document whose holder was not checked does not count', () => {
    const given = {
      documents: [strongCard([...CHIP, ISSUER]), strongLicence([...CHIP])],
      portrait: LIVE,
      fraud: DEATH,
    }
    expect(at(given)).toBe('LOA2')
    const { documents, ...rest } = given
    const [card, licence] = documents
    // The same licence, and the portrait shows the holder of the card alone.
    const portrait = { ...licence, id: 'face', kind: 'PORTRAIT' as const, type: 'PORTRAIT' as const }
    const face = { ...portrait, passed: LIVE, matches: [card.id], score: 'LEVEL3' as const }
    expect(at({ documents: [card, licence], fraud: rest.fraud, others: [face] })).toBe('LOA1')
  })

  // @clause NIST-63A-4/4.3.1-attended
  test('never reaches IAL3, whatever it checks', () => {
    const all = [
      ...SEEN,
      ...CHIP,
      ISSUER,
      'NFC_PORTRAIT_MATCH',
      'TACTILE_INSPECTION',
      'CHIP_SYMBOL',
      'ADJUDICATION',
    ]
    const documents = (['PASSPORT', 'IDENTITY_CARD', 'DRIVING_LICENSE'] as const).map((type) =>
      aDocument(type, all, usa),
    )
    const portrait = [...LIVE, 'NFC_PORTRAIT_MATCH', 'GIV_PORTRAIT_MATCH', 'ADJUDICATION']
    const fraud = [
      'DOCUMENT_STATUS',
      'DOCUMENT_STATUS_ISSUER',
      'DEATH_RECORD',
      'WATCHLIST',
      'DEVICE_INTEGRITY',
    ]
    expect(at({ documents, portrait, fraud, others: [aClaim('LEVEL3')] })).toBe('LOA2')
    for (const { pieces, levelOfAssurance } of policy.profiles) {
      if (levelOfAssurance !== 'LOA3') continue
      for (const { requires } of pieces) expect(requires).toContain('ATTENDED_CAPTURE')
    }
  })
})

describe('core attributes', () => {
  const face = { portrait: LIVE, fraud: DEATH }
  // @clause NIST-63A-4/4.2.5-attributes
  test('are validated by the signature of SUPERIOR evidence, by an issuer or by a credible source', () => {
    expect(at({ ...face, documents: [ePassport] })).toBe('LOA2')
    const both = [strongCard([...CHIP]), strongLicence([...CHIP])]
    expect(at({ ...face, documents: both })).toBe('LOA0')
    const attributes = {
      ...both[0],
      id: 'attributes',
      kind: 'ATTRIBUTES' as const,
      type: 'ATTRIBUTES' as const,
    }
    const confirmed = { ...attributes, passed: ['ATTRIBUTES_SOURCE'], statesName: false }
    expect(at({ ...face, documents: both, others: [confirmed] })).toBe('LOA2')
    expect(at({ ...face, documents: both, others: [{ ...confirmed, passed: ['ATTRIBUTES_MATCH'] }] })).toBe(
      'LOA0',
    )
  })
})

describe('an attended counter', () => {
  test.each<readonly [what: string, level: string, given: Case]>([
    [
      'SUPERIOR: IAL3',
      'LOA3',
      { documents: [aDocument('PASSPORT', [...CHIP, ...COUNTER])], portrait: ATTENDED_FACE, fraud: DEATH },
    ],
    [
      'two STRONG: IAL3',
      'LOA3',
      {
        documents: [strongCard([...COUNTER, ISSUER]), strongLicence(COUNTER)],
        portrait: ATTENDED_FACE,
        fraud: DEATH,
      },
    ],
    [
      'FAIR and STRONG: IAL3',
      'LOA3',
      {
        documents: [fairCard(COUNTER), strongCard([...COUNTER, ISSUER])],
        portrait: ATTENDED_FACE,
        fraud: DEATH,
      },
    ],
    [
      'an account and STRONG: IAL2',
      'LOA2',
      {
        documents: [strongCard([...COUNTER, ISSUER])],
        others: [aClaim('LEVEL3')],
        portrait: ATTENDED_FACE,
        fraud: DEATH,
      },
    ],
    [
      'a face captured unattended: IAL2',
      'LOA2',
      { documents: [aDocument('PASSPORT', [...CHIP, ...COUNTER])], portrait: LIVE, fraud: DEATH },
    ],
    [
      'a face compared before an officer, not proven live: IAL2',
      'LOA2',
      {
        documents: [aDocument('PASSPORT', [...CHIP, ...COUNTER])],
        portrait: [LIVE[0], 'ATTENDED_CAPTURE'],
        fraud: DEATH,
      },
    ],
    [
      'a document captured unattended: IAL2',
      'LOA2',
      { documents: [ePassport], portrait: ATTENDED_FACE, fraud: DEATH },
    ],
    [
      'no biometric: none',
      'LOA0',
      { documents: [aDocument('PASSPORT', [...CHIP, ...COUNTER])], fraud: DEATH },
    ],
  ])('%s', (_what, level, given) => {
    expect(at(given)).toBe(level)
  })
})

describe('the policy', () => {
  // @clause NIST-63A-4/4.2.6-pathway
  test('names mode and pathway in every profile, and reports the one that was met', () => {
    for (const { name } of policy.profiles)
      expect(name).toMatch(/^IAL[123]-(un)?attended-.*(biometric|digital)/)
    expect(assessed('nist-800-63a', { documents: [ePassport], portrait: LIVE, fraud: DEATH }).profile).toBe(
      'IAL2-unattended-biometric-superior',
    )
  })

  // @clause NIST-63A-4/3.2.1-death NIST-63A-4/4.2.5-attributes
  test('asks at every level for a register of the deceased, and counts no knowledge that is asked for', () => {
    for (const { scales } of policy.profiles) expect(scales).toMatchObject({ deathCheck: 1, attributes: 1 })
    expect(JSON.stringify(policy)).not.toMatch(/KBV|KNOWLEDGE|ID_CLAIM_SOURCE/)
  })

  // @clause NIST-63A-4/2.4.1-strength NIST-63A-4/4.2.4-superior
  test('counts SUPERIOR evidence whose chip was not read as STRONG', () => {
    const classes = policy.marks.filter(({ mark, value }) => mark === 'class' && value === 3)
    expect(classes.length).toBeGreaterThan(0)
    for (const { requires } of classes) expect(requires).toContain(CHIP[0])
  })
})
