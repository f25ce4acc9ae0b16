/** How pages get data and do things: loading that ends with the page, polls that rest while nobody looks, acts with a result. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { ApiProblem } from './api/client.ts'
import { useBrand } from './brand.ts'
import { isLocked, isSeen, onPresence } from './presence.ts'
import { nameTab } from './tab.ts'
import { useText } from './text.tsx'

export interface Resource<T> {
  /** The last that came; it stays while newer data is on its way, so that nothing jumps. */
  readonly data: T | null
  readonly problem: ApiProblem | null
  readonly loading: boolean
  readonly reload: () => void
  /** After an act whose answer is the new state. */
  readonly replace: (data: T) => void
}

/**
 * Loads when `key` changes, again every `everyMs` while the page is seen, and stops when the page goes.
 * @param whileHidden also polls while the tab is hidden, for alerts; it never polls while the screen is locked
 */
export function useResource<T>(
  load: (signal: AbortSignal) => Promise<T>,
  key: string,
  { everyMs, whileHidden = false }: { readonly everyMs?: number; readonly whileHidden?: boolean } = {},
): Resource<T> {
  const [state, setState] = useState<{ data: T | null; problem: ApiProblem | null; loading: boolean }>({
    data: null,
    problem: null,
    loading: true,
  })
  const [turn, setTurn] = useState(0)
  const latest = useRef(load)
  latest.current = load
  useEffect(() => {
    const aborter = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let failed = false
    const mayAsk = () => (whileHidden ? !isLocked() : isSeen())
    const run = async () => {
      setState((before) => ({ ...before, loading: true }))
      try {
        const data = await latest.current(aborter.signal)
        failed = false
        if (!aborter.signal.aborted) setState({ data, problem: null, loading: false })
      } catch (error) {
        if (aborter.signal.aborted) return
        failed = true
        setState(({ data }) => ({ data, problem: toProblem(error), loading: false }))
      }
      plan()
    }
    const plan = () => {
      clearTimeout(timer)
      if (everyMs !== undefined && !aborter.signal.aborted && mayAsk())
        timer = setTimeout(() => void run(), everyMs)
    }
    const seen = () => {
      if (!mayAsk()) clearTimeout(timer)
      // What failed behind a lock failed because of it.
      else if (everyMs !== undefined || failed) void run()
    }
    void run()
    const stop = onPresence(seen)
    return () => {
      aborter.abort()
      clearTimeout(timer)
      stop()
    }
  }, [key, turn, everyMs])
  const reload = useCallback(() => setTurn((now) => now + 1), [])
  const replace = useCallback((data: T) => setState({ data, problem: null, loading: false }), [])
  return { ...state, reload, replace }
}

export interface Act {
  readonly working: boolean
  readonly problem: ApiProblem | null
  readonly clear: () => void
  /** Answers whether it went through. A second one waits for the first. */
  readonly run: (act: () => Promise<void>) => Promise<boolean>
}

export function useAct(): Act {
  const [working, setWorking] = useState(false)
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const busy = useRef(false)
  const run = useCallback(async (act: () => Promise<void>) => {
    if (busy.current) return false
    busy.current = true
    setWorking(true)
    setProblem(null)
    try {
      await act()
      return true
    } catch (error) {
      setProblem(toProblem(error))
      return false
    } finally {
      busy.current = false
      setWorking(false)
    }
  }, [])
  const clear = useCallback(() => setProblem(null), [])
  return { working, problem, clear, run }
}

/** A fault of this page itself is told like one of the server: it must not end in silence. */
function toProblem(error: unknown): ApiProblem {
  return error instanceof ApiProblem ? error : new ApiProblem('internal', {}, { cause: error })
}

/** The time now, again every `everyMs`, for what counts down. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}

/** The title of the tab: the page, then the place. */
export function useTitle(title: string): void {
  const { t } = useText()
  const place = useBrand()?.name ?? t('app.name')
  useEffect(() => nameTab(title === place ? title : `${title} – ${place}`), [title, place])
}
