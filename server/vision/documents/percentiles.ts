/** The value below which `share` of the data lie, for integers from 0 to `values` − 1. */
export function percentileOfCounts(data: Uint8Array | Uint16Array, values: number, share: number): number {
  return percentileIn(countValues(data, values), data.length, share)
}

/** Histogram of integers from 0 to `values` − 1. */
export function countValues(data: Uint8Array | Uint16Array, values: number): Uint32Array {
  const counts = new Uint32Array(values)
  // Indexed loop: iterating over a typed array takes several times as long for whole pictures.
  for (let i = 0; i < data.length; i++) counts[data[i]]++
  return counts
}

/** Percentile of an existing histogram, to compute several from one count. */
export function percentileIn(counts: Uint32Array, total: number, share: number): number {
  let rest = Math.floor(share * total)
  let value = 0
  while (value < counts.length - 1 && rest >= counts[value]) rest -= counts[value++]
  return value
}

/** Percentile of arbitrary numbers, by sorting. */
export function percentile(values: ArrayLike<number>, share: number): number {
  const sorted = Float32Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
}

/** Returns 0 for an empty array. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}

/** Returns the upper of two middle values, and 0 for an empty array. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}
