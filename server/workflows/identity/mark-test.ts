/**
 * Turns an identity of a production tenant into a test identity, permanently: a specimen was shown, or something replaced a
 * camera. Its proof says `test`.
 */
import type { Context } from '../../context.ts'
import type { Identity } from '../../proofing/identity.ts'
import { testCauseOf } from '../../proofing/test-marks.ts'
import type { TestCause } from '../../proofing/types.ts'

/** Inside a transaction. An `Identity` that was loaded before cannot be saved after it. */
export function markTest(
  { store, clock }: Pick<Context, 'store' | 'clock'>,
  identityId: string,
  cause: TestCause,
): void {
  if (!store.identities.markTest(identityId)) return
  store.events.append('identity.marked_test', identityId, { cause }, clock.now())
}

/**
 * Whether its proof says `test`. The mark alone would do; the tenant's mode and the evidence are asked as well, so that a
 * mark that was lost or taken away makes no production proof.
 */
export function countsAsTest({ store }: Pick<Context, 'store'>, identity: Identity): boolean {
  return (
    identity.isTest ||
    identity.mode === 'test' ||
    store.tenants.get(identity.tenantId).mode === 'test' ||
    store.evidences.list(identity.id).some((evidence) => testCauseOf(evidence) !== null)
  )
}
