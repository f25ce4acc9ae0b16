/** The examination of the machine: each check with its state, what is wrong, what it costs, and what to do. The worst checks come first. */
import type { CheckResult, CheckState, DoctorReport } from '../../../../server/counter/contract/doctor.ts'
import { useResource } from '../../hooks.ts'
import { useClient } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Time } from '../../ui/time.tsx'

const WORST_FIRST = ['WRONG', 'WARNING', 'NOT_CHECKED', 'OK'] as const
const LOOKS = {
  WRONG: { tone: 'problem', icon: undefined },
  WARNING: { tone: 'attention', icon: undefined },
  NOT_CHECKED: { tone: 'quiet', icon: 'help' },
  OK: { tone: 'done', icon: undefined },
} as const

export function DoctorPage() {
  const { t } = useText()
  const client = useClient()
  const { data, problem, loading, reload } = useResource<DoctorReport>(
    () => client.send<DoctorReport>('POST', 'doctor'),
    'doctor',
  )
  const count = (state: CheckState) => data?.checks.filter((check) => check.state === state).length ?? 0
  const rank = ({ state }: CheckResult) => WORST_FIRST.indexOf(state)
  return (
    <Page
      title={t('nav.doctor')}
      lead={t('doctor.lead')}
      actions={
        <Button icon="retry" working={loading} onClick={reload}>
          {t('doctor.again')}
        </Button>
      }
    >
      <ProblemNotice problem={problem} onRetry={reload} />
      <p role="status">
        {loading
          ? t('doctor.running')
          : data && (
              <>
                {t('doctor.counts', {
                  wrong: count('WRONG'),
                  warnings: count('WARNING'),
                  unchecked: count('NOT_CHECKED'),
                  fine: count('OK'),
                })}{' '}
                <span class="muted">
                  · <Time at={data.at} />
                </span>
              </>
            )}
      </p>
      {!data && !problem && <Skeleton rows={10} />}
      {data && (
        <ol class="checklist">
          {[...data.checks]
            .sort((a, b) => rank(a) - rank(b))
            .map((result) => (
              <Check key={result.check} result={result} />
            ))}
        </ol>
      )}
    </Page>
  )
}

function Check({ result: { check, state, findings } }: { readonly result: CheckResult }) {
  const { t } = useText()
  const { tone, icon } = LOOKS[state]
  return (
    <li class={`checklist-row tile-${tone}`}>
      <div class="checklist-words">
        <div class="tile-head">
          <h2 class="tile-title">{t(`doctor.check.${check}`)}</h2>
          <Badge tone={tone} icon={icon}>
            {t(`doctor.state.${state}`)}
          </Badge>
        </div>
        {findings.map(({ what, cost, remedy }) => (
          <div key={what} class="finding">
            <Sentence text={what} />
            {cost !== null && <Sentence label={t('doctor.cost')} text={cost} />}
            {remedy !== null && <Sentence label={t('doctor.remedy')} text={remedy} />}
          </div>
        ))}
      </div>
    </li>
  )
}

/** The doctor's sentences are in English, for the person who repairs the machine. */
function Sentence({ label, text }: { readonly label?: string; readonly text: string }) {
  return (
    <p>
      {label !== undefined && <b>{label}: </b>}
      <span lang="en" dir="ltr">
        {text}
      </span>
    </p>
  )
}
