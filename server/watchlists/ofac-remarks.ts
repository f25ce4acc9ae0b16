/** Reads the remarks in the U.S. Treasury's lists: dates, countries, documents and weak names, separated by ";". */
import { readListDate } from './list-dates.ts'
import type { PersonDraft } from './person-draft.ts'

const DOCUMENTS = [
  'Passport',
  'Diplomatic Passport',
  'Stateless Person Passport',
  'National ID No.',
  'National Foreign ID Number',
  'Identification Number',
  'Personal ID Card',
  'Identity Card',
  'Residency Number',
  "Driver's License No.",
  'Cedula No.',
  'Cedula de Ciudadania',
  'C.U.R.P.',
  'R.F.C.',
  'D.N.I.',
  'N.I.E.',
  'Tax ID No.',
  'SSN',
  'Numero de Identidad',
  "Citizen's Card Number",
  'Birth Certificate Number',
  'Travel Document Number',
]
  .map((name) => name.replace(/[.']/g, '\\$&'))
  .join('|')

type Take = (draft: PersonDraft, value: string) => void
const REMARKS: readonly (readonly [RegExp, Take])[] = [
  [
    /^(?:alt\. )?DOB (.+)$/i,
    (draft, value) => {
      draft.addBirth(readListDate(value))
    },
  ],
  [
    /^(?:alt\. )?POB (?:.*, )?([^,]+)$/i,
    (draft, value) => {
      draft.addOrigin(value)
    },
  ],
  [
    /^(?:alt\. )?(?:nationality|citizen) (.+)$/i,
    (draft, value) => {
      draft.addCountry(value)
    },
  ],
  [
    /^(?:a|f|n)\.k\.a\. ['"“](.+)['"”]$/i,
    (draft, value) => {
      draft.addName(value, true)
    },
  ],
  [
    new RegExp(`^(?:alt\\. )?(?:${DOCUMENTS}) (.+)$`, 'i'),
    (draft, value) => {
      draft.addDocument(numberIn(value))
    },
  ],
]

export function readRemarks(draft: PersonDraft, remarks: string): void {
  for (const remark of remarks.split(';')) {
    const text = remark.trim().replace(/\.$/, '')
    for (const [pattern, take] of REMARKS) {
      const value = pattern.exec(text)?.[1]
      if (value !== undefined) take(draft, value)
    }
  }
}

/** "A1234567 (Iran) expires 12 Jan 2010" */
function numberIn(value: string): string {
  return value.replace(/ ?\(.*$/, '').replace(/ (?:issued|expires) .*$/i, '')
}
