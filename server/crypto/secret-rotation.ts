/**
 * A secret key → a rotation of many-dimensional space, the same for the same key. Distances and angles between two
 * vectors that were turned alike are what they were; a turned and an unturned one, or two turned by different keys,
 * have nothing to do with each other. It keeps apart, and does not hide: an attacker with as many pairs of turned and
 * unturned vectors as there are dimensions can compute it. What must stay secret is sealed as well.
 */
import { createCipheriv, hkdfSync } from 'node:crypto'

const KEY_BYTES = 32
const IV_BYTES = 16
/** Bytes of one random number between 0 and 1: 48 bits. */
const UNIFORM_BYTES = 6

/**
 * Draws a rotation or mirroring evenly from all of them (orthogonal matrices by the Haar measure): makes independent
 * normal vectors orthogonal, one after the other. `purpose` gives a key several rotations.
 */
export function secretRotation(
  key: Uint8Array,
  purpose: string,
  size: number,
): (vector: Float32Array) => Float32Array {
  const rows = orthogonal(normals(key, purpose, size * size), size)
  return (vector) => {
    if (vector.length !== size)
      throw new TypeError(`a vector of ${size} numbers is turned, not of another size`)
    return Float32Array.from(rows, (row) => dot(row, vector))
  }
}

/** Makes normally distributed numbers (Box and Muller) from the key stream of AES-256-CTR. */
function normals(key: Uint8Array, purpose: string, count: number): Float64Array {
  const streamKey = Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), `rotation:${purpose}`, KEY_BYTES))
  const cipher = createCipheriv('aes-256-ctr', streamKey, Buffer.alloc(IV_BYTES))
  const stream = cipher.update(Buffer.alloc(count * 2 * UNIFORM_BYTES))
  // Always above 0, because 0 has no logarithm.
  const uniform = (i: number) =>
    (stream.readUIntBE(i * UNIFORM_BYTES, UNIFORM_BYTES) + 1) / 2 ** (8 * UNIFORM_BYTES)
  return Float64Array.from(
    { length: count },
    (_, i) => Math.sqrt(-2 * Math.log(uniform(2 * i))) * Math.cos(2 * Math.PI * uniform(2 * i + 1)),
  )
}

/** Applies Gram-Schmidt twice to each row. A single pass leaves rounding errors that would show in the distances. */
function orthogonal(numbers: Float64Array, size: number): readonly Float64Array[] {
  const rows: Float64Array[] = []
  for (let i = 0; i < size; i++) {
    const row = numbers.slice(i * size, (i + 1) * size)
    for (let pass = 0; pass < 2; pass++) {
      for (const before of rows) {
        const along = dot(before, row)
        for (let j = 0; j < size; j++) row[j] -= along * before[j]
      }
    }
    const length = Math.sqrt(dot(row, row))
    rows.push(row.map((number) => number / length))
  }
  return rows
}

function dot(a: Float64Array, b: Float64Array | Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i]
  return sum
}
