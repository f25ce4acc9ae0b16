/**
 * Builds the barcode text of a North American card (AAMVA DL/ID, versions 1 to 10) for specimens and test vectors. Never
 * used on texts that were read.
 */
import type { AamvaFacts } from '../../proofing/aamva/facts.ts'

/** The card's contents; a null or absent value is printed in the version's form for an empty one. */
export type AamvaContents = Pick<
  AamvaFacts,
  'iin' | 'country' | 'jurisdiction' | 'kind' | 'documentNumber' | 'surname' | 'givenNames'
> &
  Partial<
    Pick<
      AamvaFacts,
      | 'suffix'
      | 'birthDate'
      | 'issueDate'
      | 'expiryDate'
      | 'sex'
      | 'address'
      | 'discriminator'
      | 'nameMayBeTruncated'
    >
  >

/** `[id, value]` in printing order. */
type Elements = readonly (readonly [string, string])[]

const HIGHEST_VERSION = 10

/** Throws RangeError for a version that the standard does not have. */
export function buildAamva(card: AamvaContents, version = HIGHEST_VERSION): string {
  if (!Number.isInteger(version) || version < 1 || version > HIGHEST_VERSION)
    throw new RangeError('versions of the standard are 1 to 10')
  const type = card.kind === 'IDENTITY_CARD' ? 'ID' : 'DL'
  const zType = `Z${(card.jurisdiction ?? 'Z').charAt(0)}`
  const personal = subfile(type, version === 1 ? firstEdition(card) : laterEdition(card, version))
  const local = subfile(zType, [[`${zType}A`, '']])
  // Version 1 has no jurisdiction version; each entry of the table takes ten characters.
  const start = (version === 1 ? 19 : 21) + 2 * 10
  const entry = (name: string, from: number, length: number): string =>
    `${name}${pad(from, 4)}${pad(length, 4)}`
  return [
    '@\n\u001e\r',
    'ANSI ',
    card.iin,
    pad(version, 2),
    version === 1 ? '' : '00',
    '02',
    entry(type, start, personal.length),
    entry(zType, start + personal.length, local.length),
    personal,
    local,
  ].join('')
}

function subfile(type: string, elements: Elements): string {
  return `${type}${elements.map(([id, value]) => id + value).join('\n')}\n\r`
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0')
}

/** The edition of 2000: one element holds the whole name, the sex is a letter, and dates begin with the year. */
function firstEdition(card: AamvaContents): Elements {
  const names = [card.surname, card.givenNames[0] ?? '', card.givenNames.slice(1).join(' ')]
  const { address } = card
  return [
    ['DAA', [...names, ...(card.suffix ? [card.suffix] : [])].join(',')],
    ['DAQ', card.documentNumber],
    ['DAG', address?.streetLines[0] ?? ''],
    ['DAI', address?.city ?? ''],
    ['DAJ', address?.state ?? ''],
    ['DAK', postcode(card)],
    ['DAR', 'D'],
    ['DAS', ''],
    ['DAT', ''],
    ['DBA', date(card.expiryDate, 'year-first')],
    ['DBB', date(card.birthDate, 'year-first')],
    ['DBC', card.sex ?? ''],
    ['DBD', date(card.issueDate, 'year-first')],
  ]
}

function laterEdition(card: AamvaContents, version: number): Elements {
  // Version 2 always puts the month first; from version 3 on Canada puts the year first.
  const order = version > 2 && card.country === 'CAN' ? 'year-first' : 'month-first'
  const [first = '', ...middle] = card.givenNames
  const names: Elements =
    version <= 3
      ? [['DCT', card.givenNames.join(',')]]
      : [
          ['DAC', first],
          ['DAD', middle.join(',')],
        ]
  const cut = card.nameMayBeTruncated ? 'T' : 'N'
  const flags: Elements =
    version <= 3
      ? []
      : [
          ['DDE', cut],
          ['DDF', cut],
          ['DDG', cut],
        ]
  const classes: Elements =
    card.kind === 'IDENTITY_CARD'
      ? []
      : [
          ['DCA', 'D'],
          ['DCB', 'NONE'],
          ['DCD', 'NONE'],
        ]
  return [
    ['DAQ', card.documentNumber],
    ...classes,
    ['DCS', card.surname],
    ...names,
    ['DCU', card.suffix ?? ''],
    ['DBD', date(card.issueDate, order)],
    ['DBB', date(card.birthDate, order)],
    ['DBA', date(card.expiryDate, order)],
    ['DBC', card.sex ? { M: '1', F: '2', X: '9' }[card.sex] : ''],
    ['DAY', 'UNK'],
    ['DAU', card.country === 'CAN' ? '170 cm' : '067 in'],
    ['DAG', card.address?.streetLines[0] ?? ''],
    ['DAH', card.address?.streetLines[1] ?? ''],
    ['DAI', card.address?.city ?? ''],
    ['DAJ', card.address?.state ?? ''],
    ['DAK', postcode(card).padEnd(11)],
    ['DCF', card.discriminator ?? ''],
    ['DCG', card.country],
    ...flags,
  ]
}

function postcode({ address, country }: AamvaContents): string {
  const code = address?.postcode ?? ''
  return country === 'USA' ? code.replace(/\D/g, '').padEnd(9, '0') : code
}

/** Converts from YYYY-MM-DD. */
function date(value: string | null | undefined, order: 'year-first' | 'month-first'): string {
  if (!value) return ''
  const [year, month, day] = value.split('-')
  return order === 'year-first' ? `${year}${month}${day}` : `${month}${day}${year}`
}
