/**
 * Checks the files of an archive: each has its hash in proof.json, each JSON file has its required form, and all refer to
 * the same identity. Adds every fault to `problems`; no content of an archive makes these functions throw.
 */
import { createHash } from 'node:crypto'
import { type z } from 'zod'
import { canonicalJson, type JsonValue } from './canonical-json.ts'
import {
  DetailsSchema,
  findUndetailed,
  IdentityDetailsSchema,
  LONG_TERM_FILE,
  LongTermSchema,
  MEDIA_FOLDERS,
  type ProofDocument,
} from './document.ts'
import { collectFigures, type ProofFigures } from './figures.ts'
import { printable, problem, type Problem } from './problems.ts'
import { LIMITS } from './read-zip.ts'
import { type LongTerm } from './sealing.ts'

/** Maps the path inside the root folder to the content. */
export type Files = ReadonlyMap<string, Uint8Array>

export const PROOF = 'proof.json'
const IDENTITY = 'identityDetails.json'
const DETAILS = 'verificationAndEvaluationDetails.json'

/** Checks that every file has its hash in proof.json and every hash its file. */
export function checkHashes(files: Files, { hashes }: ProofDocument, problems: Problem[]): void {
  const listed = new Map([
    [IDENTITY, hashes.identityDetails],
    [DETAILS, hashes.verificationAndEvaluationDetails],
  ])
  for (const folder of MEDIA_FOLDERS) {
    for (const { path, hash } of hashes[folder] ?? []) {
      if (!path.startsWith(`${folder}/`) || listed.has(path)) {
        const message = `proof.json lists ${printable(path)} twice or in the wrong place.`
        problems.push(problem('field_invalid', message, PROOF))
      }
      listed.set(path, hash)
    }
  }
  for (const [path, hash] of listed) {
    const content = files.get(path)
    if (content === undefined) {
      problems.push(problem('file_missing', `${printable(path)} is listed in proof.json but missing.`, path))
    } else if (createHash('sha256').update(content).digest('hex') !== hash) {
      problems.push(
        problem('hash_mismatch', `${printable(path)} was altered: its hash is not the sealed one.`, path),
      )
    }
  }
  for (const path of files.keys()) {
    if (path !== PROOF && path !== LONG_TERM_FILE && !listed.has(path)) {
      problems.push(problem('file_unlisted', `${printable(path)} is not part of the sealed proof.`, path))
    }
  }
}

/** Checks that the parts agree. Returns the level of assurance and the figures, or null if they cannot be determined. */
export function checkContents(
  files: Files,
  proof: ProofDocument,
  problems: Problem[],
): { readonly levelOfAssurance: string; readonly figures: ProofFigures } | null {
  const identity = parseShape(IdentityDetailsSchema, parseJson(files, IDENTITY, problems), IDENTITY, problems)
  const details = parseShape(DetailsSchema, parseJson(files, DETAILS, problems), DETAILS, problems)
  if (identity === null || details === null) return null
  if (identity.globalStatus.id !== proof.identityId) {
    problems.push(problem('identity_mismatch', 'identityDetails.json is about another identity.', IDENTITY))
  }
  for (const id of findUndetailed(identity, details)) {
    const message = `${DETAILS} says nothing of the evidence or consent ${printable(id)}.`
    problems.push(problem('details_missing', message, DETAILS))
  }
  return { levelOfAssurance: identity.globalStatus.levelOfAssurance, figures: collectFigures(proof, details) }
}

/**
 * Reads certificates and time stamp if the archive has any. Returns null and adds a problem if the file is not in our
 * form.
 */
export function readLongTerm(files: Files, problems: Problem[]): LongTerm | null {
  if (!files.has(LONG_TERM_FILE)) return { chain: null, token: null }
  const json = parseJson(files, LONG_TERM_FILE, problems)
  const found = parseShape(LongTermSchema, json, LONG_TERM_FILE, problems)
  if (found === null) return null
  if (!isCanonical(json, files, LONG_TERM_FILE)) {
    const message = `${LONG_TERM_FILE} is not in the minimised form.`
    problems.push(problem('field_invalid', message, LONG_TERM_FILE))
    return null
  }
  const { certificateChain = null, timestampToken } = found
  return {
    chain: certificateChain && certificateChain.map((der) => Buffer.from(der, 'base64')),
    token: timestampToken === undefined ? null : Buffer.from(timestampToken, 'base64'),
  }
}

export function isCanonical(json: unknown, files: Files, path: string): boolean {
  return canonicalJson(json as JsonValue) === decodeText(files, path)
}

/** Returns undefined and adds a problem if the file is absent or is not JSON. */
export function parseJson(files: Files, path: string, problems: Problem[]): unknown {
  const content = files.get(path)
  if (content === undefined) {
    // The hash check already reports the other two files.
    if (path === PROOF) problems.push(problem('file_missing', 'proof.json is missing.', PROOF))
    return undefined
  }
  if (!isReadableJson(content)) {
    const message = `${path} is larger than a JSON file of a proof can be (${content.length} bytes).`
    problems.push(problem('archive_too_large', message, path))
    return undefined
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(content)) as unknown
  } catch {
    problems.push(problem('json_malformed', `${path} is not JSON in UTF-8.`, path))
    return undefined
  }
}

const [COMMA, BRACE, BRACKET] = [0x2c, 0x7b, 0x5b]

/**
 * Tells whether the file is within the limits of a proof. It counts members and elements before parsing, because the
 * schema check creates a problem for every wrong element: 16 MB of zeros would take gigabytes of memory.
 */
export function isReadableJson(content: Uint8Array): boolean {
  if (content.length > LIMITS.jsonBytes) return false
  let items = 0
  for (let at = 0; at < content.length && items <= LIMITS.jsonItems; at++) {
    const byte = content[at]
    if (byte === COMMA || byte === BRACE || byte === BRACKET) items++
  }
  return items <= LIMITS.jsonItems
}

/** Returns null and adds one problem per field if the shape is wrong. Messages name fields and types, never values. */
export function parseShape<T>(
  schema: z.ZodType<T>,
  json: unknown,
  path: string,
  problems: Problem[],
): T | null {
  if (json === undefined) return null
  const result = schema.safeParse(json)
  if (result.success) return result.data
  for (const { path: field } of result.error.issues) {
    const name = printable(field.map(String).join('.')) || 'the whole document'
    problems.push(problem('field_invalid', `${path}: ${name} is missing or not of the right form.`, path))
  }
  return null
}

function decodeText(files: Files, path: string): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(files.get(path))
}
