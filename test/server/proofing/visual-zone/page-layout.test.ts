/** Which layout a page has, and what it decides: the kind, the order of day and month, the fields of its numbers. */
import { describe, expect, test } from 'vitest'
import type { PageTemplate } from '../../../../server/proofing/visual-zone/knowledge.ts'
import { content, factsOf, labelled, PASSPORT, read, template, told, type Line } from './a-page.ts'

describe('the layout of a page', () => {
  const chosen = (lines: readonly Line[], ...templates: readonly PageTemplate[]) =>
    factsOf(lines, ...templates).template
  const SURNAME: Line = ['Surname', 0.1, 0.3]
  const SEX: Line = ['Sex', 0.1, 0.5]

  test.each([
    [{ least: 2, most: 2 }, true],
    [{ least: 2.01, most: 3 }, false],
    [{ least: 1, most: 1.99 }, false],
  ])('has its proportions: %j is %s', (aspect, fits) => {
    expect(chosen([PASSPORT], template('page', { aspect }))).toBe(fits ? 'page' : null)
  })

  test('may be that of one side alone', () => {
    const templates = [template('page')]
    expect(read([content([], 0.5), content([PASSPORT])], templates).template).toBe('page')
    expect(read([content([PASSPORT], 0.5)], templates).template).toBeNull()
  })

  test('is of the kind that the page names', () => {
    const visa = template('visa', { kinds: ['VISA'], anchors: ['surname'], leastAnchors: 1 })
    const both = template('both', { kinds: ['VISA', 'PASSPORT'] })
    expect(chosen([PASSPORT, SURNAME], visa)).toBeNull()
    expect(chosen([SURNAME], visa)).toBe('visa')
    expect(chosen([PASSPORT], both)).toBe('both')
  })

  test.each([
    ['NEDERLAND', ['NLD'], true],
    ['NEDERLAND', ['USA', 'NLD'], true],
    ['NEDERLAND', [], true],
    ['NEDERLAND', ['USA'], false],
    ['UTOPIA', ['USA'], true],
    ['ERIKSSON', ['USA'], true],
  ])(
    'is of the country that the page names, and specimens are of any: %s, %j is %s',
    (text, countries, fits) => {
      const lines: readonly Line[] = [PASSPORT, [text, 0.1, 0.02]]
      expect(chosen(lines, template('page', { countries }))).toBe(fits ? 'page' : null)
    },
  )

  test.each([
    ['two of two', [SURNAME, SEX], 2, true],
    ['one of two', [SURNAME], 2, false],
    ['one of two where the kind is named', [PASSPORT, SURNAME], 2, true],
    ['none where the kind is named', [PASSPORT], 1, false],
    ['none of none where the kind is named', [PASSPORT], 0, true],
    ['none of none', [], 0, false],
    ['one of one', [SURNAME], 1, true],
    ['one, but only its name can tell it', [SURNAME], 0, false],
  ] as const)('has the labels that speak for it: %s', (_, lines, leastAnchors, fits) => {
    const anchors = ['surname', 'sex']
    expect(chosen(lines, template('page', { anchors, leastAnchors }))).toBe(fits ? 'page' : null)
  })

  test('has numbers that speak for it, where values stand behind them', () => {
    const numbered = template('page', { anchors: ['1', '2'], leastAnchors: 2 })
    expect(
      chosen(
        [
          ['1. ERIKSSON', 0.1, 0.3],
          ['2. ANNA', 0.1, 0.5],
        ],
        numbered,
      ),
    ).toBe('page')
    expect(
      chosen(
        [
          ['1. ERIKSSON', 0.1, 0.3],
          ['2. A', 0.1, 0.5],
        ],
        numbered,
      ),
    ).toBeNull()
  })

  test('needs one of the labels that it cannot be without', () => {
    const needing = (...needs: readonly string[]) =>
      template('page', { anchors: ['surname'], leastAnchors: 1, needs })
    expect(chosen([SURNAME], needing('sex'))).toBeNull()
    expect(chosen([SURNAME], needing('sex', 'surname'))).toBe('page')
    expect(chosen([PASSPORT, SURNAME], needing('sex'))).toBeNull()
  })

  test('is the one for which most speaks, a country as much as two labels', () => {
    const one = template('one', { anchors: ['surname'], leastAnchors: 1 })
    const two = template('two', { anchors: ['surname', 'sex', 'address'], leastAnchors: 1 })
    const dutch = template('dutch', { countries: ['NLD'] })
    const three = template('three', { anchors: ['surname', 'sex', 'address'] })
    const NLD: Line = ['NEDERLAND', 0.4, 0.02]
    expect(chosen([SURNAME, SEX], one, two)).toBe('two')
    expect(chosen([SURNAME, SEX], two, one)).toBe('two')
    expect(chosen([PASSPORT, SURNAME, NLD], one, dutch)).toBe('dutch')
    expect(chosen([PASSPORT, SURNAME, NLD], dutch, one)).toBe('dutch')
    expect(chosen([PASSPORT, SURNAME, SEX, NLD, ['Address', 0.1, 0.7]], dutch, three)).toBe('three')
    expect(chosen([PASSPORT], template('first'), template('second'))).toBe('first')
  })

  test('tells the kind where it is of one kind only', () => {
    const kindOf = (...kinds: PageTemplate['kinds']) =>
      factsOf([SURNAME], template('page', { kinds, anchors: ['surname'], leastAnchors: 1 })).kind
    expect(kindOf('VISA')).toBe('VISA')
    expect(kindOf('VISA', 'PASSPORT')).toBeNull()
    expect(factsOf([PASSPORT], template('page', { kinds: ['PASSPORT', 'VISA'] })).kind).toBe('PASSPORT')
  })

  test('tells the kind for what is known by its form, the first of several', () => {
    const number: Line = ['L898902C3', 0.1, 0.8]
    const ofKinds = (...kinds: PageTemplate['kinds']) =>
      told([SURNAME, number], template('page', { kinds, anchors: ['surname'], leastAnchors: 1 }))
    expect(ofKinds('PASSPORT', 'VISA')).toEqual(['documentNumber L898902C3'])
    expect(ofKinds('VISA', 'PASSPORT')).toEqual([])
    expect(told([SURNAME, number])).toEqual([])
    expect(told([PASSPORT, number])).toEqual(['documentNumber L898902C3'])
  })
})

describe('the order of day and month', () => {
  const issued = labelled('Issued', '05/04/2024')
  const mdy = template('page', { dateOrder: 'mdy' })

  test('is the layout’s, else that of the United States, else unknown', () => {
    expect(told([PASSPORT, ...issued], mdy)).toEqual(['issueDate 2024-05-04'])
    expect(told([PASSPORT, ...issued], template('page'))).toEqual(['issueDate 2024-04-05'])
    expect(told([['UNITED STATES', 0.5, 0.02], ...issued])).toEqual(['issueDate 2024-05-04'])
    expect(told([['NEDERLAND', 0.5, 0.02], ...issued])).toEqual([])
    expect(told(issued)).toEqual([])
  })

  test('is what several dates of the page allow', () => {
    const others: readonly Line[] = [
      ['25/04/1984', 0.6, 0.6],
      ['26/05/1984', 0.6, 0.8],
    ]
    expect(factsOf([PASSPORT, ...issued, ...others], mdy).fields).toContainEqual(
      expect.objectContaining({ field: 'issueDate', value: '2024-04-05', foundBy: 'label' }),
    )
  })
})

describe('the number of a field', () => {
  const licence = template('page', {
    kinds: ['DRIVING_LICENSE'],
    numbered: {
      1: { field: 'surname', form: 'name' },
      5: { field: 'documentNumber', form: 'number' },
    },
  })
  const TITLE: Line = ['DRIVING LICENCE', 0.6, 0.02, 0.1]
  const valuesOf = (...lines: readonly Line[]) => told([TITLE, ...lines], licence)

  test('counts in a layout that has it', () => {
    expect(valuesOf(['1. ERIKSSON', 0.1, 0.3], ['5. L898902C3', 0.1, 0.5])).toEqual([
      'documentNumber L898902C3',
      'surname ERIKSSON',
    ])
    expect(told([TITLE, ['5. L898902C3', 0.1, 0.5]])).toEqual([])
  })

  test('may stand before the label of the field', () => {
    expect(valuesOf(['1 Surname ERIKSSON', 0.1, 0.3])).toEqual(['surname ERIKSSON'])
    expect(valuesOf(['1 Surname', 0.1, 0.3], ['ERIKSSON', 0.24, 0.3])).toEqual(['surname ERIKSSON'])
    expect(valuesOf(['1 VAN ERIKSSON', 0.1, 0.3])).toEqual(['surname VAN ERIKSSON'])
    expect(factsOf([TITLE, ['1 Surname ERIKSSON', 0.1, 0.3]], licence).fields).toMatchObject([
      { value: 'ERIKSSON', foundBy: 'template' },
    ])
  })
})
