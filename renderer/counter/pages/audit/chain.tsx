/** The integrity of the log: its hash chain, checked now, and the last signed checkpoints. */
import type { ChainState } from '../../../../server/counter/contract/audit.ts'
import { useAct, useResource } from '../../hooks.ts'
import { useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Notice } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/card.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Mono, Time } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'

export function Chain() {
  const { t, formats } = useText()
  const { client, can } = useSession()
  const tell = useToast()
  const act = useAct()
  const { data, problem, reload, replace } = useResource<ChainState>(
    (signal) => client.get('audit/chain', signal),
    'chain',
  )
  if (!data) return problem ? <ProblemNotice problem={problem} onRetry={reload} /> : <Skeleton rows={2} />
  const sign = () =>
    act.run(async () => {
      replace(await client.send<ChainState>('POST', 'audit/checkpoint'))
      tell(t('chain.signed'))
    })
  const whole = data.state === 'WHOLE' && !data.setBack
  const last = data.checkpoints.at(-1)
  return (
    <>
      <Notice
        tone={whole ? 'done' : 'problem'}
        alert={!whole}
        title={t(`chain.${data.state}`)}
        actions={
          <>
            <Button icon="retry" onClick={reload}>
              {t('chain.again')}
            </Button>
            {can('audit:export') && (
              <Button working={act.working} onClick={() => void sign()}>
                {t('chain.sign')}
              </Button>
            )}
          </>
        }
      >
        <p>
          {t('chain.checked', { checked: formats.number(data.checked), total: formats.number(data.total) })}{' '}
          <Time at={data.checkedAt} />
          {last && (
            <>
              {' · '}
              {t('chain.last', { seq: last.seq })} <Time at={last.at} />
            </>
          )}
        </p>
        {data.setBack && <p>{t('chain.set-back')}</p>}
        {data.findings.map(({ seq, through, problem: what }) => (
          <p key={`${seq}${what}`}>
            {t(`chain.finding.${what}`)} {through === null ? seq : `${seq}–${through}`}
          </p>
        ))}
        <details>
          <summary>{t('chain.head')}</summary>
          <Mono breaks>{data.headHash}</Mono>
        </details>
      </Notice>
      <ProblemNotice problem={act.problem} />
    </>
  )
}
