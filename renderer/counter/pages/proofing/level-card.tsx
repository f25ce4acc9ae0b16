/** The level: its rule, its limits, and how to raise it; in the policy's own words if it has some. */
import { Fragment } from 'preact'
import type { EvidenceCard, LevelView } from '../../../../server/counter/contract/today.ts'
import { needsSentence } from '../../level-words.ts'
import { useLevelName } from '../../levels.tsx'
import { useText } from '../../text.tsx'
import type { Texts } from '../../text.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Card, Facts } from '../../ui/card.tsx'
import { isEmptyCapture } from './evidence-card.tsx'
import { checkWord, evidenceWord, indicatorWord, levelWord, profileWord } from '../../words.ts'

export function LevelCard({
  level,
  evidences,
}: {
  readonly level: LevelView
  readonly evidences: readonly EvidenceCard[]
}) {
  const texts = useText()
  const { t } = texts
  const named = useLevelName()
  const empty = evidences.filter(isEmptyCapture).map(({ evidenceId }) => evidenceId)
  const missed = level.profiles.filter(({ met }) => !met)
  const paths = Object.entries(level.upgradePaths).filter(([, sets]) => sets.length > 0)
  return (
    <Card title={t('level.title')}>
      <p class="level">
        <b>{named(level.levelOfAssurance)}</b>
        <span class="muted">
          {level.policy.title} {level.policy.version}
        </span>
      </p>
      <Facts
        facts={[
          level.profile !== null && [t('level.profile'), profileWord(level.profile, texts)],
          // No piece counts for a level as long as no rule is met.
          level.profile !== null && [
            t('level.counted'),
            t('level.counted-of', {
              counted: level.evidences.filter((one) => one.counted).length,
              total: evidences.filter((one) => !one.deleted && !isEmptyCapture(one)).length,
            }),
          ],
        ]}
      />
      <ul class="plain-list">
        {level.evidences
          .filter(({ evidenceId, counted }) => !counted && !empty.includes(evidenceId))
          .map(({ evidenceId, type, leftOut }) => (
            <li key={evidenceId}>
              <Badge tone="attention">{evidenceWord(type, texts)}</Badge>{' '}
              {leftOut && t(`level.left-out.${leftOut}`)}
            </li>
          ))}
        {level.heldDownBy.map((cap) => (
          <li key={cap}>
            <Badge tone="attention">{t('level.held-down')}</Badge> {indicatorWord(cap, texts)}
          </li>
        ))}
      </ul>
      {paths.length > 0 && (
        <details>
          <summary>{t('level.ways')}</summary>
          {paths.map(([target, sets]) => (
            <div key={target} class="way">
              <h3>{t('level.to', { level: named(target) })}</h3>
              <p>{needsSentence(sets, texts)}</p>
              {sets.map((set, at) => (
                <Fragment key={at}>
                  {at > 0 && <p class="muted">{t('level.or')}</p>}
                  <ul class="plain-list">
                    {set.map((piece) => (
                      <Piece key={`${piece.evidence}${piece.checks.join()}`} piece={piece} />
                    ))}
                  </ul>
                </Fragment>
              ))}
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
                {named(levelOfAssurance)} · {profileWord(name, texts)}
              </h3>
              <ul class="plain-list">
                {missing.map((lack) => (
                  <li key={`${lack.what}${lack.name}`}>
                    {t(`level.lack.${lack.what}`, { name: lackWord(lack, texts) })}
                    {lack.needed && (
                      <span class="muted">
                        {' '}
                        ·{' '}
                        {t('level.needed', {
                          needed: levelWord(lack.needed, texts),
                          reached: lack.reached === null ? '–' : levelWord(lack.reached, texts),
                        })}
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

type Piece = LevelView['upgradePaths'][string][number][number]

/** The evidence to submit, and the checks that it must pass. */
function Piece({ piece: { evidence, types = [], checks } }: { readonly piece: Piece }) {
  const texts = useText()
  const names = types.length > 0 ? types : [evidence]
  return (
    <li>
      {names.map((name) => evidenceWord(name, texts)).join(' / ')}
      {checks.length > 0 && (
        <ul class="of-piece">
          {checks.map((check) => (
            <li key={check}>{checkWord(check, texts)}</li>
          ))}
        </ul>
      )}
    </li>
  )
}

type Lack = LevelView['profiles'][number]['missing'][number]

/**
 * Names what is missing. A tenant's policy may have requirements without a text here; they appear in English.
 */
export function lackWord({ what, name, words }: Lack, texts: Pick<Texts, 'known' | 't'>): string {
  switch (what) {
    case 'PIECE':
      return evidenceWord(name, texts)
    case 'MARK':
      return texts.known(`mark.${name}`, name)
    case 'SCALE':
      return texts.known(`scale.${name}`, name)
    case 'CAP':
      return indicatorWord(name, texts)
    case 'CHECK':
      return texts.known(`check.${name}`, words ?? checkWord(name, texts))
    case 'SCORE':
    case 'STRENGTH':
      return ''
  }
}
