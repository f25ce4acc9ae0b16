/** Identity and residence cards of Utopia, with an MRZ of two or three lines. */
import { ID_1, ID_2, type SpecimenDesign } from './layout.ts'
import * as print from './parts.ts'
import { TD1_MRZ, above, specimenNote, placeTwoLineMrz } from './places.ts'
import { frenchStyleLines, frenchStyleNumber, buildMrzLines } from './zone-lines.ts'

const CARD_BACK = (title: string): SpecimenDesign['sides'][number] => ({
  side: 'BACK',
  zone: TD1_MRZ,
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
  mrzLines: (facts) => buildMrzLines(facts, 'TD1', 'ID'),
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
      zone: TD1_MRZ,
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
  mrzLines: (facts) => buildMrzLines(facts, 'TD1', 'IR'),
}

export const LARGE_CARD: SpecimenDesign = {
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
      zone: placeTwoLineMrz('TD2', ID_2.width, ID_2.height),
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
  mrzLines: (facts) => buildMrzLines(facts, 'TD2', 'I'),
}

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
      zone: placeTwoLineMrz('FRA', ID_2.width, ID_2.height),
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
  mrzLines: frenchStyleLines,
}

export const CARD_DESIGNS: readonly SpecimenDesign[] = [
  IDENTITY_CARD,
  LARGE_CARD,
  RESIDENCE_CARD,
  FRENCH_STYLE,
]
