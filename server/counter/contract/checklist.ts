/**
 * The first-run checklist of an administrator: what a new appliance needs, how each part stands, and its tests.
 * GET  checklist                                  → ChecklistView
 * POST checklist/tests/{voice,printer} ToldTest    → ChecklistRow   what the person at this screen heard or saw
 * POST checklist/tests/face-camera image/jpeg      → ChecklistRow   measured here, and not kept
 * POST checklist/tests/document-camera            → ChecklistRow
 * GET  checklist/pictures/document-camera         → image/jpeg that the test took, for a few minutes
 * POST checklist/backup                           → ChecklistRow   makes one now, and restores it as a test
 */
import { z } from 'zod'
import type { BackupStep } from '../../store/last-backup.ts'
import type { PartWord } from './devices.ts'

export const CHECKLIST_ROWS = [
  'organisation',
  'face-camera',
  'document-camera',
  'voice',
  'printer',
  'backup',
  'head-office',
  'staff',
  'policy',
] as const
export type ChecklistName = (typeof CHECKLIST_ROWS)[number]

export interface ChecklistView {
  readonly rows: readonly ChecklistRow[]
  /** Of the kiosk's journey: each needs a voice. */
  readonly languages: readonly string[]
  readonly at: string
}

export interface ChecklistRow {
  readonly name: ChecklistName
  readonly word: PartWord
  /** What the sentence of this row names: the organisation, roles nobody has, levels. */
  readonly slots: Readonly<Record<string, string>>
  /** Codes that the page has words for: languages without a voice, roles nobody has. */
  readonly lacks: readonly string[]
  readonly lastTest: ChecklistTest | null
  /** While the backup is being made. */
  readonly progress: BackupStep | null
  readonly progressSince: string | null
  /** The test left a picture that can be looked at. */
  readonly hasPicture: boolean
}

export interface ChecklistTest {
  readonly at: string
  readonly passed: boolean
  /** What was found first, as a code; null: nothing wrong. */
  readonly found: string | null
}

/** The tests of which only the person at this screen knows how they went. */
export const TOLD_TESTS = ['voice', 'printer'] as const

export const ToldTest = z.strictObject({
  passed: z.boolean(),
  /** Of the voice: languages that this computer has none for. */
  lacks: z
    .array(z.string().regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}$/))
    .max(50)
    .default([]),
})
export type ToldTest = z.input<typeof ToldTest>
