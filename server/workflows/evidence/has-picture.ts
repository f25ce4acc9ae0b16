/** Tells whether evidence has a picture that an adjudicator could inspect. */
import type { Context } from '../../context.ts'
import type { Evidence } from '../../proofing/evidence.ts'
import type { ImageKind } from '../../store/images.ts'

const SHOWN: readonly ImageKind[] = ['FRONT', 'BACK', 'PORTRAIT']

export function hasPicture({ store }: Context, { id }: Pick<Evidence, 'id'>): boolean {
  return store.images.listByEvidence(id).some(({ kind }) => SHOWN.includes(kind))
}
