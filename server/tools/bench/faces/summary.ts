/** Formats the measurements of `npm run bench:faces` as text. */
import type { benchFaces } from '../faces.ts'

const percent = (rate: number | null): string => (rate === null ? 'unknown' : `${(rate * 100).toFixed(2)} %`)
const times = (ratio: number | null): string => (ratio === null ? '' : ` (× ${ratio.toFixed(2)})`)
const between = (interval: readonly [number, number] | null): string =>
  interval ? `${percent(interval[0])} to ${percent(interval[1])}` : 'unknown (no error)'

export function summary(result: Awaited<ReturnType<typeof benchFaces>>): string {
  const { idSim, frames } = result
  const rates = ({ fnmrAtFmr: at }: { fnmrAtFmr: typeof result.fnmrAtFmr }): string =>
    `${percent(at['1e-2'])}, ${percent(at['1e-3'])}, ${percent(at['1e-4'])}`
  return [
    `${result.people} people, ${result.images} images, ${result.engine.id} ${result.engine.version} (${result.models.map(({ id }) => id).join(' + ')}), seed ${result.seed}`,
    `left out because of a wrong label: ${result.mislabelled}`,
    `failures to enrol: ${result.fte} photographs, ${idSim.fte} simulated identity portraits`,
    `asked for again by quality: ${result.quality.refused} photographs ${JSON.stringify(result.quality.byField)}`,
    'FNMR at FMR 1e-2, 1e-3, 1e-4 of the same pairs',
    `  selfie and selfie        ${rates(result)}`,
    `  selfie and simulated ID  ${rates(idSim)}`,
    ...frames.map((fused) => `  ${fused.frames} pictures and simulated ID  ${rates(fused)}`),
    'selfie and simulated ID, threshold chosen on one half of the people, rates of the other half',
    ...idSim.heldOut.map(
      ({ devFmr, splits, threshold, fmr, fnmr, fnmrAtOwnFmr: own }) =>
        `  chosen at FMR ${devFmr}: ${threshold.toFixed(3)} (median of ${splits} splits); FMR mean ${percent(fmr.mean)}, ` +
        `median ${percent(fmr.median)}, p95 ${percent(fmr.p95)}; FNMR mean ${percent(fnmr.mean)}, p95 ${percent(fnmr.p95)}; ` +
        `FNMR at the same FMR of their own mean ${percent(own.mean)}, p95 ${percent(own.p95)}`,
    ),
    'pinned thresholds, simulated ID: FMR and FNMR (Wilson over pairs; people drawn again)',
    ...[{ frames: 1, ...idSim }, ...frames].flatMap((series) =>
      series.operatingPoints.map(
        ({ id, threshold, fmr, fnmr, ci95, ci95ByPerson, fmrWorstHalf }) =>
          `  ${series.frames} picture(s), ${id} at ${threshold}: FMR ${percent(fmr)} (${between(ci95.fmr)}; ` +
          `${between(ci95ByPerson.fmr)}; worst half ${percent(fmrWorstHalf)}), FNMR ${percent(fnmr)} (${between(ci95.fnmr)}; ${between(ci95ByPerson.fnmr)})`,
      ),
    ),
    'groups at the decision point, selfie and simulated ID (ratio to the mean of the groups of 30 people or more)',
    ...result.groups.map(
      ({ attribute, group, people, isSmall, fmr, fnmr, fmrRatio, fnmrRatio }) =>
        `  ${attribute} ${group}: ${people} people${isSmall ? ' (too few)' : ''}, FMR ${percent(fmr)}${times(fmrRatio)}, ` +
        `FNMR ${percent(fnmr)}${times(fnmrRatio)}`,
    ),
    `  more than 25 % worse: ${result.unequal.join('; ') || 'none'}`,
    '',
  ].join('\n')
}
