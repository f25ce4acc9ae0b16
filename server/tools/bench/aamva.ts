/**
 * `npm run bench:aamva`: runs the reader of North American barcodes on a folder of raw strings. It is the only bench that
 * prints the values it reads, because the caller supplies the strings.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { AamvaFacts } from '../../proofing/aamva/facts.ts'
import { readAamva } from '../../proofing/aamva/parse.ts'
import { endBench, findLabelledFolder, withLabelledData } from './labelled-data.ts'
import { writeAamvaTexts } from './rendered-sets.ts'

const HELP = `bench-aamva: parses every file of a folder as the text of a North American licence's barcode

  --dir DIR   the raw strings, one per file (UTF-8 or Latin-1)   (default ../shared/data/aamva, without it strings
              written here of invented persons, one for each version of the standard and country)
  --json      one JSON object at the end
  --help      this text

plausible: name, birth date from 1900 to today, number and jurisdiction, and an expiry date if the string has one.
Unlike the other benches this one prints the values: use strings that may be shown.

Example: npm run bench:aamva -- --dir my-strings
`

/** Seed of the invented persons. */
const SEED = 1

interface AamvaRecord {
  readonly file: string
  readonly version: number | null
  readonly kind: AamvaFacts['kind'] | null
  readonly name: string | null
  readonly surname: string | null
  readonly givenNames: readonly string[]
  readonly birthDate: string | null
  readonly documentNumber: string | null
  readonly jurisdiction: string | null
  readonly country: AamvaFacts['country'] | null
  readonly issueDate: string | null
  readonly expiryDate: string | null
  /** The string contains a meaningful expiry date. */
  readonly hasExpiry: boolean
  readonly plausible: boolean
  readonly deviations: readonly string[]
  readonly problem: string | null
}

interface AamvaBench {
  readonly files: number
  readonly parsed: number
  readonly plausible: number
  readonly records: readonly AamvaRecord[]
}

export async function run(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: {
      dir: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  const found = findLabelledFolder('aamva', values.dir, 'strings of invented persons are read')
  const result = await withLabelledData(
    found,
    (folder) => writeAamvaTexts(folder, SEED),
    (folder) => measure(readTexts(folder), new Date()),
  )
  process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : describe(result))
  return endBench(result.files)
}

function readTexts(dir: string): { file: string; text: string }[] {
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .sort()
    .map((file) => ({ file, text: decode(readFileSync(join(dir, file))) }))
}

/** The standard requires Latin-1, but some files use UTF-8. Latin-1 text is hardly ever valid UTF-8 by chance. */
export function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('latin1').decode(bytes)
  }
}

export function measure(texts: readonly { file: string; text: string }[], now: Date): AamvaBench {
  const records = texts.map(({ file, text }) => buildRecord(file, text, now))
  return {
    files: records.length,
    parsed: records.filter(({ problem }) => problem === null).length,
    plausible: records.filter(({ plausible }) => plausible).length,
    records,
  }
}

/** The element's name and eight digits in any order, not all zeros or nines. */
const EXPIRY = /DBA\D?(?!0{8}|9{8})\d{8}/

function buildRecord(file: string, text: string, now: Date): AamvaRecord {
  const { facts, problem } = readAamva(text)
  const hasExpiry = EXPIRY.test(text)
  const given = facts?.givenNames ?? []
  const suffix = facts?.suffix ? [facts.suffix] : []
  return {
    file,
    version: facts?.version ?? null,
    kind: facts?.kind ?? null,
    name: facts && [...given, facts.surname, ...suffix].join(' '),
    surname: facts?.surname ?? null,
    givenNames: given,
    birthDate: facts?.birthDate ?? null,
    documentNumber: facts?.documentNumber ?? null,
    jurisdiction: facts?.jurisdiction ?? null,
    country: facts?.country ?? null,
    issueDate: facts?.issueDate ?? null,
    expiryDate: facts?.expiryDate ?? null,
    hasExpiry,
    plausible: facts !== null && isPlausible(facts, hasExpiry, now),
    deviations: facts?.deviations ?? [],
    problem,
  }
}

function isPlausible(facts: AamvaFacts, hasExpiry: boolean, now: Date): boolean {
  const { surname, givenNames, birthDate, documentNumber, jurisdiction, expiryDate } = facts
  const today = now.toISOString().slice(0, 10)
  return (
    /\p{L}/u.test(surname) &&
    givenNames.every((name) => /\p{L}/u.test(name)) &&
    birthDate !== null &&
    birthDate >= '1900-01-01' &&
    birthDate <= today &&
    /[A-Z\d]/i.test(documentNumber) &&
    jurisdiction !== null &&
    (expiryDate !== null || !hasExpiry)
  )
}

function describe({ files, parsed, plausible, records }: AamvaBench): string {
  const rows = records.map((record) =>
    [
      record.plausible ? 'plausible' : (record.problem ?? 'DOUBTFUL'),
      record.file,
      record.jurisdiction ?? '-',
      `v${record.version ?? '-'}`,
      record.name ?? '-',
      record.birthDate ?? '-',
      record.documentNumber ?? '-',
      record.expiryDate ?? '-',
      record.deviations.join(','),
    ].join('  '),
  )
  return [...rows, `files ${files}  parsed ${parsed}  plausible ${plausible}`, ''].join('\n')
}
