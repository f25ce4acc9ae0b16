import { expect, test } from 'vitest'
import { openingHours } from '../../../renderer/kiosk/opening-hours.ts'

type State = Parameters<typeof openingHours>[0]
const hoursFor = (tag: string, hours?: string | Readonly<Record<string, string>>): string | null =>
  openingHours({ journey: { receipt: { openingHours: hours } }, language: { tag } } as State)

test('opening hours are shown in the language of the applicant', () => {
  const hours = { de: 'Montag bis Freitag', fr: 'du lundi au vendredi' }
  expect(hoursFor('fr', hours)).toBe('du lundi au vendredi')
  expect(hoursFor('es', hours)).toBe('Montag bis Freitag')
  expect(hoursFor('es', 'Mon–Fri 9–17')).toBe('Mon–Fri 9–17')
})

test('a journey without opening hours shows none', () => {
  expect(hoursFor('de')).toBeNull()
  expect(hoursFor('de', '')).toBeNull()
  expect(hoursFor('de', {})).toBeNull()
})
