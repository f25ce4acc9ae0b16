/** The scale of a chart. Pure. */

/** Returns the next round number above all values: 1, 2 or 5 times a power of ten. */
export function niceTop(values: readonly (number | null)[]): number {
  const most = Math.max(0, ...values.filter((value) => value !== null))
  if (most === 0) return 1
  const power = 10 ** Math.floor(Math.log10(most))
  const factor = [1, 2, 5, 10].find((one) => one * power >= most) ?? 10
  return factor * power
}
