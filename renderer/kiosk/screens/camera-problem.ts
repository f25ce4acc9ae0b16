/** Shows that the camera cannot be used, what the applicant can do next, and how to continue without it. */
import type { CameraProblem } from '../../capture/index.ts'
import { picture } from '../../design/art.ts'
import { h } from '../../dom.ts'
import { DOCUMENT_FILES, PICTURE_FILES } from '../../file-types.ts'
import { button, fact, fileButton, isolateText, layout } from '../layout.ts'
import type { ScreenContext } from '../screen-context.ts'

interface ProblemOptions {
  readonly step: 'document' | 'portrait'
  readonly uploadAllowed: boolean
  readonly again: () => void
}

export function cameraProblemPage(
  { t, acts, state }: ScreenContext,
  problem: CameraProblem,
  { step, uploadAllowed, again }: ProblemOptions,
): HTMLElement {
  const otherwise = uploadAllowed ? 'camera.otherwise.file' : 'camera.otherwise'
  const reference = state.visit?.reference
  return layout({
    name: 'problem',
    title: t(`camera.${problem}.title`),
    words: [h('p', { class: 'lead' }, problemText({ t, state }, problem))],
    look: [
      picture('counter'),
      fact('person', t(otherwise)),
      // Staff find the visit by the reference, so that completed steps are not repeated.
      reference ? h('p', {}, t('help.reference'), ' ', isolateText(reference, 'ltr', 'mono')) : null,
    ],
    hands: [
      button('primary', t('camera.again'), again, { iconName: 'camera' }),
      uploadAllowed
        ? fileButton(
            t(`${step}.file`),
            (file) => acts.sendFile(file),
            step === 'document' ? DOCUMENT_FILES : PICTURE_FILES,
          )
        : null,
      button('secondary', t('person.finish'), () => acts.skip({ step, person: true }), {
        iconName: 'person',
        calls: true,
      }),
    ],
  })
}

/**
 * Chooses the text. An applicant at a kiosk can neither connect nor free a camera; in a browser, access may
 * have to be allowed.
 */
export function problemText(
  { t, state }: Pick<ScreenContext, 't' | 'state'>,
  problem: CameraProblem,
): string {
  if (problem === 'stopped') return t('camera.stopped.text')
  const isOurBrowser = state.journey?.ownWindow === true
  return t(problem === 'refused' && !isOurBrowser ? 'camera.refused.text' : 'camera.staff')
}
