/** Who waits for staff, asked once for all pages: the list, the count in the tab's title, a sound and a note for whoever is new in it. */
import { createContext } from 'preact'
import type { ComponentChildren } from 'preact'
import { useContext, useEffect, useRef } from 'preact/hooks'
import type { HelpCall, WaitingView } from '../../../server/counter/contract/today.ts'
import { isSoundOn, ring, showNote } from '../alerts.ts'
import { useResource } from '../hooks.ts'
import type { Resource } from '../hooks.ts'
import { useSession } from '../session.tsx'
import { countInTab } from '../tab.ts'
import { useText } from '../text.tsx'

// A person stands at the kiosk meanwhile; the server asks its own database (starting value).
const EVERY_MS = 5_000

const WaitingContext = createContext<Resource<WaitingView> | null>(null)

/** Around the pages of who may see it; the others' have nothing to ask. */
export function WaitingProvider({ children }: { readonly children: ComponentChildren }) {
  const { can } = useSession()
  return can('waiting:see') ? <Asking>{children}</Asking> : <>{children}</>
}

function Asking({ children }: { readonly children: ComponentChildren }) {
  const { client } = useSession()
  const waiting = useResource<WaitingView>((signal) => client.get('waiting', signal), 'waiting', {
    everyMs: EVERY_MS,
    whileHidden: true,
  })
  useAlerts(waiting.data)
  return <WaitingContext.Provider value={waiting}>{children}</WaitingContext.Provider>
}

/** Null for who may not see it. */
export function useWaiting(): Resource<WaitingView> | null {
  return useContext(WaitingContext)
}

/** Nobody of the staff has said anything to it. */
export const isOpen = ({ heldBy, answer }: HelpCall): boolean => heldBy === null && answer === null

/** What the page found when it was opened is on the page; only what comes later calls. */
function useAlerts(view: WaitingView | null): void {
  const { t } = useText()
  const before = useRef<{ readonly calls: ReadonlySet<string>; readonly cases: number } | null>(null)
  useEffect(() => {
    if (!view) return
    const open = view.calls.filter(isOpen)
    countInTab(open.length + view.cases)
    const known = before.current
    before.current = { calls: new Set(open.map(idOf)), cases: view.cases }
    if (!known) return
    const newCalls = open.filter((call) => !known.calls.has(idOf(call)))
    const isMoreCases = view.cases > known.cases
    if (newCalls.length === 0 && !isMoreCases) return
    if (isSoundOn()) ring()
    const [call] = newCalls
    if (call) showNote(call.kiosk, t(`waiting.note.${call.kind}`))
    else showNote(t('nav.desk'), t('waiting.cases', { count: view.cases }))
  }, [view])
  useEffect(() => () => countInTab(0), [])
}

/** A call for help that becomes a walk to the counter calls once more. */
const idOf = ({ visitId, kind }: HelpCall): string => `${kind} ${visitId}`
