/**
 * The dialogue of a key ceremony: two names, one fingerprint read aloud and typed back, one signed record.
 */
import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { makePlainFolder } from '../files/folder.ts'
import { writeNewFile } from '../files/write-file.ts'
import { type CeremonyFacts, ceremonyRecord, computeFingerprint, sameFingerprint } from '../keys/ceremony.ts'
import { KeyRefused } from '../keys/refused.ts'
import type { KeySigner } from '../proof/sign.ts'
import type { Terminal } from './terminal.ts'

interface CeremonyOptions {
  readonly recordDir: string
  /** Asked for if empty. */
  readonly witnesses: readonly string[]
  /** False: a script creates the key, and the record says that the fingerprint was not read aloud. */
  readonly readAloud: boolean
}

const WITNESSES = 2
const TRIES = 3

/** Asks for two different names. Throws KeyRefused. */
export async function nameWitnesses(
  options: CeremonyOptions,
  terminal: Terminal,
): Promise<readonly string[]> {
  const names = [...options.witnesses]
  if (names.length === 0) {
    terminal.say('Two people make this key together. Their names go into the record, and nowhere else.')
    for (const which of ['first', 'second']) names.push(await terminal.ask(`Name of the ${which} person:`))
  }
  const different = new Set(names.map((name) => name.trim().toLowerCase()).filter((name) => name !== ''))
  if (names.length !== WITNESSES || different.size !== WITNESSES) {
    throw new KeyRefused('A ceremony needs two people of different names. Nothing was changed.')
  }
  return names.map((name) => name.trim())
}

/** Throws KeyRefused if the typed fingerprint differs. */
export async function confirmFingerprint(signer: KeySigner, terminal: Terminal): Promise<void> {
  const fingerprint = computeFingerprint(signer.publicKey)
  terminal.say('The first person reads the fingerprint of the new key aloud, the second types it:')
  terminal.say(`\n  ${fingerprint}\n`)
  for (let tries = 1; tries <= TRIES; tries++) {
    if (sameFingerprint(await terminal.ask('Fingerprint:'), fingerprint)) return
    terminal.say('That is not the fingerprint above.')
  }
  throw new KeyRefused('The fingerprint was not typed back. The key was thrown away; nothing was changed.')
}

/**
 * Writes the record before `commit` stores the key, so that no key of a ceremony lacks its record. Returns
 * the path.
 */
export async function recordAndCommit(
  signer: KeySigner,
  facts: CeremonyFacts,
  recordDir: string,
  commit: () => void,
): Promise<string> {
  const folder = resolve(recordDir)
  await makePlainFolder(folder)
  const path = join(folder, `key-ceremony-${signer.keyId}.json`)
  if (!writeNewFile(path, await ceremonyRecord(signer, facts))) {
    throw new KeyRefused(`There is a file ${path} already. Nothing was changed.`)
  }
  try {
    commit()
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  }
  return path
}
