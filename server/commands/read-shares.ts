/** Reads shares of the master key, from files or typed at the terminal. */
import { basename } from 'node:path'
import { AppError } from '../errors.ts'
import { readGivenFile } from '../files/read-file.ts'
import { KeyRefused } from '../keys/refused.ts'
import { LINES, parseShare, type Share, ShareReader } from '../keys/share-text.ts'
import type { NamedShare } from '../keys/shares.ts'
import { NoAnswer, openTerminal, type Terminal } from './terminal.ts'

/** A share has less than a kilobyte; a larger file gets a specific error. */
const LARGEST_SHARE = 16 * 1024 * 1024

/** Throws KeyRefused with a sentence for each damaged file. */
export async function readShareFiles(files: readonly string[]): Promise<readonly NamedShare[]> {
  const problems: string[] = []
  const named: NamedShare[] = []
  for (const path of files) {
    try {
      named.push({ name: basename(path), share: parseShare(await readText(path)) })
    } catch (error) {
      if (!(error instanceof KeyRefused)) throw error
      problems.push(`${basename(path)}: ${error.message}`)
    }
  }
  if (problems.length > 0) throw new KeyRefused(problems.join('\n'))
  return named
}

async function readText(path: string): Promise<string> {
  try {
    return (await readGivenFile(path, { mostBytes: LARGEST_SHARE })).toString('utf8')
  } catch (cause) {
    const reason = cause instanceof AppError ? cause.details.reason : null
    throw new KeyRefused(typeof reason === 'string' ? reason : 'It is no file that can be read.', { cause })
  }
}

/** Asks for as many as the first share requires. */
export async function askForShares(): Promise<NamedShare[]> {
  const terminal = openTerminal()
  try {
    const named: NamedShare[] = []
    do {
      terminal.say(`Share ${named.length + 1}: type its ${LINES} lines, in any case, with or without spaces.`)
      const share = await askForShare(terminal)
      named.push({ name: `typed share ${named.length + 1}`, share })
    } while (named.length < (named[0]?.share.threshold ?? 0))
    return named
  } finally {
    terminal.close()
  }
}

/** Asks again after a line with an error. */
async function askForShare(terminal: Terminal): Promise<Share> {
  const reader = new ShareReader()
  while (reader.next <= LINES) {
    try {
      reader.add(await terminal.ask(`line ${reader.next}:`))
    } catch (error) {
      if (!(error instanceof KeyRefused) || error instanceof NoAnswer) throw error
      terminal.say(error.message)
    }
  }
  return reader.share()
}
