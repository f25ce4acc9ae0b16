/**
 * Loads resources/degraded.json, the table fault → indicator → families, and lists all problems. Each policy defines the
 * cap of such an indicator (`policies.ts` requires one per row).
 */
import { join } from 'node:path'
import { z } from 'zod'
import type { FieldProblem } from '../errors.ts'
import { FAULTS, TOUCHED, type FaultRule } from '../proofing/assurance/faults.ts'
import { parseFile, refuse, RESOURCES_DIR } from './resources.ts'
import { textLike } from './text-forms.ts'

const FILE = 'degraded.json'

const TableSchema = z.strictObject({
  version: z.string().min(1),
  description: z.string().min(1),
  faults: z.array(
    z.strictObject({
      fault: z.enum(FAULTS),
      indicator: textLike(/^[A-Z0-9_]{1,60}_UNVERIFIED$/, 'must be an indicator that ends in _UNVERIFIED'),
      families: z.array(z.enum(TOUCHED)).min(1),
      meaning: z.string().min(1),
    }),
  ),
})

/** Throws `configuration_invalid` if a fault has no row or two, or if two faults have the same indicator. */
export function loadFaultRules(file = join(RESOURCES_DIR, FILE)): readonly FaultRule[] {
  const problems: FieldProblem[] = []
  const table = parseFile(file, FILE, TableSchema, problems)
  const rules = table?.faults ?? []
  for (const fault of table ? FAULTS : []) {
    const rows = rules.filter((rule) => rule.fault === fault).length
    if (rows === 1) continue
    const message = `'${fault}' needs one row, and has ${rows}`
    problems.push({ code: 'wrong_rows', field: `${FILE}:faults`, message })
  }
  for (const [index, { indicator, families }] of rules.entries()) {
    const field = `${FILE}:faults.${index}`
    if (rules.findIndex((rule) => rule.indicator === indicator) < index) {
      const message = `'${indicator}' would not tell which fault it was`
      problems.push({ code: 'listed_twice', field: `${field}.indicator`, message })
    }
    if (new Set(families).size < families.length) {
      const message = 'a family is listed twice'
      problems.push({ code: 'listed_twice', field: `${field}.families`, message })
    }
  }
  refuse(problems)
  return rules
}
