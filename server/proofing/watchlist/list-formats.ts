/** The layouts of lists that can be read, and the names that lists may have. */
export const LIST_FORMATS = [
  'ofac-csv',
  'ofac-xml',
  'un-xml',
  'eu-xml',
  'uk-xml',
  'swiss-xml',
  'csv',
] as const
export type ListFormat = (typeof LIST_FORMATS)[number]

export const LIST_NAME = /^[a-z0-9][a-z0-9._-]{0,39}$/
