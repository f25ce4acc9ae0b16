/**
 * The dialogs of the bar that change settings: text, contrast and reach; sound and speech. All settings end
 * with the visit.
 */
import { h } from '../dom.ts'
import { control, toggle } from './controls.ts'
import { openDialog } from './dialog.ts'
import type { OpenDialog } from './dialog.ts'
import { KEEPS_SPEECH } from './reader.ts'
import type { DisplaySettings, ScreenContext } from './screen-context.ts'

type T = ScreenContext['t']

interface SettingsParts {
  readonly t: T
  readonly settings: () => DisplaySettings
  readonly set: (change: Partial<DisplaySettings>) => void
}

interface Option {
  readonly text: string
  readonly change: Partial<DisplaySettings>
  readonly isOn: (settings: DisplaySettings) => boolean
}

export function openDisplay({ t, settings, set }: SettingsParts): OpenDialog {
  const sizes = ([1, 2, 3] as const).map((textSize): Option => {
    return {
      text: t(`display.size.${textSize}`),
      change: { textSize },
      isOn: (now) => now.textSize === textSize,
    }
  })
  const contrasts = ([false, true] as const).map((highContrast): Option => {
    const text = t(highContrast ? 'display.contrast.high' : 'display.contrast.standard')
    return { text, change: { highContrast }, isOn: (now) => now.highContrast === highContrast }
  })
  const dialog = openDialog({
    title: t('display.title'),
    content: [h('div', { class: 'paged settings' })],
    choices: [{ text: t('display.close'), kind: 'primary' }],
  })
  const groups = [
    choice(t('display.size'), sizes, { settings, set }),
    choice(t('display.contrast'), contrasts, { settings, set }),
    switches(
      t('display.aids'),
      [
        { text: t('display.lower'), name: 'lowerButtons' },
        { text: t('display.calm'), name: 'calm' },
        { text: t('display.scanning'), name: 'scanning' },
      ],
      { settings, set },
    ),
  ]
  dialog.element.querySelector('.settings')?.append(...groups)
  return dialog
}

type SettingsAccess = Omit<SettingsParts, 't'>

/** A group of exclusive options; edge and aria-pressed mark the active one. */
function choice(label: string, options: readonly Option[], { settings, set }: SettingsAccess): HTMLElement {
  const buttons = options.map(({ text, change, isOn }) =>
    toggle(text, isOn(settings()), () => {
      set(change)
      options.forEach((option, i) =>
        buttons[i]?.setAttribute('aria-pressed', String(option.isOn(settings()))),
      )
    }),
  )
  const kind = `setting setting-${options.length}`
  return h('div', { class: kind, role: 'group', 'aria-label': label }, h('h3', {}, label), ...buttons)
}

type SwitchName = 'lowerButtons' | 'calm' | 'scanning'

function switches(
  label: string,
  options: readonly { text: string; name: SwitchName }[],
  { settings, set }: SettingsAccess,
): HTMLElement {
  const buttons = options.map(({ text, name }) => {
    const button = toggle(text, settings()[name], () => {
      set({ [name]: !settings()[name] })
      button.setAttribute('aria-pressed', String(settings()[name]))
    })
    return button
  })
  return h(
    'div',
    { class: 'setting setting-3', role: 'group', 'aria-label': label },
    h('h3', {}, label),
    ...buttons,
  )
}

interface SoundParts extends SettingsParts {
  /** False: this machine has no voice for the language. */
  readonly canSpeak: boolean
  readonly repeat: () => void
  readonly isPaused: () => boolean
  readonly pause: () => void
  readonly resume: () => void
}

const RATES = [0.75, 1, 1.25, 1.5, 2] as const
const VOLUMES = [0.25, 0.5, 0.75, 1] as const

export function openSound(parts: SoundParts): OpenDialog {
  const { t, settings, set } = parts
  const volume = steps(t('sound.volume'), [t('sound.quieter'), t('sound.louder')], VOLUMES, {
    value: () => settings().volume,
    set: (value) => set({ volume: value }),
  })
  const dialog = openDialog({
    title: t('sound.title'),
    content: [h('div', { class: 'paged settings' })],
    choices: [{ text: t('display.close'), kind: 'primary' }],
  })
  const blocks = parts.canSpeak ? [...speechBlocks(parts), volume] : [h('p', {}, t('sound.absent')), volume]
  dialog.element.querySelector('.settings')?.append(...blocks)
  return dialog
}

function speechBlocks({ t, settings, set, repeat, isPaused, pause, resume }: SoundParts): HTMLElement[] {
  const speech = toggle(t('sound.speech'), settings().speech, () => {
    set({ speech: !settings().speech })
    speech.setAttribute('aria-pressed', String(settings().speech))
  })
  const pauseWord = () => t(isPaused() ? 'sound.resume' : 'sound.pause')
  const paused = control('secondary', pauseWord(), () => {
    if (isPaused()) resume()
    else pause()
    const label = paused.querySelector('span')
    if (label) label.textContent = pauseWord()
  })
  paused.setAttribute(KEEPS_SPEECH, '')
  const rate = steps(t('sound.speed'), [t('sound.slower'), t('sound.faster')], RATES, {
    value: () => settings().speechRate,
    set: (value) => set({ speechRate: value }),
  })
  return [
    h('p', {}, t('sound.headset')),
    speech,
    h('div', { class: 'setting setting-2' }, control('secondary', t('sound.repeat'), repeat), paused),
    rate,
  ]
}

/** Buttons for less and more; filled marks show the present step. */
function steps<V extends number>(
  label: string,
  [down, up]: readonly [string, string],
  values: readonly V[],
  access: { value: () => number; set: (value: V) => void },
): HTMLElement {
  const marks = h('ol', { class: 'step-marks', 'aria-hidden': 'true' }, ...values.map(() => h('li')))
  const at = () =>
    Math.max(
      0,
      values.findIndex((value) => value === access.value()),
    )
  const draw = () => [...marks.children].forEach((mark, i) => (mark.className = i <= at() ? 'past' : 'ahead'))
  const go = (by: number) => {
    const value = values[at() + by]
    if (value !== undefined) access.set(value)
    draw()
  }
  draw()
  return h(
    'div',
    { class: 'setting setting-2', role: 'group', 'aria-label': label },
    h('h3', { class: 'steps-head' }, label, marks),
    control('secondary', down, () => go(-1)),
    control('secondary', up, () => go(1)),
  )
}
