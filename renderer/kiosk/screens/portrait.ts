/** The portrait photo: bright surround (light for the face), picture as in a mirror, three seconds to look up. */
import type { PortraitCapture } from '../../capture/index.ts'
import type { Screen } from '../context.ts'
import { captureScreen } from './capture.ts'

// Enough to lift the eyes from the button to the lens, short enough to keep still.
const COUNTDOWN_S = 3

export const portraitPhoto: Screen = (context) =>
  captureScreen(context, {
    step: 'portrait',
    countdown: COUNTDOWN_S,
    camera: () => {
      const camera = document.createElement('portrait-capture') as PortraitCapture
      camera.setAttribute('label', context.t('portrait.frame'))
      return camera
    },
    below: [],
  })
