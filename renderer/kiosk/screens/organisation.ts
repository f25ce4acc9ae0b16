import type { ScreenContext } from '../screen-context.ts'

/** Who receives the result. A machine on which nobody has been named yet says whose it is, and no made-up name. */
export function organisationOf({ state, t }: Pick<ScreenContext, 'state' | 't'>): string {
  return state.journey?.organisation ?? t('organisation.unnamed')
}
