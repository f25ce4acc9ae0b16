/**
 * The settings that an administrator changes at the counter; each is a file in the data folder.
 * GET  settings                                → SettingsView
 * GET  settings/{name}                         → SettingView
 * GET  settings/{name}/versions/{id}           → VersionContent
 * POST settings/{name}/check  CheckBody        → CheckView     every problem, the changes, the levels of a policy
 * PUT  settings/{name}        ChangeBody       → SettingView   400 with every problem; a fresh factor is needed
 * POST settings/{name}/undo   UndoBody         → SettingView   restores a version
 */
import { z } from 'zod'
import type { Change } from '../../settings/changes.ts'
import type { SettingFinding, SettingName } from '../../settings/documents.ts'

export type { SettingFinding, SettingName }

export interface SettingRow {
  readonly name: SettingName
  /** Path relative to the data folder. */
  readonly file: string
  /** Null: neither the product nor the tenant has one. */
  readonly origin: 'OWN' | 'SHIPPED' | null
  /** CENTRE: the head office manages it. */
  readonly heldBy: 'CENTRE' | null
  readonly changedAt: string | null
  readonly changedBy: string | null
}

export interface SettingsView {
  readonly settings: readonly SettingRow[]
}

export interface SettingView extends SettingRow {
  readonly content: unknown
  /** Sent back with a change, which is refused if the document has changed meanwhile. */
  readonly state: string
  readonly versions: readonly VersionRow[]
  /** Texts of the kiosk by key, in English, if the document may replace them. */
  readonly texts: Readonly<Record<string, string>>
  /** Languages that the document may name. */
  readonly languages: readonly string[]
}

export interface VersionRow {
  readonly id: number
  readonly at: string | null
  /** Name of the account; null: the file was changed outside, or the account is gone. */
  readonly by: string | null
  readonly act: 'SAVED' | 'UNDONE' | 'FOUND'
  /** Number of places that differ from the version before; null for the oldest. */
  readonly changes: number | null
  readonly isInForce: boolean
}

export interface VersionContent {
  /** The product's own content if the version had no file. */
  readonly content: unknown
  /** Differences from the version in force. */
  readonly changes: readonly Change[]
}

export interface CheckView {
  readonly findings: readonly SettingFinding[]
  readonly changes: readonly Change[]
  /** For a policy: its levels and their requirements. */
  readonly levels: readonly {
    readonly name: string
    readonly label: string
    readonly needs: readonly (readonly {
      readonly evidence: string
      readonly types?: readonly string[]
      readonly checks: readonly string[]
    }[])[]
  }[]
}

export const CheckBody = z.strictObject({ content: z.json() })
export type CheckBody = z.input<typeof CheckBody>

const basedOn = z.string().regex(/^[0-9a-f]{64}$/)
export const ChangeBody = z.strictObject({ content: z.json(), basedOn })
export type ChangeBody = z.input<typeof ChangeBody>

export const UndoBody = z.strictObject({ version: z.int().min(1), basedOn })
export type UndoBody = z.input<typeof UndoBody>
