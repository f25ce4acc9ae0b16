/**
 * Single keys of the viewer, as data. They can be switched off (WCAG 2.1.4), and none of them decides
 * anything.
 */
import { useState } from 'preact/hooks'
import type { CounterKey } from '../../text.tsx'

export type ViewerAct =
  | { readonly what: 'pick'; readonly image: number }
  | { readonly what: 'move'; readonly dx: number; readonly dy: number }
  | { readonly what: Simple }
type Simple =
  | 'zoom'
  | 'nearer'
  | 'farther'
  | 'whole'
  | 'turn'
  | 'contrast'
  | 'grid'
  | 'beside'
  | 'swap'
  | 'next-case'
  | 'previous-case'
  | 'keys'

const LETTERS: Readonly<Record<string, Simple>> = {
  z: 'zoom',
  r: 'turn',
  c: 'contrast',
  g: 'grid',
  s: 'beside',
  b: 'swap',
  j: 'next-case',
  k: 'previous-case',
  '?': 'keys',
  '+': 'nearer',
  '=': 'nearer',
  '-': 'farther',
  '0': 'whole',
}
/** Share of the viewer that one press of an arrow moves. */
const STEP = 0.08
const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [STEP, 0],
  ArrowRight: [-STEP, 0],
  ArrowUp: [0, STEP],
  ArrowDown: [0, -STEP],
}

interface Stroke {
  readonly key: string
  readonly ctrlKey: boolean
  readonly altKey: boolean
  readonly metaKey: boolean
}

/**
 * Null: not a key of the viewer. Arrows are no characters: they work even if the letters are switched off.
 */
export function actOfKey({ key, ctrlKey, altKey, metaKey }: Stroke, letters: boolean): ViewerAct | null {
  if (ctrlKey || altKey || metaKey) return null
  const arrow = ARROWS[key]
  if (arrow) return { what: 'move', dx: arrow[0], dy: arrow[1] }
  if (!letters) return null
  if (/^[1-9]$/.test(key)) return { what: 'pick', image: Number(key) - 1 }
  const what = LETTERS[key.toLowerCase()]
  return what ? { what } : null
}

/** For the list of keys. */
export const KEY_LIST: readonly (readonly [keys: string, words: CounterKey])[] = [
  ['1 – 6', 'desk.key.pick'],
  ['Z  +  −  0', 'desk.key.zoom'],
  ['← ↑ → ↓', 'desk.key.move'],
  ['R', 'desk.key.turn'],
  ['C', 'desk.key.contrast'],
  ['G', 'desk.key.grid'],
  ['S', 'desk.key.beside'],
  ['B', 'desk.key.swap'],
  ['J  K', 'desk.key.case'],
  ['?', 'desk.key.list'],
]
export const KEY_LIST_ANYWHERE: readonly (readonly [keys: string, words: CounterKey])[] = [
  ['F6', 'desk.key.pane'],
  ['Ctrl + Enter', 'desk.key.decide'],
  ['Esc', 'desk.key.close'],
]

const STORED_AS = 'counterproof-counter-letters'

export function useLetters(): readonly [boolean, (on: boolean) => void] {
  const [letters, setLetters] = useState(() => localStorage.getItem(STORED_AS) !== 'off')
  return [
    letters,
    (on) => {
      localStorage.setItem(STORED_AS, on ? 'on' : 'off')
      setLetters(on)
    },
  ]
}
