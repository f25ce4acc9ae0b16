import { afterEach, beforeEach, expect, test } from 'vitest'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { AT, anEvidence, openTestStore, type TestStore } from '../../support/store.ts'

const PASSPORT = { type: 'PASSPORT', issuer: 'UTO', number: 'L898902C3' }

let opened: TestStore
beforeEach(() => {
  opened = openTestStore()
})
afterEach(() => {
  opened.close()
})

/** An identity with an evidence, and its print where a document is given. */
function presented(document: typeof PASSPORT | null) {
  const identity = opened.addIdentity()
  const evidence = anEvidence(identity.id)
  const owner = { tenantId: identity.tenantId, identityId: identity.id, evidenceId: evidence.id }
  opened.store.transaction(() => {
    opened.store.evidences.add(evidence)
    if (document) opened.store.documentFingerprints.put(owner, document, AT)
  })
  return owner
}
const others = (owner: ReturnType<typeof presented>, document = PASSPORT) =>
  opened.store.documentFingerprints.countOthers(owner, document)

test('a document is known again under another identity, and not under its own', () => {
  const first = presented(PASSPORT)
  expect(others(first)).toBe(0)
  const second = presented(null)
  expect(others(second)).toBe(1)
  presented(PASSPORT)
  expect(others(second)).toBe(2)
})

test('neither another number, nor another issuer, nor another kind is the same document', () => {
  presented(PASSPORT)
  const other = presented(null)
  expect(others(other, { ...PASSPORT, number: 'L898902C4' })).toBe(0)
  expect(others(other, { ...PASSPORT, issuer: 'D' })).toBe(0)
  expect(others(other, { ...PASSPORT, type: 'IDENTITY_CARD' })).toBe(0)
})

test('spaces and hyphens make no other document', () => {
  presented({ ...PASSPORT, number: 'l898 902-c3' })
  expect(others(presented(null))).toBe(1)
})

test('what one tenant saw, another does not learn', () => {
  presented(PASSPORT)
  const stranger = { ...presented(null), tenantId: 'stranger' }
  expect(others(stranger)).toBe(0)
})

test('an evidence that is read again keeps its last print alone', () => {
  const owner = presented(PASSPORT)
  opened.store.documentFingerprints.put(owner, { ...PASSPORT, number: 'X1' }, AT)
  const other = presented(null)
  expect(others(other)).toBe(0)
  expect(others(other, { ...PASSPORT, number: 'X1' })).toBe(1)
})

test('a withdrawn evidence and an erased identity are forgotten', () => {
  const [withdrawn, erased, asking] = [presented(PASSPORT), presented(PASSPORT), presented(null)]
  expect(others(asking)).toBe(2)
  opened.store.documentFingerprints.drop(withdrawn.evidenceId)
  expect(others(asking)).toBe(1)
  opened.store.transaction(() => {
    opened.store.erasures.deleteRows(erased.identityId)
  })
  expect(others(asking)).toBe(0)
})

test('the documents of an identity are compared with all others; a document without a fingerprint is not counted', () => {
  const [one, two] = [presented(PASSPORT), presented(PASSPORT)]
  const countsOf = (owner: typeof one) => opened.store.documentFingerprints.countOthersByIdentity(owner)
  expect(countsOf(one)).toEqual([{ evidenceId: one.evidenceId, others: 1 }])
  expect(countsOf(two)).toEqual([{ evidenceId: two.evidenceId, others: 1 }])
  expect(countsOf(presented(null))).toEqual([])
})

test('a look-up reads an index, not the table', () => {
  const db = new Database(join(opened.dataDir, 'appliance.sqlite'), { readonly: true })
  const plan = db
    .prepare<[], { detail: string }>(
      `EXPLAIN QUERY PLAN SELECT count(DISTINCT identity_id) FROM document_prints
       WHERE tenant_id = 'a' AND print = x'00' AND identity_id <> 'b'`,
    )
    .all()
    .map(({ detail }) => detail)
    .join(' ')
  db.close()
  expect(plan).toContain('document_prints_by_print')
})

test('no file of the store holds the number', () => {
  presented(PASSPORT)
  opened.store.scrub()
  for (const name of readdirSync(opened.dataDir, { recursive: true, withFileTypes: true })) {
    if (!name.isFile()) continue
    expect(readFileSync(join(name.parentPath, name.name)).includes('L898902C3'), name.name).toBe(false)
  }
})
