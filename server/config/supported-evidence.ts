/** Loads resources/supported-evidence.json and lists all problems. */
import { join } from 'node:path'
import { z } from 'zod'
import type { FieldProblem } from '../errors.ts'
import { ISO_3166_CODES } from '../proofing/mrz/issuers.ts'
import type { SupportTable } from '../proofing/supported-evidence.ts'
import { DOCUMENT_TYPES } from '../proofing/types.ts'
import { parseResource, loadChecked, RESOURCES_DIR } from './resources.ts'

const FILE = 'supported-evidence.json'

const Format = z.enum(['TD1', 'TD2', 'TD3', 'ID1'])
const DocumentSchema = z.strictObject({
  documentType: z.enum(DOCUMENT_TYPES),
  format: Format,
  source: z.string().min(1),
})
const TableSchema = z.strictObject({
  version: z.string().min(1),
  description: z.string(),
  liveCapture: z.array(Format),
  everyCountry: z.array(DocumentSchema),
  groups: z.array(
    DocumentSchema.extend({ countries: z.string().transform((text) => text.trim().split(/\s+/)) }),
  ),
})

/** Throws `configuration_invalid` if a group names an unknown country, or a country twice for one document. */
export function loadSupportedEvidence(file = join(RESOURCES_DIR, FILE)): SupportTable {
  return loadChecked(file, FILE, checkSupportedEvidence)
}

/** Adds to `problems`. */
export function checkSupportedEvidence(value: unknown, problems: FieldProblem[]): SupportTable | null {
  const table = parseResource(value, FILE, TableSchema, problems)
  const seen = new Set<string>()
  for (const [index, { documentType, format, countries }] of (table?.groups ?? []).entries()) {
    for (const country of countries) {
      const field = `${FILE}:groups.${index}.countries`
      const entry = `${country} ${documentType} ${format}`
      if (!ISO_3166_CODES.includes(country)) {
        problems.push({ code: 'unknown_country', field, message: `'${country}' is no ISO 3166-1 code` })
      } else if (seen.has(entry)) {
        problems.push({ code: 'listed_twice', field, message: `${entry} is listed twice` })
      }
      seen.add(entry)
    }
  }
  return table
}
