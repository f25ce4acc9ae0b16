/**
 * Degradations of bench:quality in ten steps each, from none to unacceptable, in units that a person understands. States
 * the last step without any refusal and the first step with only refusals. Data only.
 */
import type { PictureCode } from '../../proofing/document-quality.ts'
import type { Spoiling } from './quality-scenes.ts'

export interface Series {
  readonly name: string
  readonly code: PictureCode
  readonly steps: readonly { readonly spoiling: Spoiling; readonly amount: string }[]
  /** Steps count from one. */
  readonly neverUpTo: number
  readonly alwaysFrom: number
}

const percent = (share: number) => `${Number((share * 100).toFixed(1))} %`

const series = (
  [name, code, neverUpTo, alwaysFrom]: readonly [string, PictureCode, number, number],
  amounts: readonly number[],
  chooseSpoiling: (amount: number) => Spoiling,
  tell: (amount: number) => string,
): Series => ({
  name,
  code,
  neverUpTo,
  alwaysFrom,
  steps: amounts.map((amount) => ({ spoiling: chooseSpoiling(amount), amount: tell(amount) })),
})

export const SERIES: readonly Series[] = [
  series(
    ['dark', '1531', 5, 9],
    [1, 0.6, 0.4, 0.25, 0.16, 0.1, 0.07, 0.05, 0.03, 0.02],
    (exposure) => ({ exposure }),
    (exposure) => `${percent(exposure)} of full light`,
  ),
  series(
    ['glare', '1532', 3, 6],
    [0, 0.005, 0.01, 0.02, 0.04, 0.07, 0.12, 0.18, 0.27, 0.4],
    (glareShare) => ({ glareShare }),
    (share) => `${percent(share)} of the document blown out`,
  ),
  series(
    ['blur', '1533', 4, 7],
    [0, 0.5, 1, 1.5, 2, 2.5, 3, 4, 6, 8],
    (blurSigma) => ({ blurSigma, motionPx: 1.5 * blurSigma }),
    (sigma) => `σ ${sigma} px, moved ${1.5 * sigma} px (300 dpi)`,
  ),
  series(
    ['cut', '1535', 1, 8],
    [0, 0.01, 0.02, 0.04, 0.06, 0.09, 0.13, 0.18, 0.24, 0.3],
    (cutShare) => ({ cutShare }),
    (share) => `${percent(share)} of its width outside`,
  ),
  series(
    ['keystone', '1539', 4, 7],
    [0, 5, 10, 15, 20, 25, 30, 35, 40, 45],
    (tiltDeg) => ({ tiltDeg }),
    (tilt) => `${tilt}° from the straight view`,
  ),
  series(
    ['near', '1540', 4, 9],
    [0.7, 0.8, 0.88, 0.94, 1.05, 1.12, 1.2, 1.35, 1.6, 2],
    (fill) => ({ fill }),
    (fill) => `${percent(fill)} of the picture's width`,
  ),
  series(
    ['far', '1541', 5, 8],
    [230, 180, 150, 130, 110, 97, 85, 70, 55, 40],
    (dpi) => ({ dpi }),
    (dpi) => `${dpi} pixels per inch`,
  ),
]
