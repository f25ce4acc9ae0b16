/**
 * The built-in texts and buttons, for pages without their own (`controls="none"` leaves them out). They
 * decide nothing.
 */
import { h } from '../dom.ts'
import { DOCUMENT_FILES } from '../file-types.ts'
import type { Translate } from '../locales/index.ts'
import type { CameraChoice, GuidanceDetail, LadderDetail, ProgressDetail } from './events.ts'
import { guidanceIcon } from './icons.ts'

interface ControlsOptions {
  readonly t: () => Translate<'capture'>
  readonly hasTips: boolean
  readonly take?: () => void
  readonly file?: (file: Blob) => void
  readonly again: () => void
  readonly cameras: () => Promise<readonly CameraChoice[]>
  readonly choose: (deviceId: string) => void
}

/** Shown in place of the picture when the capture has ended. */
export interface Ending {
  readonly text: string
  /** Names the captured pictures; empty if there are none. */
  readonly taken: readonly string[]
  readonly next: string | null
}

export interface BuiltInControls {
  readonly element: HTMLElement
  guidance(detail: GuidanceDetail): void
  note(text: string): void
  ready(): void
  problem(text: string): void
  over(ending: Ending): void
  /** Enables the buttons while a picture is wanted. */
  wanting(isWanting: boolean): void
  progress(detail: ProgressDetail): void
  ladder(detail: LadderDetail): void
  relabel(): void
  clear(): void
}

export function builtInControls(options: ControlsOptions): BuiltInControls {
  const icon = h('span', { class: 'capture-line-icon' })
  const line = h('span', { class: 'capture-line-text' })
  // A single live region, so that a screen reader says each message once.
  const status = h('p', { class: 'capture-line', role: 'status', 'aria-live': 'polite' }, icon, line)
  const bar = h('progress', { class: 'capture-progress', max: 1, value: 0, hidden: true })
  const take = button('capture-take is-primary', options.take)
  const again = button('capture-again is-primary', options.again)
  const input = h('input', { type: 'file', accept: DOCUMENT_FILES, class: 'capture-input', tabindex: -1 })
  input.addEventListener('change', () => {
    const file = input.files?.[0]
    input.value = ''
    if (file) options.file?.(file)
  })
  const file = button('capture-file', options.file && (() => input.click()))
  const choice = h('select', { class: 'capture-choice', id: nextId() })
  choice.addEventListener('change', () => options.choose(choice.value))
  const choiceLabel = h('label', { for: choice.id })
  const chooser = h('p', { class: 'capture-chooser', hidden: true }, choiceLabel, choice)
  const tips = h('details', { class: 'capture-tips', hidden: !options.hasTips }, h('summary'), h('ul'))
  const result = h('div', { class: 'capture-result', hidden: true, tabindex: -1 })
  const element = h(
    'div',
    { class: 'capture-controls' },
    status,
    result,
    bar,
    take,
    again,
    file,
    input,
    tips,
    chooser,
  )

  const say = (text: string) => {
    if (line.textContent !== text) line.textContent = text
  }
  const note = (text: string) => {
    icon.replaceChildren()
    status.dataset.tone = 'note'
    say(text)
  }
  const canTake = (isPossible: boolean) => {
    take.hidden = !options.take || !isPossible
    again.hidden = true
  }
  const wanting = (isWanting: boolean) => {
    canTake(isWanting)
    file.hidden = !options.file || !isWanting
    tips.hidden = !options.hasTips || !isWanting
  }
  const offerCameras = async () => {
    const cameras = await options.cameras()
    choice.replaceChildren(
      ...cameras.map(({ deviceId, label, inUse }, i) =>
        h(
          'option',
          { value: deviceId, selected: inUse },
          label || options.t()('camera.unnamed', { n: i + 1 }),
        ),
      ),
    )
    chooser.hidden = cameras.length < 2
  }
  const relabel = () => {
    const t = options.t()
    take.textContent = t('button.take')
    file.textContent = t('button.file')
    again.textContent = t('button.again')
    choiceLabel.textContent = t('camera.choice')
    input.setAttribute('aria-label', t('button.file'))
    bar.setAttribute('aria-label', t('document.SENDING'))
    tips.querySelector('summary')?.replaceChildren(t('button.tips'))
    const lines = [t('tips.light'), t('tips.flat'), t('tips.fingers')]
    tips.querySelector('ul')?.replaceChildren(...lines.map((text) => h('li', {}, text)))
  }
  canTake(false)
  file.hidden = !options.file
  relabel()
  return {
    element,
    note,
    relabel,
    guidance: (detail) => {
      status.dataset.tone = detail.tone
      icon.replaceChildren(guidanceIcon(detail.icon))
      say(detail.text)
    },
    ready: () => {
      canTake(true)
      note('')
      void offerCameras()
    },
    problem: (text) => {
      canTake(false)
      again.hidden = false
      note(text)
    },
    wanting,
    over: ({ text, taken, next }) => {
      const hadFocus = element.contains(document.activeElement)
      wanting(false)
      chooser.hidden = true
      bar.hidden = true
      note(text)
      icon.replaceChildren(guidanceIcon(taken.length > 0 ? 'good' : 'attention'))
      const items = taken.map((what) => h('li', {}, guidanceIcon('good'), h('span', {}, what)))
      result.replaceChildren(h('ul', {}, ...items), ...(next === null ? [] : [h('p', {}, next)]))
      result.hidden = taken.length === 0
      // The button with the focus has been removed.
      if (hadFocus && !result.hidden) result.focus()
    },
    progress: ({ phase, share }) => {
      bar.hidden = phase === 'waiting'
      bar.value = share
    },
    ladder: ({ manualHighlighted, showTips }) => {
      take.classList.toggle('is-highlighted', manualHighlighted)
      if (showTips) tips.open = true
    },
    clear: () => {
      result.hidden = true
      canTake(false)
      bar.hidden = true
      note('')
    },
  }
}

function button(className: string, act: (() => void) | undefined): HTMLButtonElement {
  const made = h('button', { type: 'button', class: `capture-button ${className}`, hidden: !act })
  if (act) made.addEventListener('click', act)
  return made
}

let ids = 0
const nextId = (): string => `capture-choice-${++ids}`
