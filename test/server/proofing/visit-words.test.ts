/** Who asks for a person because the camera of the step cannot be used did not choose. */
import { expect, test } from 'vitest'
import { isCameraMissing } from '../../../server/proofing/visit-words.ts'

const at = (kind: string, code: string, step = 'portrait') => ({ step, kind, code })
const ABSENT = at('FAULT', 'CAMERA_ABSENT')

test.each([
  ['nothing', [], false],
  ['a camera that was not found', [ABSENT], true],
  ['the end of the capture that it could not serve', [ABSENT, at('END', 'GIVEN_UP')], true],
  ['a camera that was not found at another step', [at('FAULT', 'CAMERA_ABSENT', 'document')], false],
  ['a try after the camera came back', [ABSENT, at('TRY', 'PORTRAIT')], false],
  ['another fault', [at('FAULT', 'OFFLINE')], false],
  ['a capture that the person ended', [at('END', 'GIVEN_UP')], false],
] as const)('after %s the camera is missing: %s → %s', (_, notes, expected) => {
  expect(isCameraMissing(notes, 'portrait')).toBe(expected)
})
