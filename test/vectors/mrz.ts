/** Published specimens of ICAO Doc 9303 (parts 3 to 8) and of the French and other issuers; no real person's data. */
import type { MrzFormat } from '../../server/proofing/mrz/format.ts'

export interface MrzVector {
  readonly name: string
  readonly format: MrzFormat
  readonly lines: readonly string[]
}

export const VALID_VECTORS: readonly MrzVector[] = [
  {
    name: 'Doc 9303 part 4, passport of Utopia',
    format: 'TD3',
    lines: ['P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<', 'L898902C36UTO7408122F1204159ZE184226B<<<<<10'],
  },
  {
    name: 'Doc 9303 part 5, card of Utopia',
    format: 'TD1',
    lines: [
      'I<UTOD231458907<<<<<<<<<<<<<<<',
      '7408122F1204159UTO<<<<<<<<<<<6',
      'ERIKSSON<<ANNA<MARIA<<<<<<<<<<',
    ],
  },
  {
    name: 'Doc 9303 part 5, document number of twelve characters',
    format: 'TD1',
    lines: [
      'I<UTOD23145890<XYZ5<<<<<<<<<<<',
      '7408122F1204159UTO<<<<<<<<<<<0',
      'ERIKSSON<<ANNA<MARIA<<<<<<<<<<',
    ],
  },
  {
    name: 'Doc 9303 part 6, card of Utopia',
    format: 'TD2',
    lines: ['I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<', 'D231458907UTO7408122F1204159<<<<<<<6'],
  },
  {
    name: 'Doc 9303 part 8, single-sheet emergency travel document',
    format: 'TD2',
    lines: ['PUUTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<', 'D231458907UTO7408122F2606277<<<<<<<8'],
  },
  {
    name: 'Doc 9303 part 7, visa of format A',
    format: 'MRVA',
    lines: ['V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<', 'L8988901C4XXX4009078F96121096ZE184226B<<<<<<'],
  },
  {
    name: 'Doc 9303 part 7, visa of format B',
    format: 'MRVB',
    lines: ['V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<', 'L8988901C4XXX4009078F9612109<<<<<<<<'],
  },
  {
    name: 'French identity card of 1994',
    format: 'FRA',
    lines: ['IDFRABERTHIER<<<<<<<<<<<<<<<<<<<<<<<', '9409923102854CORINNE<<<<<<<6512068F4'],
  },
  {
    name: 'driving licence of France',
    format: 'FRA_DL',
    lines: ['D1FRA13AA000026181231MARTIN<<9'],
  },
]

/** The only layout that nothing guards. */
export const SWISS_LICENCE: MrzVector = {
  name: 'driving licence of Switzerland',
  format: 'CHE_DL',
  lines: ['AAA001D<<', 'FACHE305142128097<<800126<<<<<', 'MARCHAND<<FABIENNE<<<<<<<<<<<<'],
}

/** Names of Doc 9303 parts 4 to 6 that were cut, with the names as they are printed. */
export const TRUNCATED_NAMES: readonly {
  readonly field: string
  readonly surname: string
  readonly givenNames: readonly string[]
}[] = [
  ...[
    'NILAVADHANANANDA<<CHAYAPA<DEJTHAMRONG<K',
    'NILAVADHANANANDA<<CHAYAPA<DEJ<K',
    'NILAVADHANANANDA<<ARN<PET<CHARO',
    'NILAVADHANANANDA<<CHAYAPA<DE<K',
  ].map((field) => ({
    field,
    surname: 'NILAVADHANANANDA',
    givenNames: field.includes('ARN')
      ? ['ARNPOL', 'PETCH', 'CHARONGUANG']
      : ['CHAYAPA', 'DEJTHAMRONG', 'KRASUANG'],
  })),
  ...[
    'BENNELONG<WOOLOOMOOLOO<WARRANDYTE<W<<DI',
    'BENNELONG<WOOLOOM<WARRAND<WARNAM<<DINGO',
    'BENNEL<WOOLOO<WARRAN<WARNAM<<DINGO<POTO',
    'BENNELONG<WOOLOOMOOLOO<W<W<<D<P',
    'BENNELONG<WOOLOOM<WAR<WARN<<D<P',
    'BENNEL<WOOLO<WARRA<WARNA<<DIN<P',
    'BENNELONG<WOOLOOMOOLOO<W<W<<DI',
    'BENNE<WOOLO<WARRA<WARNA<<DIN<P',
  ].map((field) => ({
    field,
    surname: 'BENNELONG WOOLOOMOOLOO WARRANDYTE WARNAMBOOL',
    givenNames: ['DINGO', 'POTOROO'],
  })),
  {
    field: 'PAPANDROPOULOUS<<JONATHON<WARREN<TREVOR',
    surname: 'PAPANDROPOULOUS',
    givenNames: ['JONATHON', 'WARREN', 'TREVOR'],
  },
  {
    field: 'PAPANDROPOULOUS<<JONATHOON<ALEC',
    surname: 'PAPANDROPOULOUS',
    givenNames: ['JONATHOON', 'ALEC'],
  },
  {
    field: 'PAPANDROPOULOUS<<JONATHON<ALEC',
    surname: 'PAPANDROPOULOUS',
    givenNames: ['JONATHON', 'ALEC'],
  },
]

/** Input and check digit: Doc 9303 part 3, appendix A, and the digits of the specimens above. */
export const CHECK_DIGIT_VECTORS: readonly (readonly [text: string, digit: string])[] = [
  ['520727', '3'],
  ['AB2134<<<', '5'],
  ['HA672242<658022549601086<<<<<<<<<<<<<<0', '8'],
  ['D231458907<<<<<<<<<<<<<<<34071279507122<<<<<<<<<<', '2'],
  ['HA672242<658022549601086<<<<<<<', '8'],
  ['D1FRA13AA00002', '6'],
  ['D1FRA13AA000026181231MARTIN<<', '9'],
  ['L898902C3', '6'],
  ['740812', '2'],
  ['120415', '9'],
  ['ZE184226B<<<<<', '1'],
  ['<<<<<<', '0'],
]

/** Characters that are equal modulo 10 under any weight: no check digit can tell them apart. */
export const BLIND_GROUPS = [
  '<0AKU',
  '1BLV',
  '2CMW',
  '3DNX',
  '4EOY',
  '5FPZ',
  '6GQ',
  '7HR',
  '8IS',
  '9JT',
] as const
