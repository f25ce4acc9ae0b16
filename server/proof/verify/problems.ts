/** What can be wrong with a proof archive: a closed list of codes, each problem one sentence, the file named. */
export const PROBLEM_CODES = [
  'archive_unreadable', // not a zip, or its directory cannot be followed
  'archive_too_large', // more entries or bytes than a proof can have
  'entry_refused', // a name, kind or encoding that no proof archive contains
  'container_altered', // the files are intact, but the zip around them is not as it was written
  'file_missing',
  'file_unlisted', // present, but no hash in proof.json speaks for it
  'hash_mismatch',
  'json_malformed',
  'field_invalid', // a required field is missing or of the wrong type
  'proof_not_minimised', // proof.json is not in the form that was signed
  'signature_header_refused', // anything but {"alg":"RS256"}
  'signature_malformed',
  'signature_payload_differs', // signed something else than this proof.json
  'signature_invalid', // no key given has made it
  'key_unusable',
  'key_revoked', // and nothing proves that the proof is older
  'certificate_missing', // only a CA was given, and the archive brings no certificate
  'certificate_invalid', // not readable, not valid when it was used, not for this use
  'certificate_untrusted', // its chain ends at no CA that was given
  'certificate_foreign', // of another key than the one that signed
  'timestamp_invalid', // not readable, for something else, or not signed as it must be
  'timestamp_untrusted', // by no authority under a CA that was given
  'identity_mismatch', // the parts speak of different identities
  'details_missing', // an evidence or consent without its verification and evaluation details
  'more_problems', // than a report lists
] as const

export type ProblemCode = (typeof PROBLEM_CODES)[number]

export interface Problem {
  readonly code: ProblemCode
  /** Path inside the root folder (`images/….jpg`); absent when no single file is meant. */
  readonly file?: string
  /** One sentence for a person. Holds names and numbers, never content. */
  readonly message: string
}

const MAX_SHOWN_LENGTH = 200 // longer than any path we write; a hostile name must not flood a terminal

/** A name from the archive made safe to print: no control or direction characters, bounded length. */
export function printable(name: string): string {
  const safe = name.replace(/[^\x20-\x7e]/gu, '?')
  return safe.length > MAX_SHOWN_LENGTH ? `${safe.slice(0, MAX_SHOWN_LENGTH)}…` : safe
}

export function problem(code: ProblemCode, message: string, file?: string): Problem {
  return file === undefined ? { code, message } : { code, file: printable(file), message }
}
