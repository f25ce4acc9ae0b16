/** Faults that are recorded on new evidence now, and the levels that they limit. */
import type { DevicesView } from '../../../../server/counter/contract/devices.ts'
import { useText } from '../../text.tsx'
import { Card } from '../../ui/card.tsx'
import { Icon } from '../../ui/icon.tsx'
import { evidenceWord, spellCode } from '../../words.ts'
import { Cost } from './cost.tsx'

export function Faults({ faults }: { readonly faults: DevicesView['faults'] }) {
  const texts = useText()
  const { t, known, formats } = texts
  if (faults.length === 0) return null
  return (
    <Card title={t('faults.title')}>
      <p class="muted">{t('faults.text')}</p>
      <ul class="plain-list">
        {faults.map(({ fault, touches, cost }) => (
          <li key={fault} class="with-icon">
            <Icon name="attention" size={16} />
            <span>
              {known(`fault.${fault}`, spellCode(fault))}
              {touches.length > 0 && (
                <span class="muted">
                  {' '}
                  · {formats.list(touches.map((family) => evidenceWord(family, texts)))}
                </span>
              )}
              {cost && <Cost cost={cost} />}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
