/** When a portrait, a claim or an address is compared again: each of the conditions on its own. */
import { describe, expect, test } from 'vitest'
import { NOT_YET_EVALUATED, type Evaluation, type Evidence } from '../../../server/proofing/evidence.ts'
import { isOutdated, type Elected } from '../../../server/proofing/outdated.ts'
import { anEvidence } from '../../support/store.ts'

const NONE: Elected = { evidences: [], portraitReference: null, nameReference: null }
const elected = anEvidence('i', { id: 'elected', status: 'VERIFIED' })
const further = anEvidence('i', { id: 'further', status: 'VERIFIED' })

/** Indicators by their ending. */
const evaluated = (...indicators: readonly string[]): Evaluation => {
  const ending = (...ends: readonly string[]) =>
    indicators.filter((name) => ends.some((end) => name.endsWith(end)))
  return {
    ...NOT_YET_EVALUATED,
    positiveIndicators: ending('_OK'),
    warningIndicators: ending('_WARNING'),
    blockingIndicators: ending('_FAILED'),
    unverifiedIndicators: ending('_UNVERIFIED'),
  }
}
const portrait = (indicators: readonly string[], over: Partial<Evidence> = {}): Evidence =>
  anEvidence('i', {
    family: 'PORTRAIT',
    type: 'PORTRAIT',
    status: 'VERIFIED',
    evaluation: evaluated(...indicators),
    ...over,
  })
const comparedWith = (...ids: readonly string[]): Pick<Evidence, 'content'> => ({
  content: { portrait: { comparedWith: ids } } as Evidence['content'],
})

const QUALITY = 'BIOMETRIC_QUALITY_CHECK_OK'
const MATCHED = 'BIOMETRIC_MATCHING_CHECK_OK'
const LIVE = 'BIOMETRIC_LIVENESS_CHALLENGE'

describe('a portrait', () => {
  const among: Elected = { ...NONE, portraitReference: elected }

  test.each([
    ['that was live', [QUALITY, `${LIVE}_OK`], true],
    ['that was uploaded', [QUALITY], true],
    ['that was not live', [QUALITY, `${LIVE}_FAILED`], false],
    ['whose liveness is unknown', [QUALITY, `${LIVE}_UNVERIFIED`], false],
    ['that was live, of bad quality', [`${LIVE}_OK`, 'BIOMETRIC_QUALITY_CHECK_FAILED'], false],
    ['whose quality is unknown', [`${LIVE}_OK`], false],
  ])('%s is compared with a document that came later: %s', (_, indicators, expected) => {
    expect(isOutdated(portrait(indicators), among)).toBe(expected)
    expect(isOutdated(portrait(indicators, { matchedReferenceId: 'another' }), among)).toBe(expected)
  })

  test('that matched a document which went is compared no more, and without any it stays', () => {
    expect(isOutdated(portrait([QUALITY, MATCHED], { matchedReferenceId: 'gone' }), NONE)).toBe(true)
    expect(isOutdated(portrait([QUALITY]), NONE)).toBe(false)
  })

  describe('that matched the elected document', () => {
    const matched = (...known: readonly string[]) =>
      portrait([QUALITY, MATCHED], { matchedReferenceId: elected.id, ...comparedWith(...known) })
    const both = { ...among, portraitDocuments: [elected, further] }

    test('is compared with one that came later', () => {
      expect(isOutdated(matched('elected'), both)).toBe(true)
      expect(isOutdated(matched(), both)).toBe(true)
      expect(isOutdated(portrait([QUALITY, MATCHED], { matchedReferenceId: elected.id }), both)).toBe(true)
      expect(isOutdated(matched('elected', 'further'), both)).toBe(false)
    })

    test('loses nothing when another one went', () => {
      expect(isOutdated(matched('elected', 'gone'), { ...among, portraitDocuments: [elected] })).toBe(false)
      expect(isOutdated(matched('elected'), among)).toBe(false)
    })

    test('but did not pass, is not compared with further ones', () => {
      const failed = { matchedReferenceId: elected.id, ...comparedWith('elected') }
      expect(isOutdated(portrait([QUALITY, 'BIOMETRIC_MATCHING_CHECK_FAILED'], failed), both)).toBe(false)
      expect(isOutdated(portrait([QUALITY], failed), both)).toBe(false)
    })
  })

  test('that was compared with nothing yet is not compared with what is not elected', () => {
    const documents = { ...NONE, portraitDocuments: [further] }
    expect(isOutdated(portrait([QUALITY, MATCHED]), documents)).toBe(false)
  })
})

describe('what a person has decided', () => {
  const accepted = (over: Partial<Evidence> = {}) =>
    portrait([QUALITY, MATCHED, 'ADJUDICATION_OK'], { matchedReferenceId: 'elected', ...over })
  const rejected = (over: Partial<Evidence> = {}) =>
    portrait([QUALITY, 'ADJUDICATION_FAILED'], { matchedReferenceId: 'elected', status: 'INVALID', ...over })

  test('stands while the document that the portrait was compared with does, elected or not', () => {
    const newElected = { ...NONE, portraitReference: further }
    expect(isOutdated(accepted(), { ...newElected, portraitDocuments: [elected, further] })).toBe(false)
    expect(isOutdated(accepted(), { ...NONE, portraitReference: elected })).toBe(false)
    expect(isOutdated(accepted(), newElected)).toBe(true)
    expect(isOutdated(accepted(), { ...newElected, portraitDocuments: [further] })).toBe(true)
    expect(isOutdated(accepted(), NONE)).toBe(true)
  })

  test('stands where it was a rejection, whatever documents there are', () => {
    expect(isOutdated(rejected(), { ...NONE, portraitReference: further })).toBe(false)
    expect(isOutdated(rejected(), NONE)).toBe(false)
    // The same portrait, of which only the machine has said something.
    const undecided = rejected({ evaluation: evaluated(QUALITY, MATCHED) })
    expect(isOutdated(undecided, { ...NONE, portraitReference: further })).toBe(true)
  })
})

describe('a claimed number', () => {
  const claim = (indicators: readonly string[], contactDetails?: object): Evidence =>
    anEvidence('i', {
      family: 'ID_CLAIM',
      type: 'ID_CLAIM',
      status: 'NOT_VERIFIED',
      content: { claim: contactDetails ? { contactDetails } : {} } as Evidence['content'],
      evaluation: evaluated(...indicators),
    })
  const contact = anEvidence('i', {
    family: 'CONTACT',
    type: 'MOBILE_OTP',
    content: { mobile: { value: '+332', verified: false } },
  })
  const among = { ...NONE, evidences: [contact] }

  test('that is missing is not compared', () => {
    expect(isOutdated(claim(['CONTACT_MATCH_UNVERIFIED']), among)).toBe(false)
  })

  test('is compared again where the number in verification says something else, and only then', () => {
    const mobile = { mobile: { value: '+331', verified: false } }
    expect(isOutdated(claim(['CONTACT_MATCH_UNVERIFIED'], mobile), among)).toBe(true)
    expect(isOutdated(claim(['CONTACT_MATCH_FAILED'], mobile), among)).toBe(false)
    expect(isOutdated(claim([], mobile), among)).toBe(false)
  })
})

describe('an address', () => {
  const home = { city: 'Umeå', verified: false }
  const source = anEvidence('i', {
    id: 'source',
    status: 'VERIFIED',
    content: { document: { idDocumentType: 'PASSPORT', personalAttributes: {}, address: home } },
  })
  const address = (over: Partial<Evidence>): Evidence =>
    anEvidence('i', {
      family: 'ADDRESS',
      type: 'ADDRESS',
      status: 'NOT_VERIFIED',
      content: { address: home },
      evaluation: evaluated('ADDRESS_MATCH_UNVERIFIED'),
      ...over,
    })

  test('that names no source has none, whatever documents there are', () => {
    const among = { ...NONE, evidences: [source, { ...source, id: 'other' }] }
    expect(isOutdated(address({}), among)).toBe(false)
    expect(isOutdated(address({ matchedReferenceId: 'source' }), among)).toBe(true)
  })
})
