/** Loads resources/issuer-participation.json and lists all problems. */
import { join } from 'node:path'
import { z } from 'zod'
import type { FieldProblem } from '../errors.ts'
import type { IssuerParticipation } from '../proofing/issuing-sources.ts'
import { isAustralianState, UNITED_STATES } from '../proofing/issuing-states.ts'
import { DOCUMENT_TYPES } from '../proofing/types.ts'
import { loadChecked, parseResource, RESOURCES_DIR } from './resources.ts'
import { textLike } from './text-forms.ts'

const FILE = 'issuer-participation.json'

const Types = z.array(z.enum([...DOCUMENT_TYPES, 'VISA', 'MEDICARE']))
const Abbreviations = z.array(
  textLike(/^[A-Z]{2}$/, 'must be the abbreviation of a state in two capital letters, such as FL'),
)
const ParticipationSchema = z.strictObject({
  version: z.iso.date(),
  description: z.string(),
  australia: z.strictObject({
    source: z.string().min(1),
    documentTypes: Types,
    uncertainTypes: Types,
    uncertainReason: z.string().min(1),
    licenceCardNumber: z.array(z.string().refine(isAustralianState, 'must be a state of Australia')),
  }),
  unitedStates: z.strictObject({
    source: z.string().min(1),
    answering: Abbreviations,
    notAnswering: Abbreviations,
    governmentOnly: Abbreviations,
    noIdentityCards: Abbreviations,
    someIdentityCards: Abbreviations,
  }),
})

/**
 * Throws `configuration_invalid`, also if a state or territory of the USA is not listed exactly once as answering or not
 * answering, or a restriction names one that does not answer.
 */
export function loadIssuerParticipation(file = join(RESOURCES_DIR, FILE)): IssuerParticipation {
  return loadChecked(file, FILE, (value, problems) => {
    const table = parseResource(value, FILE, ParticipationSchema, problems)
    if (table) checkStates(table.unitedStates, problems)
    return table
  })
}

function checkStates(
  { answering, notAnswering, ...restricted }: z.infer<typeof ParticipationSchema>['unitedStates'],
  problems: FieldProblem[],
): void {
  const refuse = (field: string, message: string): void =>
    void problems.push({ code: 'unusable', field: `${FILE}:unitedStates.${field}`, message })
  const listed = [...answering, ...notAnswering]
  for (const state of new Set([...listed, ...UNITED_STATES])) {
    const count = listed.filter((one) => one === state).length
    if (count !== 1 || !UNITED_STATES.has(state))
      refuse('answering', `${state} must be one state that is listed once, here or under notAnswering`)
  }
  for (const field of ['governmentOnly', 'noIdentityCards', 'someIdentityCards'] as const)
    for (const state of restricted[field].filter((one) => !answering.includes(one)))
      refuse(field, `${state} does not answer`)
}
