/** Reads a list file in pieces: its hash, its length and its text. Never holds the whole file in memory. */
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { AppError } from '../errors.ts'
import { openGivenFile, type OpenFile } from '../files/read-file.ts'
import { ListRefused } from './parsed-list.ts'

/** Four times the largest existing list (sdn_advanced.xml, about 120 MB in 2026). */
export const MAX_LIST_BYTES = 512 * 1024 * 1024
/** Windows programs end text files with this character, and so do older editions of sdn.csv. */
const END_OF_FILE = '\u001a'

const OTHER_KINDS: readonly (readonly [first: readonly number[], kind: string])[] = [
  [[0x50, 0x4b, 3, 4], 'a ZIP archive: unpack it first'],
  [[0x1f, 0x8b], 'compressed (gzip): unpack it first'],
  [[0x25, 0x50, 0x44, 0x46], 'a PDF: take the list in one of the formats that --help names'],
  [[0xff, 0xfe], 'in UTF-16: save it as UTF-8'],
  [[0xfe, 0xff], 'in UTF-16: save it as UTF-8'],
]

export interface TextFile {
  readonly name: string
  /** Throws ListRefused if the bytes are not UTF-8. May be called only once. */
  text(): AsyncGenerator<string>
  /** Available after the text has been read to its end. */
  facts(): { readonly sha256: string; readonly bytes: number }
}

/** Throws ListRefused for an empty or too large file, and the system's error for a missing file. */
export async function openTextFile(path: string): Promise<TextFile> {
  const name = basename(path)
  const { handle, bytes: size } = await open(path)
  await handle.close()
  if (size === 0) throw new ListRefused(`${name} is empty`)
  if (size > MAX_LIST_BYTES)
    throw new ListRefused(`${name} is larger than ${MAX_LIST_BYTES / 1024 / 1024} MB`)
  const hash = createHash('sha256')
  let bytes = 0
  let isRead = false
  return {
    name,
    text: async function* () {
      const decoder = new TextDecoder('utf-8', { fatal: true })
      const decode = (chunk: Buffer | undefined): string => {
        try {
          return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode()
        } catch {
          throw new ListRefused(
            `${name} is not UTF-8 after byte ${bytes}: it is damaged, or saved in another encoding`,
          )
        }
      }
      const { handle } = await open(path)
      for await (const chunk of handle.createReadStream({ end: size - 1 }) as AsyncIterable<Buffer>) {
        if (bytes === 0) refuseOtherKinds(name, chunk)
        const text = decode(chunk)
        hash.update(chunk)
        bytes += chunk.length
        if (text !== '') yield text.replaceAll(END_OF_FILE, '')
      }
      yield decode(undefined)
      isRead = true
    },
    facts: () => {
      if (!isRead) throw new TypeError('the file was not read to its end')
      return { sha256: hash.copy().digest('hex'), bytes }
    },
  }
}

/** Follows a link, because a list may be a link to its newest edition. Throws ListRefused unless it is a regular file. */
async function open(path: string): Promise<OpenFile> {
  return openGivenFile(path, { mostBytes: Infinity, mayBeLink: true }).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error
    throw new ListRefused(`${basename(path)} is not read: ${String(error.details.reason)}`, { cause: error })
  })
}

/** The first characters, to recognise the format. */
export async function readBeginning(path: string): Promise<string> {
  const file = await openTextFile(path)
  for await (const text of file.text()) return text.slice(0, 8192)
  return ''
}

function refuseOtherKinds(name: string, chunk: Buffer): void {
  const kind = OTHER_KINDS.find(([first]) => first.every((byte, i) => chunk[i] === byte))
  if (kind) throw new ListRefused(`${name} is ${kind[1]}`)
  if (chunk.subarray(0, 8192).includes(0)) throw new ListRefused(`${name} is no text file`)
}
