/** Builds an identity without evidence for a bench that works on the store itself. */
import { v7 as uuidv7 } from 'uuid'
import type { Identity } from '../../proofing/identity.ts'

export function buildIdentity(tenantId: string, applicationId: string, at: Date): Identity {
  return {
    id: uuidv7(),
    tenantId,
    applicationId,
    status: 'EXPECTING_INPUT',
    mode: 'test',
    isTest: true,
    levelOfAssurance: 'LOA0',
    upgradePaths: {},
    assessment: null,
    nameReferenceId: null,
    portraitReferenceId: null,
    previousProofId: null,
    createdAt: at,
    evaluatedAt: at,
    revision: 1,
  }
}
