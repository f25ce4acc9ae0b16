/** The fields that open a chip, from the lines of the specimens in Doc 9303 parts 4 and 5. */
import { expect, test } from 'vitest'
import { listMrzKeys } from '../../../../server/chip/inspection/key-alternatives.ts'
import { readMrzFields } from '../../../../server/chip/inspection/mrz-fields.ts'

const openWith = (...lines: readonly string[]) => {
  const fields = readMrzFields(lines)
  return fields === null ? null : listMrzKeys(fields)[0]
}

test('a passport gives number, birth and expiry', () => {
  expect(
    openWith('P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<', 'L898902C36UTO7408122F1204159ZE184226B<<<<<10'),
  ).toEqual({ documentNumber: 'L898902C3', dateOfBirth: '740812', dateOfExpiry: '120415' })
})

test('a card whose number continues in the optional data gives the whole number', () => {
  expect(
    openWith(
      'I<UTOD23145890<7349<<<<<<<<<<<',
      '3407127M9507122UTO<<<<<<<<<<<2',
      'STEVENSON<<PETER<JOHN<<<<<<<<<',
    ),
  ).toEqual({ documentNumber: 'D23145890734', dateOfBirth: '340712', dateOfExpiry: '950712' })
})

test.each([[[]], [['P<UTO']], [['x'.repeat(44), 'y'.repeat(44)]]])('%j opens no chip', (lines) => {
  expect(openWith(...lines) ?? null).toBeNull()
})
