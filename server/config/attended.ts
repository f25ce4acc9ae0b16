/** Loads the checklist for officers who inspect a document, from resources/attended.json. */
import { join } from 'node:path'
import { z } from 'zod'
import { FEATURE_TOOLS, FEATURE_WEIGHTS, type AttendedRules } from '../proofing/attendance.ts'
import { DOCUMENT_TYPES } from '../proofing/types.ts'
import { parseResource, loadChecked, RESOURCES_DIR } from './resources.ts'

const FILE = 'attended.json'

const word = z.string().regex(/^[A-Z][A-Z_]{2,40}$/)
const common = { id: word, tool: z.enum(FEATURE_TOOLS) }
const FeatureSchema = z.union([
  z.strictObject({ ...common, weight: z.enum(FEATURE_WEIGHTS).exclude(['APART']) }),
  z.strictObject({ ...common, weight: z.literal('APART'), check: word }),
])
const RulesSchema = z.strictObject({
  version: z.string().min(1),
  description: z.string().min(1),
  checklists: z
    .array(
      z.strictObject({
        type: z.enum([...DOCUMENT_TYPES, '*']),
        features: z
          .array(FeatureSchema)
          .refine(
            (features) => new Set(features.map(({ id }) => id)).size === features.length,
            'a feature twice',
          )
          .refine((features) => features.some(({ weight }) => weight === 'ESSENTIAL'), 'nothing essential'),
      }),
    )
    .refine((lists) => new Set(lists.map(({ type }) => type)).size === lists.length, 'a type twice')
    .refine((lists) => lists.some(({ type }) => type === '*'), 'nothing for other types'),
  // Format of words in audit log events.
  exceptions: z.array(word.regex(/_/)),
})

/** Throws `configuration_invalid` and lists every problem. */
export function loadAttendedRules(file = join(RESOURCES_DIR, FILE)): AttendedRules {
  return loadChecked(file, FILE, (value, problems) => parseResource(value, FILE, RulesSchema, problems))
}
