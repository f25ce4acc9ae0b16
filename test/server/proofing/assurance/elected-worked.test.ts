/** Worked cases of who states what: the reference first, and evidence that was sent without what it could have stated. */
import { describe, expect, test } from 'vitest'
import { compareStatements } from '../../../../server/proofing/assurance/agreement.ts'
import { electAttributes } from '../../../../server/proofing/assurance/elected-attributes.ts'
import type { Evidence, EvidenceContent, EvidenceFamily } from '../../../../server/proofing/evidence.ts'
import { anEvidence } from '../../../support/store.ts'

const value = (text: string) => ({ value: text, verified: false })

const evidence = (
  id: string,
  family: EvidenceFamily,
  content: EvidenceContent,
  over: Partial<Evidence> = {},
) => anEvidence('i', { id, family, status: 'VERIFIED', score: 'LEVEL2', content, ...over })
const passport = (id: string, surname: string, over: Partial<Evidence> = {}) =>
  evidence(
    id,
    'IDDOCUMENT',
    { document: { idDocumentType: 'PASSPORT', personalAttributes: { surname: value(surname) } } },
    over,
  )

function surnamesOf(reference: string | null, ...evidences: readonly Evidence[]): readonly string[] {
  const elected = electAttributes(evidences, {
    nameReferenceId: reference,
    countedIds: evidences.map(({ id }) => id),
  })
  return elected.map(({ values, evidenceId }) => `${values.join(' ')} by ${evidenceId}`)
}

describe('who an identity is', () => {
  test('says the reference, even where other evidence has the higher score', () => {
    const [low, high] = [
      passport('low', 'A', { score: 'LEVEL1' }),
      passport('high', 'B', { score: 'LEVEL4' }),
    ]
    expect(surnamesOf('low', low, high)).toEqual(['A by low'])
    expect(surnamesOf('low', high, low)).toEqual(['A by low'])
    expect(surnamesOf(null, low, high)).toEqual(['B by high'])
  })

  test('says nothing that is not verified, and nothing that was deleted', () => {
    expect(surnamesOf('a', passport('a', 'A', { status: 'INVALID' }))).toEqual([])
    expect(surnamesOf('a', passport('a', 'A', { deletedAt: new Date(0) }))).toEqual([])
  })

  test('says neither what was only written down nor a claim that came without what it claims', () => {
    const trustedClaim = { idpIdentifier: 'bank', oidcGrantType: 'CODE_FLOW' } as const
    const none = [
      evidence('written', 'ATTRIBUTES', { claim: { attributesData: { surname: value('A') } } }),
      evidence('empty', 'ID_CLAIM', {}),
      evidence('asked', 'TRUSTED_ID_CLAIM', { trustedClaim }),
      evidence('nothing', 'TRUSTED_ID_CLAIM', {}),
      evidence('blank', 'IDDOCUMENT', {}),
    ]
    expect(surnamesOf(null, ...none)).toEqual([])
    expect(surnamesOf('passport', ...none, passport('passport', 'B'))).toEqual(['B by passport'])
  })

  test('is corrected by nothing in attributes that hold none', () => {
    const empty = evidence('empty', 'ATTRIBUTES', {}, { matchedReferenceId: 'passport' })
    expect(surnamesOf('passport', passport('passport', 'A'), empty)).toEqual(['A by passport'])
  })
})

test('a claim that shared nothing, and a portrait, agree with the documents of a person with a single name', () => {
  const trustedClaim = { idpIdentifier: 'bank', oidcGrantType: 'CODE_FLOW' } as const
  const silent = evidence('silent', 'TRUSTED_ID_CLAIM', { trustedClaim })
  const nothing = { disagreements: [], unclear: [], resolvable: [] }
  expect(compareStatements(silent, passport('a', 'A'))).toEqual(nothing)
  expect(compareStatements(passport('a', 'A'), evidence('portrait', 'PORTRAIT', {}))).toEqual(nothing)
})

test('papers of a state with another script are compared with those that tell no nationality', () => {
  const document = (surname: string, issuingCountry?: string) =>
    evidence('a', 'IDDOCUMENT', {
      document: {
        idDocumentType: 'PASSPORT',
        personalAttributes: { surname: value(surname) },
        ...(issuingCountry ? { issuingCountry } : {}),
      },
    })
  expect(compareStatements(document('CHAIKOVSKII', 'RUS'), document('TCHAIKOVSKY')).disagreements).toEqual(
    compareStatements(document('TCHAIKOVSKY'), document('CHAIKOVSKII', 'RUS')).disagreements,
  )
})
