/**
 * A decision that is not in force yet: the time in which it can be withdrawn, counted by the server's clock,
 * and the button.
 */
import { useEffect } from 'preact/hooks'
import type { DeskCase } from '../../../../server/counter/contract/desk.ts'
import { parseUtcTime } from '../../formats.ts'
import { useAct, useNow } from '../../hooks.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Mono } from '../../ui/time.tsx'

export interface Pending {
  readonly adjudicationId: string
  readonly reference: string
  readonly decision: NonNullable<DeskCase['pending']>['decision']
  readonly undoUntil: string
}

export function PendingBar({
  pending,
  onUndone,
  onOver,
}: {
  readonly pending: Pending
  readonly onUndone: (desk: DeskCase) => void
  readonly onOver: () => void
}) {
  const { t } = useText()
  const client = useClient()
  const act = useAct()
  useNow(250)
  const { adjudicationId, reference, decision, undoUntil } = pending
  const left = Math.ceil((parseUtcTime(undoUntil).getTime() - client.now()) / 1000)
  const isOver = left <= 0
  useEffect(() => {
    if (isOver) onOver()
  }, [isOver])
  const undo = () =>
    act.run(async () => onUndone(await client.send<DeskCase>('POST', `desk/${adjudicationId}/undo`)))
  if (isOver) return null
  return (
    <div class="pending">
      <Icon name="waiting" size={24} />
      <p class="pending-words">
        <span role="status">
          <Mono>{reference}</Mono> <b>{t(`desk.decided.${decision}`)}</b>
        </span>{' '}
        <span class="pending-left" aria-hidden="true">
          {t('desk.pending.left', { count: left })}
        </span>
      </p>
      <Button icon="back" working={act.working} onClick={() => void undo()}>
        {t('undo')}
      </Button>
      <svg class="pending-time" viewBox="0 0 30 1" preserveAspectRatio="none" aria-hidden="true">
        <rect width={Math.min(30, left)} height="1" />
      </svg>
      <ProblemNotice problem={act.problem} />
    </div>
  )
}
