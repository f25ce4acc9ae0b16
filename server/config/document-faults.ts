/** Loads resources/document-faults.json and the sentences of its faults, and lists all problems. */
import { join } from 'node:path'
import { z } from 'zod'
import type { FieldProblem } from '../errors.ts'
import { DOCUMENT_FAULTS, type DocumentFault, type FaultRule } from '../proofing/document-fault.ts'
import { PAGE_FIELDS } from '../proofing/visual-zone/page-facts.ts'
import { RESOURCES_DIR, parseFile, refuse } from './resources.ts'
import { textLike } from './text-forms.ts'

const FILE = 'document-faults.json'
/** The texts of the screens: the API uses the officers' English sentences. */
const WORDS = join('renderer', 'locales', 'en.json')

const FileSchema = z.strictObject({
  version: z.string().min(1),
  description: z.string().min(1),
  faults: z
    .array(
      z.strictObject({
        fault: z.enum(DOCUMENT_FAULTS),
        when: z
          .array(
            textLike(
              /^([0-9]{4}|[A-Z0-9_]+\*?)$/,
              'must be an error code of four digits, or an indicator, or its beginning and *',
            ),
          )
          .min(1),
        field: z.string().optional(),
        names: z
          .array(textLike(/^[0-9]{4}$/, 'must be an error code of four digits'))
          .min(1)
          .optional(),
        evenWhenInvalid: z.boolean().optional(),
      }),
    )
    .min(1),
})
const WordsSchema = z.object({ counter: z.record(z.string(), z.string()) })

export interface DocumentFaults {
  readonly rules: readonly FaultRule[]
  /** English text. */
  readonly sentence: (fault: DocumentFault) => string
}

/** Throws `configuration_invalid` if the table is invalid or a fault has no sentence. */
export function loadDocumentFaults(
  file = join(RESOURCES_DIR, FILE),
  wordsFile = join(RESOURCES_DIR, '..', WORDS),
): DocumentFaults {
  const problems: FieldProblem[] = []
  const table = parseFile(file, FILE, FileSchema, problems)
  const words = parseFile(wordsFile, WORDS, WordsSchema, problems)?.counter ?? {}
  const keys = [
    ...DOCUMENT_FAULTS.map((code) => `assist.guidance.${code}`),
    ...PAGE_FIELDS.map((field) => `field.${field}`),
  ]
  for (const key of keys)
    if (!words[key]) problems.push({ code: 'no_words', field: `${WORDS}:${key}`, message: 'has no words' })
  refuse(problems)
  return {
    rules: table?.faults ?? [],
    sentence: ({ code, field }) =>
      words[`assist.guidance.${code}`].replace('{field}', field === null ? '' : words[`field.${field}`]),
  }
}
