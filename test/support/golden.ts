/**
 * The golden archives of test/vectors/proofs: archives, the trust for them, and the verifier's report at the
 * time.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KeySource, VerificationReport } from '../../server/proof/verify.ts'

export const GOLDEN_FOLDER = join(import.meta.dirname, '..', 'vectors', 'proofs')

export interface Golden {
  /** `FORM/CASE`. */
  readonly name: string
  readonly folder: string
  readonly archive: Uint8Array
  readonly trust: KeySource
  readonly report: VerificationReport
}

/** All archives ever committed, by name. */
export function readGoldens(): readonly Golden[] {
  return foldersOf(GOLDEN_FOLDER).flatMap((form) =>
    foldersOf(join(GOLDEN_FOLDER, form)).map((name) => {
      const folder = join(GOLDEN_FOLDER, form, name)
      return {
        name: `${form}/${name}`,
        folder,
        archive: readFileSync(join(folder, 'proof.zip')),
        trust: readTrust(folder),
        report: JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as VerificationReport,
      }
    }),
  )
}

export function readTrust(folder: string): KeySource {
  const text = (file: string): string | null => {
    const path = join(folder, file)
    return existsSync(path) ? readFileSync(path, 'utf8') : null
  }
  const [jwks, caPem, tsaCaPem] = [text('jwks.json'), text('ca.pem'), text('tsa-ca.pem')]
  return {
    ...(jwks !== null && { jwks: JSON.parse(jwks) as unknown }),
    ...(caPem !== null && { caPem }),
    ...(tsaCaPem !== null && { tsaCaPem }),
  }
}

function foldersOf(path: string): readonly string[] {
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
}
