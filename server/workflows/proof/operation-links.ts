/**
 * Links recorded calls to the calls before and after them (identityOperationParent and identityOperationChild of the proof).
 */
import type { Operation } from '../../store/operations.ts'

export interface Links {
  readonly parent?: Operation
  readonly child?: Operation
}

/**
 * A step follows the last one about the same evidence, consent or file; a phone number from a claim follows
 * the claim, which the same call brought. `operations`: oldest first, in the order of their records.
 */
export function linkOperations(operations: readonly Operation[]): ReadonlyMap<string, Links> {
  const links = new Map<string, Links>()
  const lastOf = new Map<string, Operation>()
  let claim: Operation | undefined
  for (const operation of operations) {
    const parent = lastOf.get(operation.subjectId) ?? (cameIn(operation, claim) ? claim : undefined)
    links.set(operation.id, parent ? { parent } : {})
    if (parent) links.set(parent.id, { ...links.get(parent.id), child: operation })
    lastOf.set(operation.subjectId, operation)
    if (operation.name === 'ID_CLAIM') claim = operation
  }
  return links
}

/** One call records the claim and its number, with the same start time. */
function cameIn({ name, call, startedAt }: Operation, claim: Operation | undefined): boolean {
  return (
    name === 'MOBILE_OTP' &&
    call.uri.endsWith('/claim') &&
    claim?.call.uri === call.uri &&
    claim.startedAt.getTime() === startedAt.getTime()
  )
}
