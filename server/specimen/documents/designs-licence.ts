/** Specimens without a machine-readable zone: driving licences in three manners of labelling, and a health care card. */
import { aamvaText } from './aamva-text.ts'
import { ID_1, type FixedText, type PrintedLine, type SpecimenDesign } from './layout.ts'
import * as print from './parts.ts'
import { plainSpelling } from './person.ts'

const before = (
  label: string,
  x: number,
  y: number,
  parts: print.Parts,
  more: Partial<PrintedLine> = {},
): PrintedLine => ({ label, labelPlace: 'before', x, y, parts, ...more })

const above = (label: string, x: number, y: number, parts: print.Parts, until?: number): PrintedLine => ({
  label,
  x,
  y,
  until,
  parts,
})

const specimenNote = (x: number, y: number, size = 3.8): FixedText[] => [
  { text: 'SPECIMEN', x, y, size, font: 'bold', colour: '#a8322c' },
  {
    text: 'No legal document. Not a real person.',
    x,
    y: y + size * 0.58,
    size: size * 0.34,
    colour: '#a8322c',
  },
]

/** Numbered labels of the AAMVA card design standard; the barcode on the back. */
const NORTH_AMERICA: SpecimenDesign = {
  kind: 'licence-north-america',
  layout: 'DRIVING_LICENCE',
  size: ID_1,
  cornerRadius: 3.18,
  material: 'plastic',
  numberStyle: 'licence-letters',
  validYears: 8,
  palette: {
    paper: ['#dcebf6', '#f2f4ee', '#f3e8dc'],
    print: ['#5b95c4', '#c79a5b', '#7ea37e'],
    label: '#2a5f8c',
    value: '#141519',
    title: '#123f6d',
  },
  sides: [
    {
      side: 'FRONT',
      portrait: { x: 3.5, y: 15, width: 26.4, height: 34 },
      ghost: { x: 70.5, y: 33, width: 11.2, height: 14.4 },
      texts: [
        { text: 'STATE OF SPECIMEN', x: 3.5, y: 6.4, size: 4.2, font: 'bold' },
        { text: 'DRIVER LICENSE', x: 3.5, y: 11.2, size: 3.2, font: 'semibold' },
        ...specimenNote(60, 6.2),
      ],
      lines: [
        before('4d DL NO.', 32.5, 15.6, print.documentNumber, { colour: '#8e2323' }),
        before('9 CLASS', 68, 15.6, print.fixed('D')),
        before('1 FAMILY NAME', 32.5, 20.4, print.plainSurname, { until: 83, labelSize: 1.5 }),
        before('2 GIVEN NAMES', 32.5, 24.4, print.plainGivenNames, { until: 83, labelSize: 1.5 }),
        before('8', 32.5, 28.4, print.street, { size: 2.4 }),
        {
          x: 34.6,
          y: 31.4,
          size: 2.4,
          parts: (f) => [
            {
              text: `${plainSpelling(f.holder.address.city)}, ZZ ${f.holder.address.postcode}`,
              field: 'address',
            },
          ],
        },
        before('3 DOB', 32.5, 36, print.birthDate('03/07/1984'), { colour: '#8e2323' }),
        before('4a ISS', 32.5, 40.4, print.issueDate('03/07/1984'), { until: 58 }),
        before('4b EXP', 32.5, 44.8, print.expiryDate('03/07/1984'), { colour: '#8e2323', until: 58 }),
        before('15 SEX', 57, 40.4, print.sex, { until: 69 }),
        before('16 HGT', 57, 36, print.fixed(`5'-08"`), { until: 70 }),
        before('18 EYES', 57, 44.8, print.fixed('BRO'), { until: 70 }),
        before('9a END', 32.5, 49.2, print.fixed('NONE'), { size: 2.4 }),
        before('12 REST', 49, 49.2, print.fixed('NONE'), { size: 2.4 }),
        before('5 DD', 60, 51.6, (f) => [{ text: `SPECIMEN${f.seed}` }], { size: 1.8 }),
      ],
    },
    {
      side: 'BACK',
      barcode: { x: 5, y: 31, width: 75.6, height: 18.5 },
      magneticStripe: { x: 0, y: 3.5, width: 85.6, height: 9 },
      texts: [
        { text: 'CLASS D: single vehicle with a GVWR of less than 26,001 lbs.', x: 5, y: 17.6, size: 1.7 },
        { text: 'ENDORSEMENTS: NONE   RESTRICTIONS: NONE', x: 5, y: 20.6, size: 1.7 },
        { text: 'This card is the property of the State of Specimen.', x: 5, y: 23.6, size: 1.7 },
        ...specimenNote(58, 20, 3.8),
      ],
      lines: [],
    },
  ],
  barcodeText: aamvaText,
}

/** Numbers without words (Annex I of Directive 2006/126/EC). */
const EUROPE: SpecimenDesign = {
  ...NORTH_AMERICA,
  kind: 'licence-europe',
  numberStyle: 'licence-uk',
  validYears: 10,
  palette: {
    paper: ['#f6dfe6', '#f4eef2', '#e6e2f0'],
    print: ['#c9738f', '#9a86be', '#8fb0a0'],
    label: '#6d3c55',
    value: '#17151a',
    title: '#7d2f55',
  },
  sides: [
    {
      side: 'FRONT',
      portrait: { x: 4, y: 16, width: 23.3, height: 30 },
      ghost: { x: 73, y: 36, width: 9.3, height: 12 },
      signature: { x: 32, y: 35.4, width: 26, height: 6 },
      texts: [
        { text: 'UTO', x: 4.2, y: 8.4, size: 4.4, font: 'bold' },
        { text: 'DRIVING LICENCE', x: 17, y: 7.6, size: 3.6, font: 'bold' },
        { text: 'UTOPIA', x: 17, y: 11, size: 2.4 },
        ...specimenNote(60, 7.2),
      ],
      lines: [
        before('1.', 30, 16.4, print.surname, { valueX: 34 }),
        before('2.', 30, 20.4, print.givenNames, { valueX: 34 }),
        before(
          '3.',
          30,
          24.4,
          (f) => [...print.birthDate('07.03.1984')(f), { text: '  ' }, ...print.birthPlace(f)],
          { valueX: 34 },
        ),
        before('4a.', 30, 28.4, print.issueDate('07.03.1984'), { valueX: 34, until: 52 }),
        before('4c.', 55, 28.4, print.authority, { valueX: 59, size: 2.2 }),
        before('4b.', 30, 32.2, print.expiryDate('07.03.1984'), { valueX: 34, until: 52 }),
        before('5.', 55, 32.2, print.documentNumber, { valueX: 59 }),
        before('7.', 30, 39.6, print.fixed('')),
        before('8.', 30, 45, (f) => [...print.street(f), { text: ', ' }, ...print.town(f)], {
          valueX: 34,
          until: 72,
          size: 2.3,
        }),
        before('9.', 30, 50, print.fixed('AM/B/B1'), { valueX: 34 }),
      ],
    },
    {
      side: 'BACK',
      texts: [
        { text: '9.          10.                 11.                 12.', x: 30, y: 6.4, size: 1.9 },
        ...['AM', 'A1', 'A2', 'A', 'B1', 'B', 'C1', 'C'].map((category, i) => ({
          text: `${category}        ${category === 'B' || category === 'AM' ? '14.06.09        02.11.33' : ''}`,
          x: 30,
          y: 10.6 + i * 4,
          size: 2,
        })),
        {
          text: '1. Surname  2. Other names  3. Date and place of birth  4a. Licence valid from',
          x: 5,
          y: 46.8,
          size: 1.5,
        },
        {
          text: '4b. Valid to  4c. Issued by  5. Licence number  8. Address  9. Categories',
          x: 5,
          y: 49.4,
          size: 1.5,
        },
        ...specimenNote(4, 12, 3.4),
      ],
      lines: [],
    },
  ],
  barcodeText: undefined,
}

const AUSTRALIA: SpecimenDesign = {
  ...NORTH_AMERICA,
  kind: 'licence-australia',
  numberStyle: 'digits',
  validYears: 5,
  palette: {
    paper: ['#fbf0cf', '#f4f3ea', '#dcebe4'],
    print: ['#d0a445', '#74a88e', '#b98a6a'],
    label: '#5a512f',
    value: '#16150f',
    title: '#6a4a10',
  },
  sides: [
    {
      side: 'FRONT',
      portrait: { x: 55.6, y: 14, width: 26, height: 33.5 },
      signature: { x: 33, y: 44, width: 20, height: 6 },
      texts: [
        { text: 'DRIVER LICENCE', x: 4, y: 6.4, size: 4, font: 'bold' },
        { text: 'NEW SPECIMEN TERRITORY · UTOPIA', x: 4, y: 9.8, size: 2 },
        ...specimenNote(58, 6.2),
      ],
      lines: [
        {
          x: 4,
          y: 15,
          size: 3,
          until: 54,
          parts: (f) => {
            const given = f.holder.givenNames.map(plainSpelling).join(' ')
            const family = plainSpelling(f.holder.surname)
            return [{ text: `${given} ${family}`, field: 'fullName' }]
          },
        },
        { x: 4, y: 19.6, size: 2.4, until: 54, parts: print.street },
        { x: 4, y: 22.8, size: 2.4, until: 54, parts: print.town },
        above('LICENCE NO.', 4, 29.6, print.documentNumber, 28),
        above('CARD NUMBER', 30, 29.6, print.cardNumber, 54),
        above('LICENCE CLASS', 4, 36, print.fixed('C')),
        above('CONDITIONS', 30, 36, print.fixed('NONE')),
        above('DATE OF BIRTH', 4, 42.4, print.birthDate('07 MAR 1984'), 29),
        above('EXPIRY', 4, 48.8, print.expiryDate('07 MAR 1984'), 29),
      ],
    },
    {
      side: 'BACK',
      magneticStripe: { x: 0, y: 4, width: 85.6, height: 10 },
      texts: [
        { text: 'Change of address: tell us within 14 days.', x: 5, y: 22, size: 1.9 },
        {
          text: 'If found, please return to any office of New Specimen Territory.',
          x: 5,
          y: 25.4,
          size: 1.9,
        },
        ...specimenNote(58, 33),
      ],
      lines: [before('CARD NUMBER', 5, 46, print.cardNumber)],
    },
  ],
  barcodeText: undefined,
}

/** Four, five and one digit; one line per person; month and year. */
const HEALTH_CARD: SpecimenDesign = {
  ...NORTH_AMERICA,
  kind: 'medicare-card',
  layout: 'MEDICARE_CARD',
  numberStyle: 'digits',
  validYears: 5,
  palette: {
    paper: ['#bfe3c4', '#d7edc9', '#b5dccb'],
    print: ['#5fae7a', '#8fc06a', '#4f9e94'],
    label: '#1f5b36',
    value: '#12211a',
    title: '#12512f',
  },
  sides: [
    {
      side: 'FRONT',
      texts: [
        { text: 'medicare', x: 5, y: 10, size: 7, font: 'bold' },
        { text: 'SPECIMEN CARD OF UTOPIA', x: 5, y: 14, size: 2 },
        ...specimenNote(56, 8.4, 4.4),
      ],
      lines: [
        {
          x: 9,
          y: 24,
          size: 5,
          font: 'medium',
          parts: (f) => [
            {
              text: f.medicareNumber.replace(/^(\d{4})(\d{5})(\d)$/, '$1 $2 $3'),
              field: 'documentNumber',
              truth: f.medicareNumber,
            },
          ],
        },
        {
          x: 5,
          y: 33,
          size: 3.6,
          font: 'medium',
          parts: (f) => {
            const [first = '', ...middle] = f.holder.givenNames.map(plainSpelling)
            const initials = middle.map((name) => name.charAt(0)).join(' ')
            const name = [first, initials, plainSpelling(f.holder.surname)]
              .filter((part) => part !== '')
              .join(' ')
            return [{ text: `${f.medicareReference}  ` }, { text: name, field: 'fullName' }]
          },
        },
        before(
          'VALID TO',
          46,
          49,
          (f) => {
            const { year, month } = f.expiryDate
            const m = String(month).padStart(2, '0')
            return [{ text: `${m}/${year}`, field: 'expiryDate', truth: `${year}-${m}` }]
          },
          { size: 3.6, labelSize: 2.4 },
        ),
      ],
    },
  ],
  barcodeText: undefined,
}

export const LICENCE_DESIGNS: readonly SpecimenDesign[] = [NORTH_AMERICA, EUROPE, AUSTRALIA, HEALTH_CARD]
