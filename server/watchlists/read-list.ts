/**
 * Reads one list from its file or files: recognises the format, reads the content and computes the hash. Stores nothing.
 */
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { ListFile } from '../store/watchlists.ts'
import { readEuXml } from './eu-xml.ts'
import type { ListFormat } from '../proofing/watchlist/list-formats.ts'
import { readOfacCsv, type OfacFiles } from './ofac-csv.ts'
import { readOfacXml } from './ofac-xml.ts'
import { ListRefused, type ParsedList } from './parsed-list.ts'
import { isPlainHeader, readPlainCsv } from './plain-csv.ts'
import { readBeginning, openTextFile, type TextFile } from './read-file.ts'
import { readSwissXml } from './swiss-xml.ts'
import { readUkXml } from './uk-xml.ts'
import { readUnXml } from './un-xml.ts'

const FORMATS_BY_ROOT: Readonly<Partial<Record<string, ListFormat>>> = {
  CONSOLIDATED_LIST: 'un-xml',
  Sanctions: 'ofac-xml',
  export: 'eu-xml',
  Designations: 'uk-xml',
  'swiss-sanctions-list': 'swiss-xml',
}

/** File names as published beside sdn.csv; the same office's consolidated lists use other names for the same tables. */
const BESIDE = {
  'sdn.csv': { aliases: 'alt.csv', comments: 'sdn_comments.csv', addresses: 'add.csv' },
  'cons_prim.csv': { aliases: 'cons_alt.csv', comments: 'cons_comments.csv', addresses: 'cons_add.csv' },
} as const
type Companion = keyof (typeof BESIDE)['sdn.csv']

export interface ListInput {
  readonly file: string
  readonly format: ListFormat | 'auto'
  /** For the U.S. Treasury's CSV: files that are not beside the list. */
  readonly aliases?: string | undefined
  readonly comments?: string | undefined
  readonly addresses?: string | undefined
}

export interface ReadList extends ParsedList {
  readonly format: ListFormat
  /** Hash of the single file. With several files: hash of the lines `<sha256>  <role>` in the order of `files`. */
  readonly sha256: string
  readonly files: readonly ListFile[]
}

/** Throws ListRefused if the file is not a list, is damaged, or holds no person. */
export async function readList(input: ListInput): Promise<ReadList> {
  const format = input.format === 'auto' ? recogniseFormat(await readBeginning(input.file)) : input.format
  const paths = format === 'ofac-csv' ? findCompanions(input) : {}
  const opened = await Promise.all(
    Object.entries({ list: input.file, ...paths }).map(
      async ([role, path]) => [role, await openTextFile(path)] as const,
    ),
  )
  const byRole = new Map(opened)
  const parsed = await parse(format, byRole)
  if (parsed.persons.length === 0) throw new ListRefused(`the list holds no person`)
  const files = opened.map(([role, file]) => ({ role, ...file.facts() }))
  return { ...parsed, format, files, sha256: hashFiles(files) }
}

function parse(format: ListFormat, files: ReadonlyMap<string, TextFile>): Promise<ParsedList> {
  const list = files.get('list')
  if (!list) throw new TypeError('a list without its file')
  const beside = (role: Companion): TextFile | null => files.get(role) ?? null
  const ofac = (): OfacFiles => ({
    list,
    aliases: beside('aliases'),
    comments: beside('comments'),
    addresses: beside('addresses'),
  })
  const readers: Readonly<Record<ListFormat, () => Promise<ParsedList>>> = {
    'ofac-csv': () => readOfacCsv(ofac()),
    'ofac-xml': () => readOfacXml(list),
    'un-xml': () => readUnXml(list),
    'eu-xml': () => readEuXml(list),
    'uk-xml': () => readUkXml(list),
    'swiss-xml': () => readSwissXml(list),
    csv: () => readPlainCsv(list),
  }
  return readers[format]()
}

/** Throws ListRefused if the format is not recognised, and says what the file seems to be. */
function recogniseFormat(beginning: string): ListFormat {
  const text = beginning.replace(/^\uFEFF/, '').trimStart()
  if (text.startsWith('<')) {
    const root = /<([A-Za-z][\w.:-]*)/.exec(text)?.[1].replace(/^.*:/, '')
    const format = FORMATS_BY_ROOT[root ?? '']
    if (format) return format
    if (root === 'ArrayOfFinancialSanctionsTarget')
      throw new ListRefused('this is the former list of the UK Treasury: take UK_Sanctions_List.xml')
    if (root === 'sdnList')
      throw new ListRefused(
        'this is sdn.xml, which does not say enough: take sdn_advanced.xml, or sdn.csv with alt.csv',
      )
    if (root?.toLowerCase() === 'html') throw new ListRefused('this is a web page: save the list itself')
    throw new ListRefused('this XML file is none of the lists that --help names')
  }
  const [first = ''] = text.split(/\r?\n/, 1)
  const cells = first.split(',').map((cell) => cell.replace(/^"|"$/g, ''))
  if (isPlainHeader(cells)) return 'csv'
  if (/^"?\d+"?,/.test(first)) return 'ofac-csv'
  throw new ListRefused(
    'the format cannot be told: name it with --format, or give the file the header that --help names',
  )
}

/** A list without the other names of its persons would look complete but find only half of them. */
function findCompanions(input: ListInput): Readonly<Partial<Record<Companion, string>>> {
  const known = Object.entries(BESIDE).find(([name]) => name === basename(input.file).toLowerCase())
  // Some copies are published with names in capitals.
  const files = known ? readdirSync(dirname(input.file)) : []
  const beside = (role: Companion): string | undefined => {
    const file = files.find((name) => name.toLowerCase() === known?.[1][role])
    return input[role] ?? (file === undefined ? undefined : join(dirname(input.file), file))
  }
  const found = { aliases: beside('aliases'), comments: beside('comments'), addresses: beside('addresses') }
  if (found.aliases === undefined)
    throw new ListRefused(
      'the other names are missing: put alt.csv beside the file, or name it with --aliases',
    )
  return Object.fromEntries(Object.entries(found).filter(([, path]) => path !== undefined))
}

function hashFiles(files: readonly ListFile[]): string {
  if (files.length === 1) return files[0].sha256
  const lines = files.map(({ sha256, role }) => `${sha256}  ${role}\n`).join('')
  return createHash('sha256').update(lines).digest('hex')
}
