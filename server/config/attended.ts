/** Loads the checklist for officers who inspect a document, from resources/attended.json. */
import { join } from 'node:path'
import { z } from 'zod'
import { FEATURE_TOOLS, FEATURE_WEIGHTS, type AttendedRules } from '../proofing/attendance.ts'
import { DOCUMENT_TYPES } from '../proofing/types.ts'
import { parseResource, loadChecked, RESOURCES_DIR } from './resources.ts'
import { textLike } from './text-forms.ts'

const FILE = 'attended.json'

const word = textLike(/^[A-Z][A-Z_]{2,40}$/, 'must be 3 to 41 capital letters and underscores')
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
            'must not name a feature twice',
          )
          .refine(
            (features) => features.some(({ weight }) => weight === 'ESSENTIAL'),
            'must have a feature of the weight ESSENTIAL',
          ),
      }),
    )
    .refine(
      (lists) => new Set(lists.map(({ type }) => type)).size === lists.length,
      'must not have two lists of one type',
    )
    .refine(
      (lists) => lists.some(({ type }) => type === '*'),
      "must have a list of the type '*', for all other types",
    ),
  // Format of words in audit log events.
  exceptions: z.array(word.regex(/_/, 'must have an underscore')),
})

/** Throws `configuration_invalid` and lists every problem. */
export function loadAttendedRules(file = join(RESOURCES_DIR, FILE)): AttendedRules {
  return loadChecked(file, FILE, (value, problems) => parseResource(value, FILE, RulesSchema, problems))
}
