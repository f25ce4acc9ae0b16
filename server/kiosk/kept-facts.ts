/** The part of a session that is stored besides the identity, and read again after a restart. Pure. */
import { z } from 'zod'
import { DOCUMENT_SIDES, DOCUMENT_TYPES } from '../proofing/types.ts'
import { STEP_KINDS } from './contract/journey.ts'
import { DETAIL_QUESTIONS } from './contract/visit.ts'
import type { VisitFacts } from './facts.ts'
import type { KioskSession } from './sessions.ts'

type Lasting = Pick<KioskSession, 'facts' | 'sealFrom'>

const date = z.iso.datetime().transform((text) => new Date(text))
const count = z.int().min(0)
const captureFacts = z.strictObject({
  current: z.strictObject({ evidenceId: z.string(), sessionId: z.string().nullable() }).nullable(),
  spent: count,
  misses: count,
  opened: count,
})
const qr = z.strictObject({ rows: z.array(z.string()) })

const Kept = z.strictObject({
  sealFrom: date.nullable(),
  /** A front was submitted as a file, and its back was still missing. */
  isFrontHeld: z.boolean(),
  // Members of older versions are dropped.
  facts: z.object({
    consented: z.boolean(),
    skipped: z.array(z.enum(STEP_KINDS)),
    toPerson: z.boolean(),
    seen: z.array(z.enum(STEP_KINDS)),
    document: captureFacts,
    choice: z
      .strictObject({
        country: z.string(),
        documentType: z.enum(DOCUMENT_TYPES),
        sides: z.array(z.enum(DOCUMENT_SIDES)),
      })
      .nullable(),
    isChoosing: z.boolean().default(false),
    portrait: captureFacts,
    portraitWish: z
      .strictObject({ withoutColours: z.boolean(), withoutTurning: z.boolean() })
      .default({ withoutColours: false, withoutTurning: false }),
    checkedId: z.string().nullable(),
    detailedId: z.string().nullable().default(null),
    address: z.strictObject({ evidenceId: z.string(), isOver: z.boolean() }).nullable().default(null),
    leftOut: z.array(z.enum(DETAIL_QUESTIONS)).default([]),
    typedCans: count.default(0),
    phone: z.strictObject({
      wrong: count,
      sentAt: z.array(date),
      exhausted: z.boolean(),
      askAgain: z.boolean(),
    }),
    login: z.strictObject({ evidenceId: z.string(), url: z.string(), expiresAt: date }).nullable(),
    outcome: z.enum(['CONFIRMED', 'PERSON', 'LATER']).nullable(),
    receipt: z.strictObject({ reference: z.string(), code: z.string(), qr, issuedAt: z.string() }).nullable(),
    told: z.array(z.string()).default([]),
    beginsAnew: z.enum(['document', 'portrait']).nullable(),
  }),
})

/** A picture that waits for its other side is not stored: it would be written with every step. */
export function toKept({ facts: { heldFront, ...facts }, sealFrom }: Lasting): unknown {
  return { sealFrom, isFrontHeld: heldFront !== null, facts }
}

/** Null for data of another version, and if there is none. */
export function parseKeptFacts(kept: unknown): Lasting | null {
  const read = Kept.safeParse(kept)
  if (!read.success) return null
  const { sealFrom, isFrontHeld, facts } = read.data
  const beginsAnew: VisitFacts['beginsAnew'] = isFrontHeld ? 'document' : facts.beginsAnew
  return { sealFrom, facts: { ...facts, heldFront: null, beginsAnew } }
}
