/**
 * The end: shows what is there and what is missing before the proof is sealed, because nothing can be added
 * afterwards.
 */
import type { AssistView } from '../../../../server/counter/contract/assist.ts'
import { useAct } from '../../hooks.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Notice } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { ToStart } from './buttons.tsx'
import { STEPS, stepStates } from './steps.ts'
import type { VisitProps } from './step-props.ts'

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

export function FinishStep({ view, onView }: VisitProps) {
  const { t } = useText()
  const client = useClient()
  const act = useAct()
  const states = stepStates(view)
  const open = STEPS.filter((step) => step !== 'finish' && ['TO_DO', 'ATTENTION'].includes(states[step]))
  const notAttended = view.portrait?.capturedHere === true && view.portrait.attendance === null
  const needsStatement = notAttended && (view.portrait?.fromFile || view.portrait?.needsStatement)
  const waitsForDesk = [...view.documents, view.portrait].some((one) => one?.status === 'ADJUDICATION')
  if (view.ended) return <Ended view={view} />
  const finish = () =>
    act.run(async () => onView(await client.send<AssistView>('POST', `assist/${view.visitId}/finish`)))
  return (
    <Card title={t('assist.finish.title')} marked>
      <p>{waitsForDesk ? t('assist.finish.desk') : t('assist.finish.text')}</p>
      {(open.length > 0 || notAttended) && (
        <Notice tone="attention" title={t('assist.finish.open')}>
          <ul class="plain-list">
            {open.map((step) => (
              <li key={step} class="with-icon">
                <Icon name="todo" size={16} /> <span>{t(`assist.step.${step}`)}</span>
              </li>
            ))}
            {notAttended && <li>{t('assist.portrait.present')}</li>}
            {needsStatement && <li>{t('assist.finish.no-presence')}</li>}
          </ul>
        </Notice>
      )}
      <div role="status">{view.checking && <Notice tone="waiting" title={t('assist.checking')} />}</div>
      <ProblemNotice problem={act.problem} />
      <div class="buttons">
        <Button
          kind="primary"
          icon="lock"
          working={act.working}
          disabled={!view.mayFinish}
          onClick={() => void finish()}
        >
          {waitsForDesk ? t('assist.finish.later') : t('assist.finish.seal')}
        </Button>
      </div>
    </Card>
  )
}
