/** The value below which `share` of the data lie; whole numbers from 0 to `values` − 1, by counting. */
export function percentileOfCounts(data: Uint8Array | Uint16Array, values: number, share: number): number {
  const counts = new Uint32Array(values)
  for (const value of data) counts[value]++
  let rest = Math.floor(share * data.length)
  let value = 0
  while (value < values - 1 && rest >= counts[value]) rest -= counts[value++]
  return value
}

/** The same for any numbers, by sorting. */
export function percentile(values: ArrayLike<number>, share: number): number {
  const sorted = Float32Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
}
