import type { ScreenContext } from '../screen-context.ts'

/** Names the organisation that receives the result. A machine without a configured name uses neutral words. */
export function organisationOf({ state, t }: Pick<ScreenContext, 'state' | 't'>): string {
  return state.journey?.organisation ?? t('organisation.unnamed')
}
