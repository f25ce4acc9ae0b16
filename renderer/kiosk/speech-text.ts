/** The spoken text of a screen: title, text, then the choices. Personal data is spoken only to a headset. */
import type { Translate } from '../locales/index.ts'

export interface SpokenPart {
  readonly kind: 'words' | 'choice'
  readonly text: string
  readonly personal: boolean
}

/** Each entry is one sentence: short entries can be interrupted, and some voices cut off long ones. */
export function toSentences(
  parts: readonly SpokenPart[],
  t: Translate,
  options: { headset: boolean },
): string[] {
  const words: string[] = []
  let hidden = false
  for (const { text } of parts.filter(({ kind, personal }) => {
    if (kind !== 'words') return false
    const spoken = !personal || options.headset
    hidden ||= !spoken
    return spoken
  }))
    words.push(text)
  const choices = parts.filter(({ kind, personal }) => kind === 'choice' && (!personal || options.headset))
  return [
    ...words,
    ...(hidden ? [t('speech.on-screen')] : []),
    ...(choices.length > 0 ? [t('speech.choices'), ...choices.map(({ text }) => text)] : []),
  ]
}

const READ = 'h1, h2, h3, p, li, dt, dd, figcaption, button, a, label, [data-spoken]'

const UNREAD = [
  '[hidden], [aria-hidden="true"], [data-silent], .is-other-page, .is-absent',
  '.screen:has([data-more-pages]) .on-last-page',
  '.screen:not(:has(.acts > li:not(.is-other-page))) .announces-acts',
].join(', ')

/** Leaves out the parts of the element that the screen does not show at present. */
function readShownText(element: HTMLElement): string {
  const parts = [...element.childNodes].map((node) => {
    if (!(node instanceof HTMLElement)) return node.textContent ?? ''
    return node.matches(UNREAD) ? '' : readShownText(node)
  })
  return parts.join('')
}

/**
 * Reads an element of the page in document order. `data-personal` marks personal data, `data-silent` visual
 * elements, `data-spoken` a spoken text that replaces the shown one.
 */
export function readParts(root: Element): SpokenPart[] {
  const parts: SpokenPart[] = []
  const own = root.matches(READ) ? [root as HTMLElement] : []
  for (const element of [...own, ...root.querySelectorAll<HTMLElement>(READ)]) {
    if (element.closest(UNREAD)) continue
    // An element inside another one that is read is read with it.
    if (element.parentElement?.closest(READ) && root.contains(element.parentElement.closest(READ))) continue
    const text = (
      element.dataset.spoken ??
      element.getAttribute('aria-label') ??
      readShownText(element)
    ).trim()
    if (text === '' || (element instanceof HTMLButtonElement && element.disabled)) continue
    const personal =
      element.closest('[data-personal]') !== null || element.querySelector('[data-personal]') !== null
    parts.push({
      kind: element.matches('button, a') ? 'choice' : 'words',
      text: text.replace(/\s+/g, ' '),
      personal,
    })
  }
  return parts
}

/** Describes the focused control for keyboard users: its name, value and state. */
export function focusText(element: HTMLElement, t: Translate, options: { headset: boolean }): string {
  const field = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement ? element : null
  const label = element.getAttribute('aria-label') ?? element.dataset.spoken
  const name = label ?? field?.labels?.[0]?.textContent ?? element.textContent
  const isPersonal = element.closest('[data-personal]') !== null
  // Typed input is always personal data.
  const value = field && field.value !== '' ? (options.headset ? field.value : t('speech.on-screen')) : ''
  return [
    isPersonal && !options.headset ? t('speech.on-screen') : name.trim().replace(/\s+/g, ' '),
    field ? t('speech.field') : '',
    value,
    stateText(element, t),
  ]
    .filter((part) => part !== '')
    .map((part) => part.replace(/[.\s]*$/, '.'))
    .join(' ')
}

/** Empty for a plain button that is enabled. */
export function stateText(element: Element, t: Translate): string {
  if (element.getAttribute('aria-disabled') === 'true') return t('speech.not-now')
  const state = element.getAttribute('aria-pressed') ?? element.getAttribute('aria-current')
  return state === null ? '' : t(state === 'false' ? 'speech.off' : 'speech.on')
}
