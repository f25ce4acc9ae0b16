/** Returns the present step of the visit if it is of this kind, and null otherwise. */
import type { VisitView } from '../../../server/kiosk/contract/index.ts'
import type { ScreenState } from '../screen-context.ts'

type Step = VisitView['step']

export function presentStep<Kind extends Step['kind']>(
  { visit }: Pick<ScreenState, 'visit'>,
  kind: Kind,
): Extract<Step, { readonly kind: Kind }> | null {
  const step = visit?.step
  return step?.kind === kind ? (step as Extract<Step, { readonly kind: Kind }>) : null
}
