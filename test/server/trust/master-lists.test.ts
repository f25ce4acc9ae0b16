/** Published master lists of two states, read in place: every certificate has a verdict. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isAccepted } from '../../../server/trust/authorities.ts'
import { countVerdicts, importTrustFile } from '../../../server/trust/import-file.ts'
import { readTrustFile } from '../../../server/trust/trust-file.ts'
import { findMasterList } from '../../support/shared-data.ts'
import { openTestStore, type TestStore } from '../../support/store.ts'

/** Name → certificates read, verified, accepted on the word of the list, refused because they do not state that they are authorities. */
const LISTS = [
  ['DE_ML_2025-06-25-09-31-57.ml', 559, 534, 15, 10],
  ['DE_ML_2026-01-08-12-20-54.ml', 581, 556, 15, 10],
  ['DE_ML_2026-04-08-14-24-32.ml', 581, 558, 14, 9],
  ['NL_ML_2026-02-16.ml', 392, 392, 0, 0],
  ['NL_ML_2026-04-02.ml', 397, 397, 0, 0],
  ['NL_ML_2026-05-07.ml', 399, 399, 0, 0],
] as const
const ROOTS = ['DE_ROOT_CA_CSCA07.cer', 'NL_ROOT_CA.cer']
const NOW = new Date('2026-11-29T12:00:00.000Z')
const operator = { actor: 'operator' }
const isAbsent = findMasterList(LISTS[0][0]) === null

const read = (name: string) => readTrustFile(readFileSync(findMasterList(name) ?? ''))

let t: TestStore
beforeAll(() => {
  t = openTestStore()
  if (isAbsent) return
  const both = { by: 'Ada', confirmedBy: 'Ben' }
  for (const name of ROOTS) importTrustFile(t.store, read(name), both, NOW, operator)
})
afterAll(() => {
  t.close()
})

const importing = (name: string) =>
  importTrustFile(t.store, read(name), { by: 'Ada', confirmedBy: null }, NOW, operator)

test.skipIf(isAbsent).each(LISTS)(
  '%s: %i certificates, %i verified, %i read, %i refused',
  (name, all, verified, accepted, refused) => {
    const { judged, isNew } = importing(name)
    expect({ isNew, all: judged.length, ...countVerdicts(judged) }).toEqual({
      isNew: true,
      all,
      verified,
      read: accepted,
      refused,
    })
    // Each of their keys is in the list with a certificate that states it, so that no document loses its authority.
    const keys = judged.filter(isAccepted).map(({ certificate }) => certificate.key.key)
    for (const { verdict, reason, certificate } of judged.filter((each) => !isAccepted(each))) {
      expect([verdict, reason]).toEqual(['refused', 'no_authority'])
      expect(keys.some((key) => certificate?.key.key.equals(key))).toBe(true)
    }
  },
)

test.skipIf(isAbsent)('an earlier list is refused after a later one', () => {
  expect(() => importing('NL_ML_2026-02-16.ml')).toThrow(/not newer/)
})

test.skipIf(isAbsent)('a list with one changed byte is refused', () => {
  const bytes = Buffer.from(readFileSync(findMasterList('NL_ML_2026-05-07.ml') ?? ''))
  const middle = Math.floor(bytes.length / 2)
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  const alone = { by: 'Ada', confirmedBy: 'Ben' }
  expect(() => importTrustFile(t.store, readTrustFile(bytes), alone, NOW, operator)).toThrow(
    /changed or damaged/,
  )
})
