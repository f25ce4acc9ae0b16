/** What it costs that something is as it is: the most that a proof can reach, as the policy in force says. */
import type { LevelCost } from '../../../../server/counter/contract/devices.ts'
import { useText } from '../../text.tsx'

export function Cost({ cost }: { readonly cost: LevelCost }) {
  const { t } = useText()
  return (
    <p>
      <b>{t('devices.cost', { most: cost.most })}</b>{' '}
      <span class="muted">{t('devices.cost.otherwise', { otherwise: cost.otherwise })}</span>
    </p>
  )
}
