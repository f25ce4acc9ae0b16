/** Loads resources/address-formats.json and lists all problems. */
import { join } from 'node:path'
import { z } from 'zod'
import type { FieldProblem } from '../errors.ts'
import { LINE_PARTS, type AddressFormats } from '../proofing/address-form.ts'
import { UNITED_STATES_POSTAL } from '../proofing/issuing-states.ts'
import { loadChecked, parseResource, RESOURCES_DIR } from './resources.ts'
import { COUNTRY, textLike } from './text-forms.ts'

const FILE = 'address-formats.json'

const Word = textLike(/^[A-Z]{1,20}$/, 'must be 1 to 20 capital letters A to Z')
const Language = textLike(/^[a-z]{2}$/, 'must be a language in two small letters, such as en')
const CountryFormatSchema = z.strictObject({
  languages: z.array(Language),
  numberFirst: z.boolean(),
  lines: z.array(z.array(z.enum(LINE_PARTS)).min(1)).min(1),
  postcodes: z
    .array(
      textLike(
        /^[9AX -]{3,12}(\[[9AX -]{1,8}\])?$/,
        'must be a form of 9, A, X, spaces and hyphens, such as 999 99, with an extension in brackets',
      ),
    )
    .min(1),
  needsRegion: z.boolean().optional(),
  regions: z
    .record(
      textLike(/^[A-Z]{2,3}$/, 'must be the code of a region in two or three capital letters'),
      z.string().min(1),
    )
    .optional(),
})
const FormatsSchema = z.strictObject({
  version: z.iso.date(),
  description: z.string().min(1),
  sources: z.record(z.string(), z.string().min(1)),
  streetWords: z.record(Language, z.record(Word, z.array(Word).min(1))),
  countries: z.record(COUNTRY, CountryFormatSchema),
})
type Formats = z.infer<typeof FormatsSchema>

let shipped: AddressFormats | null = null

/** The shipped table is read once. Throws `configuration_invalid`. */
export function loadAddressFormats(): AddressFormats {
  return (shipped ??= readAddressFormats())
}

/**
 * Throws `configuration_invalid`, also if a word has two abbreviations, a country has a language without words, needs a region without
 * having any, or the USA lack an abbreviation of the Postal Service.
 */
export function readAddressFormats(file = join(RESOURCES_DIR, FILE)): AddressFormats {
  const { countries, streetWords } = loadChecked(file, FILE, (value, problems) => {
    const table = parseResource(value, FILE, FormatsSchema, problems)
    if (table) checkFormats(table, problems)
    return table
  })
  const byLanguage = new Map(
    Object.entries(streetWords).map(([language, words]) => [language, new Map(listSpellings(words))]),
  )
  const all = new Map([...byLanguage.values()].flatMap((words) => [...words]))
  return {
    countries,
    shorten: (word, country) => {
      if (country === undefined || !Object.hasOwn(countries, country)) return all.get(word)
      const { languages } = countries[country]
      return languages.map((language) => byLanguage.get(language)?.get(word)).find(Boolean)
    },
  }
}

/** Each spelling with its abbreviation. */
const listSpellings = (words: Formats['streetWords'][string]): [string, string][] =>
  Object.entries(words).flatMap(([short, spellings]) =>
    [short, ...spellings].map((spelling): [string, string] => [spelling, short]),
  )

function checkFormats({ streetWords, countries }: Formats, problems: FieldProblem[]): void {
  const refuse = (field: string, message: string): void =>
    void problems.push({ code: 'unusable', field: `${FILE}:${field}`, message })
  const known = new Map<string, string>()
  for (const [language, words] of Object.entries(streetWords))
    for (const [spelling, short] of listSpellings(words)) {
      const other = known.get(spelling) ?? short
      if (other !== short)
        refuse(`streetWords.${language}`, `${spelling} is also an abbreviation of ${other}`)
      known.set(spelling, short)
    }
  for (const [code, { languages, needsRegion, regions = {} }] of Object.entries(countries)) {
    for (const language of languages.filter((one) => !Object.hasOwn(streetWords, one)))
      refuse(`countries.${code}.languages`, `${language} has no street words`)
    if (needsRegion && Object.keys(regions).length === 0)
      refuse(`countries.${code}.regions`, 'must not be empty')
  }
  const states = Object.keys(countries.USA?.regions ?? {})
  for (const state of UNITED_STATES_POSTAL)
    if (!states.includes(state)) refuse('countries.USA.regions', `must have ${state}`)
}
