/** Reads the certificate and the key of a TLS listener, and checks that they belong together. */
import { resolve } from 'node:path'
import { createSecureContext } from 'node:tls'
import { AppError, type FieldProblem } from '../errors.ts'
import { readOwnFile, UnsafeFileError, type OwnFileKind } from './own-files.ts'

interface TlsFiles {
  readonly certificateFile: string
  readonly keyFile: string
}

/** The form that `node:tls` accepts. */
export interface TlsMaterial {
  readonly cert: Buffer
  readonly key: Buffer
}

/**
 * Throws `configuration_invalid` with one problem per file. @param field name of the option that holds the two files
 */
export function readTlsFiles(dataDir: string, files: TlsFiles, field: string): TlsMaterial {
  const problems: FieldProblem[] = []
  const read = (name: keyof TlsFiles, kind: OwnFileKind): Buffer => {
    try {
      return readOwnFile(resolve(dataDir, files[name]), kind)
    } catch (error) {
      const message =
        error instanceof UnsafeFileError
          ? `${error.path}: ${error.message}`
          : 'the file that it names is missing or cannot be read'
      problems.push({ code: 'unusable', field: `${field}.${name}`, message })
      return Buffer.alloc(0)
    }
  }
  const material = { cert: read('certificateFile', 'public'), key: read('keyFile', 'secret') }
  if (problems.length === 0 && !isUsable(material))
    problems.push({ code: 'unusable', field, message: 'the certificate and the key are no PEM, or no pair' })
  if (problems.length > 0) throw new AppError('configuration_invalid', { field }, { problems })
  return material
}

function isUsable(material: TlsMaterial): boolean {
  try {
    createSecureContext(material)
    return true
  } catch {
    return false
  }
}
