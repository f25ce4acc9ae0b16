/**
 * The server's answer about a draft: every problem with its place, each change, and the requirements of a
 * policy.
 */
import type { CheckView, SettingFinding } from '../../../../server/counter/contract/settings.ts'
import { levelName, needsSentence } from '../../level-words.ts'
import { useText } from '../../text.tsx'
import { Notice } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Changes } from './changes.tsx'
import { isOfSchema, ownSentence } from './finding-words.ts'
import { placeWords } from './place-words.ts'

/**
 * Shows the text in the reader's language. The server's English message is more exact: English readers see
 * only it; other readers see it behind a label that names its language.
 */
function FindingWords({ code, message }: Pick<SettingFinding, 'code' | 'message'>) {
  const texts = useText()
  const own = ownSentence({ code }, texts)
  const exact = (
    <bdi lang="en" dir="ltr">
      {message}
    </bdi>
  )
  if (own === null || (texts.language.tag === 'en' && !isOfSchema(code))) return exact
  return (
    <>
      {own}
      <details class="small muted">
        <summary>{texts.t('settings.problem.details')}</summary>
        {exact}
      </details>
    </>
  )
}

export function Outcome({
  isBroken,
  isChanged,
  checked,
}: {
  readonly isBroken: boolean
  readonly isChanged: boolean
  readonly checked: CheckView | null
}) {
  const texts = useText()
  const { t } = texts
  if (isBroken) return <Notice tone="problem" title={t('settings.not-json')} />
  if (!isChanged) return null
  if (!checked) return <Notice tone="waiting" title={t('settings.checking')} />
  const problems = checked.findings.filter(({ severity }) => severity === 'problem')
  return (
    <div role="status" class="stack">
      {problems.length > 0 ? (
        <Notice tone="problem" title={t('settings.problems', { count: problems.length })} />
      ) : (
        <Notice tone="done" title={t('settings.sound')} />
      )}
      {checked.findings.length > 0 && (
        <ul class="plain-list">
          {checked.findings.map(({ severity, code, field, message }, at) => (
            <li key={`${code}${field}${at}`} class="with-icon">
              <Icon name={severity === 'problem' ? 'octagon' : 'attention'} size={16} />
              <span>
                {field !== '' && (
                  <>
                    <bdi>
                      <b>{placeWords(field, texts)}</b>
                    </bdi>{' '}
                  </>
                )}
                <FindingWords code={code} message={message} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {checked.levels.length > 1 && (
        <Card title={t('settings.preview.policy')}>
          <ul class="plain-list">
            {checked.levels.slice(1).map(({ name, needs }) => (
              <li key={name}>
                <b>{levelName(name, checked, texts)}</b> {needsSentence(needs, texts) || t('level.all.none')}
              </li>
            ))}
          </ul>
        </Card>
      )}
      <Changes changes={checked.changes} />
    </div>
  )
}
