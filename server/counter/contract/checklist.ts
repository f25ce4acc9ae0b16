/**
 * The first-run checklist of an administrator: the parts that a new appliance needs, their states and their tests.
 * GET  checklist                                  → ChecklistView
 * POST checklist/tests/{voice,printer} ToldTest    → ChecklistRow   the administrator's own observation
 * POST checklist/tests/face-camera image/jpeg      → ChecklistRow   measured by the server, and deleted
 * POST checklist/tests/face-camera/missing        → ChecklistRow   the browser got no picture from a camera
 * POST checklist/tests/document-camera            → ChecklistRow
 * GET  checklist/pictures/document-camera         → image/jpeg of the test, kept for a few minutes
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
  'face-networks',
  'backup',
  'master-key',
  'head-office',
  'erasure',
  'staff',
  'policy',
] as const
export type ChecklistName = (typeof CHECKLIST_ROWS)[number]

export interface ChecklistView {
  readonly rows: readonly ChecklistRow[]
  /** Languages of the kiosk's journey: each needs a voice. */
  readonly languages: readonly string[]
  readonly at: string
}

export interface ChecklistRow {
  readonly name: ChecklistName
  readonly word: PartWord
  /** Values for the sentence of this row: the organisation, unassigned roles, levels. */
  readonly slots: Readonly<Record<string, string>>
  /** Codes that the page has texts for: languages without a voice, unassigned roles. */
  readonly lacks: readonly string[]
  readonly lastTest: ChecklistTest | null
  /** While the backup is being made. */
  readonly progress: BackupStep | null
  readonly progressSince: string | null
  /** The test left a picture to look at. */
  readonly hasPicture: boolean
}

export interface ChecklistTest {
  readonly at: string
  readonly passed: boolean
  /** The first problem, as a code; null: none. */
  readonly found: string | null
  /** The browser ran on this machine; otherwise the test says nothing of its camera, voices or printer. */
  readonly here: boolean
}

/** Tests whose result only the person at this screen knows. */
export const TOLD_TESTS = ['voice', 'printer'] as const

export const ToldTest = z.strictObject({
  passed: z.boolean(),
  /** For the voice test: languages without a voice on this computer. */
  lacks: z
    .array(z.string().regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}$/))
    .max(50)
    .default([]),
})
export type ToldTest = z.input<typeof ToldTest>
