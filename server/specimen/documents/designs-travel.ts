/** Specimens with a machine-readable zone: passport page, identity and residence cards, visas. All of Utopia. */
import { MRZ as PASSPORT_ZONE, PAGE, PORTRAIT as PASSPORT_PORTRAIT } from '../passport/layout.ts'
import {
  ID_1,
  ID_2,
  type FixedText,
  type PrintedLine,
  type SpecimenDesign,
  type ZonePlace,
} from './layout.ts'
import * as print from './parts.ts'
import { frenchStyleLines, frenchStyleNumber, zoneLines } from './zone-lines.ts'

const above = (label: string, x: number, y: number, parts: print.Parts, until?: number): PrintedLine => ({
  label,
  x,
  y,
  until,
  parts,
})

const specimenNote = (x: number, y: number, size = 4.2): FixedText[] => [
  { text: 'SPECIMEN', x, y, size, font: 'bold', colour: '#a8322c' },
  {
    text: 'No legal document. Not a real person.',
    x,
    y: y + size * 0.58,
    size: size * 0.34,
    colour: '#a8322c',
  },
]

/** Two lines end at the same distance from the lower edge on all sizes (Doc 9303 parts 4, 6 and 7). */
const twoLineZone = (
  format: 'TD2' | 'TD3' | 'MRVA' | 'MRVB' | 'FRA',
  width: number,
  height: number,
): ZonePlace => {
  const characters = format === 'TD3' || format === 'MRVA' ? 44 : 36
  return {
    format,
    top: height - 23.2,
    baselines: [height - 14.8, height - 8.45],
    x: (width - characters * 2.54) / 2,
  }
}

/** Three lines of 30 on the back (Doc 9303 part 5). */
const TD1_ZONE: ZonePlace = {
  format: 'TD1',
  top: 30.78,
  baselines: [37.4, 43.7, 50],
  x: (85.6 - 30 * 2.54) / 2,
}

const PASSPORT: SpecimenDesign = {
  kind: 'passport',
  layout: 'TD3',
  size: PAGE,
  cornerRadius: 2.2,
  material: 'paper',
  numberStyle: 'passport',
  validYears: 10,
  palette: {
    paper: ['#eaf1f0', '#f6efe6', '#e9eef4'],
    print: ['#3f7f9c', '#a8669a', '#b99a4c'],
    label: '#3c5568',
    value: '#1c1d24',
    title: '#27506b',
  },
  sides: [
    {
      side: 'FRONT',
      portrait: PASSPORT_PORTRAIT,
      ghost: { x: 103, y: 21.5, width: 11, height: 14.2 },
      zone: { format: 'TD3', top: PASSPORT_ZONE.top, baselines: PASSPORT_ZONE.baselines, x: PASSPORT_ZONE.x },
      texts: [
        { text: 'UTOPIA', x: 44, y: 8.4, size: 5, font: 'bold' },
        { text: 'PASSPORT / PASSEPORT', x: 44, y: 12.6, size: 2.7 },
        ...specimenNote(92, 8.6, 5.2),
      ],
      lines: [
        above('Type / Type', 44, 19.6, print.fixed('P')),
        above('Code / Code', 66, 19.6, print.fixed('UTO')),
        above('Passport No. / No de passeport', 88, 19.6, print.documentNumber),
        above('Surname / Nom', 44, 26.4, print.surname, 101),
        above('Given names / Prénoms', 44, 33.2, print.givenNames, 101),
        above('Nationality / Nationalité', 44, 40, print.nationality),
        above('Date of birth / Date de naissance', 44, 46.8, print.birthDate('07 MAR 1984')),
        above('Sex / Sexe', 88, 46.8, print.sex),
        above('Place of birth / Lieu de naissance', 88, 40, print.birthPlace),
        above('Date of issue / Date de délivrance', 44, 53.6, print.issueDate('07 MAR 1984')),
        above('Authority / Autorité', 88, 53.6, print.authority),
        above("Date of expiry / Date d'expiration", 44, 60.4, print.expiryDate('07 MAR 1984')),
      ],
    },
  ],
  zoneLines: (facts) => zoneLines(facts, 'TD3', 'P'),
}

const CARD_BACK = (title: string): SpecimenDesign['sides'][number] => ({
  side: 'BACK',
  zone: TD1_ZONE,
  chip: undefined,
  texts: [{ text: title, x: 5, y: 5.4, size: 2.1 }, ...specimenNote(58, 6, 3.6)],
  lines: [
    above('Authority / Autorité', 5, 12.6, print.authority, 48),
    above('Address / Adresse', 5, 19.4, print.street, 50),
    { x: 5, y: 22.6, until: 50, parts: print.town },
    above('Date of issue / Date de délivrance', 53, 15.6, print.issueDate('07 MAR 1984')),
  ],
})

const IDENTITY_CARD: SpecimenDesign = {
  kind: 'identity-card',
  layout: 'TD1',
  size: ID_1,
  cornerRadius: 3.18,
  material: 'plastic',
  numberStyle: 'card',
  validYears: 10,
  palette: {
    paper: ['#dfeef0', '#f3f2e7', '#e4e6f1'],
    print: ['#4f97a8', '#7f8fc4', '#c29a63'],
    label: '#37576a',
    value: '#17181d',
    title: '#1f5a6e',
  },
  sides: [
    {
      side: 'FRONT',
      portrait: { x: 4.5, y: 13, width: 25.5, height: 32.8 },
      ghost: { x: 70.5, y: 32, width: 10.5, height: 13.5 },
      texts: [
        { text: 'UTOPIA', x: 4.5, y: 6.2, size: 4, font: 'bold' },
        { text: "IDENTITY CARD / CARTE D'IDENTITÉ", x: 4.5, y: 9.8, size: 2.2 },
        ...specimenNote(58, 6, 3.8),
      ],
      lines: [
        above('Surname / Nom', 33, 15.6, print.surname),
        above('Given names / Prénoms', 33, 21.8, print.givenNames),
        above('Sex / Sexe', 33, 28, print.sex),
        above('Nationality / Nationalité', 44, 28, print.nationality),
        above('Date of birth / Naissance', 33, 34.2, print.birthDate('07.03.1984'), 68),
        above('Place of birth / Lieu de naissance', 33, 40.4, print.birthPlace, 68),
        above('Card No. / No de la carte', 33, 46.6, print.documentNumber, 59),
        above('Expiry / Expiration', 61, 50.4, print.expiryDate('07.03.1984')),
        above('Personal No. / No personnel', 4.5, 51.2, print.personalNumber, 32),
      ],
    },
    CARD_BACK('UTOPIA · IDENTITY CARD'),
  ],
  zoneLines: (facts) => zoneLines(facts, 'TD1', 'ID'),
}

const RESIDENCE_CARD: SpecimenDesign = {
  ...IDENTITY_CARD,
  kind: 'residence-card',
  numberStyle: 'passport',
  validYears: 5,
  palette: {
    paper: ['#f3e3e6', '#eef0ea', '#dfe8ee'],
    print: ['#b76a86', '#5e92a8', '#8aa35e'],
    label: '#5b3f52',
    value: '#191720',
    title: '#7c3558',
  },
  sides: [
    {
      side: 'FRONT',
      portrait: { x: 4, y: 14.6, width: 26, height: 33.5 },
      chip: { x: 70, y: 41.5, width: 11, height: 8.5 },
      texts: [
        { text: 'RESIDENCE PERMIT', x: 4, y: 6.4, size: 3.5, font: 'bold' },
        { text: 'TITRE DE SÉJOUR · UTOPIA', x: 4, y: 10.4, size: 2.2 },
        ...specimenNote(58, 6.4, 3.8),
      ],
      lines: [
        above('Document number', 58, 14.8, print.documentNumber),
        above('Name / Nom', 33, 21, print.surname),
        above('Forenames / Prénoms', 33, 26.6, print.givenNames),
        above('Valid until / Valable jusqu’au', 33, 32.4, print.expiryDate('07.03.1984'), 62),
        above('Place and date of issue', 33, 38.2, (f) => [
          { text: 'ZENITH ' },
          ...print.issueDate('07.03.1984')(f),
        ]),
        above('Type of permit', 33, 44, print.fixed('SETTLEMENT')),
        above('Remarks / Remarques', 33, 49.8, print.fixed('WORK PERMITTED')),
      ],
    },
    {
      side: 'BACK',
      zone: TD1_ZONE,
      texts: [{ text: 'UTOPIA · RESIDENCE PERMIT', x: 5, y: 5.4, size: 2.1 }, ...specimenNote(58, 6, 3.6)],
      lines: [
        above('Date and place of birth', 5, 12.4, (f) => [
          ...print.birthDate('07.03.1984')(f),
          { text: ' ' },
          ...print.birthPlace(f),
        ]),
        above('Nationality / Nationalité', 5, 18.6, print.nationality, 40),
        above('Sex / Sexe', 44, 18.6, print.sex),
        above('Authority / Autorité', 5, 24.8, print.authority, 50),
      ],
    },
  ],
  zoneLines: (facts) => zoneLines(facts, 'TD1', 'IR'),
}

const LARGE_CARD: SpecimenDesign = {
  ...IDENTITY_CARD,
  kind: 'identity-card-large',
  layout: 'TD2',
  size: ID_2,
  material: 'paper',
  numberStyle: 'passport',
  palette: {
    paper: ['#e6efe0', '#f5f0e1', '#eae6ee'],
    print: ['#6c9a58', '#a98652', '#7d7fae'],
    label: '#46583c',
    value: '#191b17',
    title: '#3d6330',
  },
  sides: [
    {
      side: 'FRONT',
      portrait: { x: 5, y: 12, width: 26.4, height: 34 },
      zone: twoLineZone('TD2', ID_2.width, ID_2.height),
      texts: [
        { text: 'UTOPIA', x: 5, y: 6.2, size: 4, font: 'bold' },
        { text: "IDENTITY CARD / CARTE D'IDENTITÉ", x: 27, y: 6.2, size: 2.3 },
        ...specimenNote(76, 6.2, 4),
      ],
      lines: [
        above('Surname / Nom', 35, 14.6, print.surname, 72),
        above('Card No. / No de carte', 75, 14.6, print.documentNumber),
        above('Given names / Prénoms', 35, 21, print.givenNames, 102),
        above('Date of birth / Date de naissance', 35, 27.4, print.birthDate('07 MAR 1984'), 72),
        above('Place of birth / Lieu de naissance', 75, 27.4, print.birthPlace),
        above('Sex / Sexe', 35, 33.8, print.sex),
        above('Nationality / Nationalité', 50, 33.8, print.nationality),
        above('Authority / Autorité', 75, 40.2, print.authority),
        above('Date of issue / Date de délivrance', 35, 40.2, print.issueDate('07 MAR 1984')),
        above("Date of expiry / Date d'expiration", 35, 46.6, print.expiryDate('07 MAR 1984')),
      ],
    },
  ],
  zoneLines: (facts) => zoneLines(facts, 'TD2', 'I'),
}

const visa = (
  kind: 'visa-a' | 'visa-b',
  format: 'MRVA' | 'MRVB',
  width: number,
  height: number,
): SpecimenDesign => ({
  ...LARGE_CARD,
  kind,
  layout: 'VISA',
  size: { width, height },
  cornerRadius: 1,
  validYears: 1,
  palette: {
    paper: ['#dff0ea', '#eef3e2', '#e0edf3'],
    print: ['#4aa084', '#8fae4f', '#5b86ae'],
    label: '#2f5c50',
    value: '#151a19',
    title: '#1f6a58',
  },
  sides: [
    {
      side: 'FRONT',
      portrait: { x: 4.5, y: 14, width: 24.4, height: 31.4 },
      zone: twoLineZone(format, width, height),
      texts: [
        { text: 'UTOPIA', x: 4.5, y: 7, size: 4.4, font: 'bold' },
        { text: 'VISA', x: 33, y: 7, size: 5, font: 'bold' },
        ...specimenNote(width - 31, 6.4, 4.2),
      ],
      lines: [
        above('Valid for / Valable pour', 33, 14.4, print.fixed('UTOPIA')),
        above('Number of entries', 62, 14.4, print.fixed('MULT')),
        above('From / Du', 33, 20.6, print.issueDate('07 MAR 1984')),
        above('Until / Au', 62, 20.6, print.expiryDate('07 MAR 1984')),
        above('Visa No.', 33, 26.8, print.documentNumber),
        above('Issued in / Délivré à', 62, 26.8, print.fixed('PORT CLEMENT')),
        above('Surname / Nom', 33, 33, print.surname),
        above('Given names / Prénoms', 33, 39.2, print.givenNames),
        above('Date of birth / Naissance', 33, 45.4, print.birthDate('07 MAR 1984')),
        above('Sex / Sexe', 62, 45.4, print.sex),
        above('Nationality', 73, 45.4, print.nationality),
      ],
    },
  ],
  zoneLines: (facts) => zoneLines(facts, format, 'V'),
})

const FRENCH_STYLE: SpecimenDesign = {
  ...LARGE_CARD,
  kind: 'french-style-card',
  numberStyle: 'digits',
  palette: {
    paper: ['#e1ebf6', '#f0f2f5', '#e9e4ee'],
    print: ['#5f8fbf', '#a67fa6', '#7fa8a0'],
    label: '#3a5375',
    value: '#16181d',
    title: '#2b4f82',
  },
  sides: [
    {
      side: 'FRONT',
      portrait: { x: 5, y: 13, width: 26.4, height: 34 },
      zone: twoLineZone('FRA', ID_2.width, ID_2.height),
      texts: [
        { text: 'UTOPIE · CARTE NATIONALE D’IDENTITÉ', x: 5, y: 6.4, size: 2.6, font: 'bold' },
        ...specimenNote(76, 6.2, 4),
      ],
      lines: [
        above('No / Card No.', 35, 14.4, (f) => [
          { text: frenchStyleNumber(f.documentNumber, f.issueDate), field: 'documentNumber' },
        ]),
        above('Nom / Surname', 35, 21.2, print.surname),
        above('Prénom(s) / Given names', 35, 28, print.givenNamesWithCommas),
        above('Sexe / Sex', 35, 34.8, print.sex),
        above('Né(e) le / Date of birth', 50, 34.8, print.birthDate('07.03.1984')),
        above('à / Place of birth', 35, 41.6, print.birthPlace),
      ],
    },
  ],
  zoneLines: frenchStyleLines,
}

export const TRAVEL_DESIGNS: readonly SpecimenDesign[] = [
  PASSPORT,
  IDENTITY_CARD,
  LARGE_CARD,
  visa('visa-a', 'MRVA', 120, 80),
  visa('visa-b', 'MRVB', 105, 74),
  RESIDENCE_CARD,
  FRENCH_STYLE,
]
