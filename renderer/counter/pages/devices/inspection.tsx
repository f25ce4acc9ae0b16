/**
 * The inspection of the machine, item by item. No item is preselected; one defective item fails the
 * inspection.
 */
import { useState } from 'preact/hooks'
import type { InspectionBody, LedgerView } from '../../../../server/counter/contract/devices.ts'
import { useAct } from '../../hooks.ts'
import type { Resource } from '../../hooks.ts'
import { useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, Facts } from '../../ui/card.tsx'
import { RadioGroup } from '../../ui/field.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { spellCode } from '../../words.ts'

const TONE = { NOT_DEMANDED: 'quiet', IN_DATE: 'done', OVERDUE: 'attention' } as const

export function Inspection({ ledger }: { readonly ledger: Resource<LedgerView> }) {
  const { t, known } = useText()
  const { client, can } = useSession()
  const tell = useToast()
  const act = useAct()
  const [answers, setAnswers] = useState<InspectionBody['items']>({})
  const view = ledger.data
  if (!view) return null
  const { inspection, checklist } = view
  const open = checklist.filter(({ id }) => answers[id] === undefined).length
  const passed = Object.values(answers).every(Boolean)
  const save = () =>
    act.run(async () => {
      const body: InspectionBody = { items: answers }
      ledger.replace(await client.send<LedgerView>('POST', 'devices/ledger/inspections', { body }))
      setAnswers({})
      tell(t(passed ? 'inspection.saved' : 'inspection.saved-failed'), {
        tone: passed ? 'done' : 'attention',
      })
    })
  return (
    <Card title={t('inspection.title')} marked>
      <Facts
        facts={[
          [
            t('column.state'),
            <Badge tone={TONE[inspection.state]}>{t(`inspection.state.${inspection.state}`)}</Badge>,
          ],
          [t('inspection.last'), <Time at={inspection.lastPassedAt} />],
          inspection.everyDays !== null && [
            t('inspection.every'),
            t('days', { count: inspection.everyDays }),
          ],
        ]}
      />
      {can('devices:act') ? (
        <form
          class="form"
          onSubmit={(event) => {
            event.preventDefault()
            void save()
          }}
        >
          <p>{t('inspection.text')}</p>
          {checklist.map(({ id }) => (
            <RadioGroup
              key={id}
              inline
              legend={known(`inspection.${id}`, spellCode(id))}
              value={answers[id] === undefined ? null : answers[id] ? 'right' : 'wrong'}
              choices={[
                { value: 'right', label: t('inspection.right') },
                { value: 'wrong', label: t('inspection.wrong') },
              ]}
              onChange={(value) => setAnswers({ ...answers, [id]: value === 'right' })}
            />
          ))}
          <ProblemNotice problem={act.problem} />
          <div class="buttons">
            <Button kind="primary" type="submit" working={act.working} disabled={open > 0}>
              {t('inspection.save')}
            </Button>
            {open > 0 && <p class="muted">{t('inspection.open', { count: open })}</p>}
          </div>
        </form>
      ) : (
        <p class="muted">{t('inspection.by-others')}</p>
      )}
    </Card>
  )
}
