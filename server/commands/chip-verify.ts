/** `npm run chip -- verify`: passive authentication of the files of a chip, with the authorities of a folder. Stores nothing. */
import { readdir } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { Verdict } from '../chip/outcome.ts'
import {
  authenticateCardSecurity,
  authenticatePassively,
  type PassiveReport,
} from '../chip/passive/passive-authentication.ts'
import { DEFAULT_POLICY } from '../chip/passive/policy.ts'
import { MAX_FILE_BYTES } from '../chip/read-file.ts'
import { replaceControlCharacters } from '../files/folder.ts'
import { readFolderTrust, type FolderTrust } from '../trust/chip-trust.ts'
import { TrustRefused } from '../trust/refused.ts'
import { MAX_FILE_BYTES as MAX_TRUST_BYTES } from '../trust/trust-file.ts'
import { readCode, readNamedFile } from './given-files.ts'
import { UsageError } from './usage.ts'

export interface VerifyOptions {
  readonly sod: string | undefined
  readonly dg: readonly string[]
  readonly com: string | undefined
  readonly cardSecurity: string | undefined
  readonly trust: string | undefined
  readonly at: string | undefined
  readonly requireRevocationList: boolean
}

/** Descriptions beside the lists. Every other file must be one of the trust store, so that a damaged list is not passed over. */
const OTHER_EXTENSIONS: readonly string[] = ['.json', '.md', '.txt', '.tsv', '.csv', '.pdf', '.html']
const MAX_TRUST_FILES = 1024
const MAX_DATA_GROUP = 16

/** @throws UsageError */
export async function verifyFiles(options: VerifyOptions, now: Date, json: boolean): Promise<number> {
  const { sod, trust: folder } = options
  if (sod === undefined) throw new UsageError('Give EF.SOD: --sod FILE.')
  if (folder === undefined) throw new UsageError('Give the folder with the authorities: --trust FOLDER.')
  const at = options.at === undefined ? now : parseDate(options.at)
  const dataGroups = await readGroups(options.dg)
  const files = { sod: await readChipFile(sod), com: await readOptional(options.com) }
  const cardSecurity = await readOptional(options.cardSecurity)
  const { trust, entries, ignored } = await readTrustFolder(folder)
  const revocationUnknown = options.requireRevocationList ? 'undetermined' : DEFAULT_POLICY.revocationUnknown
  const judging = { trust, at, policy: { ...DEFAULT_POLICY, revocationUnknown } } as const
  const report = authenticatePassively({ ...files, dataGroups, ...judging })
  const card =
    cardSecurity === null
      ? null
      : authenticateCardSecurity({ cardSecurity, dg1: dataGroups.get(1) ?? null, ...judging })
  const verdict = joinVerdicts([report, ...(card === null ? [] : [card])])
  const result = {
    ...toPassiveJson(report),
    verdict,
    cardSecurity: card === null ? null : toPassiveJson(card),
    at: at.toISOString(),
    trust: { authorities: trust.authorities.length, files: entries, ignored },
  }
  process.stdout.write(json ? `${JSON.stringify(result)}\n` : toWords(report, card))
  return verdict === 'successful' ? 0 : 1
}

/** Failed if one file failed, else undetermined unless all are successful. */
function joinVerdicts(reports: readonly PassiveReport[]): Verdict {
  const verdicts = reports.map(({ verdict }) => verdict)
  if (verdicts.includes('failed')) return 'failed'
  return verdicts.every((verdict) => verdict === 'successful') ? 'successful' : 'undetermined'
}

/** A day (its beginning in UTC), or a time in UTC. */
function parseDate(text: string): Date {
  const isForm = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z)?$/.test(text)
  const date = new Date(text)
  // Date carries 31 February over to March.
  if (!isForm || Number.isNaN(date.getTime()) || !date.toISOString().startsWith(text.slice(0, 10)))
    throw new UsageError('--at takes a date such as 2026-11-29 or 2026-11-29T12:00:00Z.')
  return date
}

async function readGroups(given: readonly string[]): Promise<Map<number, Uint8Array>> {
  const groups = new Map<number, Uint8Array>()
  for (const each of given) {
    const [, digits = '', path = ''] = /^(\d{1,2})=(.+)$/s.exec(each) ?? []
    const number = Number(digits)
    if (path === '' || number < 1 || number > MAX_DATA_GROUP)
      throw new UsageError(`--dg takes a number from 1 to ${MAX_DATA_GROUP} and a file: --dg 1=DG1.bin.`)
    if (groups.has(number)) throw new UsageError(`--dg gives the data group ${number} twice.`)
    groups.set(number, await readChipFile(path))
  }
  return groups
}

async function readOptional(path: string | undefined): Promise<Uint8Array | null> {
  return path === undefined ? null : readChipFile(path)
}

function readChipFile(path: string): Promise<Uint8Array> {
  return readNamedFile(path, MAX_FILE_BYTES)
}

export async function readTrustFolder(
  folder: string,
): Promise<FolderTrust & { readonly ignored: readonly string[] }> {
  const name = replaceControlCharacters(folder)
  const found = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
    throw new UsageError(`The folder ${name} cannot be read (${readCode(cause)}).`, { cause })
  })
  const all = found.filter((entry) => entry.isFile()).map((entry) => entry.name)
  const names = all.filter((each) => !OTHER_EXTENSIONS.includes(extname(each).toLowerCase())).sort()
  if (names.length === 0)
    throw new UsageError(
      `The folder ${name} contains no master list and no certificate. npm run trust -- export --to FOLDER writes one.`,
    )
  if (names.length > MAX_TRUST_FILES)
    throw new UsageError(
      `The folder ${name} contains ${names.length} files, and ${MAX_TRUST_FILES} are the most.`,
    )
  const files = []
  for (const file of names)
    files.push({
      file: replaceControlCharacters(file),
      bytes: await readNamedFile(join(folder, file), MAX_TRUST_BYTES),
    })
  const ignored = all.filter((each) => !names.includes(each)).map(replaceControlCharacters)
  try {
    return { ...readFolderTrust(files), ignored }
  } catch (error) {
    if (error instanceof TrustRefused) throw new UsageError(error.message, { cause: error })
    throw error
  }
}

export function toPassiveJson({ certificates, signedAt, ...report }: PassiveReport) {
  const written = certificates.map((der) => Buffer.from(der).toString('base64'))
  return { ...report, signedAt: signedAt?.toISOString() ?? null, certificates: written }
}

function toWords(report: PassiveReport, card: PassiveReport | null): string {
  return [
    ...describePassive('passive authentication', report),
    ...(card === null ? [] : describePassive('EF.CardSecurity', card)),
    '',
  ].join('\n')
}

export function describePassive(
  title: string,
  { verdict, reason, checks, indicators, authority, lists }: PassiveReport,
) {
  const words = (text: string): string => text.replaceAll('_', ' ')
  return [
    `${title}: ${words(verdict)}${reason === null ? '' : ` (${words(reason)})`}`,
    ...checks.map(
      (each) =>
        `  ${words(each.verdict).padEnd(13)} ${words(each.name)}${each.reason === null ? '' : `: ${words(each.reason)}`}`,
    ),
    ...indicators.map((each) => `  indicator     ${each}`),
    ...(authority === null
      ? []
      : [
          `  authority     ${authority.country ?? '-'} ${authority.sha256}, from ${authority.sources.join(', ')}`,
        ]),
    ...lists.map((each) => `  list          ${each}`),
  ]
}
