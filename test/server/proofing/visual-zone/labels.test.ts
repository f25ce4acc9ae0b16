/** Labels of fields: how they are found in a line that was read with errors, in several languages, and what is left behind them. */
import { describe, expect, test } from 'vitest'
import { loadDocumentTemplates } from '../../../../server/config/document-templates.ts'
import type { PageWords } from '../../../../server/proofing/visual-zone/knowledge.ts'
import { findLabel, isCaption, labelEntries } from '../../../../server/proofing/visual-zone/labels.ts'
import { piece, type Confidence } from './a-piece.ts'

type Entries = Parameters<typeof findLabel>[1]

const ENTRIES = labelEntries({
  labels: {
    surname: ['surname', 'nom', 'name', 'apelido'],
    givenNames: ['given names', 'prenoms', 'name vorname'],
    birthDate: ['birth', 'date of birth'],
    documentNumber: ['dl', 'dln', 'no', 'n', 'card number', 'dl no'],
    expiryDate: ['exp'],
    sex: ['sex', 'sexe'],
  },
  notFields: ['height', 'name of father'],
  kinds: [{ kind: 'RESIDENT_CARD', words: ['residence permit', 'permit'] }],
} as unknown as PageWords)

/** Field and rest of the label; undefined where the line is none. */
function found(text: string, entries: Entries = ENTRIES, confidence: Confidence = 0.9) {
  const label = findLabel(piece(text, { confidence }), entries)
  return label ? [label.field, label.rest?.text ?? null] : undefined
}
const entriesOf = (labels: Partial<PageWords['labels']>): Entries =>
  labelEntries({ labels, notFields: [], kinds: [] } as unknown as PageWords)
const of = (...surname: readonly string[]): Entries => entriesOf({ surname })

test('known labels are the fields’ own, those of no field, and titles of more than one word, longest first', () => {
  expect(
    labelEntries({
      labels: { sex: ['sex'], surname: ['surname'] },
      notFields: ['height'],
      kinds: [{ kind: 'RESIDENT_CARD', words: ['permit', 'residence permit'] }],
    } as unknown as PageWords).map(({ field, label }) => ({ field, label })),
  ).toEqual([
    { field: null, label: 'residence permit' },
    { field: 'surname', label: 'surname' },
    { field: null, label: 'height' },
    { field: 'sex', label: 'sex' },
  ])
})

describe('a label', () => {
  test.each([
    ['Surname ERIKSSON', 'surname', 'ERIKSSON'],
    ['Surname', 'surname', null],
    ['SURNAME: ERIKSSON', 'surname', 'ERIKSSON'],
    ['— Surname ERIKSSON', 'surname', 'ERIKSSON'],
    ['Date of birth 12.08.1974', 'birthDate', '12.08.1974'],
    ['Height 172', null, '172'],
    ['Name of father ERIK', null, 'ERIK'],
    ['Residence permit UTO', null, 'UTO'],
    ['Surname Sex F', 'surname', 'Sex F'],
  ])('begins the line %j: %s, and behind it stands %j', (text, field, rest) => {
    expect(found(text)).toEqual([field, rest])
  })

  test('belongs to the line in which it stands', () => {
    const line = piece('Surname ERIKSSON')
    expect(findLabel(line, ENTRIES)?.segment).toBe(line)
  })

  test.each(['ERIKSSON', 'ERIKSSON Surname ANNA', 'permit', '12.08.1974', '…', 'surnameless one'])(
    'is not in %j',
    (text) => {
      expect(found(text)).toBeUndefined()
    },
  )

  test.each([
    ['Name/Surname/Nom ERIKSSON', 'surname', 'ERIKSSON'],
    ['Nom Surname Name ERIKSSON', 'surname', 'ERIKSSON'],
    ['Name Surname ERIKSSON', 'surname', 'ERIKSSON'],
    ['Name Vorname ERIKSSON', 'givenNames', 'ERIKSSON'],
    ['Prénoms Given names ANNA', 'givenNames', 'ANNA'],
    ['Prénoms/Given names ANNA', 'givenNames', 'ANNA'],
    ['Apelido(s) Surname ERIKSSON', 'surname', 'ERIKSSON'],
    ['Apelido(s) ERIKSSON', 'surname', 'ERIKSSON'],
    ['Apelido s', 'surname', 's'],
    ['Surname ab Nom ERIKSSON', 'surname', 'ab Nom ERIKSSON'],
    ['Card number DLN 123', 'documentNumber', '123'],
    ['Card number no 123', 'documentNumber', 'no 123'],
    ['Sex/Sexe F', 'sex', 'F'],
  ])('may be said in several languages: %j is %s, and behind it stands %j', (text, field, rest) => {
    expect(found(text)).toEqual([field, rest])
  })

  test.each([
    ['4d DL NO. X51', ['documentNumber', 'X51']],
    ['4 DL NO. X51', ['documentNumber', 'X51']],
    ['4dx DL NO. X51', undefined],
    ['4d ERIKSSON', undefined],
  ])('may have a number or a sign before it, of two letters at most: %j', (text, label) => {
    expect(found(text)).toEqual(label)
  })

  test.each([
    ['Xxxx Surname', true],
    ['Xxxx yyy zzz Surname', true],
    ['Xxxx yyy zzz www Surname', false],
    ['Xxxx DL NO', true],
    ['Xxxx Name', false],
    ['Xxxx Surname Nom', true],
    ['Xxxx Surname Nom ERIKSSON', false],
    ['Xxxx Surname give', false],
    ['Xxxx givennames', true],
    ['Xxxx Surname ERIKSSON', false],
  ])('ends the line where another language of it was misread before: %j is %s', (text, isLabel) => {
    expect(found(text) !== undefined).toBe(isLabel)
    if (isLabel) expect(found(text)?.[1]).toBeNull()
  })

  test('ends the line behind five words of which none was read for certain', () => {
    const text = 'Xxxx yyy zzz www vvv Surname'
    expect(found(text, ENTRIES, [0.3, 0.8, 0.2, 0.1, 0.4, 0.9])).toEqual(['surname', null])
    expect(found(text, ENTRIES, [0.3, 0.9, 0.2, 0.1, 0.4, 0.9])).toBeUndefined()
    expect(found(`uuu ${text}`, ENTRIES, [0.3, 0.3, 0.8, 0.2, 0.1, 0.4, 0.9])).toBeUndefined()
  })

  test('of four letters ends the line behind words of which none was read for certain', () => {
    expect(found('lata Ha W3pa Name', ENTRIES, [0.3, 0.8, 0.3, 0.9])).toEqual(['surname', null])
    expect(found('lata Ha W3pa Name', ENTRIES, [0.3, 0.8, 0.9, 0.9])).toBeUndefined()
    expect(found('lata Sex', ENTRIES, [0.3, 0.9])).toBeUndefined()
  })

  test('of three letters or less counts only where it was read with even chances', () => {
    expect(found('DL X5141264', ENTRIES, 0.5)).toEqual(['documentNumber', 'X5141264'])
    expect(found('DL X5141264', ENTRIES, 0.49)).toBeUndefined()
    expect(found('DL X5141264', ENTRIES, [0.9, 0.1])).toEqual(['documentNumber', 'X5141264'])
    expect(found('EXP 2030', ENTRIES, 0.49)).toBeUndefined()
    expect(found('4 DL X5141264', ENTRIES, 0.49)).toBeUndefined()
    expect(found('Name ERIKSSON', ENTRIES, 0.3)).toEqual(['surname', 'ERIKSSON'])
  })
})

describe('a label that was misread', () => {
  test('may have its blanks elsewhere, and is none where a word of it is missing', () => {
    const entries = entriesOf({ issueDate: ['date of issue'], documentNumber: ['passport no'] })
    expect(found('Dateofi ssue', entries)).toEqual(['issueDate', null])
    expect(found('Dat eof issue 2024', entries)).toEqual(['issueDate', '2024'])
    expect(found('PASSPORT OFFICE', entries)).toBeUndefined()
  })

  test.each([
    ['name', 'Name', true],
    ['name', 'N4me', false],
    ['name', 'na me', false],
    ['title', 'T1tle', true],
    ['title', 'Txtle', false],
    ['prenom', 'Pren0m', true],
    ['prenom', 'Prenxm', false],
    ['surname', 'Sumame', true],
    ['surname', 'Surnxme', true],
    ['surname', 'Sxrnxme', false],
    ['surname', 'Zzzzzzz', false],
    ['apellidos', 'Apxllidos', true],
    ['apellidos', 'Apxllxdos', false],
    ['birthplace', 'Bxrthplxce', true],
    ['birthplace', 'Bxrxhplxce', false],
    ['nationality', 'Nxtionalxty', true],
    ['nationality', 'Nxtxonalxty', false],
    ['place of birth', 'Place 0f birth', true],
  ])('%j is still understood in %j: %s', (label, text, isLabel) => {
    expect(found(`${text} UTO`, of(label))).toEqual(isLabel ? ['surname', 'UTO'] : undefined)
  })

  test.each([
    ['given names', 'Givennames ANNA'],
    ['given names', 'Given na mes ANNA'],
    ['surname', 'Sur name ANNA'],
    ['place of birth', 'Placeof birth ANNA'],
  ])('%j may have its words joined or parted: %j', (label, text) => {
    expect(found(text, of(label))).toEqual(['surname', 'ANNA'])
  })

  test('gives way to the label that explains the line best, else to the first', () => {
    const two = entriesOf({ givenNames: ['surnames'], surname: ['surname'] })
    expect(found('Surname', two)?.[0]).toBe('surname')
    expect(found('Surnames', two)?.[0]).toBe('givenNames')
    const same = entriesOf({ givenNames: ['nom'], surname: ['nom'] })
    expect(found('Nom', same)?.[0]).toBe('givenNames')
  })
})

test('a label in two languages without its stroke is one word, whose end is a label too long to be a part of a name', () => {
  const entries = entriesOf({ authority: ['authority', 'autorite'], surname: ['name'] })
  expect(found('AuthorityAutorité', entries)).toEqual(['authority', null])
  expect(found('AuthofityAutorite', entries)).toEqual(['authority', null])
  expect(found('ETABAutorite PARIS', entries)).toEqual(['authority', 'PARIS'])
  expect(found('SVAutorite', entries)).toBeUndefined()
  expect(found('Surnename', entries)).toBeUndefined()
})

describe('a caption is no value', () => {
  const loaded = labelEntries(loadDocumentTemplates().words)
  test.each([
    ['NOME NAME', 'givenNames'],
    ['COGNOME / SURNAME', 'surname'],
    ['Nume/Nom/Last name', 'surname'],
    ['LUOGO DI NASCITA PLACE OF BIRTH', 'birthPlace'],
  ])('behind the label of another language: %s', (text, field) => {
    expect(found(text, loaded)).toEqual([field, null])
  })

  test('that continues with `and`', () => {
    expect(found('SURNAME AND NAME OF A PARENT', loaded)?.[1]).toBeNull()
    expect(found('COGNOME E NOME DEL PADRE', loaded)?.[1]).toBeNull()
  })

  test.each([
    ['cognome', true],
    ['luogo di nascita', true],
    ['luogo e data di nascita', true],
    ['lu0go di nasclta', true],
    ['geburtsdatum', true],
    ['rossi', false],
    ['nat', false],
    ['pol', false],
    ['maria nome', false],
    ['e silva', false],
    ['roma', false],
  ])('%s: %j', (text, expected) => {
    expect(isCaption(text, loaded)).toBe(expected)
  })
})
