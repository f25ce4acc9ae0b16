/** What it costs that something is as it is: the most that a proof can reach, as the policy in force says. */
import type { LevelCost } from '../../../../server/counter/contract/devices.ts'
import { useLevelName } from '../../levels.tsx'
import { useText } from '../../text.tsx'

export function Cost({ cost }: { readonly cost: LevelCost }) {
  const { t } = useText()
  const named = useLevelName()
  return (
    <p>
      <b>{t('devices.cost', { most: named(cost.most) })}</b>{' '}
      <span class="muted">{t('devices.cost.otherwise', { otherwise: named(cost.otherwise) })}</span>
    </p>
  )
}
