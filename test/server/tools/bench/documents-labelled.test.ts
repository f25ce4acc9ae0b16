/** Tests what the bench on real documents counts, on answers and labels that are written by hand. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  agreesWithMrz,
  compareField,
  hasDecidingPrint,
} from '../../../../server/tools/bench/documents/labels.ts'

const ROOT = join(import.meta.dirname, '../../../..')

describe('a printed value', () => {
  const document = {
    idDocumentNumber: 'L898902C3',
    expiryDate: '2030-04-15',
    personalAttributes: {
      surname: { value: 'Eriksson', verified: true },
      givenNames: [
        { value: 'ANNA', verified: false },
        { value: 'MARIA', verified: false },
      ],
      gender: { value: 'F', verified: true },
    },
  }

  test('is exact whatever its case and spaces, and not with another mark on a letter', () => {
    expect(compareField('number', 'l898902c3 ', document)).toBe('exact')
    expect(compareField('given', 'Anna  Maria', document)).toBe('exact')
    expect(compareField('surname', 'ERIKSSÖN', document)).toBe('confirmed wrong')
  })

  test('that was returned otherwise is wrong, and worse where the answer calls it verified', () => {
    expect(compareField('expiry', '2031-04-15', document)).toBe('wrong')
    expect(compareField('sex', 'M', document)).toBe('confirmed wrong')
  })

  test('that was not returned is missing, also where the upload was refused', () => {
    expect(compareField('issue', '2020-04-15', document)).toBe('missing')
    expect(compareField('surname', 'ERIKSSON', null)).toBe('missing')
  })
})

describe('the print of a document', () => {
  const TD3 = 'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<|L898902C36UTO7408122F1204159ZE184226B<<<<<10'
  const row = {
    mrz: TD3,
    number: 'L898902C3',
    surname: 'Eriksson',
    birth: '1974-08-12',
    expiry: '2012-04-15',
  }

  test('agrees with the MRZ that says the same', () => {
    expect(agreesWithMrz(row)).toBe(true)
    expect(agreesWithMrz({ ...row, expiry: '-', surname: '-' })).toBe(true)
  })

  test.each([
    ['number', 'L898902C8'],
    ['surname', 'ERIKSON'],
    ['birth', '1974-08-13'],
    ['expiry', '2013-04-15'],
  ])('does not agree with an MRZ that has another %s', (field, value) => {
    expect(agreesWithMrz({ ...row, [field]: value })).toBe(false)
  })

  test('agrees with an MRZ that spells Ü as UE or as U', () => {
    const card = (name: string) =>
      `IDD<<T220001293<<<<<<<<<<<<<<<|6408125<2010315D<<<<<<<<<<<<<4|${`${name}<<ERIKA`.padEnd(30, '<')}`
    const printed = { number: 'T22000129', surname: 'Müller', birth: '1964-08-12', expiry: '2020-10-31' }
    expect(agreesWithMrz({ ...printed, mrz: card('MUELLER') })).toBe(true)
    expect(agreesWithMrz({ ...printed, mrz: card('MULLER') })).toBe(true)
    expect(agreesWithMrz({ ...printed, mrz: card('MILLER') })).toBe(false)
  })

  test('is compared with the line that can be read where another one is hidden', () => {
    const mrz = `-|${TD3.split('|')[1]}`
    expect(agreesWithMrz({ ...row, mrz })).toBe(true)
    expect(agreesWithMrz({ ...row, mrz, number: 'X' })).toBe(false)
  })

  test('can be compared with the MRZ unless the back of a card was photographed alone', () => {
    const kinds = ['passport', 'identity-card-both', 'identity-card-front', 'identity-card-back']
    expect(kinds.filter(hasDecidingPrint)).toEqual(kinds.slice(0, 3))
  })
})

test('a bench on labels that are not there measures nothing and ends with 2', () => {
  const run = spawnSync(
    process.execPath,
    [join(ROOT, 'server', 'run.mjs'), 'bench-documents', '--manifest', '/nowhere/documents.tsv'],
    { encoding: 'utf8' },
  )
  expect(existsSync('/nowhere')).toBe(false)
  expect([run.status, run.stdout]).toEqual([2, ''])
  expect(run.stderr).toContain('/nowhere/documents.tsv does not exist: nothing was measured')
})
