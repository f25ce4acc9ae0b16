import { describe, expect, test } from 'vitest'
import {
  judgeDuplicateDocument,
  judgeDuplicateFace,
} from '../../../../server/proofing/antifraud/duplicates.ts'

const documents = (...others: readonly number[]) =>
  others.map((count, i) => ({ evidenceId: `document-${i}`, others: count }))

describe('a document that was presented to others', () => {
  const read = { electedWasRead: true }
  test('is a hint and no rejection, whichever of the documents it is', () => {
    expect(judgeDuplicateDocument(documents(0, 2), read)).toEqual({
      status: 'NOT_VERIFIED',
      indicators: ['DUPLICATE_DOCUMENT_WARNING'],
      measured: { documents: 2, otherIdentities: 2, foundIn: 'document-1' },
    })
  })
  test('counts also where the document by which the identity is named could not be read', () => {
    const found = judgeDuplicateDocument(documents(1), { electedWasRead: false })
    expect(found.indicators).toEqual(['DUPLICATE_DOCUMENT_WARNING'])
  })
  test('is none where no other identity presented it', () => {
    expect(judgeDuplicateDocument(documents(0), read)).toEqual({
      status: 'VERIFIED',
      indicators: ['DUPLICATE_DOCUMENT_OK'],
      measured: { documents: 1, otherIdentities: 0 },
    })
  })
  test.each([
    ['no document was read', [], read],
    ['the one that names the identity was not', [0], { electedWasRead: false }],
  ])('is not known where %s', (_name, counts, facts) => {
    expect(judgeDuplicateDocument(documents(...counts), facts)).toEqual({
      status: 'NOT_VERIFIED',
      indicators: ['DUPLICATE_DOCUMENT_UNVERIFIED'],
      measured: { documents: counts.length, otherIdentities: 0 },
    })
  })
})

test.each([
  ['FOUND', 'NOT_VERIFIED', ['DUPLICATE_FACE_WARNING'], { retentionDays: 30 }],
  ['NONE', 'VERIFIED', ['DUPLICATE_FACE_OK'], { retentionDays: 30 }],
  ['UNKNOWN', 'NOT_VERIFIED', ['DUPLICATE_FACE_UNVERIFIED'], {}],
] as const)('a search for faces that ends %s is %s', (outcome, status, indicators, measured) => {
  expect(judgeDuplicateFace(outcome, 30)).toEqual({ status, indicators, measured })
})
