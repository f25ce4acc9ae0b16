/**
 * Fictitious holders of specimen documents, drawn from a seed: names with diacritics and hyphens, long names, unknown
 * days.
 */
import { spellName, standardSpelling } from '../../../proofing/name-spelling.ts'
import { createRandom } from '../head/noise.ts'

/** Null: the day is unknown, which Doc 9303 part 3 allows for a date of birth. */
export interface BirthDate {
  readonly year: number
  readonly month: number
  readonly day: number | null
}

export interface Person {
  readonly sex: 'F' | 'M'
  readonly surname: string
  readonly givenNames: readonly string[]
  readonly birthDate: BirthDate
  readonly birthPlace: string
  readonly address: {
    readonly street: string
    readonly city: string
    readonly postcode: string
  }
  /** The committed rendered face that the portrait shows (resources/specimens). */
  readonly face: string
}

export interface Draw {
  readonly chance: (share: number) => boolean
  /** Both ends included. */
  readonly whole: (from: number, to: number) => number
  readonly pick: <T>(list: readonly T[]) => T
  readonly digits: (count: number) => string
  readonly letters: (count: number) => string
}

/** Letters that cannot be confused with digits. */
const NUMBER_LETTERS = 'CFHJKLMNPRTVWXYZ'

export function createDraw(seed: number): Draw {
  const random = createRandom(seed)
  const whole = (from: number, to: number) => from + Math.floor(random() * (to - from + 1))
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]
  return {
    chance: (share) => random() < share,
    whole,
    pick,
    digits: (count) => Array.from({ length: count }, () => whole(0, 9)).join(''),
    letters: (count) => Array.from({ length: count }, () => pick([...NUMBER_LETTERS])).join(''),
  }
}

const PLAIN_SURNAMES = [
  'ALDERBROOK', 'BRANDVOLD', 'CASTELMARE', 'DORNFELD', 'ELMQUIST', 'FAIRWATER', 'GRANDVAL', 'HOLLOWAY', 'ISERMARK',
  'JUNIPERO', 'KESTRELL', 'LINDQVARN', 'MORAVANE', 'NORTHBECK', 'OAKENSHAW', 'PELLERIN', 'QUILLFORD', 'ROSENDAHL',
  'SMITHERS', 'TAMARISK', 'ULVESKOG', 'VALMONTE', 'WINTERMOOR', 'YARROWGATE', 'ZELLWEG', 'BELL', 'FOX', 'ARMITAGE',
] // oxfmt-ignore
const MARKED_SURNAMES = [
  'MÜLLER', 'ÑUÑEZ', 'ŁUKASIK', 'ŠIMIĆ', "O'BRIEN", 'GARCÍA LÓPEZ', 'JØRGENSEN', 'ÅSTRÖM', 'DVOŘÁK', 'ÇELİK',
  'GRÖSSLE', 'LEFÈVRE', 'VAN DER MEER', 'SØRBØ', 'KOVÁCS', 'ŻUKOWSKA', 'ÖZTÜRK', "D'AVENÇON", 'SAINT-CLAIR',
  'ȘTEFAN', 'BJÖRKÅS', 'PEÑA-RÍOS', 'ĐURIĆ', 'MACDONALD-WEISS',
] // oxfmt-ignore
const LONG_SURNAMES = [
  'WOLFESCHLEGELSTEINHAUSEN', 'PAPANDROULAKOPOULOS', 'VON UND ZU HOHENBERGSTETTEN', 'NILAVADHANAKANDA MONTEFIORE',
  'FEATHERSTONEHAUGH-CHOLMONDELEY', 'ANDRIANAMPOINIMERINA',
] // oxfmt-ignore
const PLAIN_GIVEN = {
  F: ['ADELA', 'BIRGIT', 'CELESTE', 'DELPHINE', 'ESTRID', 'FIONA', 'GRETA', 'HELENA', 'IRIS', 'JOSEFA', 'LIVIA', 'MARTHE', 'ANN'], // oxfmt-ignore
  M: ['ANSELM', 'BASTIAN', 'CONRAD', 'DARIO', 'EMERIC', 'FELIX', 'GUSTAV', 'HENRIK', 'IVO', 'JASPER', 'LEANDER', 'MATTEO', 'BO'], // oxfmt-ignore
} as const
const MARKED_GIVEN = {
  F: ['ZOË', 'AGNÈS', 'MARIE-CLAIRE', 'BEGOÑA', 'ŁUCJA', 'ŽELJKA', 'ÅSE', 'INÊS', 'GÜLŞEN', 'NOÉMIE'],
  M: ['JEAN-LUC', 'RENÉ', 'ŁUKASZ', 'JÖRG', 'SØREN', 'ČEDOMIR', 'ÍÑIGO', 'ANDRÉ', 'GÁBOR', 'TOMÁŠ'],
} as const
const LONG_GIVEN = {
  F: ['MAXIMILIANA', 'BERNADETTE', 'GUENDALINA', 'CHRYSANTHEMA'],
  M: ['MAXIMILIAN', 'CHRISTOPHER', 'BARTHOLOMEW', 'NEBUCHADNEZZAR'],
} as const
const PLACES = [
  'ZENITH',
  'PORT CLEMENT',
  'NEW AMAUROT',
  'ANYDER BRIDGE',
  'SALTERNE',
  'MIRADOR',
  'SÃO TELMO',
  'GRÜNAU',
]
const STREETS = [
  'HARBOUR ROAD',
  'ORCHARD LANE',
  'MILL STREET',
  'STATION AVENUE',
  'CEDAR COURT',
  'QUAY STREET',
]

/** The committed rendered heads by the sex of the model. */
const FACES = { F: ['alba', 'amber'], M: ['cole', 'dorian'] } as const

const SHARE_MARKED = 0.4
const SHARE_LONG = 0.08
const SHARE_UNKNOWN_DAY = 0.1
const YOUNGEST_BIRTH_YEAR = 2005
const OLDEST_BIRTH_YEAR = 1945

/** The same seed gives the same person. */
export function inventPerson(seed: number): Person {
  const draw = createDraw(seed * 7 + 91)
  const sex = draw.pick(['F', 'M'] as const)
  const isLong = draw.chance(SHARE_LONG)
  const drawn = isLong
    ? draw.pick(LONG_SURNAMES)
    : draw.pick(draw.chance(SHARE_MARKED) ? MARKED_SURNAMES : PLAIN_SURNAMES)
  const isTwoPart = !isLong && draw.chance(0.12)
  const surname = isTwoPart ? `${drawn}${draw.pick([' ', '-'])}${draw.pick(PLAIN_SURNAMES)}` : drawn
  const given = (): string => {
    if (isLong) return draw.pick(LONG_GIVEN[sex])
    return draw.pick<string>(draw.chance(SHARE_MARKED) ? MARKED_GIVEN[sex] : PLAIN_GIVEN[sex])
  }
  const wanted = isLong ? 3 : draw.pick([1, 2, 2, 2, 3])
  const givenNames = [...new Set(Array.from({ length: wanted }, given))]
  return {
    sex,
    surname,
    givenNames,
    birthDate: {
      year: draw.whole(OLDEST_BIRTH_YEAR, YOUNGEST_BIRTH_YEAR),
      month: draw.whole(1, 12),
      day: draw.chance(SHARE_UNKNOWN_DAY) ? null : draw.whole(1, 28),
    },
    birthPlace: draw.pick(PLACES),
    address: {
      street: `${draw.whole(1, 240)} ${draw.pick(STREETS)}`,
      city: draw.pick(PLACES),
      postcode: draw.digits(5),
    },
    face: draw.pick(FACES[sex]),
  }
}

/** The name as in an MRZ: letters A–Z, components joined by single blanks. */
export function plainSpelling(name: string): string {
  const components = spellName(name)
  if (!components) throw new TypeError('a name holds a letter without a spelling')
  return components.map(standardSpelling).join(' ')
}
