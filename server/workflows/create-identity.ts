import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { Identity } from '../proofing/identity.ts'
import { assess } from '../proofing/policy.ts'
import type { Caller, KeyValue, Upload } from '../proofing/types.ts'
import type { StoredImage } from '../store/images.ts'
import { globalStatusView } from './view.ts'

export interface CreateIdentityInput {
  readonly correlationId?: string
  readonly context: readonly KeyValue[]
  readonly file?: Upload
}

/** One new proofing transaction with its own data key. */
export async function createIdentity(ctx: Context, caller: Caller, input: CreateIdentityInput) {
  const policy = ctx.policy(ctx.store.tenants.get(caller.tenantId).policyId)
  const now = ctx.clock.now()
  const identity: Identity = {
    id: ctx.newId(),
    tenantId: caller.tenantId,
    applicationId: caller.applicationId,
    status: 'EXPECTING_INPUT',
    ...assess(policy, []),
    nameReferenceId: null,
    portraitReferenceId: null,
    createdAt: now,
    evaluatedAt: now,
    revision: 1,
  }
  const file = input.file ? contextFile(ctx, identity.id, input.file) : null
  ctx.store.transaction(() => {
    ctx.store.identities.add(identity, input.context, input.correlationId)
    if (file && input.file) {
      // The data key is made in this transaction; if it is rolled back, the file is an orphan for the sweep.
      ctx.store.images.put(file, input.file.bytes)
      ctx.store.images.addRow(file)
    }
    ctx.store.events.append('identity.created', identity.id, { status: identity.status }, now)
  })
  return globalStatusView(identity)
}

/** A file that came with the creation is kept and attached to the proof, not verified. */
function contextFile(ctx: Context, identityId: string, file: Upload): StoredImage {
  const mediaType = contextFileType(file.bytes)
  if (!mediaType) throw new AppError('unsupported_image', { field: 'file' })
  return {
    id: ctx.newId(),
    identityId,
    evidenceId: null,
    kind: 'CONTEXT_FILE',
    mediaType,
    createdAt: ctx.clock.now(),
  }
}

/** The magic bytes decide (spec "image types": application/pdf and image/png are named for this part). */
function contextFileType(bytes: Uint8Array): string | null {
  const starts = (hex: string) => Buffer.from(bytes.subarray(0, hex.length / 2)).toString('hex') === hex
  if (starts('255044462d')) return 'application/pdf'
  if (starts('89504e470d0a1a0a')) return 'image/png'
  if (starts('ffd8ff')) return 'image/jpeg'
  return null
}
