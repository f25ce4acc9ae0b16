/** The layouts of machine-readable zones (ICAO Doc 9303 parts 4 to 7 and two national ones) and their line widths. */
export const MRZ_SHAPES = {
  TD1: { lines: 3, width: 30 },
  TD2: { lines: 2, width: 36 },
  TD3: { lines: 2, width: 44 },
  MRVA: { lines: 2, width: 44 },
  MRVB: { lines: 2, width: 36 },
  /** The French identity card issued until 2021. */
  FRA: { lines: 2, width: 36 },
} as const

export type MrzFormat = keyof typeof MRZ_SHAPES
