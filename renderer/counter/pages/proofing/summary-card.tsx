/** The proofing at a glance: name, state, consents. */
import type { ProofingDetail } from '../../../../server/counter/contract/today.ts'
import { useLevelName } from '../../levels.tsx'
import { useText } from '../../text.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Card, Facts } from '../../ui/card.tsx'
import { Time } from '../../ui/time.tsx'
import { FLAG_LOOKS, OUTCOME_TONE, spellCode, stepWord } from '../../words.ts'

export function SummaryCard({ detail }: { readonly detail: ProofingDetail }) {
  const texts = useText()
  const { t, known, formats } = texts
  const named = useLevelName()
  const { visit, consents } = detail
  return (
    <Card title={t('proofing.summary')} marked>
      <p class="name">
        {detail.name ? <bdi>{detail.name}</bdi> : <span class="muted">{t('proofing.no-name')}</span>}
      </p>
      {detail.test && (
        <p>
          <Badge tone="attention">{t('proofing.test')}</Badge>
        </p>
      )}
      <Facts
        facts={[
          visit && [
            t('column.state'),
            visit.outcome ? (
              <Badge tone={OUTCOME_TONE[visit.outcome]}>{t(`outcome.${visit.outcome}`)}</Badge>
            ) : (
              <Badge tone="note" icon="person">
                {stepWord(visit.step, texts)}
              </Badge>
            ),
          ],
          [t('proofing.level'), <b>{named(detail.levelOfAssurance)}</b>],
          [t('proofing.status'), known(`identity.${detail.status}`, spellCode(detail.status))],
          [t('proofing.begun'), <Time at={detail.createdAt} />],
          visit && [t('column.place'), visit.kiosk ?? t(`channel.${visit.channel}`)],
          visit && [t('column.language'), formats.language(visit.language)],
          visit && [t('column.duration'), formats.span(visit.durationSeconds * 1_000)],
          visit && [t('column.tries'), visit.tries],
        ]}
      />
      {visit && visit.flags.length > 0 && (
        <p class="flags">
          {visit.flags.map((flag) => (
            <Badge key={flag} {...FLAG_LOOKS[flag]}>
              {t(`flag.${flag}`)}
            </Badge>
          ))}
        </p>
      )}
      {consents.length > 0 && (
        <details>
          <summary>{t('proofing.consents', { count: consents.length })}</summary>
          <ul class="plain-list">
            {consents.map(({ type, approved, recordedAt }) => (
              <li key={`${type}${recordedAt}`}>
                <Badge tone={approved ? 'done' : 'quiet'}>
                  {approved ? t('consent.given') : t('consent.refused')}
                </Badge>{' '}
                {known(`consent.${type}`, spellCode(type))} <Time at={recordedAt} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </Card>
  )
}
