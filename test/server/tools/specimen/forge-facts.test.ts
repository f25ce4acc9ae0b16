/** One character of a document is changed, as a forger does it. */
import { describe, expect, test } from 'vitest'
import { inventCard, truthDate } from '../../../../server/tools/specimen/documents/card-facts.ts'
import { FORGED_FIELDS, forgeFacts } from '../../../../server/tools/specimen/documents/forge-facts.ts'
import { plainSpelling } from '../../../../server/tools/specimen/documents/person.ts'

const FACTS = inventCard(7, 'passport', 10)
const said = ({ documentNumber, holder, expiryDate }: typeof FACTS) => ({
  documentNumber,
  surname: plainSpelling(holder.surname),
  birthDate: truthDate(holder.birthDate),
  expiryDate: truthDate(expiryDate),
})
const SEEDS = Array.from({ length: 200 }, (_, seed) => seed)

describe('a forged document', () => {
  test.each(SEEDS)('differs in one character of one field (seed %i)', (seed) => {
    const { facts, field } = forgeFacts(FACTS, seed)
    const [before, after] = [said(FACTS), said(facts)]
    for (const name of FORGED_FIELDS) {
      const changed = [...before[name]].filter((sign, i) => sign !== after[name].charAt(i))
      expect(after[name]).toHaveLength(before[name].length)
      expect(changed, name).toHaveLength(name === field ? 1 : 0)
    }
    expect(Number.isNaN(Date.parse(after.birthDate))).toBe(false)
    expect(Number.isNaN(Date.parse(after.expiryDate))).toBe(false)
  })

  test('is every field in its turn', () => {
    expect(new Set(SEEDS.map((seed) => forgeFacts(FACTS, seed).field))).toEqual(new Set(FORGED_FIELDS))
  })
})
