/**
 * The desk: the next case opens by itself; the adjudicator looks at it before seeing any measurement, and
 * decides in two acts.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { DeskCase, DeskQueue } from '../../../../server/counter/contract/desk.ts'
import { useAct, useResource } from '../../hooks.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Button } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { useToast } from '../../ui/toast.tsx'
import { CaseView } from './case.tsx'
import { KeysDialog } from './keys-dialog.tsx'
import { useLetters } from './keys.ts'
import { PendingBar } from './pending-bar.tsx'
import type { Pending } from './pending-bar.tsx'
import { Due, Queue, formatReviewers } from './queue.tsx'

/** The server answers from its own database (starting value). */
const EVERY_MS = 10_000

export function DeskPage() {
  const { t } = useText()
  const client = useClient()
  const tell = useToast()
  const queue = useResource<DeskQueue>((signal) => client.get('desk', signal), 'desk', { everyMs: EVERY_MS })
  const [desk, setDesk] = useState<DeskCase | null>(null)
  const [pending, setPending] = useState<Pending | null>(null)
  const [keys, setKeys] = useState(false)
  const [letters, setLetters] = useLetters()
  const act = useAct()
  const head = useRef<HTMLDivElement>(null)
  useResumed(queue.data, { desk, setDesk, setPending })

  const focusHead = () => head.current?.querySelector<HTMLElement>('h1')?.focus()
  const show = (next: DeskCase | null) => {
    setDesk(next)
    queue.reload()
    // Moves the focus to the head of the case: a screen reader announces it.
    setTimeout(focusHead, 0)
  }
  const next = () => act.run(async () => show(await client.send<DeskCase | null>('POST', 'desk/next')))
  const open = (id: string) =>
    act.run(async () => show(await client.send<DeskCase>('POST', `desk/${id}/claim`)))
  const release = () =>
    act.run(async () => {
      if (!desk) return
      await client.send('POST', `desk/${desk.adjudicationId}/release`)
      tell(t('desk.released', { reference: desk.reference }))
      show(null)
    })
  const viewerAct = (wanted: 'next-case' | 'previous-case' | 'keys') => {
    if (wanted === 'keys') setKeys(true)
    else if (wanted === 'previous-case' && pending) tell(t('desk.previous-pending'), { tone: 'note' })
    else tell(t('desk.decide-first'), { tone: 'note' })
  }
  const waiting = queue.data?.cases.filter(({ refusedBecause, mine }) => refusedBecause === null && !mine)
  return (
    <div class={desk ? 'desk-page' : 'stack'} ref={head}>
      <Page
        title={desk ? t('desk.case', { reference: desk.reference }) : t('nav.desk')}
        lead={
          desk ? (
            <span class="desk-facts">
              <span>
                {t('desk.column.due')} <Due at={desk.dueAt} />
              </span>
              <span>{formatReviewers(desk, t)}</span>
              {waiting && waiting.length > 0 && <span>{t('desk.waiting', { count: waiting.length })}</span>}
            </span>
          ) : (
            t('desk.lead')
          )
        }
        actions={
          <>
            <Button icon="keyboard" kind="quiet" onClick={() => setKeys(true)}>
              {t('desk.keys')}
            </Button>
            {desk ? (
              <Button icon="back" working={act.working} onClick={() => void release()}>
                {t('desk.release')}
              </Button>
            ) : (
              <Button
                icon="next"
                kind="primary"
                working={act.working}
                disabled={!queue.data?.cases.some(({ refusedBecause }) => refusedBecause === null)}
                onClick={() => void next()}
              >
                {t('desk.next')}
              </Button>
            )}
          </>
        }
      >
        {pending && (
          <PendingBar
            key={pending.undoUntil}
            pending={pending}
            onUndone={(undone) => {
              setPending(null)
              tell(t('desk.undone', { reference: undone.reference }), { tone: 'note' })
              show(undone)
            }}
            onOver={() => {
              setPending(null)
              queue.reload()
            }}
          />
        )}
        <ProblemNotice problem={act.problem} />
        {desk ? (
          <CaseView
            key={desk.adjudicationId}
            desk={desk}
            letters={letters}
            onDesk={setDesk}
            onViewerAct={viewerAct}
            onDecided={({ decision }, undoUntil) => {
              const { adjudicationId, reference } = desk
              setPending({ adjudicationId, reference, decision, undoUntil })
              setDesk(null)
              // The next case opens by itself; if there is none, the queue says so.
              void next()
            }}
          />
        ) : (
          <>
            <ProblemNotice problem={queue.problem} onRetry={queue.reload} />
            {queue.data ? (
              <Queue queue={queue.data} working={act.working} onOpen={(id) => void open(id)} />
            ) : (
              !queue.problem && <Skeleton rows={8} />
            )}
          </>
        )}
      </Page>
      {keys && <KeysDialog letters={letters} onLetters={setLetters} onClose={() => setKeys(false)} />}
    </div>
  )
}

/** Restores after a reload, once: the case in hand, and a decision that can still be withdrawn. */
function useResumed(
  queue: DeskQueue | null,
  {
    desk,
    setDesk,
    setPending,
  }: {
    readonly desk: DeskCase | null
    readonly setDesk: (desk: DeskCase) => void
    readonly setPending: (pending: Pending) => void
  },
): void {
  const client = useClient()
  const done = useRef(false)
  useEffect(() => {
    if (!queue || done.current) return
    done.current = true
    for (const { adjudicationId, reference, refusedBecause } of queue.cases.filter(({ mine }) => mine))
      void client.get<DeskCase>(`desk/${adjudicationId}`).then(
        (found) => {
          if (found.pending) setPending({ adjudicationId, reference, ...found.pending })
          else if (refusedBecause === null && !desk) setDesk(found)
        },
        // The case is gone meanwhile: the queue shows the others.
        () => undefined,
      )
  }, [queue])
}
