import { describe, expect, test } from 'vitest'
import { contactOutcome } from '../../../server/proofing/contact.ts'
import { NOT_YET_EVALUATED, type Evidence } from '../../../server/proofing/evidence.ts'
import { isOutdated } from '../../../server/proofing/outdated.ts'
import { EVIDENCE_STATUSES } from '../../../server/proofing/types.ts'
import { anEvidence, AT } from '../../support/store.ts'

const document = anEvidence('i', { status: 'VERIFIED' })
const elected = { evidences: [], portraitReference: document, nameReference: document }
const none = { evidences: [], portraitReference: null, nameReference: null }

const portrait = (over: Partial<Evidence> = {}): Evidence =>
  anEvidence('i', {
    family: 'PORTRAIT',
    type: 'PORTRAIT',
    status: 'NOT_VERIFIED',
    evaluation: { ...NOT_YET_EVALUATED, positiveIndicators: ['BIOMETRIC_QUALITY_CHECK_OK'] },
    ...over,
  })
const attributes = (over: Partial<Evidence> = {}): Evidence =>
  anEvidence('i', {
    family: 'ATTRIBUTES',
    type: 'ATTRIBUTES',
    status: 'NOT_VERIFIED',
    evaluation: { ...NOT_YET_EVALUATED, unverifiedIndicators: ['ATTRIBUTES_MATCH_UNVERIFIED'] },
    ...over,
  })

describe('evidence that was compared with another document than the elected one, or with none', () => {
  test('is outdated, a usable portrait like attributes', () => {
    for (const evidence of [portrait(), attributes()]) {
      expect(isOutdated(evidence, elected)).toBe(true)
      expect(isOutdated({ ...evidence, matchedReferenceId: 'another' }, elected)).toBe(true)
      expect(isOutdated({ ...evidence, matchedReferenceId: document.id }, elected)).toBe(false)
      expect(isOutdated(evidence, none)).toBe(false)
    }
  })

  test('is looked at again only once machine and person have decided, and never when it was deleted', () => {
    const outdated = EVIDENCE_STATUSES.filter((status) => isOutdated(portrait({ status }), elected))
    expect(outdated).toEqual(['VERIFIED', 'INVALID', 'NOT_VERIFIED'])
    expect(isOutdated(attributes({ deletedAt: AT }), elected)).toBe(false)
  })

  test('stays as it is when it could not be compared at all', () => {
    const blurred = { ...NOT_YET_EVALUATED, blockingIndicators: ['BIOMETRIC_QUALITY_CHECK_FAILED'] }
    const broken = { ...NOT_YET_EVALUATED, unverifiedIndicators: ['VERIFICATION_UNVERIFIED'] }
    expect(isOutdated(portrait({ evaluation: blurred }), elected)).toBe(false)
    expect(isOutdated(portrait({ evaluation: broken }), elected)).toBe(false)
    expect(isOutdated(attributes({ evaluation: broken }), elected)).toBe(false)
    expect(isOutdated(document, { ...elected, nameReference: anEvidence('i') })).toBe(false)
  })
})

describe('a document whose issuer was not asked', () => {
  const open = (...reasons: string[]): Evidence =>
    anEvidence('i', {
      status: 'NOT_VERIFIED',
      evaluation: {
        ...NOT_YET_EVALUATED,
        unverifiedIndicators: ['GIV_VERIFICATION_UNVERIFIED', ...reasons, 'LIVENESS_MODELS_UNVERIFIED'],
      },
    })

  test('for want of consent is outdated once the issuer may be asked, and for another reason it is not', () => {
    expect(isOutdated(open('SOURCE_CONSENT_UNVERIFIED'), { ...elected, asksIssuer: true })).toBe(true)
    expect(isOutdated(open('SOURCE_CONSENT_UNVERIFIED'), { ...elected, asksIssuer: false })).toBe(false)
    expect(isOutdated(open('SOURCE_COVERAGE_UNVERIFIED'), { ...elected, asksIssuer: true })).toBe(false)
    const ofOtherCheck = open('SOURCE_COVERAGE_UNVERIFIED', 'X_UNVERIFIED', 'SOURCE_CONSENT_UNVERIFIED')
    expect(isOutdated(ofOtherCheck, { ...elected, asksIssuer: true })).toBe(false)
  })
})

describe('what a document has confirmed', () => {
  const confirmed = (over: Partial<Evidence> = {}): Evidence =>
    attributes({ status: 'VERIFIED', matchedReferenceId: document.id, ...over })

  test('is looked at again when that document is the reference no more, even if nothing else is', () => {
    expect(isOutdated(confirmed(), elected)).toBe(false)
    expect(isOutdated(confirmed(), none)).toBe(true)
    expect(isOutdated(confirmed({ matchedReferenceId: 'another' }), elected)).toBe(true)
    expect(isOutdated(confirmed({ status: 'NOT_VERIFIED' }), none)).toBe(false)
    expect(isOutdated(confirmed({ family: 'ID_CLAIM', type: 'ID_CLAIM' }), none)).toBe(false)
  })

  test('goes for an address too, which names its source', () => {
    const home = { city: 'Umeå', verified: false }
    const licence = anEvidence('i', {
      status: 'VERIFIED',
      content: { document: { idDocumentType: 'PASSPORT', personalAttributes: {}, address: home } },
    })
    const address = (matchedReferenceId: string | null, over: Partial<Evidence> = {}): Evidence =>
      anEvidence('i', {
        family: 'ADDRESS',
        type: 'ADDRESS',
        status: 'NOT_VERIFIED',
        matchedReferenceId,
        content: { address: home, referenceIds: [licence.id] },
        evaluation: { ...NOT_YET_EVALUATED, unverifiedIndicators: ['ADDRESS_MATCH_UNVERIFIED'] },
        ...over,
      })
    const among = { ...none, evidences: [licence] }
    expect(isOutdated(address(licence.id), among)).toBe(false)
    expect(isOutdated(address(null), among)).toBe(true)
    expect(isOutdated(address(licence.id), none)).toBe(true)
    expect(isOutdated(address(null), none)).toBe(false)
    expect(isOutdated(address(licence.id), { ...among, mayUse: () => false })).toBe(true)
    expect(isOutdated(address(null, { content: { address: home } }), among)).toBe(false)
    expect(isOutdated(address(null, { evaluation: NOT_YET_EVALUATED }), among)).toBe(false)
    const derived = { address: home, referenceIds: [licence.id], derived: true as const }
    expect(isOutdated(address(null, { content: derived }), among)).toBe(false)
  })
})

describe('a claimed phone number', () => {
  const contact = (number: string, over: Partial<Evidence> = {}): Evidence =>
    anEvidence('i', {
      family: 'CONTACT',
      type: 'MOBILE_OTP',
      content: { mobile: { value: number, verified: false } },
      ...over,
    })
  const claim = (...unverifiedIndicators: readonly string[]): Evidence =>
    anEvidence('i', {
      family: 'ID_CLAIM',
      type: 'ID_CLAIM',
      status: 'NOT_VERIFIED',
      content: { claim: { contactDetails: { mobile: { value: '+331', verified: false } } } },
      evaluation: { ...NOT_YET_EVALUATED, unverifiedIndicators },
    })

  test('agrees with the same number once that was confirmed, and with no other', () => {
    expect(contactOutcome('+331', null)).toBe('inconclusive')
    expect(contactOutcome('+331', { number: '+331', confirmed: false })).toBe('inconclusive')
    expect(contactOutcome('+331', { number: '+331', confirmed: true })).toBe('passed')
    expect(contactOutcome('+331', { number: '+332', confirmed: false })).toBe('failed')
  })

  test('is compared again when the number in verification would now say something else', () => {
    const compared = claim('CONTACT_MATCH_UNVERIFIED')
    const among = (...evidences: readonly Evidence[]) => isOutdated(compared, { ...none, evidences })
    expect(among()).toBe(false)
    expect(among(contact('+331'))).toBe(false)
    expect(among(contact('+331', { status: 'VERIFIED' }))).toBe(true)
    expect(among(contact('+332'))).toBe(true)
    expect(among(contact('+332', { deletedAt: AT }))).toBe(false)
    expect(isOutdated(claim(), { ...none, evidences: [contact('+332')] })).toBe(false)
  })
})
