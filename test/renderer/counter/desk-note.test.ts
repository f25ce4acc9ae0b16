/** A note with a decision is for words about the picture; what looks like this person's data is pointed at. */
import { expect, test } from 'vitest'
import { looksPersonal } from '../../../renderer/counter/pages/desk/note.ts'

const rows = [
  { zone: 'ERIKSSON', printed: 'Eriksson', typed: null },
  { zone: 'LI', printed: null, typed: 'Li' },
  { zone: '1974-08-12', printed: null, typed: null },
  { zone: null, printed: 'محمد', typed: null },
]

test.each([
  'Mrs eriksson came twice.',
  'Number L898902C3, photo 36 207',
  'Call 0151 23 45 67 first',
  'born 1974-08-12',
  '١٢٣٤٥٦ على الظهر',
  'جاء محمد مرتين',
])('%s is pointed at', (note) => {
  expect(looksPersonal(note, rows)).toBe(true)
})

test.each([
  '',
  'The lower line is smudged; the stamp covers the number.',
  'Look at picture 2, corner 3.',
  'A list of features was compared.',
  'Erikssonian lettering',
])('%s is not', (note) => {
  expect(looksPersonal(note, rows)).toBe(false)
})
