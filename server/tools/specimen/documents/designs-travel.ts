/** The passport page and two sizes of visas, all of Utopia. */
import { MRZ as PASSPORT_MRZ, PAGE, PORTRAIT as PASSPORT_PORTRAIT } from '../passport/layout.ts'
import { LARGE_CARD } from './designs-cards.ts'
import type { SpecimenDesign } from './layout.ts'
import * as print from './parts.ts'
import { above, specimenNote, placeTwoLineMrz } from './places.ts'
import { buildMrzLines } from './zone-lines.ts'

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
      zone: { format: 'TD3', top: PASSPORT_MRZ.top, baselines: PASSPORT_MRZ.baselines, x: PASSPORT_MRZ.x },
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
  mrzLines: (facts) => buildMrzLines(facts, 'TD3', 'P'),
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
      zone: placeTwoLineMrz(format, width, height),
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
  mrzLines: (facts) => buildMrzLines(facts, format, 'V'),
})

export const TRAVEL_DESIGNS: readonly SpecimenDesign[] = [
  PASSPORT,
  visa('visa-a', 'MRVA', 120, 80),
  visa('visa-b', 'MRVB', 105, 74),
]
