/**
 * The level reached and how to raise it, in words. The ways up load on request, because opening them is
 * logged.
 */
import { useState } from 'preact/hooks'
import type { AssistView } from '../../../../server/counter/contract/assist.ts'
import type { ProofingDetail } from '../../../../server/counter/contract/today.ts'
import { useAct } from '../../hooks.ts'
import { needsSentence } from '../../level-words.ts'
import { useLevelName } from '../../levels.tsx'
import { useSession } from '../../session.tsx'
import { useText } from '../../text.tsx'
import { Badge, Notice } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ProblemNotice } from '../../ui/problem.tsx'
import { EVIDENCE_TONE, evidenceWord } from '../../words.ts'
import { LevelCard } from '../proofing/level-card.tsx'
import { isConfirmed, isLevelEnough, levelBasis } from './steps.ts'

export function LevelSummary({ view }: { readonly view: AssistView }) {
  const texts = useText()
  const { t } = texts
  const { client, can } = useSession()
  const act = useAct()
  const named = useLevelName()
  const [shown, setShown] = useState<{ readonly detail: ProofingDetail; readonly basis: string } | null>(null)
  const { identityId, level } = view
  // Two levels of different moments must not stand side by side.
  const detail = shown?.basis === levelBasis(view) ? shown.detail : null
  const evidences = [...view.documents, ...(view.portrait ? [view.portrait] : []), ...view.typed].filter(
    ({ awaitsPicture }) => !awaitsPicture,
  )
  const isEnough = isLevelEnough(view)
  const show = () =>
    act.run(async () => {
      if (!identityId) return
      const loaded = await client.get<ProofingDetail>(`proofings/${identityId}`)
      setShown({ detail: loaded, basis: levelBasis(view) })
    })
  return (
    <div class="stack">
      <Card title={t('assist.so-far')}>
        <p class="level">
          <b>{named(level.reached)}</b>
          <Badge tone={isConfirmed(view) ? 'done' : 'waiting'}>
            {isConfirmed(view)
              ? t('assist.level.enough')
              : isEnough
                ? t('assist.level.no-presence')
                : t('assist.level.not-yet', { level: named(level.confirmedFrom) })}
          </Badge>
        </p>
        {!isEnough && level.needs.length > 0 && <p>{needsSentence(level.needs, texts)}</p>}
        {evidences.length === 0 ? (
          <p class="muted">{t('assist.nothing-yet')}</p>
        ) : (
          <ul class="plain-list">
            {evidences.map(({ evidenceId, type, status, attendance, fromFile, checklist }) => (
              <li key={evidenceId}>
                {evidenceWord(type, texts)}{' '}
                <Badge tone={EVIDENCE_TONE[status]}>{t(`evidence-status.${status}`)}</Badge>
                {fromFile && (
                  <small class="muted block">
                    {t(checklist ? 'document.from-file' : 'portrait.from-file')}
                  </small>
                )}
                {attendance && (checklist || !fromFile) && (
                  <small class="muted block">
                    {attendance.seen === 'CAPTURE' && !fromFile
                      ? t('assist.attended')
                      : t('assist.inspected')}
                  </small>
                )}
              </li>
            ))}
          </ul>
        )}
        {identityId && can('proofings:open') && evidences.length > 0 && (
          <>
            <div class="buttons">
              <Button icon="up" working={act.working} onClick={() => void show()}>
                {detail ? t('assist.ways.again') : t('assist.ways')}
              </Button>
            </div>
            <ProblemNotice problem={act.problem} />
          </>
        )}
        {view.checking && <Notice tone="waiting" title={t('assist.checking')} />}
      </Card>
      {detail && <LevelCard level={detail.level} evidences={detail.evidences} />}
    </div>
  )
}
