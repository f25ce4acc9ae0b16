import { describe, expect, test } from 'vitest'
import {
  electAttributes,
  type ElectedAttribute,
} from '../../../../server/proofing/assurance/elected-attributes.ts'
import type { Evidence, PersonalAttributes } from '../../../../server/proofing/evidence.ts'
import { buildTd3 } from '../../../../server/proofing/mrz/build.ts'
import { anEvidence, AT } from '../../../support/store.ts'

const value = (text: string) => ({ value: text, verified: false })
const ANNA: PersonalAttributes = {
  surname: value('MUELLER'),
  givenNames: ['ANNA', 'MARIA'].map(value),
  dateOfBirth: value('1974-08-12'),
}
const later = (ms: number) => new Date(AT.getTime() + ms)

const document = (
  id: string,
  personalAttributes: PersonalAttributes,
  over: Partial<Evidence> = {},
): Evidence =>
  anEvidence('i', {
    id,
    status: 'VERIFIED',
    score: 'LEVEL3',
    content: { document: { idDocumentType: 'PASSPORT', personalAttributes } },
    ...over,
  })
const correction = (id: string, attributes: PersonalAttributes, over: Partial<Evidence> = {}): Evidence =>
  anEvidence('i', {
    id,
    family: 'ATTRIBUTES',
    type: 'ATTRIBUTES',
    status: 'VERIFIED',
    score: 'LEVEL1',
    matchedReferenceId: 'passport',
    submittedAt: later(1),
    content: { attributes },
    ...over,
  })

/** All of it counts, and the passport is the reference. */
function elected(evidences: readonly Evidence[], nameReferenceId: string | null = 'passport') {
  return electAttributes(evidences, { nameReferenceId, countedIds: evidences.map(({ id }) => id) })
}
const short = ({ attribute, values, evidenceId, how, basis }: ElectedAttribute) =>
  [attribute, values.join(' '), evidenceId, how, ...(basis ? [basis] : [])].join(' ')

describe('the attributes of an identity', () => {
  test('are those of the name reference, each with where it is from', () => {
    expect(elected([document('passport', ANNA)])).toEqual([
      { attribute: 'givenNames', values: ['ANNA', 'MARIA'], evidenceId: 'passport', how: 'DOCUMENT' },
      { attribute: 'surname', values: ['MUELLER'], evidenceId: 'passport', how: 'DOCUMENT' },
      { attribute: 'dateOfBirth', values: ['1974-08-12'], evidenceId: 'passport', how: 'DOCUMENT' },
    ])
  })

  test('are completed by other evidence that counts: the higher score, then the later one', () => {
    const height = (text: string) => ({ height: value(text) })
    const passport = document('passport', { surname: value('MUELLER') }, { score: 'LEVEL1' })
    const low = document(
      'low',
      { ...height('1'), eyeColor: value('grey'), surname: value('X') },
      { score: 'LEVEL2' },
    )
    const high = document('high', height('2'))
    const late = document('late', height('3'), { submittedAt: later(5) })
    const found = (...evidences: readonly Evidence[]) => elected(evidences).map(short)
    expect(found(low, passport)).toEqual([
      'surname MUELLER passport DOCUMENT',
      'eyeColor grey low DOCUMENT',
      'height 1 low DOCUMENT',
    ])
    expect(found(low, high, passport).at(-1)).toBe('height 2 high DOCUMENT')
    expect(found(late, low, high, passport).at(-1)).toBe('height 3 late DOCUMENT')
    expect(found(high, document('higher', height('4')), passport).at(-1)).toBe('height 4 higher DOCUMENT')
  })

  test('come from identity providers and verified claims, too, and from nothing that is only written down', () => {
    const shared = { fullname: value('Anna Müller') }
    const provider = anEvidence('i', {
      id: 'provider',
      family: 'TRUSTED_ID_CLAIM',
      status: 'VERIFIED',
      content: {
        trustedClaim: {
          idpIdentifier: 'bank',
          oidcGrantType: 'CODE_FLOW',
          shared: { personalAttributes: shared },
        },
      },
    })
    const claim = anEvidence('i', {
      id: 'claim',
      family: 'ID_CLAIM',
      status: 'VERIFIED',
      content: { claim: { attributesData: { gender: value('F') } } },
    })
    const written = correction('written', { eyeColor: value('grey') })
    expect(elected([written, claim, provider], 'provider').map(short)).toEqual([
      'fullname Anna Müller provider CLAIMED',
      'gender F claim CLAIMED',
    ])
    const silent = [
      anEvidence('i', { family: 'CONTACT', status: 'VERIFIED' }),
      anEvidence('i', { status: 'VERIFIED' }),
    ]
    expect(elected(silent, null)).toEqual([])
  })

  test('are taken from evidence that is verified, counts and was not deleted', () => {
    const passport = document('passport', ANNA)
    expect(elected([{ ...passport, status: 'NOT_VERIFIED' }])).toEqual([])
    expect(elected([{ ...passport, deletedAt: AT }])).toEqual([])
    expect(electAttributes([passport], { nameReferenceId: 'passport', countedIds: [] })).toEqual([])
  })

  test('are those that are specified, where one document leaves open what another says', () => {
    const open = { gender: value('X'), nationality: value('XXX') }
    const passport = document('passport', open)
    const card = document('card', { gender: value('F'), nationality: value('SWE') }, { score: 'LEVEL1' })
    expect(elected([passport, card]).map(short)).toEqual([
      'gender F card DOCUMENT',
      'nationality SWE card DOCUMENT',
    ])
    expect(elected([passport]).map(short)).toEqual([
      'gender X passport DOCUMENT',
      'nationality XXX passport DOCUMENT',
    ])
  })
})

describe('a correction', () => {
  const surnameOf = (...evidences: readonly Evidence[]) =>
    elected(evidences)
      .filter(({ attribute }) => attribute === 'surname')
      .map(short)
  const passport = document('passport', ANNA)

  test('replaces the reading, and says why', () => {
    expect(elected([correction('right', { surname: value('Müller') }), passport]).map(short)).toEqual([
      'givenNames ANNA MARIA passport DOCUMENT',
      'surname Müller right CORRECTED SPELLING',
      'dateOfBirth 1974-08-12 passport DOCUMENT',
    ])
  })

  test('corrects only what it corrects: what it repeats is read of the document', () => {
    const stated = { surname: value('Müller'), givenNames: [value('Anna')] }
    expect(
      elected([correction('right', stated), passport])
        .map(short)
        .slice(0, 2),
    ).toEqual(['givenNames ANNA MARIA passport DOCUMENT', 'surname Müller right CORRECTED SPELLING'])
  })

  test('is followed by the next one, whatever order they are found in', () => {
    const first = correction('first', { surname: value('Muëller') })
    const second = correction('second', { surname: value('Müller') }, { submittedAt: later(2) })
    const other = correction('third', { givenNames: ['Änna', 'Maria'].map(value) }, { submittedAt: later(3) })
    for (const order of [
      [first, second, other, passport],
      [passport, other, second, first],
    ]) {
      expect(surnameOf(...order)).toEqual(['surname Müller second CORRECTED SPELLING'])
    }
    const twin = correction('z', { surname: value('Mueller-') }, { submittedAt: later(2) })
    expect(surnameOf(passport, second, twin)).toEqual(surnameOf(passport, twin, second))
  })

  test('of another document, or of none that was read, corrects nothing', () => {
    const right = correction('right', { surname: value('Müller') })
    expect(surnameOf({ ...right, matchedReferenceId: 'card' }, passport)).toEqual([
      'surname MUELLER passport DOCUMENT',
    ])
    expect(surnameOf({ ...right, status: 'NOT_VERIFIED' }, passport)).toEqual([
      'surname MUELLER passport DOCUMENT',
    ])
    expect(elected([right, { ...passport, content: {} }])).toEqual([])
    expect(elected([{ ...right, matchedReferenceId: null }], null)).toEqual([])
    expect(elected([{ ...right, content: {} }, passport])).toHaveLength(3)
  })

  test('may complete a name that the MRZ of the document has cut', () => {
    const names = { surname: 'NILAVADHANANANDA', givenNames: ['CHAYAPA', 'DEJTHAMRONG', 'KRASUANG'] }
    const read = { surname: value(names.surname), givenNames: ['CHAYAPA', 'DEJTHAMRONG', 'K'].map(value) }
    const mrz = buildTd3({
      documentCode: 'P',
      issuingState: 'UTO',
      documentNumber: 'L898902C3',
      nationality: 'UTO',
      birthDate: '740812',
      sex: 'F',
      expiryDate: '391231',
      ...names,
    })
    const cut = document('passport', read, {
      content: { document: { idDocumentType: 'PASSPORT', personalAttributes: read, mrz } },
    })
    const whole = correction('whole', { givenNames: ['Chayapa', 'Dejthamrong', 'Krasuang'].map(value) })
    expect(elected([cut, whole]).map(short)[0]).toBe(
      'givenNames Chayapa Dejthamrong Krasuang whole CORRECTED COMPLETION',
    )
  })
})
