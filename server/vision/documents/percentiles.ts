/** The value below which `share` of the data lie; whole numbers from 0 to `values` − 1, by counting. */
export function percentileOfCounts(data: Uint8Array | Uint16Array, values: number, share: number): number {
  return percentileIn(countValues(data, values), data.length, share)
}

/** How often each whole number from 0 to `values` − 1 occurs. */
export function countValues(data: Uint8Array | Uint16Array, values: number): Uint32Array {
  const counts = new Uint32Array(values)
  // By index: an iterator over a typed array takes several times as long, and these are whole pictures.
  for (let i = 0; i < data.length; i++) counts[data[i]]++
  return counts
}

/** The same from what was counted before: several percentiles of one count. */
export function percentileIn(counts: Uint32Array, total: number, share: number): number {
  let rest = Math.floor(share * total)
  let value = 0
  while (value < counts.length - 1 && rest >= counts[value]) rest -= counts[value++]
  return value
}

/** The same for any numbers, by sorting. */
export function percentile(values: ArrayLike<number>, share: number): number {
  const sorted = Float32Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
}

/** Zero of none. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}

/** Of an even number the upper one of both in the middle; zero of none. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}
