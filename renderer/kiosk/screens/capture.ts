/**
 * What the document and the portrait screen share: live picture → photo → "use this photo?" → sent.
 * Without a camera it says why, and offers a picture file where the journey allows one.
 */
import type { CameraProblem, DocumentCapture, PortraitCapture } from '../../capture/index.ts'
import type { TextKey } from '../../locales/index.ts'
import { icon, picture } from '../art.ts'
import type { ScreenContext, ScreenView } from '../context.ts'
import { h } from '../dom.ts'
import { button, fileButton, layout, notice } from '../layout.ts'

export interface CaptureParts {
  readonly step: 'document' | 'portrait'
  /** A fresh, unconnected camera element. */
  camera(): DocumentCapture | PortraitCapture
  /** Shown under the live picture. */
  readonly below: readonly Node[]
  /** Seconds between the touch and the photo. */
  readonly countdown: number
}

const SECOND_MS = 1000

export function captureScreen(context: ScreenContext, parts: CaptureParts): ScreenView {
  const { state, t, acts, announce } = context
  const { step } = parts
  const guidance = state.guidance[0]
  const uploadAllowed = state.journey?.[step].uploadAllowed ?? false
  const left = state.progress?.[step].left ?? null
  const again = guidance !== undefined
  const root = h('div', { class: 'capture' })
  let photoUrl: string | null = null
  let timer: ReturnType<typeof setInterval> | undefined
  let sending: HTMLButtonElement | null = null

  const reason = () =>
    guidance === undefined
      ? null
      : notice('attention', t(`guidance.${guidance}`), again && left !== null ? triesText(left) : undefined)
  const triesText = (count: number) => (count === 1 ? t('guidance.try') : t('guidance.tries', { count }))
  const file = () => (uploadAllowed ? fileButton(t(`${step}.file`), (chosen) => review(chosen)) : null)

  const show = (view: HTMLElement, focus: boolean) => {
    clearInterval(timer)
    root.replaceChildren(view)
    if (focus) view.querySelector<HTMLElement>('h1')?.focus()
  }

  const live = (focus: boolean) => {
    forget()
    const camera = parts.camera()
    const line = h('p', { class: 'guidance', role: 'status' }, t('camera.starting'))
    const take = button('primary', t(`${step}.take`), () => shoot(), { iconName: 'camera', id: 'take-photo' })
    take.disabled = true
    camera.addEventListener('camera-ready', () => {
      take.disabled = false
      // One message at a time: at another try, the reason is the message.
      line.textContent = again ? '' : t(step === 'portrait' ? 'portrait.ready' : 'document.text')
    })
    camera.addEventListener('camera-problem', (event) => {
      problem((event as CustomEvent<CameraProblem>).detail)
    })
    const keep = () => camera.takePhoto().then(review, () => problem('stopped'))
    const shoot = () => {
      if (parts.countdown === 0) return void keep()
      let seconds = parts.countdown
      take.disabled = true
      fileChoice?.querySelector('button')?.setAttribute('disabled', '')
      const tick = () => {
        if (seconds === 0) {
          clearInterval(timer)
          void keep()
          return
        }
        line.textContent = t('portrait.count', { seconds })
        seconds -= 1
      }
      tick()
      timer = setInterval(tick, SECOND_MS)
    }
    const fileChoice = file()
    show(
      layout({
        name: 'capture',
        title: t(again ? `${step}.again.title` : `${step}.title`),
        words: [reason(), step === 'portrait' && !again ? h('p', {}, t('portrait.text')) : null],
        look: [camera, line, ...(again ? [] : parts.below.map((node) => node.cloneNode(true)))],
        hands: [take, fileChoice],
      }),
      focus,
    )
  }

  const review = (photo: Blob) => {
    forget()
    photoUrl = URL.createObjectURL(photo)
    const still = h('img', { class: 'still', src: photoUrl, alt: t(`${step}.photo`) })
    const use = button('primary', t(`${step}.use`), () => acts.sendPhoto(photo), { id: 'use-photo' })
    const retake = button('secondary', t(`${step}.retake`), () => live(true), { id: 'retake-photo' })
    // A file that is no picture is found here, before it is sent.
    still.addEventListener('error', () => {
      use.disabled = true
      still.replaceWith(notice('attention', t('guidance.FILE_UNREADABLE')))
      announce(t('guidance.FILE_UNREADABLE'))
    })
    sending = use
    show(
      layout({
        name: 'capture',
        title: t(`${step}.review.title`),
        words: [h('p', {}, t(`${step}.review.text`))],
        look: [
          h('div', { class: `still-frame still-${step}` }, still),
          h('div', { class: 'trouble', role: 'status' }),
        ],
        hands: [use, retake],
      }),
      true,
    )
  }

  const problem = (why: CameraProblem) => {
    const title: TextKey = `camera.${why}.title`
    announce(`${t(title)}. ${t(`camera.${why}.text`)}`)
    show(
      layout({
        name: 'capture',
        title: t(title),
        words: [h('p', {}, t(`camera.${why}.text`))],
        look: [
          picture(step === 'document' ? 'hold' : 'person'),
          h(
            'p',
            { class: 'fact' },
            icon('person'),
            uploadAllowed ? `${t('camera.file')} ${t('camera.counter')}` : t('camera.counter'),
          ),
        ],
        hands: [button('primary', t('camera.again'), () => live(true)), file()],
      }),
      true,
    )
  }

  const forget = () => {
    clearInterval(timer)
    sending = null
    if (photoUrl) URL.revokeObjectURL(photoUrl)
    photoUrl = null
  }

  live(false)
  return {
    element: root,
    update(next) {
      if (!sending) return
      sending.disabled = next.working
      root
        .querySelector('.trouble')
        ?.replaceChildren(next.notice === 'offline' ? notice('attention', t('trouble.offline')) : '')
    },
    dispose: forget,
  }
}
