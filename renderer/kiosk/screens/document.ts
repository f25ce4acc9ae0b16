/** The document photo: dark surround (a bright screen reflects in laminate), picture not mirrored, manual shutter. */
import type { DocumentCapture } from '../../capture/index.ts'
import { icon } from '../art.ts'
import type { Screen } from '../context.ts'
import { h } from '../dom.ts'
import { captureScreen } from './capture.ts'

export const documentPhoto: Screen = (context) => {
  const { t } = context
  return captureScreen(context, {
    step: 'document',
    countdown: 0,
    camera: () => {
      const camera = document.createElement('document-capture') as DocumentCapture
      camera.setAttribute('label', t('document.frame'))
      return camera
    },
    below: [
      h(
        'ul',
        { class: 'tips' },
        h('li', {}, icon('corners'), h('span', {}, t('document.tip.corners'))),
        h('li', {}, icon('flat'), h('span', {}, t('document.tip.flat'))),
        h('li', {}, icon('light'), h('span', {}, t('document.tip.light'))),
      ),
    ],
  })
}
