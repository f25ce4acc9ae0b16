/** One case: pictures, viewer, and questions. Unfinished input stays while the screen is locked. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { DeskCase } from '../../../../server/counter/contract/desk.ts'
import { parseUtcTime } from '../../formats.ts'
import { useAct, useNow } from '../../hooks.ts'
import { isSeen } from '../../presence.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Notice } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Time } from '../../ui/time.tsx'
import { DecideDialog } from './decide-dialog.tsx'
import type { Choice } from './decide-dialog.tsx'
import { Rows, Thumbs } from './images.tsx'
import { Machine } from './machine.tsx'
import { usePictures } from './pictures.ts'
import { GivenAnswers, isAnswered, NOTHING_YET, Questions } from './questions.tsx'
import type { AnswerDraft } from './questions.tsx'
import { toDraft, NOTHING_READ } from './reading.ts'
import type { ReadingDraft } from './reading.ts'
import type { PickedField } from './sheet.tsx'
import { Viewer } from './viewer.tsx'

interface CaseProps {
  readonly desk: DeskCase
  readonly letters: boolean
  readonly onDesk: (desk: DeskCase) => void
  readonly onDecided: (choice: Choice, undoUntil: string) => void
  readonly onViewerAct: (act: 'next-case' | 'previous-case' | 'keys') => void
}

export function CaseView({ desk, letters, onDesk, onDecided, onViewerAct }: CaseProps) {
  const { t } = useText()
  const pictures = usePictures(desk.images)
  const [current, setCurrent] = useState<string | null>(desk.images[0]?.imageId ?? null)
  const [picked, setPicked] = useState<PickedField | null>(null)
  const panes = usePanes()
  return (
    <div class="desk" ref={panes}>
      <section class="pane pane-images" tabIndex={-1} aria-labelledby="pane-images">
        <h2 id="pane-images" class="pane-title">
          {t('desk.pane.images')}
        </h2>
        <Thumbs
          images={desk.images}
          pictures={pictures}
          current={current}
          onPick={(imageId) => {
            setPicked(null)
            setCurrent(imageId)
          }}
        />
        {desk.questions.dataAgree && (
          <>
            <h2 class="pane-title">{t('desk.pane.data')}</h2>
            <Rows
              desk={desk}
              picked={picked}
              onPick={(field) => {
                setCurrent(field.imageId)
                setPicked(field)
              }}
            />
          </>
        )}
      </section>
      <section class="pane pane-viewer" tabIndex={-1} aria-labelledby="pane-viewer">
        <h2 id="pane-viewer" class="only-read">
          {t('desk.pane.viewer')}
        </h2>
        <Viewer
          images={desk.images}
          pictures={pictures}
          current={current}
          picked={picked}
          letters={letters}
          onPick={(imageId) => {
            setPicked(null)
            setCurrent(imageId)
          }}
          onAct={onViewerAct}
        />
      </section>
      <section class="pane pane-decide" tabIndex={-1} aria-labelledby="pane-decide">
        <h2 id="pane-decide" class="pane-title">
          {t('desk.pane.decide')}
        </h2>
        <Decide desk={desk} onDesk={onDesk} onDecided={onDecided} />
      </section>
    </div>
  )
}

function Decide({ desk, onDesk, onDecided }: Pick<CaseProps, 'desk' | 'onDesk' | 'onDecided'>) {
  const { t } = useText()
  const client = useClient()
  const [draft, setDraft] = useState<AnswerDraft>(NOTHING_YET)
  const [choice, setChoice] = useState<Choice | null>(null)
  const [typed, setTyped] = useState<ReadingDraft>(() =>
    desk.reading ? toDraft(desk.reading, desk.type) : NOTHING_READ,
  )
  const viewed = useViewedSeconds()
  const act = useAct()
  const path = `desk/${desk.adjudicationId}`
  const send = () =>
    act.run(async () => {
      const { features, ...answers } = draft
      const body = { ...answers, features, viewedSeconds: viewed.current }
      onDesk(await client.send<DeskCase>('POST', `${path}/answers`, { body }))
    })
  return (
    <>
      <Held desk={desk} onDesk={onDesk} />
      <div class="pane-scroll">
        {desk.disagreement && <Notice tone="attention" title={t('desk.disagreement')} />}
        {desk.answers ? (
          <>
            <GivenAnswers answers={desk.answers} />
            {desk.machine && <Machine machine={desk.machine} />}
          </>
        ) : (
          <>
            <Questions desk={desk} draft={draft} onChange={setDraft} />
            <p class="muted small with-icon">{t('desk.machine.hidden')}</p>
          </>
        )}
      </div>
      <ProblemNotice problem={act.problem} />
      <div class="decide-foot">
        {desk.answers ? (
          <div class="buttons decide-buttons" role="group" aria-label={t('desk.pane.decide')}>
            {inOrder(desk.choices).map((one) => (
              <Button
                key={one.decision}
                kind={one.decision === 'REJECTED' ? 'danger' : 'plain'}
                onClick={() => setChoice(one)}
              >
                {t(`desk.decide.${one.decision}`)}
              </Button>
            ))}
          </div>
        ) : (
          <Button
            kind="primary"
            icon="done"
            working={act.working}
            disabled={!isAnswered(desk, draft)}
            onClick={() => void send()}
          >
            {t('desk.send-answers')}
          </Button>
        )}
        {desk.answers && !desk.choices.some(({ decision }) => decision === 'ACCEPTED') && (
          <p class="small muted">{t('desk.not-acceptable')}</p>
        )}
      </div>
      {choice && (
        <DecideDialog
          desk={desk}
          choice={choice}
          typed={typed}
          onTyped={setTyped}
          onClose={() => setChoice(null)}
          onDecided={(undoUntil) => {
            setChoice(null)
            onDecided(choice, undoUntil)
          }}
        />
      )}
    </>
  )
}

const ORDER = ['ACCEPTED', 'UNSURE', 'REJECTED'] as const satisfies readonly Choice['decision'][]

const inOrder = (choices: readonly Choice[]): readonly Choice[] =>
  [...choices].sort((a, b) => ORDER.indexOf(a.decision) - ORDER.indexOf(b.decision))

/** The desk asks this long before the end whether the adjudicator continues. Starting value. */
const ASK_BEFORE_MS = 3 * 60_000

/** Shows how long the case is reserved, and extends it; answers are kept even after the time is over. */
function Held({ desk, onDesk }: Pick<CaseProps, 'desk' | 'onDesk'>) {
  const { t } = useText()
  const client = useClient()
  const act = useAct()
  useNow(5_000)
  const leftMs = desk.claimedUntil ? parseUtcTime(desk.claimedUntil).getTime() - client.now() : 0
  const keep = () =>
    act.run(async () => onDesk(await client.send<DeskCase>('POST', `desk/${desk.adjudicationId}/claim`)))
  const again = (
    <Button working={act.working} onClick={() => void keep()}>
      {leftMs > 0 ? t('desk.keep') : t('desk.take-again')}
    </Button>
  )
  return (
    <>
      {leftMs > ASK_BEFORE_MS ? (
        <p class="small muted">
          {t('desk.yours-until')} <Time at={desk.claimedUntil} show="time" />
        </p>
      ) : (
        <Notice tone="attention" title={leftMs > 0 ? t('desk.soon-over') : t('desk.over')} actions={again} />
      )}
      <ProblemNotice problem={act.problem} />
    </>
  )
}

/** Counts the seconds in which the page is visible. They are measured, not asked for. */
function useViewedSeconds(): { readonly current: number } {
  const seconds = useRef(0)
  useEffect(() => {
    const timer = setInterval(() => {
      if (isSeen()) seconds.current += 1
    }, 1_000)
    return () => clearInterval(timer)
  }, [])
  return seconds
}

/** F6 moves to the next pane, Shift+F6 back; in the viewer's pane the viewer itself gets the focus. */
function usePanes() {
  const desk = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const move = (event: KeyboardEvent) => {
      if (event.key !== 'F6' || document.querySelector('dialog[open]')) return
      const panes = [...(desk.current?.querySelectorAll<HTMLElement>('.pane') ?? [])]
      if (panes.length === 0) return
      event.preventDefault()
      const at = panes.findIndex((pane) => pane.contains(document.activeElement))
      const step = event.shiftKey ? -1 : 1
      const to = at < 0 ? (event.shiftKey ? panes.length - 1 : 0) : (at + step + panes.length) % panes.length
      const pane = panes[to]
      ;(pane?.querySelector<HTMLElement>('.viewer') ?? pane)?.focus()
    }
    addEventListener('keydown', move)
    return () => removeEventListener('keydown', move)
  }, [])
  return desk
}
