import type { ScreenContext } from '../screen-context.ts'

/** Names the organisation that receives the result, or uses neutral words if none is configured. */
export function nameOrganisation({ state, t }: Pick<ScreenContext, 'state' | 't'>): string {
  return state.journey?.organisation ?? t('organisation.unnamed')
}
