/** Parameters of operations about different subjects. */
import type { Parameter } from '../route.ts'

export const DETAILED: Parameter = {
  name: 'detailed',
  in: 'query',
  required: false,
  type: 'boolean',
  description: 'Adds verification details to each evidence. Ignored for a user-agent key.',
}

export const OFFICER: Parameter = {
  name: 'officer-id',
  in: 'header',
  required: false,
  type: 'string',
  description:
    'Who of your staff captures this: 1 to 64 of A-Z, a-z, 0-9, dot, hyphen and underscore. Kept sealed; this person never ' +
    'adjudicates evidence of the same identity. Ignored with a user-agent key.',
}
