/**
 * Lists the content of a proof: the data of the identity and its files, which are read one at a time while the archive is
 * written.
 */
import { timestamp } from '../../connectors/timestamp/manifest.ts'
import type { Timestamper } from '../../connectors/timestamp/timestamper.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { CALL_TROUBLES, type CallTrouble, type OutsideCall } from '../../proofing/disclosure.ts'
import type { Identity } from '../../proofing/identity.ts'
import { fileEnding } from '../../proofing/media-type.ts'
import { formatSpecDateTime } from '../../proofing/time.ts'
import {
  sealArchive,
  type JsonObject,
  type JsonValue,
  type ProofFile,
  type SealedArchive,
} from '../../proof/archive.ts'
import { splitCertificates } from '../../proof/long-term.ts'
import type { StoredImage } from '../../store/images.ts'
import type { StoredVideo } from '../../store/videos.ts'
import { PRODUCT_VERSION } from '../../version.ts'
import { listAbilities } from '../identity/assurance-facts.ts'
import { countsAsTest } from '../identity/mark-test.ts'
import { buildProofDetails } from './proof-details.ts'
import { timeView } from './time-view.ts'
import { viewIdentity } from '../identity/view.ts'

/**
 * Signed, not yet written. Throws `timestamp_unavailable` if a required token is unavailable. The identity
 * may change meanwhile: the commit must compare its revision. `onCall` gets each call of the time-stamping authority.
 */
export function buildArchive(
  ctx: Context,
  identity: Identity,
  proofId: string,
  now: Date,
  onCall: (call: OutsideCall) => void = () => undefined,
): Promise<SealedArchive> {
  const { store } = ctx
  const timestamper = ctx.timestamper && reportCalls(ctx.timestamper, onCall)
  const signer = ctx.signer.current()
  const tenant = store.tenants.get(identity.tenantId)
  const closed: Identity = { ...identity, status: 'CLOSED' }
  const images = store.images.listByIdentity(identity.id)
  const correlationId = store.identities.correlationId(identity.id)
  const head = store.events.head()
  const chain = store.signingKeys.find(signer.keyId)?.certificateChain
  const input = {
    proofId,
    identityId: identity.id,
    tenantId: tenant.id,
    tenantRole: 'RELYING_SERVICE' as const,
    tenantUsed: tenant.name,
    transactionId: identity.id,
    ...(identity.previousProofId ? { previousProofId: identity.previousProofId } : {}),
    ips: listAddresses(ctx, identity),
    startDateTime: formatSpecDateTime(identity.createdAt),
    endDateTime: formatSpecDateTime(now),
    componentVersion: PRODUCT_VERSION,
    test: countsAsTest(ctx, identity),
    ...(correlationId === null ? {} : { correlationId }),
    time: { ...timeView(ctx.time.statement()) },
    // Every proof is a checkpoint of the log; later events follow it.
    audit: { applianceId: store.applianceId, seq: head.seq, hash: head.hash },
    evaluation: evaluationBasis(ctx, identity),
    identityDetails: viewIdentity(ctx, closed, { detailed: false, redacted: false }) as unknown as JsonValue,
    verificationAndEvaluationDetails: buildProofDetails(ctx, closed),
    // Further frames only helped to read; the picture of the side is the evidence.
    images: images.filter(({ kind, frame }) => !isFile(kind) && !frame).map((image) => imageFile(ctx, image)),
    videos: ctx.config.proof.videos
      ? store.videos.listByIdentity(identity.id).map((video) => videoFile(ctx, video))
      : [],
    additionalFiles: images.filter(({ kind }) => isFile(kind)).map((image) => imageFile(ctx, image)),
  }
  return sealArchive(input, signer, { certificateChain: chain ? splitCertificates(chain) : [], timestamper })
}

function reportCalls(timestamper: Timestamper, onCall: (call: OutsideCall) => void): Timestamper {
  return {
    required: timestamper.required,
    stamp: async (bytes) => {
      const startedAt = performance.now()
      const report = (trouble: CallTrouble | null): void => {
        const durationMs = Math.round(performance.now() - startedAt)
        onCall({ connector: 'timestamp', values: timestamp.discloses, trouble, tries: 1, durationMs })
      }
      try {
        const token = await timestamper.stamp(bytes)
        report(null)
        return token
      } catch (error) {
        report(error instanceof AppError ? toTrouble(error.details.reason) : 'malformed')
        throw error
      }
    },
  }
}

/** An authority that rejects says so; every other unusable answer is against the protocol. */
function toTrouble(reason: unknown): CallTrouble {
  if (reason === 'rejected') return 'request-refused'
  return CALL_TROUBLES.find((trouble) => trouble === reason) ?? 'malformed'
}

/** Everything that the level depends on besides the evidence itself. */
function evaluationBasis(ctx: Context, { tenantId }: Identity): JsonObject {
  const { requiredConsents } = ctx.config.tenant
  const basis = { policy: ctx.policy(tenantId), requiredConsents, abilities: listAbilities(ctx) }
  return basis as unknown as JsonObject
}

/** Spec `ips`: the addresses of the callers. */
function listAddresses(ctx: Context, { id }: Identity): readonly string[] {
  const addresses = ctx.store.operations
    .list(id)
    .flatMap(({ call }) => (call.remoteAddress ? [call.remoteAddress] : []))
  return [...new Set(addresses)].sort()
}

/** Attached files, and what was read of chips. */
function isFile(kind: StoredImage['kind']): boolean {
  return kind === 'ADDITIONAL_FILE' || kind === 'CHIP_FILES'
}

function imageFile(ctx: Context, image: StoredImage): ProofFile {
  return {
    id: image.id,
    fileName: `${image.id}.${fileEnding(image.mediaType)}`,
    read: () => [ctx.store.images.read(image)],
  }
}

function videoFile(ctx: Context, video: StoredVideo): ProofFile {
  return {
    id: video.id,
    fileName: `${video.id}.${fileEnding(video.mediaType)}`,
    read: () => ctx.store.videos.read(video),
  }
}
