/** The sealed proof: its date, whether it was sent, and a check of its signature on request. */
import { useState } from 'preact/hooks'
import type { ProofingDetail, SealCheck } from '../../../../server/counter/contract/today.ts'
import { useAct } from '../../hooks.ts'
import { useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Badge, Notice } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, Facts } from '../../ui/card.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { Mono, Time } from '../../ui/time.tsx'
import { spellCode } from '../../words.ts'

const LOOKS = { GOOD: 'done', BROKEN: 'problem', NOT_SEALED: 'quiet' } as const

export function SealCard({ detail: { identityId, seal } }: { readonly detail: ProofingDetail }) {
  const { t, known } = useText()
  const { client } = useSession()
  const [check, setCheck] = useState<SealCheck | null>(null)
  const act = useAct()
  const run = () =>
    act.run(async () => setCheck(await client.send<SealCheck>('POST', `proofings/${identityId}/seal-check`)))
  return (
    <Card
      title={t('seal.title')}
      actions={
        seal && (
          <Button icon="done" working={act.working} onClick={() => void run()}>
            {t('seal.check')}
          </Button>
        )
      }
    >
      {!seal && <p class="muted">{t('seal.none')}</p>}
      {seal && (
        <Facts
          facts={[
            [t('seal.sealed'), <Time at={seal.sealedAt} />],
            [t('seal.retrieved'), seal.retrieved ? t('yes') : t('not-yet')],
            seal.handedOver !== null && [t('seal.handed-over'), seal.handedOver ? t('yes') : t('not-yet')],
          ]}
        />
      )}
      <ProblemNotice problem={act.problem} />
      <div role="status">
        {check && (
          <Notice tone={LOOKS[check.state]} title={t(`seal.state.${check.state}`)}>
            {check.sameLevel === true && <p>{t('seal.same-level')}</p>}
            {check.sameLevel === false && (
              <p>
                <Badge tone="problem">{t('seal.other-level')}</Badge>
              </p>
            )}
            {check.problems.map((problem) => (
              <p key={problem} title={problem}>
                {known(`seal.problem.${problem}`, spellCode(problem))}
              </p>
            ))}
            {check.signedBy && (
              <p class="small">
                {t('seal.signed-by')} <Mono breaks>{check.signedBy}</Mono>
              </p>
            )}
            {check.sha256 && (
              <p class="small">
                SHA-256 <Mono breaks>{check.sha256}</Mono>
              </p>
            )}
          </Notice>
        )}
      </div>
    </Card>
  )
}
