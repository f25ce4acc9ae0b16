/** MRZ layouts (ICAO Doc 9303 parts 4 to 7 and four national ones): width of each line. */
export const MRZ_SHAPES = {
  TD1: [30, 30, 30],
  TD2: [36, 36],
  TD3: [44, 44],
  MRVA: [44, 44],
  MRVB: [36, 36],
  /** The French identity card issued until 2021. */
  FRA: [36, 36],
  /** The French driving licence since 2013. */
  FRA_DL: [30],
  /** The driving licence of Switzerland and Liechtenstein, without check digits. */
  CHE_DL: [9, 30, 30],
} as const satisfies Readonly<Record<string, readonly number[]>>

export type MrzFormat = keyof typeof MRZ_SHAPES
export const MRZ_FORMATS = Object.keys(MRZ_SHAPES) as readonly MrzFormat[]

/** Passports and visas have all data on one page without a supported barcode (ICAO Doc 9303 parts 4 and 7). */
export const ONE_PAGE_FORMATS: ReadonlySet<MrzFormat> = new Set<MrzFormat>(['TD3', 'MRVA', 'MRVB'])
