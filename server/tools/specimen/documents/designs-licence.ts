/**
 * Driving licences of Utopia and of an invented state. One labels its fields with numbers and words, the other with
 * numbers only.
 */
import { aamvaText } from './aamva-text.ts'
import { ID_1, type SpecimenDesign } from './layout.ts'
import * as print from './parts.ts'
import { plainSpelling } from './person.ts'
import { before, specimenNote } from './places.ts'

/** Numbered labels of the AAMVA card design standard; the barcode is on the back. */
export const NORTH_AMERICA: SpecimenDesign = {
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
        ...specimenNote(60, 6.2, 3.8),
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
        ...specimenNote(60, 7.2, 3.8),
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
        before('8.', 30, 45, print.addressInOneLine, { valueX: 34, until: 72, size: 2.3 }),
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

export const LICENCE_DESIGNS: readonly SpecimenDesign[] = [NORTH_AMERICA, EUROPE]
