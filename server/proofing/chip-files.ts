/** The files of a chip, as they are stored: one JSON file with base64, so that a proof can hold them. */
import { z } from 'zod'
import { AppError } from '../errors.ts'

export interface ChipFiles {
  readonly sod: Uint8Array
  /** EF.COM; null if the chip has none or it was not read. */
  readonly com: Uint8Array | null
  readonly cardSecurity: Uint8Array | null
  /** Number of the group → file. */
  readonly dataGroups: ReadonlyMap<number, Uint8Array>
}

/** The largest group, DG2, has up to 40 kilobytes in passports; TR-03105-5.1 tests with images above 32 kilobytes. */
export const MAX_CHIP_FILE_BYTES = 512 * 1024
/** Base64 of a file. */
export const MAX_CHIP_FILE_CHARS = Math.ceil(MAX_CHIP_FILE_BYTES / 3) * 4
/** All files of a chip in JSON; a passport has about 60 kilobytes of them. */
export const MAX_CHIP_REQUEST_BYTES = 2 * 1024 * 1024
/** Groups that are used: MRZ, portrait, signature, further details, keys. */
export const USED_GROUPS = [1, 2, 7, 11, 12, 14, 15] as const

const Base64 = z.base64().max(MAX_CHIP_FILE_CHARS)

const StoredFiles = z.strictObject({
  sod: Base64,
  com: Base64.optional(),
  cardSecurity: Base64.optional(),
  dataGroups: z.partialRecord(z.enum(USED_GROUPS.map(String) as [string, ...string[]]), Base64),
})

export function writeChipFiles({ sod, com, cardSecurity, dataGroups }: ChipFiles): Buffer {
  const encode = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
  const stored: z.infer<typeof StoredFiles> = {
    sod: encode(sod),
    ...(com ? { com: encode(com) } : {}),
    ...(cardSecurity ? { cardSecurity: encode(cardSecurity) } : {}),
    dataGroups: Object.fromEntries(
      [...dataGroups].sort(([a], [b]) => a - b).map(([number, file]) => [String(number), encode(file)]),
    ),
  }
  return Buffer.from(JSON.stringify(stored))
}

/** Throws `storage_damaged` for bytes that `writeChipFiles` did not write. */
export function readChipFiles(bytes: Uint8Array): ChipFiles {
  const parsed = StoredFiles.safeParse(parseJson(bytes))
  if (!parsed.success) throw new AppError('storage_damaged', { file: 'chip' })
  const { sod, com, cardSecurity, dataGroups } = parsed.data
  const decode = (text: string): Uint8Array => Buffer.from(text, 'base64')
  return {
    sod: decode(sod),
    com: com === undefined ? null : decode(com),
    cardSecurity: cardSecurity === undefined ? null : decode(cardSecurity),
    dataGroups: new Map(
      Object.entries(dataGroups).flatMap(([number, text]) =>
        text === undefined ? [] : [[Number(number), decode(text)] as const],
      ),
    ),
  }
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    return null
  }
}
