/** Derives the device's state from the ledger of inspections and tampering. Pure. */
import { DAY_MS } from '../time.ts'

/** Kinds of tampering. */
export const TAMPER_KINDS = [
  'CASE_OPENED',
  'SEAL_BROKEN',
  'USB_CHANGED',
  'CAMERA_MOVED',
  'CAMERA_REPLACED',
  'SCANNER_REPLACED',
  'SOFTWARE_CHANGED',
  'OTHER_TAMPERING',
] as const
export type TamperKind = (typeof TAMPER_KINDS)[number]

/** Oldest first. */
export type LedgerEntry =
  | {
      readonly id: string
      readonly at: Date
      readonly entry: 'INSPECTED'
      readonly outcome: 'PASSED' | 'FAILED'
    }
  | { readonly id: string; readonly at: Date; readonly entry: 'TAMPERED'; readonly kind: TamperKind }
  | { readonly id: string; readonly at: Date; readonly entry: 'CLEARED'; readonly inspectionId: string }

/** Distinguishes the entry from others of its kind: an outcome, a kind of tampering, or an inspection's id. */
export function describeEntry(entry: LedgerEntry): string {
  switch (entry.entry) {
    case 'INSPECTED':
      return entry.outcome
    case 'TAMPERED':
      return entry.kind
    case 'CLEARED':
      return entry.inspectionId
  }
}

interface DeviceState {
  readonly lastPassedAt: Date | null
  /** Kinds of tampering that are not cleared. */
  readonly open: readonly TamperKind[]
  /** A passed inspection after the last tampering, with which it may be cleared; null if there is none. */
  readonly clearableBy: string | null
}

/** A failed inspection revokes the one before it. */
export function deviceState(entries: readonly LedgerEntry[]): DeviceState {
  let lastPassedAt: Date | null = null
  let open: readonly TamperKind[] = []
  let clearableBy: string | null = null
  for (const entry of entries) {
    if (entry.entry === 'TAMPERED') {
      open = [...open, entry.kind]
      clearableBy = null
    } else if (entry.entry === 'CLEARED') {
      open = []
    } else {
      const passed = entry.outcome === 'PASSED'
      lastPassedAt = passed ? entry.at : null
      clearableBy = passed ? entry.id : null
    }
  }
  return { lastPassedAt, open, clearableBy }
}

/** @param latest latest possible current time: in doubt an inspection is overdue */
export function inspectionState(
  { lastPassedAt }: Pick<DeviceState, 'lastPassedAt'>,
  everyDays: number | undefined,
  latest: Date,
): 'NOT_DEMANDED' | 'IN_DATE' | 'OVERDUE' {
  if (everyDays === undefined) return 'NOT_DEMANDED'
  const isInDate = lastPassedAt !== null && latest.getTime() - lastPassedAt.getTime() <= everyDays * DAY_MS
  return isInDate ? 'IN_DATE' : 'OVERDUE'
}
