/** `npm run chip -- read`: inspects the chip on a reader, for an administrator. Keys come from a file or a question, never from arguments. */
import { join } from 'node:path'
import type { InspectionOutcome } from '../chip-reader/messages.ts'
import { listMrzKeys } from '../chip/inspection/key-alternatives.ts'
import { readMrzFields } from '../chip/inspection/mrz-fields.ts'
import type { AccessKeys } from '../chip/inspection/open-chip.ts'
import type { Inspection } from '../chip/inspection/report.ts'
import { trustCertificates } from '../chip/passive/chip-trust.ts'
import { writeFileWhole } from '../files/write-file.ts'
import { openChipReaders } from '../open-connectors.ts'
import { readConfig } from './appliance.ts'
import { describePassive, readTrustFolder, toPassiveJson } from './chip-verify.ts'
import { makeOutFolder } from './given-files.ts'
import { READER_ADVICE, SILENT } from './readers.ts'
import { openTerminal } from './terminal.ts'
import { UsageError } from './usage.ts'
import { FileError, readFileOrInput } from './verify-proof-files.ts'

export interface ReadOptions {
  readonly mrzFile: string | undefined
  readonly canFile: string | undefined
  readonly reader: string | undefined
  readonly trust: string | undefined
  readonly out: string | undefined
  readonly data: string | undefined
}

type Key = { readonly keys: AccessKeys; readonly printedMrz: readonly string[] | null }

const MAX_KEY_BYTES = 1000
const MAX_LINES = 3

/** @throws UsageError */
export async function readChip(options: ReadOptions, now: Date, json: boolean): Promise<number> {
  const config = readConfig(options)
  const trust =
    options.trust === undefined ? trustCertificates([]) : (await readTrustFolder(options.trust)).trust
  const key = await readKey(options)
  if (options.out !== undefined) await makeOutFolder(options.out)
  const readers = await openChipReaders(config, SILENT)
  let outcome: InspectionOutcome
  try {
    outcome = await readers.inspect({
      ...key,
      trust,
      at: now,
      ...(options.reader === undefined ? {} : { reader: options.reader }),
      ...(json ? {} : { onProgress: showProgress() }),
    })
  } finally {
    await readers.close()
  }
  if (outcome.kind === 'fault') {
    const { fault } = outcome
    const advice = READER_ADVICE[fault]
    process.stdout.write(json ? `${JSON.stringify({ verdict: 'aborted', fault, advice })}\n` : `${advice}\n`)
    return 1
  }
  const { reader, inspection } = outcome
  if (options.out !== undefined) writeFiles(options.out, inspection)
  process.stdout.write(json ? `${JSON.stringify(toJson(reader, inspection))}\n` : toWords(reader, inspection))
  return inspection.verdict === 'successful' ? 0 : 1
}

async function readKey({ mrzFile, canFile }: ReadOptions): Promise<Key> {
  if (mrzFile !== undefined && canFile !== undefined)
    throw new UsageError('Give --mrz-file or --can-file: one key opens the chip.')
  if (canFile !== undefined)
    return { keys: { mrz: [], can: toCan(await readText(canFile)) }, printedMrz: null }
  const lines = mrzFile === undefined ? await askForMrz() : (await readText(mrzFile)).split('\n')
  return toMrzKey(lines.map((line) => line.replace(/\s/g, '')).filter((line) => line !== ''))
}

async function readText(file: string): Promise<string> {
  try {
    return (await readFileOrInput(file, MAX_KEY_BYTES)).toString('utf8')
  } catch (error) {
    if (error instanceof FileError) throw new UsageError(error.message, { cause: error })
    throw error
  }
}

async function askForMrz(): Promise<string[]> {
  const terminal = openTerminal()
  try {
    const lines: string[] = []
    while (lines.length < MAX_LINES) {
      const line = await terminal.ask(
        `MRZ, line ${lines.length + 1}${lines.length < 2 ? '' : ' (empty if there are two)'}:`,
      )
      if (line === '') break
      lines.push(line)
    }
    return lines
  } finally {
    terminal.close()
  }
}

/** The messages repeat no character of the document. */
function toMrzKey(lines: readonly string[]): Key {
  const fields = readMrzFields(lines)
  const mrz = fields === null ? [] : listMrzKeys(fields)
  if (mrz.length === 0)
    throw new UsageError(
      'These are not the lines of an MRZ: two of 44 or 36 characters, or three of 30, with < as they are printed.',
    )
  return { keys: { mrz, can: null }, printedMrz: lines }
}

function toCan(text: string): string {
  const can = text.trim()
  if (!/^\d{6}$/.test(can)) throw new UsageError('A card access number has six digits.')
  return can
}

/** Writes to standard error, one line for each file. */
function showProgress() {
  return ({ fileId, bytes, total }: { fileId: number; bytes: number; total: number | null }): void => {
    if (bytes === total) process.stderr.write(`read ${nameFile(fileId)}, ${bytes} bytes\n`)
  }
}

const FILE_NAMES: Readonly<Record<number, string>> = {
  0x11c: 'EF.CardAccess',
  0x11d: 'EF.SOD or EF.CardSecurity',
  0x11e: 'EF.COM',
}

function nameFile(fileId: number): string {
  return FILE_NAMES[fileId] ?? `DG${fileId - 0x100}`
}

/** The files as the chip gave them, and the portraits; only this user may read them. */
function writeFiles(folder: string, { dataGroups, sod, com, data }: Inspection): void {
  const write = (name: string, bytes: Uint8Array | null): void => {
    if (bytes !== null) writeFileWhole(join(folder, name), bytes)
  }
  write('EF_SOD.bin', sod)
  write('EF_COM.bin', com)
  for (const [number, bytes] of dataGroups) write(`DG${number}.bin`, bytes)
  for (const [i, { format, bytes }] of data.portraits.entries())
    write(`portrait-${i + 1}.${format === 'jpeg' ? 'jpg' : 'jp2'}`, bytes)
}

function toJson(
  reader: string,
  { verdict, steps, cloneProtection, access, lengths, passive, cardSecurity }: Inspection,
) {
  return {
    reader,
    verdict,
    steps,
    cloneProtection,
    access,
    lengths,
    passive: passive === null ? null : toPassiveJson(passive),
    cardSecurity: cardSecurity === null ? null : toPassiveJson(cardSecurity),
  }
}

function toWords(
  reader: string,
  { verdict, steps, cloneProtection, passive, cardSecurity }: Inspection,
): string {
  const words = (text: string): string => text.replaceAll('_', ' ')
  const { protocol } = cloneProtection
  return [
    `chip on ${reader}: ${words(verdict)}`,
    ...steps.map(
      (step) =>
        `  ${words(step.verdict).padEnd(13)} ${words(step.name)}${step.reason === null ? '' : `: ${words(step.reason)}`}`,
    ),
    `protection against copies: ${words(cloneProtection.verdict)}${protocol === null ? '' : `, by ${words(protocol)}`}`,
    ...(passive === null ? [] : describePassive('passive authentication', passive)),
    ...(cardSecurity === null ? [] : describePassive('EF.CardSecurity', cardSecurity)),
    '',
  ].join('\n')
}
