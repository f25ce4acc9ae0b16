/**
 * Loads resources/document-templates (words, layouts, scripts and languages for reading pages) and lists all problems.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { FieldProblem } from '../errors.ts'
import type { PageKnowledge, PageTemplate } from '../proofing/visual-zone/knowledge.ts'
import { PAGE_FIELDS, type PageFieldName } from '../proofing/visual-zone/page-facts.ts'
import { RESOURCES_DIR, parseFile, refuse } from './resources.ts'
import { COUNTRY, NAME, textLike } from './text-forms.ts'

const FOLDER = 'document-templates'
const WORDS = 'words.json'
const SCRIPTS = 'scripts.json'
const LANGUAGES = 'languages.json'

const KINDS = ['PASSPORT', 'IDENTITY_CARD', 'RESIDENT_CARD', 'DRIVING_LICENSE', 'VISA', 'MEDICARE'] as const
const FieldName = z.enum(PAGE_FIELDS)
const Form = z.enum(['name', 'date', 'number', 'sex', 'text'])
/** Form for comparison: no capitals, marks or signs. */
const Phrase = textLike(
  /^[a-z0-9]+( [a-z0-9]+)*$/,
  'must be words of small letters a to z and digits, with one space between them',
)
const Phrases = z.array(Phrase).min(1)
const Share = z.number().min(0).max(1)

const WordsSchema = z.strictObject({
  version: z.string().min(1),
  description: z.string().min(1),
  source: z.string().min(1),
  labels: z.partialRecord(FieldName, Phrases),
  notFields: Phrases,
  kinds: z.array(z.strictObject({ kind: z.enum(KINDS), words: Phrases })),
  months: z
    .record(textLike(/^([1-9]|1[0-2])$/, 'must be the number of a month, 1 to 12'), Phrases)
    .refine((months) => Object.keys(months).length === 12, 'must have the months 1 to 12'),
  sexes: z.record(z.enum(['M', 'F', 'X']), Phrases),
  countries: z.record(COUNTRY, Phrases),
  nationalities: z.record(COUNTRY, Phrases),
  states: z.record(
    COUNTRY,
    z.record(
      textLike(/^[A-Z]{2,3}$/, 'must be the code of a state in two or three capital letters'),
      Phrases,
    ),
  ),
})

const ScriptsSchema = z.strictObject({
  version: z.string().min(1),
  description: z.string().min(1),
  source: z.string().min(1),
  states: z.record(
    COUNTRY,
    z.array(textLike(/^[A-Z][a-z]{3}$/, 'must be a script in four letters (ISO 15924), such as Cyrl')).min(1),
  ),
})

const LanguagesSchema = z.strictObject({
  version: z.string().min(1),
  description: z.string().min(1),
  source: z.string().min(1),
  // Suffix of the model's package name.
  languages: z
    .record(
      textLike(/^[a-z]{3}$/, 'must be a language in three small letters, such as deu'),
      z.strictObject({
        letters: textLike(/^\p{Lu}+$/u, 'must be capital letters alone'),
        states: z.array(COUNTRY).min(1),
      }),
    )
    .refine((languages) => {
      const states = Object.values(languages).flatMap((language) => language.states)
      return new Set(states).size === states.length
    }, 'must not name a state twice'),
})

const TemplateSchema = z.strictObject({
  id: NAME,
  description: z.string().min(1),
  source: z.string().min(1),
  kinds: z.array(z.enum(KINDS)).min(1),
  countries: z.array(COUNTRY),
  aspect: z
    .strictObject({ least: z.number().positive(), most: z.number().positive() })
    .refine(({ least, most }) => least < most, 'must have a least that is less than most'),
  anchors: z.array(z.string().min(1)),
  leastAnchors: z.number().int().nonnegative(),
  needs: z.array(z.string()).min(1).optional(),
  dateOrder: z.enum(['dmy', 'mdy']),
  numbered: z.record(
    textLike(/^\d{1,2}[a-d]?$/, 'must be the number of a field on the document, such as 4b'),
    z.strictObject({ field: FieldName, form: Form, then: FieldName.optional() }),
  ),
  places: z.partialRecord(FieldName, z.strictObject({ x: Share, y: Share, width: Share, height: Share })),
})

/** Throws `configuration_invalid` if a file is invalid, or an anchor is neither a field nor a number. */
export function loadDocumentTemplates(folder = join(RESOURCES_DIR, FOLDER)): PageKnowledge {
  const problems: FieldProblem[] = []
  const words = parseFile(join(folder, WORDS), `${FOLDER}/${WORDS}`, WordsSchema, problems)
  const scripts = parseFile(join(folder, SCRIPTS), `${FOLDER}/${SCRIPTS}`, ScriptsSchema, problems)
  const languages = parseFile(join(folder, LANGUAGES), `${FOLDER}/${LANGUAGES}`, LanguagesSchema, problems)
  const templates: PageTemplate[] = []
  for (const name of readdirSync(folder)
    .filter((file) => file.endsWith('.json') && ![WORDS, SCRIPTS, LANGUAGES].includes(file))
    .sort()) {
    const shown = `${FOLDER}/${name}`
    const template = parseFile(join(folder, name), shown, TemplateSchema, problems)
    if (!template) continue
    problems.push(...findTemplateProblems(template, shown, name, templates))
    templates.push(template)
  }
  refuse(problems)
  return {
    words: words as NonNullable<typeof words>,
    templates,
    scripts: (scripts as NonNullable<typeof scripts>).states,
    languages: byState((languages as NonNullable<typeof languages>).languages),
  }
}

function byState(languages: z.infer<typeof LanguagesSchema>['languages']): PageKnowledge['languages'] {
  const entries = Object.entries(languages).flatMap(([code, { letters, states }]) =>
    states.map((state) => [state, { code, letters: [...letters] }] as const),
  )
  return Object.fromEntries(entries)
}

function findTemplateProblems(
  template: PageTemplate,
  shown: string,
  name: string,
  others: readonly PageTemplate[],
): FieldProblem[] {
  const { id, anchors, needs = [], numbered } = template
  const problems: FieldProblem[] = []
  if (`${id}.json` !== name || others.some((other) => other.id === id))
    problems.push({ code: 'wrong_id', field: `${shown}:id`, message: 'is not the name of its file' })
  for (const anchor of [...anchors, ...needs]) {
    const known = PAGE_FIELDS.includes(anchor as PageFieldName) || anchor in numbered
    if (!known)
      problems.push({
        code: 'unknown_anchor',
        field: `${shown}:anchors`,
        message: `'${anchor}' is no field and no number`,
      })
  }
  return problems
}
