/** Every level of the policy in force with its requirements, one sentence each. */
import { levelName, needsSentence } from '../../level-words.ts'
import { useLevels } from '../../levels.tsx'
import { useText } from '../../text.tsx'
import { Card } from '../../ui/card.tsx'

export function LevelList() {
  const texts = useText()
  const { t } = texts
  const view = useLevels()
  const [, ...above] = view.levels
  if (above.length === 0) return null
  const { title, version } = view.policy
  return (
    <Card title={t('level.all')}>
      <p class="muted">{t('level.all.policy', { title, version })}</p>
      <ul class="plain-list">
        {above.map(({ name, needs }) => (
          <li key={name}>
            <b>{levelName(name, view, texts)}</b> {needsSentence(needs, texts) || t('level.all.none')}
          </li>
        ))}
      </ul>
    </Card>
  )
}
