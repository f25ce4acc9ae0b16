/** The closed list of problem codes of a proof archive. Each problem is one sentence and names its file. */
export const PROBLEM_CODES = [
  'archive_unreadable', // not a zip, or its directory cannot be followed
  'archive_too_large', // more entries or bytes than a proof can have
  'entry_refused', // a name, kind or encoding that no proof archive contains
  'container_altered', // the files are intact, but the zip around them is not as written
  'file_missing',
  'file_unlisted', // present, but proof.json has no hash for it
  'hash_mismatch',
  'json_malformed',
  'field_invalid', // a required field is missing or of the wrong type
  'proof_not_minimised', // proof.json is not in the form that was signed
  'signature_header_refused', // any header other than {"alg":"RS256"}
  'signature_malformed',
  'signature_payload_differs', // the signature covers a text other than this proof.json
  'signature_invalid', // none of the supplied keys made it
  'key_unusable',
  'key_revoked', // and no time stamp proves that the proof is older
  'certificate_missing', // the caller supplied only a CA, and the archive has no certificate
  'certificate_invalid', // not readable, not valid at the time of use, or not for this use
  'certificate_untrusted', // the chain does not end at a supplied CA
  'certificate_foreign', // belongs to a key other than the signing key
  'timestamp_invalid', // not readable, for other content, or not signed as required
  'timestamp_untrusted', // its authority is not under a supplied CA
  'identity_mismatch', // the parts refer to different identities
  'details_missing', // an evidence or consent without its verification and evaluation details
  'more_problems', // more problems than a report lists
] as const

export type ProblemCode = (typeof PROBLEM_CODES)[number]

export interface Problem {
  readonly code: ProblemCode
  /** Path inside the root folder (`images/….jpg`); absent if the problem concerns no single file. */
  readonly file?: string
  /** One sentence for a person, with names and numbers but no content. */
  readonly message: string
}

const MAX_SHOWN_LENGTH = 200 // longer than any path that we write; a hostile name must not flood a terminal

/** Makes a name from the archive safe to print: no control or direction characters, bounded length. */
export function printable(name: string): string {
  const safe = name.replace(/[^\x20-\x7e]/gu, '?')
  return safe.length > MAX_SHOWN_LENGTH ? `${safe.slice(0, MAX_SHOWN_LENGTH)}…` : safe
}

export function problem(code: ProblemCode, message: string, file?: string): Problem {
  return file === undefined ? { code, message } : { code, file: printable(file), message }
}
