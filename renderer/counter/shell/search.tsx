/** The search for a receipt from every page: typed into the box, or scanned wherever the focus is. */
import { createContext } from 'preact'
import type { ComponentChildren } from 'preact'
import { useCallback, useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { SearchAnswer, SearchBody } from '../../../server/counter/contract/today.ts'
import { ApiProblem } from '../api/client.ts'
import { goTo } from '../route.ts'
import { useSession } from '../session.tsx'
import { useText } from '../text.tsx'
import { Icon } from '../ui/icon.tsx'
import { createScannerEar, toSearchBody } from './scanner.ts'

interface Search {
  readonly working: boolean
  readonly answer: SearchAnswer | null
  readonly problem: ApiProblem | null
  /**
   * The text that led to the answer. It is kept only in memory, because a code opens a case, and browsers
   * store addresses.
   */
  readonly asked: SearchBody | null
  readonly find: (text: string) => void
}

const SearchContext = createContext<Search | null>(null)

export function SearchProvider({ children }: { readonly children: ComponentChildren }) {
  const { client, can } = useSession()
  const [state, setState] = useState<Omit<Search, 'find'>>({
    working: false,
    answer: null,
    problem: null,
    asked: null,
  })
  const find = useCallback(
    (text: string) => {
      if (text.trim() === '') return
      const asked = toSearchBody(text)
      setState({ working: true, answer: null, problem: null, asked })
      goTo('search')
      client.send<SearchAnswer>('POST', 'search', { body: asked }).then(
        (answer) => setState({ working: false, answer, problem: null, asked }),
        (error: unknown) =>
          setState({
            working: false,
            answer: null,
            problem: error instanceof ApiProblem ? error : new ApiProblem('internal'),
            asked,
          }),
      )
    },
    [client],
  )
  const allowed = can('proofings:list')
  useEffect(() => {
    if (!allowed) return
    const ear = createScannerEar()
    const hear = (event: KeyboardEvent) => {
      const { target } = event
      // A focused field receives the scan itself, as its form expects.
      const inField = target instanceof HTMLElement && target.matches('input, textarea, select')
      const scanned = inField ? null : ear.hear({ key: event.key, at: event.timeStamp })
      if (scanned === null) return
      event.preventDefault()
      find(scanned)
    }
    addEventListener('keydown', hear, { capture: true })
    return () => removeEventListener('keydown', hear, { capture: true })
  }, [allowed, find])
  const search = useMemo(() => ({ ...state, find }), [state, find])
  return <SearchContext.Provider value={search}>{children}</SearchContext.Provider>
}

export function useSearch(): Search {
  const search = useContext(SearchContext)
  if (!search) throw new TypeError('no SearchProvider above')
  return search
}

export function SearchBox() {
  const { t } = useText()
  const { find, answer } = useSearch()
  const [text, setText] = useState('')
  const input = useRef<HTMLInputElement>(null)
  // A search without a result stays, to be corrected.
  useEffect(() => {
    if (answer?.found || answer?.foundCase) setText('')
  }, [answer])
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !event.ctrlKey) return
      event.preventDefault()
      input.current?.select()
    }
    addEventListener('keydown', focus)
    return () => removeEventListener('keydown', focus)
  }, [])
  return (
    <form
      class="search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        find(text)
      }}
    >
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        value={text}
        aria-label={t('search.label')}
        aria-keyshortcuts="Control+K"
        title={`${t('search.label')} (Ctrl+K)`}
        placeholder={t('search.placeholder')}
        autocomplete="off"
        spellcheck={false}
        maxLength={200}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </form>
  )
}
