/** Loads the reasons of adjudicators, and what no person can accept, from resources/adjudication.json. */
import { join } from 'node:path'
import { z } from 'zod'
import type { FieldProblem } from '../errors.ts'
import { ADJUDICATION_DECISIONS } from '../proofing/adjudication-decision.ts'
import {
  ADJUDICABLE_FAMILIES,
  faultsOfCatalogue,
  type AdjudicationRules,
} from '../proofing/adjudication-rules.ts'
import { parseResource, loadChecked, RESOURCES_DIR } from './resources.ts'
import { CHECK, textLike } from './text-forms.ts'

const FILE = 'adjudication.json'

const RulesSchema = z.strictObject({
  version: z.string().min(1),
  description: z.string().min(1),
  claimMinutes: z.number().positive().max(1440),
  beyondPeople: z.array(CHECK),
  reasons: z.array(
    z.strictObject({
      // Format of words in audit log events.
      code: textLike(
        /^(?=.*_)[A-Z][A-Z_]{2,60}$/,
        'must be capital letters with an underscore, such as PICTURE_BLURRED',
      ),
      decisions: z.array(z.enum(ADJUDICATION_DECISIONS)).min(1),
      families: z.array(z.enum(ADJUDICABLE_FAMILIES)).min(1),
      text: z.string().min(1).max(200),
    }),
  ),
})

/** Throws `configuration_invalid` and lists every problem. */
export function loadAdjudicationRules(file = join(RESOURCES_DIR, FILE)): AdjudicationRules {
  return loadChecked(file, FILE, checkAdjudicationRules)
}

/** Adds to `problems`. */
export function checkAdjudicationRules(value: unknown, problems: FieldProblem[]): AdjudicationRules | null {
  const rules = parseResource(value, FILE, RulesSchema, problems)
  const faults = rules ? faultsOfCatalogue(rules) : []
  problems.push(...faults.map((message) => ({ code: 'catalogue', field: `${FILE}:reasons`, message })))
  return rules
}
