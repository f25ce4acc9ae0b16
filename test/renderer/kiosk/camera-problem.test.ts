/** What a visitor is told when the camera cannot be used. */
import { expect, test } from 'vitest'
import { problemText } from '../../../renderer/kiosk/screens/camera-problem.ts'
import { START } from '../../../renderer/kiosk/state.ts'
import { englishTexts } from '../../../renderer/locales/index.ts'
import { KIOSK } from '../../../renderer/locales/kiosk.ts'
import { JOURNEY } from './visits.ts'

const t = englishTexts(KIOSK)
const at = (ownWindow: boolean) => ({ t, state: { ...START, journey: { ...JOURNEY, ownWindow } } })

test('whoever stands at a kiosk is not asked to connect a camera or to change a browser', () => {
  for (const problem of ['absent', 'refused', 'busy', 'wrong'] as const)
    expect(problemText(at(true), problem)).toBe(
      'This machine cannot use its camera now. Touch “Help”, and staff come.',
    )
  expect(problemText(at(true), 'stopped')).toBe('Wait a moment, then try again.')
})

test('whoever sits at a computer of their own is', () => {
  expect(problemText(at(false), 'absent')).toBe('Connect a camera, then try again.')
})
