/** Finds connected regions of a mask as oblongs: position, length, height and tilt. */
import type { GreyRaster } from '../raster.ts'
import { findRoot } from './disjoint-sets.ts'
import type { Oblong } from './grey.ts'

export interface Region extends Oblong {
  /** Covered share of the oblong. */
  readonly fill: number
}

interface Run {
  readonly y: number
  readonly from: number
  readonly to: number
}

/** Regions of a mask of 0 and 255 with at least `leastArea` pixels, 8-connected, found by runs of set pixels. */
export function findRegions(mask: GreyRaster, leastArea: number): Region[] {
  const { runs, roots } = connectRuns(mask)
  const groups = new Map<number, Run[]>()
  runs.forEach((run, i) => {
    const root = findRoot(roots, i)
    const group = groups.get(root)
    if (group === undefined) groups.set(root, [run])
    else group.push(run)
  })
  const regions: Region[] = []
  for (const group of groups.values()) {
    const area = group.reduce((sum, run) => sum + run.to - run.from, 0)
    if (area >= leastArea) regions.push(measureRegion(group, area))
  }
  return regions
}

function connectRuns({ data, width, height }: GreyRaster): { runs: Run[]; roots: number[] } {
  const runs: Run[] = []
  const roots: number[] = []
  let above = 0
  // Index of the next set pixel. `indexOf` skips empty rows quickly.
  let i = data.indexOf(255)
  for (let y = 0; y < height; y++) {
    const first = runs.length
    const end = (y + 1) * width
    for (; i >= 0 && i < end; i = data.indexOf(255, i)) {
      const start = i
      while (i < end && data[i] !== 0) i++
      runs.push({ y, from: start - y * width, to: i - y * width })
      roots.push(runs.length - 1)
    }
    let candidate = above
    for (let r = first; r < runs.length; r++) {
      const run = runs[r]
      while (candidate < first && runs[candidate].to < run.from) candidate++
      for (let c = candidate; c < first && runs[c].from <= run.to; c++)
        roots[findRoot(roots, c)] = findRoot(roots, r)
    }
    above = first
  }
  return { runs, roots }
}

/** Direction from second moments, extent from the corners of all runs along and across it. */
function measureRegion(runs: readonly Run[], area: number): Region {
  let sx = 0
  let sy = 0
  for (const { y, from, to } of runs) {
    sx += ((from + to - 1) / 2) * (to - from)
    sy += y * (to - from)
  }
  const mx = sx / area
  const my = sy / area
  let xx = 0
  let yy = 0
  let xy = 0
  for (const { y, from, to } of runs) {
    const n = to - from
    const dx = (from + to - 1) / 2 - mx
    const dy = y - my
    xx += n * (dx * dx + (n * n - 1) / 12)
    yy += n * dy * dy
    xy += n * dx * dy
  }
  const angle = 0.5 * Math.atan2(2 * xy, xx - yy)
  const c = Math.cos(angle)
  const s = Math.sin(angle)
  let [u0, u1, v0, v1] = [Infinity, -Infinity, Infinity, -Infinity]
  for (const { y, from, to } of runs)
    for (const x of [from, to - 1]) {
      const u = (x - mx) * c + (y - my) * s
      const v = (y - my) * c - (x - mx) * s
      u0 = Math.min(u0, u)
      u1 = Math.max(u1, u)
      v0 = Math.min(v0, v)
      v1 = Math.max(v1, v)
    }
  const um = (u0 + u1) / 2
  const vm = (v0 + v1) / 2
  const width = u1 - u0 + 1
  const height = v1 - v0 + 1
  return {
    centre: { x: mx + um * c - vm * s, y: my + um * s + vm * c },
    width,
    height,
    angleDeg: (angle * 180) / Math.PI,
    fill: area / (width * height),
  }
}
