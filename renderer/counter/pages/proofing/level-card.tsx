/** How sure it is, by which rule, what holds it down, and what would lift it: the policy's own words where it has some. */
import type { EvidenceCard, LevelView } from '../../../../server/counter/contract/today.ts'
import { useText } from '../../text.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Card, Facts } from '../../ui/card.tsx'
import { spelled } from '../../words.ts'
import { evidenceWord } from './evidence-card.tsx'

export function LevelCard({
  level,
  evidences,
}: {
  readonly level: LevelView
  readonly evidences: readonly Pick<EvidenceCard, 'evidenceId'>[]
}) {
  const texts = useText()
  const { t, known } = texts
  const missed = level.profiles.filter(({ met }) => !met)
  const paths = Object.entries(level.upgradePaths).filter(([, sets]) => sets.length > 0)
  return (
    <Card title={t('level.title')}>
      <p class="level">
        <b>{level.levelOfAssurance}</b>
        <span class="muted">
          {level.policy.title} {level.policy.version}
        </span>
      </p>
      <Facts
        facts={[
          level.profile !== null && [t('level.profile'), spelled(level.profile)],
          [
            t('level.counted'),
            t('level.counted-of', {
              counted: level.evidences.filter((one) => one.counted).length,
              total: evidences.length,
            }),
          ],
        ]}
      />
      <ul class="plain-list">
        {level.evidences
          .filter(({ counted }) => !counted)
          .map(({ evidenceId, type, leftOut }) => (
            <li key={evidenceId}>
              <Badge tone="attention">{evidenceWord(type, texts)}</Badge>{' '}
              {leftOut && t(`level.left-out.${leftOut}`)}
            </li>
          ))}
        {level.heldDownBy.map((cap) => (
          <li key={cap}>
            <Badge tone="attention">{t('level.held-down')}</Badge> {known(`indicator.${cap}`, spelled(cap))}
          </li>
        ))}
      </ul>
      {paths.length > 0 && (
        <details>
          <summary>{t('level.ways')}</summary>
          {paths.map(([target, sets]) => (
            <div key={target} class="way">
              <h3>{t('level.to', { level: target })}</h3>
              <ul class="plain-list">
                {sets.map((set, at) => (
                  <li key={at}>
                    {set
                      .map(({ evidence, types, checks }) => {
                        const names = (types ?? []).map((type) => evidenceWord(type, texts)).join(' / ')
                        const what = names || evidenceWord(evidence, texts)
                        return checks.length === 0
                          ? what
                          : t('level.with', {
                              what,
                              checks: texts.formats.list(
                                checks.map((check) => known(`check.${check}`, spelled(check))),
                              ),
                            })
                      })
                      .join(' + ')}
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </details>
      )}
      {missed.length > 0 && (
        <details>
          <summary>{t('level.missing')}</summary>
          {missed.map(({ name, levelOfAssurance, missing }) => (
            <div key={name} class="way">
              <h3>
                {levelOfAssurance} · {spelled(name)}
              </h3>
              <ul class="plain-list">
                {missing.map((lack) => (
                  <li key={`${lack.what}${lack.name}`}>
                    {lack.words ??
                      t(`level.lack.${lack.what}`, { name: known(`check.${lack.name}`, spelled(lack.name)) })}
                    {lack.needed && (
                      <span class="muted">
                        {' '}
                        {t('level.needed', { needed: lack.needed, reached: lack.reached ?? '–' })}
                      </span>
                    )}
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </details>
      )}
    </Card>
  )
}
