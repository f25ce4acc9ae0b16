/**
 * Turns an identity of a production tenant into a test identity, permanently: a specimen was shown, or something replaced a
 * camera. Its proof says `test`.
 */
import type { Context } from '../../context.ts'
import type { Identity } from '../../proofing/identity.ts'
import { findTestCause } from '../../proofing/test-marks.ts'
import type { TestCause } from '../../proofing/types.ts'

/** Must run inside a transaction. An `Identity` that was loaded before cannot be saved after it. */
export function markTest(
  { store, clock }: Pick<Context, 'store' | 'clock'>,
  identityId: string,
  cause: TestCause,
): void {
  if (!store.identities.markTest(identityId)) return
  store.events.append('identity.marked_test', identityId, { cause }, clock.now())
}

/**
 * Whether its proof says `test`. It also checks the tenant's mode and the evidence, so that a lost or removed
 * mark cannot create a production proof.
 */
export function countsAsTest({ store }: Pick<Context, 'store'>, identity: Identity): boolean {
  return (
    identity.isTest ||
    identity.mode === 'test' ||
    store.tenants.get(identity.tenantId).mode === 'test' ||
    store.evidences.list(identity.id).some((evidence) => findTestCause(evidence) !== null)
  )
}
