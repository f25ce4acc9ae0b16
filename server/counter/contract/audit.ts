/**
 * The audit log at the counter (permission audit:read; export and checkpoint need audit:export and a fresh factor).
 *
 *   GET  audit?since&until&type&reference&actor&before&limit   → AuditPage, newest first
 *   GET  audit/chain                                           → ChainState
 *   POST audit/checkpoint                                      → ChainState
 *   POST audit/export   AuditExport → a file of lines (application/jsonl), the last one signed
 */
import { z } from 'zod'

/**
 * The author of an event. `name` is resolved at the request from the account: the log itself holds only ids.
 */
export interface AuditActor {
  readonly kind: 'APPLIANCE' | 'OPERATOR' | 'CENTRE' | 'APPLICATION' | 'STAFF'
  /** Id of the account or of the application. Null for an author of another kind. */
  readonly id: string | null
  /** Null: the account or application no longer exists. */
  readonly name: string | null
}

export interface AuditRow {
  readonly seq: number
  readonly at: string
  readonly actor: AuditActor
  /** The second officer of an act that needs two; null: it needs one. */
  readonly confirmedBy: AuditActor | null
  /** Such as `staff.signed_in`: the page has a text for each. */
  readonly type: string
  /** A code of a closed list, if a reason was given. */
  readonly reason: string | null
  readonly identityId: string | null
  /** The reference of the visit, if there is one. */
  readonly reference: string | null
  /** Kiosk, counter or application; the network address of a sign-in. Null: unknown. */
  readonly from: string | null
  /** Ids, numbers and codes of closed lists. */
  readonly body: Readonly<Record<string, unknown>>
}

export interface AuditPage {
  readonly rows: readonly AuditRow[]
  /** Pass it as `before` to get older rows; null: there are none. */
  readonly next: number | null
  /** The types of the whole log, for a filter. */
  readonly types: readonly string[]
}

export interface ChainState {
  /** WHOLE: every checked row is unchanged · BROKEN: `findings` name the rows. */
  readonly state: 'WHOLE' | 'BROKEN'
  readonly findings: readonly {
    readonly seq: number
    /** The last of several rows; null: it is one row. */
    readonly through: number | null
    readonly problem: 'missing' | 'changed' | 'replayed' | 'cut_off' | 'head_changed'
  }[]
  /** Number of newest rows that were checked, and the total. `npm run audit -- verify` checks all. */
  readonly checked: number
  readonly total: number
  readonly checkedAt: string
  /** The log was older at the last start than before: the database was replaced by another one. */
  readonly setBack: boolean
  readonly headHash: string
  readonly checkpoints: readonly { readonly seq: number; readonly at: string }[]
}

const moment = z.iso.datetime({ offset: true })

/** The query of GET audit. */
export const AuditQuery = z.strictObject({
  since: moment.optional(),
  until: moment.optional(),
  /** A complete type, or its first part with a dot: `staff.` */
  type: z
    .string()
    .regex(/^[a-z]{2,20}\.[a-z_]{0,40}$/)
    .optional(),
  /** The reference of a visit, or the id of an identity. */
  reference: z
    .string()
    .regex(/^([0-9A-Za-z]{4}-?[0-9A-Za-z]{4}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/)
    .optional(),
  /** `appliance`, `operator`, `centre`, or the id of an officer or an application. */
  actor: z
    .string()
    .regex(/^(appliance|operator|centre|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/)
    .optional(),
  before: z.coerce.number().int().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
})
export type AuditQuery = z.infer<typeof AuditQuery>

/** POST audit/export. Event numbers or times; both ends are included. */
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
