/**
 * Creates protected templates (ISO/IEC 24745): transforms each part of a face template by a secret of the tenant. Two
 * templates with the same transform compare like the originals.
 */
import { secretRotation } from '../../crypto/secret-rotation.ts'
import { AppError } from '../../errors.ts'
import { isOpaqueTemplate, OPAQUE_VERSION, readTemplate, writeTemplate } from '../../vision/protocol.ts'

/** Says nothing of the face. In the index it tells that a face is missing there, until its template is made again. */
const NOT_COMPARABLE = Uint8Array.of(OPAQUE_VERSION)

/**
 * A template that only its engine reads cannot be transformed: NOT_COMPARABLE takes its place.
 * Creating a rotation takes some milliseconds, applying it some microseconds: keep it for one piece of work,
 * not longer.
 */
export function createTemplateProtection(tenantKey: Uint8Array): (template: Uint8Array) => Uint8Array {
  const rotations = new Map<string, (vector: Float32Array) => Float32Array>()
  const createRotation = (madeBy: string, size: number) => {
    const purpose = `${madeBy}:${size}`
    const known = rotations.get(purpose) ?? secretRotation(tenantKey, purpose, size)
    rotations.set(purpose, known)
    return known
  }
  return (template) => {
    if (isOpaqueTemplate(template)) return NOT_COMPARABLE
    const parts = readTemplate(template)
    if (!parts) throw new AppError('storage_damaged', { reason: 'no template' })
    return writeTemplate(
      parts.map((part) => ({
        ...part,
        numbers: createRotation(part.madeBy, part.numbers.length)(part.numbers),
      })),
    )
  }
}
