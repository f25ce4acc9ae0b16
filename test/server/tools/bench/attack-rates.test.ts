/** How attacks are counted after ISO/IEC 30107-3. */
import { describe, expect, test } from 'vitest'
import {
  bySource,
  ratesAt,
  rateText,
  type Presented,
} from '../../../../server/tools/bench/pad/attack-rates.ts'
import { parsePictureList } from '../../../../server/tools/bench/pad/pictures.ts'

const frames = (source: string, species: string | null, ...scores: (number | null)[]): Presented[] =>
  scores.map((score) => ({ source, species, score }))

describe('error rates of presentation attack detection', () => {
  const rates = ratesAt(
    bySource([
      ...frames('a', 'print', 0.9, 0.1, 0.2),
      ...frames('b', 'print', 0.8),
      ...frames('c', 'screen', 0.1),
      ...frames('d', 'screen', null, null),
      ...frames('e', null, 0.9, null, 0.8),
      ...frames('f', null, 0.2, 0.95, 0.1),
      ...frames('g', null, null),
    ]),
    0.75,
  )

  test('take the median of the frames of one recording', () => {
    expect(rates.apcer.print).toMatchObject({ errors: 1, trials: 2, rate: 0.5 })
    expect(rates.bpcer).toMatchObject({ errors: 1, trials: 2 })
  })

  // @clause 30107-3/apcer
  test('are counted by species and are worth what the worst is', () => {
    expect(rates.apcer.screen).toMatchObject({ errors: 0, trials: 1 })
    expect(rates.worst).toBe('print')
  })

  // @clause 30107-3/nonresponse
  test('count what was not answered apart, neither as caught nor as refused', () => {
    expect(rates.apnrr).toMatchObject({ errors: 1, trials: 4, rate: 0.25 })
    expect(rates.bpnrr).toMatchObject({ errors: 1, trials: 3 })
  })

  test('accept a score that is the threshold', () => {
    expect(ratesAt(frames('a', null, 0.75), 0.75).bpcer.errors).toBe(0)
  })

  test('have no rate without a trial', () => {
    expect(ratesAt([], 0.75).bpcer.rate).toBeNull()
    expect(rateText(ratesAt([], 0.75).bpcer)).toBe('–')
  })
})

describe('a list of labelled pictures', () => {
  test('may name species and sources, and takes what has no label for bona fide', () => {
    const list =
      'file\tlabel\tspecies\tsource\na.jpg\tattack\tprint\ts1\nb.jpg\tbona-fide\t\ts2\nc.jpg\tattack\t\t\n'
    expect(parsePictureList(list)).toEqual([
      { file: 'a.jpg', species: 'print', source: 's1' },
      { file: 'b.jpg', species: null, source: 's2' },
      { file: 'c.jpg', species: 'attack', source: 'c.jpg' },
    ])
    expect(parsePictureList('file\tperson\nx.jpg\tp')).toEqual([
      { file: 'x.jpg', species: null, source: 'p' },
    ])
  })

  test('without files is refused', () => {
    expect(() => parsePictureList('name\tlabel\nx\ty')).toThrow(TypeError)
  })
})
