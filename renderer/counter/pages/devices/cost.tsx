/**
 * Shows the highest level that a proof can reach while a part does not work completely. The policy in force
 * decides it.
 */
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
