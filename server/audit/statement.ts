/**
 * Signed statement of the audit log's length: a compact JWS (RS256, by the key that signs proofs) over canonical JSON.
 * Its type distinguishes it from other signatures of that key.
 */
import { compactVerify } from 'jose'
import { z } from 'zod'
import { readKeys, type KeySource } from '../proof/verify.ts'
import { canonicalBytes } from '../proof/verify/canonical-json.ts'

const CHECKPOINT_TYPE = 'counterproof-audit-checkpoint'
const dateTime = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/)
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

const CheckpointSchema = z.strictObject({
  type: z.literal(CHECKPOINT_TYPE),
  version: z.literal('1'),
  applianceId: z.string().max(60),
  /** The newest event, and its hash. */
  seq: z.int().min(0),
  hash: sha256,
  at: dateTime,
  time: z.strictObject({
    source: z.string().max(20),
    uncertaintyMs: z.number().nullable(),
    earliest: dateTime,
    latest: dateTime,
  }),
  /** For an export: description of the preceding lines. */
  export: z
    .strictObject({ from: z.int().min(1), to: z.int().min(0), previousHash: sha256, sha256 })
    .optional(),
})
export type CheckpointStatement = z.infer<typeof CheckpointSchema>

type StatedCheckpoint = Omit<CheckpointStatement, 'type' | 'version'>

/** The signed bytes. */
export function checkpointBytes(stated: StatedCheckpoint): Uint8Array {
  return canonicalBytes({ type: CHECKPOINT_TYPE, version: '1', ...stated })
}

interface CheckpointReader {
  /** Returns null unless one of the keys signed it as a checkpoint. */
  read(jws: string): Promise<CheckpointStatement | null>
}

/** Throws KeyError if no usable key is given. */
export function checkpointReader(source: KeySource): CheckpointReader {
  const keys = readKeys(source)
  return {
    read: async (jws) => {
      for (const { key } of keys) {
        try {
          const { payload } = await compactVerify(jws.trim(), key, { algorithms: ['RS256'] })
          const parsed = CheckpointSchema.safeParse(JSON.parse(Buffer.from(payload).toString('utf8')))
          return parsed.success ? parsed.data : null
        } catch {
          continue
        }
      }
      return null
    },
  }
}

/** True if the text is the canonical base64url encoding: other texts may decode to the same bytes. */
export function isAsEncoded(jws: string): boolean {
  return jws.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
}
