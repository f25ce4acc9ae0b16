/**
 * The audit log on the console (permission audit:read; export and checkpoint need audit:export and a fresh factor).
 *
 *   GET  audit?since&until&type&reference&actor&before&limit   → AuditPage, newest first
 *   GET  audit/chain                                           → ChainState
 *   POST audit/checkpoint                                      → ChainState
 *   POST audit/export   AuditExport → a file of lines (application/jsonl), the last one signed
 */
import { z } from 'zod'

/** Who did it. `name` is resolved now, from the account: the log itself holds ids alone. */
export interface AuditActor {
  readonly kind: 'APPLIANCE' | 'OPERATOR' | 'CENTRE' | 'APPLICATION' | 'STAFF'
  /** Id of the account or of the application; null for the others. */
  readonly id: string | null
  /** Null: an account or application that is there no more. */
  readonly name: string | null
}

export interface AuditRow {
  readonly seq: number
  readonly at: string
  readonly actor: AuditActor
  /** The second person, where an act takes two; null: it takes one. */
  readonly confirmedBy: AuditActor | null
  /** Like `staff.signed_in`: the page has words for each. */
  readonly type: string
  /** A word of a closed list, where somebody gave a reason. */
  readonly reason: string | null
  readonly identityId: string | null
  /** The reference of the visit, where there was one. */
  readonly reference: string | null
  /** Kiosk, console or application; an address where somebody signed in. Null: it is not known. */
  readonly from: string | null
  /** Ids, numbers and words of closed lists. */
  readonly body: Readonly<Record<string, unknown>>
}

export interface AuditPage {
  readonly rows: readonly AuditRow[]
  /** Give it as `before` for the rows behind these; null: there are none. */
  readonly next: number | null
  /** Of the whole log, for a filter by kind. */
  readonly types: readonly string[]
}

export interface ChainState {
  /** WHOLE: every row looked at is as it was written · BROKEN: `findings` say where. */
  readonly state: 'WHOLE' | 'BROKEN'
  readonly findings: readonly {
    readonly seq: number
    /** The last of several rows; null: it is one. */
    readonly through: number | null
    readonly problem: 'missing' | 'changed' | 'replayed' | 'cut_off' | 'head_changed'
  }[]
  /** How many rows from the end were looked at, and of how many. `npm run audit -- verify` looks at all. */
  readonly checked: number
  readonly total: number
  readonly checkedAt: string
  /** At the last start the log was behind what it had reached before: another database was put in place. */
  readonly setBack: boolean
  readonly headHash: string
  readonly checkpoints: readonly { readonly seq: number; readonly at: string }[]
}

const moment = z.iso.datetime({ offset: true })

/** The query of GET audit. */
export const AuditQuery = z.strictObject({
  since: moment.optional(),
  until: moment.optional(),
  /** A whole type, or its first part with a dot: `staff.` */
  type: z
    .string()
    .regex(/^[a-z]{2,20}\.[a-z_]{0,40}$/)
    .optional(),
  /** Of a visit, or the id of an identity. */
  reference: z
    .string()
    .regex(/^([0-9A-Za-z]{4}-?[0-9A-Za-z]{4}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/)
    .optional(),
  /** `appliance`, `operator`, `centre`, or an id of staff or application. */
  actor: z
    .string()
    .regex(/^(appliance|operator|centre|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/)
    .optional(),
  before: z.coerce.number().int().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})
export type AuditQuery = z.infer<typeof AuditQuery>

/** POST audit/export. Event numbers or moments; both ends count. */
export const AuditExport = z.strictObject({
  from: z
    .union([z.int().min(1), moment])
    .nullable()
    .default(null),
  to: z
    .union([z.int().min(1), moment])
    .nullable()
    .default(null),
})
export type AuditExport = z.infer<typeof AuditExport>
