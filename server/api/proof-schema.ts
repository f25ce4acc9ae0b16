/** Writes the JSON Schema (2020-12) of a proof archive's JSON files from the contract. Served, and packed with the verifier. */
import { z } from 'zod'
import { PROOF_VERSION } from '../proof/archive.ts'
import { LONG_TERM_FILE, LongTermSchema } from '../proof/verify/document.ts'
import { Identity } from './contract/index.ts'
import { ProofDetailsFile } from './contract/proof-details.ts'
import { ProofFile } from './contract/proof.ts'

type Json = Record<string, unknown>

const FILES = {
  'proof.json': ProofFile,
  'identityDetails.json': Identity,
  'verificationAndEvaluationDetails.json': ProofDetailsFile,
  [LONG_TERM_FILE]: LongTermSchema,
} as const satisfies Readonly<Record<string, z.ZodType>>

const DIALECT = 'https://json-schema.org/draft/2020-12/schema'

/** File of the archive → schema of its content. */
export function proofFileSchemas(): Readonly<Record<string, Json>> {
  return Object.fromEntries(
    Object.keys(FILES).map((file) => [file, { $schema: DIALECT, ...buildSchema(file) }]),
  )
}

function buildSchema(file: string): Json {
  const written = z.toJSONSchema(FILES[file as keyof typeof FILES], { io: 'output', unrepresentable: 'any' })
  return withoutDialect({ title: file, ...written })
}

/** Removes the dialect, because the enclosing document states it. */
function withoutDialect({ $schema: _, ...schema }: Json): Json {
  return schema
}

/** Returns one document with the schema of each file under `$defs`. */
export function describeProof(): Json {
  return {
    $schema: DIALECT,
    title: `Proof archive, form ${PROOF_VERSION}`,
    description: 'Each JSON file of the archive under $defs, by its name (docs/proof-archive.md)',
    $defs: Object.fromEntries(Object.keys(FILES).map((file) => [file, buildSchema(file)])),
  }
}
