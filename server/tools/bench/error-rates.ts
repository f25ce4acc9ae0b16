/** Error rates of comparisons and their uncertainty (ISO/IEC 19795-1). Pure arithmetic. */

/** Two-sided 95 % quantile of the normal distribution. */
const Z95 = 1.959964

/** Wilson's score interval for `errors` of `trials`, assuming independent trials. */
export function wilson95(errors: number, trials: number): [number, number] {
  if (trials === 0) return [0, 1]
  const rate = errors / trials
  const z2 = Z95 * Z95
  const centre = (rate + z2 / (2 * trials)) / (1 + z2 / trials)
  const half =
    (Z95 * Math.sqrt((rate * (1 - rate)) / trials + z2 / (4 * trials * trials))) / (1 + z2 / trials)
  return [Math.max(0, centre - half), Math.min(1, centre + half)]
}

export function median(values: readonly number[]): number | null {
  if (values.length === 0) return null
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** The nearest value below which this share of the values lies. */
export function quantile(values: readonly number[], share: number): number | null {
  if (values.length === 0) return null
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]
}
