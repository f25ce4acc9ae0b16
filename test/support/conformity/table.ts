/** The clauses of the conformity statement: one JSON file per standard in docs/conformity, checked when it is read. */
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import * as z from 'zod'

export const ROOT = join(import.meta.dirname, '..', '..', '..')
export const FOLDER = 'docs/conformity'

export const STATES = ['met', 'met with an operator’s act', 'partly', 'not met', 'not applicable'] as const

/** Plain sentences; a link to a file of the repository begins with a slash: [text](/docs/x.md). */
const Sentences = z.string().min(10)

const Clause = z
  .strictObject({
    /** Unique within its standard: the number of the clause, and a word where a number has several requirements. */
    id: z.string().regex(/^[\w.-]+$/),
    /** The number that the standard gives it; null if no source confirmed one. */
    number: z.string().nullable(),
    topic: z.string().min(3),
    /** Our own words, never those of the standard. */
    requirement: Sentences,
    /** The part that the product does; if the clause is not applicable, the reason. */
    product: Sentences,
    /** The part that remains for the operator. */
    operator: Sentences.optional(),
    state: z.enum(STATES),
  })
  .refine(({ state, operator }) => state !== 'met with an operator’s act' || operator !== undefined, {
    error: 'a clause that an operator’s act meets names the act',
  })

const Standard = z.strictObject({
  id: z.string().regex(/^[\w-]+$/),
  title: z.string().min(3),
  edition: z.string().min(3),
  /** Names the origin of texts and numbers, and what was not confirmed. */
  source: Sentences,
  scope: Sentences,
  clauses: z.array(Clause).min(1),
})

export type Clause = z.infer<typeof Clause>
export type Standard = z.infer<typeof Standard> & {
  /** Name of its page without the ending. */
  readonly page: string
}

/** Throws for a file that breaks the schema, and for two clauses of one id. */
export function loadStandards(): Standard[] {
  const files = globSync(`${FOLDER}/*.json`, { cwd: ROOT }).sort()
  const standards = files.map((file) => ({
    ...Standard.parse(JSON.parse(readFileSync(join(ROOT, file), 'utf8'))),
    page: basename(file, '.json'),
  }))
  const ids = standards.flatMap(listClauseIds)
  const twice = ids.filter((id, index) => ids.indexOf(id) !== index)
  if (twice.length > 0) throw new Error(`two clauses have the id ${twice.join(', ')}`)
  return standards
}

/** The id of a clause as a tag names it. */
export const getTagName = (standard: Standard, clause: Clause): string => `${standard.id}/${clause.id}`

export const listClauseIds = (standard: Standard): string[] =>
  standard.clauses.map((clause) => getTagName(standard, clause))
