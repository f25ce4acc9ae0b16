/** The messages to an applicant when the camera cannot be used. */
import { expect, test } from 'vitest'
import { problemText } from '../../../renderer/kiosk/screens/camera-problem.ts'
import { START } from '../../../renderer/kiosk/state.ts'
import { englishTexts } from '../../../renderer/locales/index.ts'
import { KIOSK } from '../../../renderer/locales/kiosk.ts'
import { JOURNEY } from './visits.ts'

const t = englishTexts(KIOSK)
const at = (ownWindow: boolean) => ({ t, state: { ...START, journey: { ...JOURNEY, ownWindow } } })

test('an applicant at a kiosk is not asked to connect a camera or to change the browser', () => {
  for (const problem of ['absent', 'refused', 'busy', 'wrong'] as const)
    expect(problemText(at(true), problem)).toBe(
      'This machine cannot use its camera now. Touch “Help” to call the staff.',
    )
  expect(problemText(at(true), 'stopped')).toBe('Wait a moment, then try again.')
})

test('an applicant at a browser of this machine is not asked to connect or to allow a camera either: staff do that', () => {
  for (const problem of ['absent', 'busy', 'wrong'] as const)
    expect(problemText(at(false), problem)).toMatch(/^This machine cannot use its camera now/)
  expect(problemText(at(false), 'refused')).toBe(
    'This browser does not let us use the camera. Only staff can allow it. Touch “Help” to call them.',
  )
})
