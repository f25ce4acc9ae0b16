/** The tracks of a magnetic stripe, as the standard's annex has them. All persons are invented. */
import { describe, expect, test } from 'vitest'
import { parseMagnetic } from '../../../../server/proofing/aamva/magnetic.ts'

interface Tracks {
  readonly place: string
  readonly name: string
  readonly street: string
  readonly iin: string
  readonly number: string
  readonly expiry: string
  readonly birth: string
  readonly more: string
  readonly third: string
}
const USUAL: Tracks = {
  place: 'BCELSEWHERE^',
  name: 'QUILL$ODA$MARIT^',
  street: '1 LONG LANE$APT 2^',
  iin: '636028',
  number: '1234567',
  expiry: '3106',
  birth: '19860616',
  more: '=',
  third: '_%0AV8V 1V1     00             F165 55BRNBLU?',
}
const read = (over: Partial<Tracks> = {}) => {
  const { place, name, street, iin, number, expiry, birth, more, third } = { ...USUAL, ...over }
  return parseMagnetic(`%${place}${name}${street}?;${iin}${number}=${expiry}${birth}${more}?${third}`)
}

describe('the first track', () => {
  test('says state, city, name and street', () => {
    expect(read()).toEqual({
      version: 0,
      iin: '636028',
      country: 'CAN',
      jurisdiction: 'BC',
      kind: 'DRIVING_LICENSE',
      documentNumber: '1234567',
      surname: 'QUILL',
      givenNames: ['ODA', 'MARIT'],
      nameMayBeTruncated: false,
      suffix: null,
      birthDate: '1986-06-16',
      issueDate: null,
      expiryDate: '2031-06-30',
      sex: 'F',
      address: { streetLines: ['1 LONG LANE', 'APT 2'], city: 'ELSEWHERE', state: 'BC', postcode: 'V8V 1V1' },
      discriminator: null,
      deviations: ['MAGNETIC_STRIPE'],
    })
  })

  test('may fill city and name to their width, without the sign at their end', () => {
    const name = `QUILL$${'O'.repeat(29)}`
    expect(read({ place: 'BCELSEWHERETOWN', name })).toMatchObject({
      surname: 'QUILL',
      givenNames: ['O'.repeat(29)],
      nameMayBeTruncated: true,
      address: { city: 'ELSEWHERETOWN' },
    })
  })

  test('may have no street, or one with empty lines and blanks, with or without the sign at its end', () => {
    expect(read({ street: '' })?.address?.streetLines).toEqual([])
    expect(read({ street: ' 1 LONG LANE $$' })?.address?.streetLines).toEqual(['1 LONG LANE'])
    expect(read({ place: 'BC ELSEWHERE ^' })?.address?.city).toBe('ELSEWHERE')
  })

  test('without a name is no card', () => {
    expect(read({ name: '^' })).toBeNull()
  })

  test('is no card without the second, nor the second without it', () => {
    expect(parseMagnetic('%BCELSEWHERE^QUILL$ODA^1 LONG LANE^?')).toBeNull()
    expect(parseMagnetic(';6360281234567=310619860616=?')).toBeNull()
  })
})

describe('the second track', () => {
  test('carries the rest of a long number, in one of two ways', () => {
    expect(read({ more: '=12345=' })?.documentNumber).toBe('123456712345')
    expect(read({ more: '123' })?.documentNumber).toBe('1234567123')
    expect(read({ more: '' })?.documentNumber).toBe('1234567')
    expect(read({ number: '1234567890123' })?.documentNumber).toBe('1234567890123')
  })

  test.each([
    ['3101', '2031-01-31'],
    ['3112', '2031-12-31'],
    ['2802', '2028-02-29'],
    ['3100', null],
    ['3113', null],
    ['3177', null],
    ['3188', '2031-06-30'],
    ['3199', '2031-06-16'],
  ])('that says %s expires on %s', (expiry, date) => {
    expect(read({ expiry })?.expiryDate).toBe(date)
  })

  test('with an expiry by the birth expires on no day where the birth is none', () => {
    for (const birth of ['19860230', '19861316', '19860600', '18990616', '00000000'])
      for (const expiry of ['3188', '3199'])
        expect(read({ birth, expiry }), birth).toMatchObject({ birthDate: null, expiryDate: null })
    expect(read({ birth: '19000101' })?.birthDate).toBe('1900-01-01')
  })

  test('of an issuer that no list names is of the state in the address', () => {
    expect(read({ iin: '999999' })).toMatchObject({
      country: 'CAN',
      jurisdiction: 'BC',
      deviations: ['MAGNETIC_STRIPE', 'ISSUER_UNKNOWN'],
    })
    expect(read({ iin: '999999', place: 'TXELSEWHERE^' })?.country).toBe('USA')
    expect(read({ iin: '999999', place: 'QQELSEWHERE^' })).toMatchObject({
      country: 'USA',
      jurisdiction: 'QQ',
    })
    expect(read({ iin: '636000' })).toMatchObject({ country: 'USA', jurisdiction: 'VA' })
  })
})

describe('the third track', () => {
  const third = (sex: string, start = '%') => `${start}0AV8V 1V1     00             ${sex}165`

  test.each([
    ['1', 'M'],
    ['M', 'M'],
    ['2', 'F'],
    ['F', 'F'],
  ])('says by %s who is %s', (printed, sex) => {
    expect(read({ third: third(printed) })?.sex).toBe(sex)
  })

  test.each(['%', '#', '+', '!', '"'])('may begin with %s', (start) => {
    expect(read({ third: third('F', start) })?.sex).toBe('F')
  })

  test('is looked for behind the second, and may be missing', () => {
    expect(read({ third: '' })).toMatchObject({ sex: null, address: { postcode: null } })
    expect(read({ third: third('3') })?.sex).toBeNull()
  })
})

test('remarks on the name are kept', () => {
  expect(read({ name: 'QUILL ODA^' })?.deviations).toEqual(['MAGNETIC_STRIPE', 'NAME_WITHOUT_COMMAS'])
})
