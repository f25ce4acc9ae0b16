/** The messages to an applicant when the camera cannot be used. */
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
      'This machine cannot use its camera now. Touch “Help” to call the staff.',
    )
  expect(problemText(at(true), 'stopped')).toBe('Wait a moment, then try again.')
})

test('in a browser of this machine, too, nobody is asked to connect a camera: it is allowed there, or staff see to it', () => {
  for (const problem of ['absent', 'busy', 'wrong'] as const)
    expect(problemText(at(false), problem)).toMatch(/^This machine cannot use its camera now/)
  expect(problemText(at(false), 'refused')).toMatch(/^This browser does not let us use the camera/)
})
