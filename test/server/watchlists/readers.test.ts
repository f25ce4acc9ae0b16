/** The content of each published format, entry by entry. The samples contain only invented people. */
import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ListedPerson } from '../../../server/proofing/watchlist/listed.ts'
import { ListRefused } from '../../../server/watchlists/parsed-list.ts'
import { readList, type ListInput } from '../../../server/watchlists/read-list.ts'

const SAMPLES = join(import.meta.dirname, '..', '..', 'fixtures', 'watchlists')
const sample = (file: string, more: Partial<ListInput> = {}) =>
  readList({ file: join(SAMPLES, file), format: 'auto', ...more })

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'counterproof-lists-'))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})
const written = (content: string | Uint8Array, name = 'list.csv'): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}
const reading = (content: string | Uint8Array, name?: string, more: Partial<ListInput> = {}) =>
  readList({ file: written(content, name), format: 'auto', ...more })
const changed = (file: string, from: string | RegExp, to: string) =>
  readFileSync(join(SAMPLES, file), 'utf8').replace(from, to)
const refusal = async (work: Promise<unknown>): Promise<string> => {
  const error: unknown = await work.catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(ListRefused)
  return (error as ListRefused).message
}
const strong = (text: string) => ({ text, isWeak: false })
const weak = (text: string) => ({ text, isWeak: true })
const span = (from: string, to = from) => ({ from, to })
const byId = (persons: readonly ListedPerson[], id: string) => persons.find((person) => person.id === id)

describe('the U.S. Treasury’s CSV', () => {
  test('gives persons with dates, countries, documents and weak names out of four files', async () => {
    const list = await sample('sdn.csv')
    expect(list).toMatchObject({ format: 'ofac-csv', date: null, leftOut: 2 })
    expect(list.persons).toEqual([
      {
        id: '7001',
        names: [
          strong('ABUZAHRI, Omar Tarwan'),
          strong('ABU ZAHRI, Umar'),
          weak('AL-BASRI'),
          weak('THE CARPENTER'),
        ],
        births: [span('1960-03-12'), span('1961-01-01', '1961-12-31')],
        countries: ['IRQ', 'JOR'],
        documents: ['H0123456', '33445566'],
      },
      {
        id: '7002',
        names: [strong('VELMIROV, Stepan Igorevich'), strong('VELMIROFF, Stefan')],
        births: [span('1957-01-01', '1959-12-31')],
        countries: ['RUS'],
        documents: ['770012345678', '721234567'],
      },
      {
        id: '7003',
        names: [strong('QUIROLA MENDEZ, Jose Luis')],
        births: [span('1958-01-01', '1960-12-31')],
        countries: ['COL'],
        documents: ['5892464'],
      },
    ])
  })

  test('has the hash of each file, and one of all', async () => {
    const { files, sha256 } = await sample('sdn.csv')
    const hashOf = (file: string) =>
      createHash('sha256')
        .update(readFileSync(join(SAMPLES, file)))
        .digest('hex')
    expect(files.map(({ role, sha256: hash }) => [role, hash])).toEqual([
      ['list', hashOf('sdn.csv')],
      ['aliases', hashOf('alt.csv')],
      ['comments', hashOf('sdn_comments.csv')],
      ['addresses', hashOf('add.csv')],
    ])
    const lines = files.map(({ role, sha256: hash }) => `${hash}  ${role}\n`).join('')
    expect(sha256).toBe(createHash('sha256').update(lines).digest('hex'))
  })

  test('is taken in capitals, and with files that lie elsewhere', async () => {
    cpSync(SAMPLES, folder, { recursive: true })
    for (const name of ['sdn.csv', 'alt.csv'])
      renameSync(join(folder, name), join(folder, name.toUpperCase()))
    const { persons } = await readList({ file: join(folder, 'SDN.CSV'), format: 'auto' })
    expect(byId(persons, '7002')?.names).toHaveLength(2)
    const elsewhere = await reading(readFileSync(join(SAMPLES, 'sdn.csv')), 'list-of-november.csv', {
      aliases: join(SAMPLES, 'alt.csv'),
    })
    expect(elsewhere.files.map(({ role }) => role)).toEqual(['list', 'aliases'])
    // Without the comments, which exist only beside a file with the published name.
    expect(byId(elsewhere.persons, '7002')?.documents).toEqual(['770012345678'])
  })

  test('is refused without its other names, twice the same entry, or with rows of another table', async () => {
    const text = readFileSync(join(SAMPLES, 'sdn.csv'), 'utf8')
    expect(await refusal(reading(text, 'sdn.csv'))).toMatch(/other names are missing/)
    const aliases = join(SAMPLES, 'alt.csv')
    expect(await refusal(reading(text.replace('7002', '7001'), 'sdn.csv', { aliases }))).toMatch(
      /row 2 twice/,
    )
    expect(await refusal(reading('1,2,3\n', 'a.csv', { aliases }))).toMatch(/row 1, is not the number/)
    const other = written('9999,1,"aka","NOBODY",-0- \n', 'other.csv')
    expect(await refusal(reading(text, 'sdn.csv', { aliases: other }))).toMatch(/row 1, is of an entry that/)
  })
})

describe('the U.S. Treasury’s advanced XML', () => {
  test('gives persons, their kinds explained by the file itself', async () => {
    const list = await sample('sdn_advanced.xml')
    expect(list).toMatchObject({ format: 'ofac-xml', date: '2026-11-03', leftOut: 1 })
    expect(list.persons).toEqual([
      {
        id: '7001',
        names: [strong('ABUZAHRI Omar & Tarwan'), strong('ابو زهري'), weak('AL-BASRI')],
        births: [span('1960-03-12')],
        // Nationality alone: born elsewhere.
        countries: ['IRQ'],
        documents: ['H0123456'],
      },
      {
        id: '7002',
        names: [strong('VELMIROV Stepan')],
        births: [span('1958-01-01', '1960-12-31')],
        countries: ['RUS'],
        documents: [],
      },
    ])
  })

  test('is refused without its tables, with a person twice, or one without a name', async () => {
    const without = changed('sdn_advanced.xml', /<ReferenceValueSets>[^]*<\/ReferenceValueSets>/, '')
    expect(await refusal(reading(without, 'a.xml'))).toMatch(/does not say what its numbers mean/)
    const twice = changed(
      'sdn_advanced.xml',
      'FixedRef="7002">\n      <Comment',
      'FixedRef="7001">\n      <Comment',
    )
    expect(await refusal(reading(twice, 'b.xml'))).toMatch(/or twice/)
    const nameless = changed('sdn_advanced.xml', />(VELMIROV|Stepan)</g, '><')
    expect(await refusal(reading(nameless, 'c.xml'))).toMatch(/without a name/)
  })
})

describe('the list of the United Nations', () => {
  test('gives persons with all parts of their names, spans of years and names in their own letters', async () => {
    const list = await sample('consolidated.xml')
    expect(list).toMatchObject({ format: 'un-xml', date: '2026-11-12', leftOut: 1 })
    expect(list.persons).toEqual([
      {
        id: 'QDi.901',
        names: [
          strong('OMAR TARWAN ABU ZAHRI'),
          strong('عمر طروان ابو زهري'),
          strong('Umar Abuzahri'),
          strong('Omar al-Zahri'),
          weak('The Carpenter'),
        ],
        births: [span('1960-03-12'), span('1958-01-01', '1961-12-31')],
        countries: ['IRQ', 'SYR'],
        documents: ['H0123456'],
      },
      {
        id: 'KPi.902',
        names: [strong('MINSU HWARANG'), strong('화랑민수')],
        births: [span('1967-01-01', '1969-12-31')],
        countries: ['PRK'],
        documents: [],
      },
    ])
  })

  test('is refused with a person twice, without a number or without a name', async () => {
    const twice = changed('consolidated.xml', 'KPi.902', 'QDi.901')
    expect(await refusal(reading(twice, 'a.xml'))).toMatch(/twice/)
    const nameless = changed('consolidated.xml', />(MINSU|HWARANG|화랑민수)</g, '><')
    expect(await refusal(reading(nameless, 'b.xml'))).toMatch(/without a number or a name/)
    const dataId = changed('consolidated.xml', '<REFERENCE_NUMBER>KPi.902</REFERENCE_NUMBER>', '')
    expect((await reading(dataId, 'c.xml')).persons.map(({ id }) => id)).toEqual(['QDi.901', '6909002'])
    expect(
      (await reading(changed('consolidated.xml', / dateGenerated="[^"]*"/, ''), 'd.xml')).date,
    ).toBeNull()
  })
})

describe('the list of the European Union', () => {
  test('gives persons with weak names, days, spans of years and citizenships, and leaves out enterprises', async () => {
    const list = await sample('eu-consolidated.xml')
    expect(list).toMatchObject({ format: 'eu-xml', date: '2026-11-20', leftOut: 1 })
    expect(list.persons).toEqual([
      {
        id: 'EU.901.1',
        names: [
          strong('Omar Tarwan Abu Zahri'),
          strong('عمر طروان ابو زهري'),
          weak('The Carpenter'),
          strong('Umar Abuzahri'),
        ],
        // The year 1380 of another calendar is not read.
        births: [span('1960-03-12'), span('1961-01-01', '1963-12-31')],
        countries: ['IRQ'],
        documents: ['H0123456'],
      },
      {
        id: '9002',
        names: [strong('Minsu Hwarang')],
        births: [
          span('1953-01-01', '1958-12-31'),
          span('1860-01-01', '1980-12-31'),
          span('1961-08-01', '1961-08-31'),
        ],
        countries: ['PRK'],
        documents: [],
      },
    ])
  })

  test('takes an entry without a kind as a person, and is refused with a person twice or without a name', async () => {
    const kindless = changed(
      'eu-consolidated.xml',
      '<subjectType code="enterprise" classificationCode="E"/>',
      '',
    )
    expect((await reading(kindless, 'a.xml')).persons.map(({ id }) => id)).toContain('EU.903.1')
    const twice = changed('eu-consolidated.xml', 'logicalId="9002"', 'logicalId="EU.901.1"')
    expect(await refusal(reading(twice, 'b.xml'))).toMatch(/twice/)
    const nameless = changed('eu-consolidated.xml', 'wholeName="Minsu Hwarang"', 'wholeName=""')
    expect(await refusal(reading(nameless, 'c.xml'))).toMatch(/without a number or a name/)
  })
})

describe('the list of the United Kingdom', () => {
  test('gives persons with dates of which the day or month is not known, and leaves out entities and ships', async () => {
    const list = await sample('UK_Sanctions_List.xml')
    expect(list).toMatchObject({ format: 'uk-xml', date: '2026-11-21', leftOut: 2 })
    expect(list.persons).toEqual([
      {
        id: 'UTO9006',
        names: [
          strong('OMAR TARWAN ABU ZAHRI'),
          strong('Umar Abuzahri'),
          weak('The Carpenter'),
          strong('عمر طروان ابو زهري'),
        ],
        births: [span('1945-01-01', '1945-12-31'), span('1946-03-01', '1946-03-31'), span('1958-03-01')],
        countries: ['IRQ'],
        documents: ['P04581926', '1234567'],
      },
      { id: 'UTO9007', names: [strong('Minsu Hwarang')], births: [], countries: ['PRK'], documents: [] },
    ])
  })

  test('is refused in its former layout, with the name of the file to take', async () => {
    const former = '<ArrayOfFinancialSanctionsTarget/>'
    expect(await refusal(reading(former, 'ConList.xml'))).toMatch(/take UK_Sanctions_List\.xml/)
  })
})

describe('the list of Switzerland', () => {
  test('gives each spelling of a name in its script, and the country of a place that is stated at the end', async () => {
    const list = await sample('swiss-sanctions-list.xml')
    expect(list).toMatchObject({ format: 'swiss-xml', date: '2026-11-19' })
    expect(list.persons[0]).toEqual({
      id: '995142',
      names: [
        strong('Velmirov Stepan Igorevich'),
        strong('Velmirov Stefan Igorevich'),
        strong('Velmiroff Stepan Igorevich'),
        strong('Velmiroff Stefan Igorevich'),
        strong('ВЕЛЬМИРОВ Степан Igorevich'),
        weak('The Colonel'),
        strong('Stjepan Velmirac'),
      ],
      births: [span('1980-03-23'), span('1981-07-01', '1981-07-31')],
      countries: ['MDA'],
      documents: ['751234567'],
    })
  })

  test('leaves out entities and persons who were taken off it, but not those who were listed again', async () => {
    const list = await sample('swiss-sanctions-list.xml')
    expect(list.leftOut).toBe(2)
    expect(list.persons.map(({ id }) => id)).toEqual(['995142', '995200'])
    expect(byId(list.persons, '995200')).toMatchObject({ countries: ['PRK'] })
  })

  test('a name of many parts with many spellings stays within bounds', async () => {
    const variants = Array.from(
      { length: 40 },
      (_, at) => `<spelling-variant script="LATN">a${at}</spelling-variant>`,
    )
    const part = `<name-part order="1" name-part-type="given-name"><value>a</value>${variants.join('')}</name-part>`
    const name = `<name quality="good">${part.repeat(12)}</name>`
    const target = `<target ssid="1"><individual><identity>${name}</identity></individual></target>`
    const list = await reading(
      `<swiss-sanctions-list date="2026-11-19">${target}</swiss-sanctions-list>`,
      'a.xml',
    )
    expect(list.persons[0].names.length).toBeLessThanOrEqual(101)
  })
})

describe('a list of one’s own', () => {
  test('gives persons by the columns of its header', async () => {
    const list = await sample('own-list.csv')
    expect(list).toMatchObject({ format: 'csv', date: null, leftOut: 1 })
    expect(list.persons).toEqual([
      {
        id: 'W-1',
        names: [
          strong('Omar Tarwan Abuzahri'),
          strong('Umar Abu Zahri'),
          strong('Omar al-Zahri'),
          weak('The Carpenter'),
        ],
        births: [span('1960-03-12'), span('1958-01-01', '1961-12-31')],
        countries: ['IRQ', 'JOR'],
        documents: ['H0123456', '33445566'],
      },
      {
        id: 'W-2',
        names: [strong('Stepan Velmirov, Jr.')],
        births: [span('1957-01-01', '1959-12-31')],
        countries: ['RUS'],
        documents: [],
      },
    ])
    const [file] = list.files
    expect(list.sha256).toBe(file.sha256)
    expect(file.bytes).toBe(readFileSync(join(SAMPLES, 'own-list.csv')).length)
  })

  test.each([
    ['id,name\n1,Anna Holt\n', 'ANNA', ['Anna Holt']],
    ['\uFEFFID;Name\n', '', null],
    ['ID,Name\r\n"x 1","Holt, Anna"\r\n', '', ['Holt, Anna']],
    ['\uFEFFId,Surname,Given Names\n1,Holt,Anna\n\n', '', ['Anna Holt']],
  ])('%j', async (text, _, names) => {
    if (names === null) expect(await refusal(reading(text))).toMatch(/format cannot be told/)
    else expect((await reading(text)).persons[0].names.map((name) => name.text)).toEqual(names)
  })

  test.each([
    ['id,name\n1,\n', /row 2: no name/],
    ['id,name\n,Anna\n', /row 2: no id/],
    ['id,name\n1,Anna\n1,Berta\n', /row 3: this id occurs twice/],
    ['id,name,date_of_birth\n1,Anna,yesterday\n', /row 2: a date that is not understood/],
    ['id,name,colour\n1,Anna,red\n', /column 3 is none of/],
    ['id,name,name\n1,Anna,Anna\n', /a column twice/],
    ['id,name\n1,Anna,more\n', /row of another length.*line 2/],
    ['id,name\n1,"Anna\n', /ends within a quoted field/],
    ['id,name\n', /holds no person/],
    ['id,name,type\n1,Holt Ltd,entity\n', /holds no person/],
    ['name,surname\nAnna,Holt\n', /format cannot be told/],
  ])('is refused: %j', async (text, expected) => {
    const message = await refusal(reading(text))
    expect(message).toMatch(expected)
    expect(message).not.toMatch(/Anna|Holt|yesterday/)
  })
})

describe('what is no list', () => {
  test.each<[string, string | Uint8Array, RegExp]>([
    ['an empty file', '', /is empty/],
    ['a ZIP archive', Uint8Array.of(0x50, 0x4b, 3, 4, 0), /ZIP archive/],
    ['a gzip file', Uint8Array.of(0x1f, 0x8b, 8, 0), /compressed/],
    ['a PDF', '%PDF-1.7\n', /a PDF/],
    ['UTF-16', Buffer.from('\uFEFFid,name\n1,Anna\n', 'utf16le'), /UTF-16/],
    ['bytes', Uint8Array.of(105, 100, 0, 0, 0), /no text file/],
    ['Latin-1', Buffer.from('id,name\n1,J\u00fcrgen Holt\n', 'latin1'), /not UTF-8/],
    ['a text that ends within a letter', Buffer.from('id,name\n1,J\u00fc').subarray(0, -1), /not UTF-8/],
    ['a web page', '<!DOCTYPE html><html><body>404</body></html>', /web page/],
    ['the simple sdn.xml', '<?xml version="1.0"?><sdnList></sdnList>', /sdn_advanced/],
    ['another XML file', '<?xml version="1.0"?><invoice/>', /none of the lists/],
    ['a letter', 'Dear Sir or Madam,\n', /cannot be told/],
  ])('%s is refused', async (_, content, expected) => {
    expect(await refusal(reading(content))).toMatch(expected)
  })

  test('is refused by its format, too, where that was named wrongly', async () => {
    expect(await refusal(sample('consolidated.xml', { format: 'ofac-xml' }))).toMatch(/another kind of file/)
    expect(await refusal(sample('own-list.csv', { format: 'un-xml' }))).toMatch(/no well-formed XML/)
    expect(await refusal(sample('consolidated.xml', { format: 'csv' }))).toMatch(
      /no header row|no CSV|length|quote/,
    )
    const aliases = join(SAMPLES, 'alt.csv')
    expect(await refusal(sample('own-list.csv', { format: 'ofac-csv', aliases }))).toMatch(/row 1, is not/)
  })
})

describe('an XML file that is made to do harm', () => {
  const list = (inside: string) =>
    `<?xml version="1.0"?><CONSOLIDATED_LIST dateGenerated="2026-11-12T00:00:00Z"><INDIVIDUALS>${inside}</INDIVIDUALS></CONSOLIDATED_LIST>`
  const person = (name: string) =>
    `<INDIVIDUAL><DATAID>1</DATAID><FIRST_NAME>${name}</FIRST_NAME></INDIVIDUAL>`

  test('declares no entities', async () => {
    const bomb =
      '<?xml version="1.0"?><!DOCTYPE CONSOLIDATED_LIST [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>' +
      `<CONSOLIDATED_LIST><INDIVIDUALS>${person('&b;')}</INDIVIDUALS></CONSOLIDATED_LIST>`
    expect(await refusal(reading(bomb, 'a.xml'))).toMatch(/document type/)
    const outside = bomb.replace(
      /<!DOCTYPE[^>]*>.*?\]>/,
      '<!DOCTYPE CONSOLIDATED_LIST SYSTEM "file:///etc/passwd">',
    )
    expect(await refusal(reading(outside, 'b.xml'))).toMatch(/document type/)
    expect(await refusal(reading(list(person('&b;')), 'c.xml'))).toMatch(/no well-formed XML/)
  })

  test('nests no deeper, grows no longer and runs on no further than any list does', async () => {
    expect(await refusal(reading(list('<A>'.repeat(100_000)), 'a.xml'))).toMatch(/without end/)
    const many = `<INDIVIDUAL><DATAID>1</DATAID>${'<A/>'.repeat(100_001)}</INDIVIDUAL>`
    expect(await refusal(reading(list(many), 'b.xml'))).toMatch(/entry without end/)
    expect(await refusal(reading(list(person('A'.repeat(2_200_000))), 'c.xml'))).toMatch(/text without end/)
  })

  test('is refused where it is cut off, wherever that is', async () => {
    const whole = readFileSync(join(SAMPLES, 'consolidated.xml'))
    for (let length = 200; length < whole.length - 1; length += 97)
      await refusal(reading(whole.subarray(0, length), 'cut.xml'))
  })

  test('is refused in another encoding than it says', async () => {
    const latin = list(person('Holt')).replace('"1.0"', '"1.0" encoding="ISO-8859-1"')
    expect(await refusal(reading(latin, 'a.xml'))).toMatch(/not in UTF-8/)
  })
})

test('a list of 40 000 persons is read piece by piece', async () => {
  const people = Array.from(
    { length: 40_000 },
    (_, i) =>
      `<INDIVIDUAL><DATAID>${i}</DATAID><FIRST_NAME>ANNA</FIRST_NAME><SECOND_NAME>HOLT</SECOND_NAME><COMMENTS1>${'x'.repeat(200)}</COMMENTS1></INDIVIDUAL>`,
  )
  const text = `<CONSOLIDATED_LIST dateGenerated="2026-11-12"><INDIVIDUALS>${people.join('\n')}</INDIVIDUALS></CONSOLIDATED_LIST>`
  expect((await reading(text, 'large.xml')).persons).toHaveLength(40_000)
})
