/**
 * Keeps unsaved input while other steps of the same visit are open, or the screen is turned to the
 * applicant. In memory only: it ends with the visit's page.
 */
import { createContext } from 'preact'
import type { ComponentChildren } from 'preact'
import { useContext, useReducer, useRef } from 'preact/hooks'

type Drafts = Map<string, unknown>

const DraftContext = createContext<Drafts | null>(null)

export function DraftsOfVisit({ children }: { readonly children: ComponentChildren }) {
  const drafts = useRef<Drafts>(new Map())
  return <DraftContext.Provider value={drafts.current}>{children}</DraftContext.Provider>
}

/** Like `useState`, but the value outlasts its component. Throws outside DraftsOfVisit. */
export function useDraft<T>(name: string, initial: T): readonly [T, (value: T) => void] {
  const drafts = useContext(DraftContext)
  if (!drafts) throw new TypeError('no DraftsOfVisit above')
  const [, draw] = useReducer<number, undefined>((count) => count + 1, 0)
  const value = drafts.has(name) ? (drafts.get(name) as T) : initial
  return [
    value,
    (next) => {
      drafts.set(name, next)
      draw(undefined)
    },
  ]
}
