/**
 * Cards in Australian style for a fictitious territory: a driver licence with words as labels, and a health care card
 * with few labels.
 */
import { NORTH_AMERICA } from './designs-licence.ts'
import type { SpecimenDesign } from './layout.ts'
import * as print from './parts.ts'
import { plainSpelling } from './person.ts'
import { above, before, specimenNote } from './places.ts'

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
        ...specimenNote(58, 6.2, 3.8),
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
        ...specimenNote(58, 33, 3.8),
      ],
      lines: [before('CARD NUMBER', 5, 46, print.cardNumber)],
    },
  ],
  barcodeText: undefined,
}

/** The number has groups of four, five and one digit. Each person has one line. The date has month and year. */
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

export const AUSTRALIAN_DESIGNS: readonly SpecimenDesign[] = [AUSTRALIA, HEALTH_CARD]
