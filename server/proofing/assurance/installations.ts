/** Typical installations, from a kiosk alone to one that asks every kind of source. Data. */
import type { Ability } from './facts.ts'

interface Installation {
  /** `kiosk` + the parts that are connected. */
  readonly title: string
  readonly abilities: readonly Ability[]
}

/** Each row has the abilities of the rows above it. */
const STEPS: readonly Installation[] = [
  { title: 'alone', abilities: ['DOCUMENTS', 'FACES', 'LIVENESS', 'ANTIFRAUD', 'DUPLICATE_FACE'] },
  { title: '+ list of lost documents, watchlists', abilities: ['DOCUMENT_STATUS', 'WATCHLIST'] },
  { title: '+ issuer of the document', abilities: ['GIV'] },
  {
    title: '+ issuer’s register of lost documents, deaths',
    abilities: ['DOCUMENT_STATUS_ISSUER', 'DEATH_RECORDS'],
  },
  { title: '+ reader of chips, inspection of the device', abilities: ['NFC', 'DEVICE_INTEGRITY'] },
  { title: '+ register of known fraud', abilities: ['KNOWN_FRAUD'] },
  { title: '+ phone: message and operator', abilities: ['MOBILE_OTP', 'MOBILE_OWNERSHIP'] },
  { title: '+ trusted login', abilities: ['TRUSTED_ID_CLAIM'] },
]
const OFFICER: readonly Ability[] = ['ATTENDED', 'ADJUDICATION']

/** Kiosks first, then counters with an officer. */
export const INSTALLATIONS: readonly Installation[] = (
  [
    ['kiosk', []],
    ['counter', OFFICER],
  ] as const
).flatMap(([place, own]) =>
  STEPS.map(({ title }, at) => ({
    title: `${place} ${title}`,
    abilities: [...STEPS.slice(0, at + 1).flatMap(({ abilities }) => abilities), ...own],
  })),
)
