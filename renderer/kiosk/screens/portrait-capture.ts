/**
 * The face before the camera: the mirrored picture as wide as the screen, the text between it and the lens
 * with an arrow to the lens, nothing over the face, a dot at the edge towards which to turn, and the screen
 * itself as light. The capture element runs the challenge sequence; this screen draws it.
 */
import type { PortraitWish } from '../../../server/kiosk/contract/index.ts'
import type { PortraitCaptureElement, PromptDetail } from '../../capture/index.ts'
import { icon } from '../../design/art.ts'
import { h } from '../../dom.ts'
import { button, layout, row } from '../layout.ts'
import type { ScreenContext } from '../screen-context.ts'
import { cameraPatience } from './camera-patience.ts'
import { cameraProblemPage, problemText } from './camera-problem.ts'
import { createGuidanceLine } from './guidance-line.ts'
import { light } from './surround.ts'
import { waitSteps } from './wait-steps.ts'

export interface CapturePage {
  readonly element: HTMLElement
  begin(): void
  /** The network is back: opens a session that could not be opened. */
  online(): void
  dispose(): void
}

interface CaptureWays {
  readonly wish: PortraitWish
  readonly cannot: () => void
  readonly again: () => void
  /** A session has ended; false if no picture of it showed a face. */
  readonly ended: (sawFace: boolean) => void
}

/** Codes of the live guidance before a face is seen. */
const BEFORE_A_FACE: readonly string[] = ['NO_FACE', 'STRAIGHT', 'LOOK']

const REOPENED_AT_MOST = 2

export function portraitCapture(
  context: ScreenContext,
  { wish, cannot, again, ended }: CaptureWays,
): CapturePage {
  const { t, acts, ask, tone, settings, state } = context
  const camera = document.createElement('portrait-capture') as PortraitCaptureElement
  const line = createGuidanceLine(
    { ...context, note: (code) => acts.note('GUIDANCE', `PORTRAIT_${code}`) },
    t('camera.starting'),
  )
  const place = h('p', { class: 'task-place' })
  const waits = waitSteps(context)
  const dot = edgeDot(camera)
  const live = layout({
    name: 'portrait',
    title: t('portrait.title'),
    words: [line.element],
    look: [camera],
    hands: [
      place,
      waits.element,
      row(
        button('secondary', t('portrait.cannot'), cannot, { iconName: 'help' }),
        button('secondary', t('portrait.restart'), again, { iconName: 'retry' }),
      ),
    ],
  })
  pointAtCamera(live, context)
  const patience = cameraPatience({
    camera,
    live,
    stopped: (problem) => {
      const text = problemText(context, problem)
      clearTask()
      waits.hide()
      acts.note('FAULT', `CAMERA_${problem.toUpperCase()}`)
      line.say(text, 'attention')
      context.announce(text)
    },
    back: () => line.say(t('starting.text')),
    page: (problem, tryAgain) => {
      const uploadAllowed = state.visit?.step.kind === 'portrait' && state.visit.step.uploadAllowed
      return cameraProblemPage(context, problem, { step: 'portrait', uploadAllowed, again: tryAgain })
    },
  })
  const element = h('div', { class: 'portrait-page' }, patience.element, dot.element)
  let isOpen = true
  let reopened = 0
  let isUnopened = false
  let sawFace = false

  const begin = async () => {
    isUnopened = false
    waits.show({ camera: 'DOING', ready: 'DOING', portrait: 'TODO' })
    try {
      // The screen is inserted into the page after this call, and a camera starts only in the page.
      await Promise.resolve()
      if (!isOpen) return
      camera.session = ''
      // Start the camera and the session together: both take time.
      await Promise.all([
        camera.start(),
        ask.openPortraitCapture(wish).then(({ sessionId }) => {
          waits.done('ready')
          if (isOpen) camera.session = sessionId
        }),
      ])
    } catch {
      isUnopened = true
      camera.stop()
      waits.hide()
      if (isOpen) line.say(t('capture.not-open'), 'attention')
    }
  }
  const clearTask = () => {
    light(null)
    dot.show(null)
    place.textContent = ''
  }

  camera.setAttribute('controls', 'none')
  camera.setAttribute('lang', state.language.tag)
  camera.calm = settings.calm
  camera.addEventListener('camera-ready', () => {
    waits.done('camera')
    if (line.code === '') line.say(t('starting.text'))
  })
  camera.addEventListener('guidance', ({ detail }) => {
    waits.hide()
    sawFace ||= !BEFORE_A_FACE.includes(detail.code)
    line.show(detail)
  })
  camera.addEventListener('prompt', ({ detail }) => {
    dot.show(detail.isHolding ? null : detail.screenSide)
    place.textContent = formatPlace(context, detail)
    if (!detail.isHolding) tone('look-here')
  })
  camera.addEventListener('surround', ({ detail: { colour } }) => light(colour))
  camera.addEventListener('captured', () => {
    clearTask()
    ended(sawFace)
    tone('got-it')
    acts.captured()
  })
  camera.addEventListener('session-over', ({ detail: { reason, mayRetry } }) => {
    clearTask()
    if (reason === 'left' || !isOpen) return
    ended(sawFace)
    reopened += 1
    if (mayRetry && reopened <= REOPENED_AT_MOST) void begin()
    else acts.captured()
  })

  return {
    element,
    begin: () => void begin(),
    online: () => {
      if (isUnopened && isOpen) void begin()
    },
    dispose() {
      isOpen = false
      clearTask()
      waits.hide()
      patience.dispose()
      camera.stop()
    },
  }
}

/** "1 of 2": shows the number of prompts, so that the end is in sight. */
function formatPlace({ t }: ScreenContext, { index, of }: PromptDetail): string {
  return of > 1 ? t('portrait.task', { n: index, total: of }) : ''
}

/** Places title and advice beside the camera at the edge of the screen, with an arrow that points to it. */
function pointAtCamera(live: HTMLElement, { state }: ScreenContext): void {
  const { edge, atPercent } = state.journey?.display.camera ?? { edge: 'top', atPercent: 50 }
  live.dataset.camera = edge
  live.style.setProperty('--camera-at', String(atPercent))
  const { dir } = state.language
  const words = live.querySelector('.words')
  const lines = [...(words?.children ?? [])].map((each) => h('div', { class: 'at-camera', dir: 'ltr' }, each))
  for (const line of lines) line.firstElementChild?.setAttribute('dir', dir)
  const arrow = h('div', { class: 'camera-arrow', 'aria-hidden': 'true' }, icon('point'))
  words?.replaceChildren(arrow, ...lines)
  // A single message needs no pages.
  words?.classList.add('is-whole')
}

/**
 * Marks the side to turn to. The side is physical: it is the side of the mirrored picture, in every writing
 * direction.
 */
function edgeDot(picture: HTMLElement) {
  const element = h(
    'div',
    { class: 'edge-dot', dir: 'ltr', 'aria-hidden': 'true', hidden: true },
    h('span', {}),
  )
  return {
    element,
    show(side: PromptDetail['screenSide']) {
      element.hidden = side === null
      element.dataset.side = side ?? ''
      const { top, height } = picture.getBoundingClientRect()
      const share = side === 'up' ? 0 : side === 'down' ? 1 : 0.5
      element.style.setProperty('--dot-at', `${(top + height * share).toFixed(0)}px`)
    },
  }
}
