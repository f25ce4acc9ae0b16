/** Letters that print alike are those of the issuing state's alphabet, and stay as read where it has none of both. */
import { expect, test } from 'vitest'
import { inIssuersLetters } from '../../../../server/proofing/visual-zone/issuer-letters.ts'
import type { PageFieldName } from '../../../../server/proofing/visual-zone/page-facts.ts'

const read = (value: string, issuer: string | null, field: PageFieldName = 'surname') =>
  inIssuersLetters({ field, value, confidence: 1, captureIndex: 0, foundBy: 'label' }, issuer).value

test.each([
  ['ŞTEFAN', 'ROU', 'ȘTEFAN'],
  ['Ştefan Ţîrlea', 'MDA', 'Ștefan Țîrlea'],
  ['MÃRIA', 'ROU', 'MĂRIA'],
  ['GÜLȘEN', 'TUR', 'GÜLŞEN'],
  ['SĂO TELMO', 'PRT', 'SÃO TELMO'],
  ['DÕRY', 'HUN', 'DŐRY'],
  ['GUÐRÚN'.replace('Ð', 'Đ'), 'ISL', 'GUÐRÚN'],
  ['ŞTEFAN', 'UTO', 'ŞTEFAN'],
  ['ŞTEFAN', null, 'ŞTEFAN'],
  ['ĐURIĆ', 'HRV', 'ĐURIĆ'],
  ['KOVÁCS', 'HUN', 'KOVÁCS'],
])('%s on a document of %s is %s', (value, issuer, meant) => {
  expect(read(value, issuer)).toBe(meant)
})

test('what is no name and no text stays as it was', () => {
  expect(read('Ã12', 'ROU', 'documentNumber')).toBe('Ã12')
})
