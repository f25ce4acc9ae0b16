/** Creates an identity, or returns the one that the same call created before. */
import type { Context } from '../../context.ts'
import type { Identity } from '../../proofing/identity.ts'
import { assess } from '../../proofing/assurance/assess.ts'
import type { AssuranceFacts } from '../../proofing/assurance/facts.ts'
import type { Caller, KeyValue, Upload } from '../../proofing/types.ts'
import { creationFile, saveFile } from '../evidence/additional-files.ts'
import { listAbilities } from './assurance-facts.ts'
import { toActor } from '../access/author.ts'
import { refuseWhenFrozen } from '../health/freeze.ts'
import { keepFiles } from '../evidence/keep-files.ts'
import { startLifetime } from './lifetime.ts'
import { requireRoomOfApplication } from '../access/quotas.ts'
import { watchOpenIdentity } from '../retention/apply-retention.ts'
import { markDone } from './record-call.ts'
import { viewGlobalStatus } from './view.ts'

interface CreateIdentityInput {
  readonly correlationId?: string
  readonly context: readonly KeyValue[]
  readonly file?: Upload
}

const NO_FACTS: AssuranceFacts = { evidences: [], fraudChecks: [] }

/** Creates one new proofing transaction with its own data key. */
export async function createIdentity(ctx: Context, caller: Caller, input: CreateIdentityInput) {
  refuseWhenFrozen(ctx)
  const bytes = input.file?.bytes.byteLength ?? 0
  requireRoomOfApplication(ctx, caller.applicationId, { identities: 1, bytes })
  const policy = ctx.policy(caller.tenantId)
  const now = ctx.clock.now()
  const { levelOfAssurance, upgradePaths } = assess(policy, NO_FACTS, listAbilities(ctx))
  const { mode } = ctx.store.tenants.get(caller.tenantId)
  const identity: Identity = {
    id: ctx.newId(),
    tenantId: caller.tenantId,
    applicationId: caller.applicationId,
    status: 'EXPECTING_INPUT',
    mode,
    isTest: mode === 'test',
    levelOfAssurance,
    upgradePaths,
    assessment: null,
    nameReferenceId: null,
    portraitReferenceId: null,
    previousProofId: null,
    createdAt: now,
    evaluatedAt: now,
    revision: 1,
  }
  const file = input.file ? creationFile(ctx, identity.id, input.file) : null
  keepFiles(ctx, file ? [file] : [], () => {
    ctx.store.transaction(() => {
      ctx.store.identities.add(identity, input.context, input.correlationId)
      markDone(ctx, caller)
      startLifetime(ctx, identity.id)
      watchOpenIdentity(ctx, identity.id)
      const body = { status: identity.status, test: identity.isTest }
      ctx.store.events.append('identity.created', identity.id, body, now, toActor(caller))
      if (file && input.file) {
        // Not earlier: the data key that encrypts it is created in this transaction.
        ctx.store.images.put(file, input.file.bytes)
        saveFile(ctx, caller, file, [])
      }
    })
  })
  return viewGlobalStatus(ctx, identity)
}
