/**
 * The end: shows what is there and what is missing before the proof is sealed, because nothing can be added
 * afterwards. Sealing takes two acts, and it is never the main button while the person is not confirmed.
 */
import { useState } from 'preact/hooks'
import type { AssistView, FinishBody } from '../../../../server/counter/contract/assist.ts'
import { useAct } from '../../hooks.ts'
import { useLevelName } from '../../levels.tsx'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Notice } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { ToStart } from './buttons.tsx'
import { isConfirmed, isStatementOpen, STEPS, stepStates } from './steps.ts'
import type { StepProps, VisitProps } from './step-props.ts'

/** A visit that is opened again after its end. */
function Ended({ view }: Pick<VisitProps, 'view'>) {
  const { t } = useText()
  return (
    <Card title={t('assist.finish.title')} marked>
      <Notice
        tone={view.sealed ? 'done' : 'note'}
        title={t(view.sealed ? 'assist.finish.sealed' : 'assist.finish.ended')}
      />
      <ToStart />
    </Card>
  )
}

export function FinishStep({ view, onView, onStep }: StepProps) {
  const { t } = useText()
  const client = useClient()
  const named = useLevelName()
  const act = useAct()
  const [isAsked, setAsked] = useState(false)
  const states = stepStates(view)
  const open = STEPS.filter((step) => step !== 'finish' && ['TO_DO', 'ATTENTION'].includes(states[step]))
  const isUnattested = view.portrait !== null && isStatementOpen(view.portrait)
  const isPresenceMissing = view.portrait !== null && !view.level.presenceShown
  const waitsForDesk = [...view.documents, view.portrait].some((one) => one?.status === 'ADJUDICATION')
  if (view.ended) return <Ended view={view} />
  const isLow = !isConfirmed(view) && !waitsForDesk
  const [first] = open
  const finish = () =>
    act.run(async () => {
      const body: FinishBody = { notConfirmed: isLow }
      onView(await client.send<AssistView>('POST', `assist/${view.visitId}/finish`, { body }))
    })
  return (
    <Card title={t('assist.finish.title')} marked>
      <p>{waitsForDesk ? t('assist.finish.desk') : t('assist.finish.text')}</p>
      {(open.length > 0 || isUnattested || isPresenceMissing) && (
        <Notice tone="attention" title={t('assist.finish.open')}>
          <ul class="plain-list">
            {open.map((step) => (
              <li key={step} class="with-icon">
                <Icon name="todo" size={16} /> <span>{t(`assist.step.${step}`)}</span>
              </li>
            ))}
            {isUnattested && <li>{t('assist.portrait.present')}</li>}
            {isPresenceMissing && <li>{t('assist.finish.no-presence')}</li>}
          </ul>
        </Notice>
      )}
      <div role="status">{view.checking && <Notice tone="waiting" title={t('assist.checking')} />}</div>
      {!isAsked && <ProblemNotice problem={act.problem} />}
      <div class="buttons">
        {isLow && first && (
          <Button kind="primary" icon="back" onClick={() => onStep(first)}>
            {t('assist.finish.first', { step: t(`assist.step.${first}`) })}
          </Button>
        )}
        <Button
          kind={isLow ? 'plain' : 'primary'}
          icon="lock"
          working={act.working}
          disabled={!view.mayFinish}
          onClick={() => (waitsForDesk ? void finish() : setAsked(true))}
        >
          {t(waitsForDesk ? 'assist.finish.later' : isLow ? 'assist.finish.seal-low' : 'assist.finish.seal')}
        </Button>
      </div>
      {isAsked && (
        <ConfirmDialog
          title={t(isLow ? 'assist.finish.ask-low' : 'assist.finish.ask')}
          confirm={t(isLow ? 'assist.finish.seal-low' : 'assist.finish.seal')}
          danger={isLow}
          ready={view.mayFinish}
          act={act}
          onConfirm={() => void finish()}
          onClose={() => setAsked(false)}
        >
          <p>
            {isLow
              ? t('assist.finish.ask-low.text', { level: named(view.level.reached) })
              : t('assist.finish.text')}
          </p>
        </ConfirmDialog>
      )}
    </Card>
  )
}
