/**
 * Loads data and runs acts for pages: loading ends with the page, polling pauses while the page is hidden,
 * acts return a result.
 */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { ApiProblem } from './api/client.ts'
import { useBrand } from './brand.ts'
import { isLocked, isSeen, onPresence } from './presence.ts'
import { nameTab } from './tab.ts'
import { useKitText } from './text.tsx'

export interface Resource<T> {
  /** The last answer; it stays while newer data is loading, so that the page does not jump. */
  readonly data: T | null
  readonly problem: ApiProblem | null
  readonly loading: boolean
  readonly reload: () => void
  /** Stores the new state that an act has returned. */
  readonly replace: (data: T) => void
}

/**
 * Loads when `key` changes and again every `everyMs` while the page is visible. Stops when the page is left.
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
      // The load may have failed because of the lock: repeat it.
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
  /** Resolves to whether the act succeeded. A second act waits for the first. */
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

/** Turns an error of this page into a problem, so that it is shown too. */
function toProblem(error: unknown): ApiProblem {
  return error instanceof ApiProblem ? error : new ApiProblem('internal', {}, { cause: error })
}

/** The present time, updated every `everyMs`, for countdowns. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}

/** Sets the title of the tab: the page, then the branch. */
export function useTitle(title: string): void {
  const { t } = useKitText()
  const place = useBrand()?.name ?? t('app.name')
  useEffect(() => nameTab(title === place ? title : `${title} – ${place}`), [title, place])
}
