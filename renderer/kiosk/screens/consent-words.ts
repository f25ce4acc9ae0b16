/** Texts for each kind of consent; related kinds share one text. */
import type { ConsentStep } from '../../../server/kiosk/contract/index.ts'
import type { IconName, PictureName } from '../../design/art.ts'
import type { TextKey, Translate } from '../../locales/index.ts'

type ConsentType = ConsentStep['required'][number]
type RetentionPromise = ConsentStep['retention']
type Act = readonly [IconName, TextKey]

const ACT_OF: Readonly<Record<ConsentType, Act>> = {
  ID_DOCUMENT: ['document', 'consent.act.document'],
  VISA: ['document', 'consent.act.document'],
  PORTRAIT: ['portrait', 'consent.act.portrait'],
  ATTRIBUTES: ['text', 'consent.act.data'],
  ADDRESS: ['text', 'consent.act.address'],
  EMAIL: ['message', 'consent.act.email'],
  EMAIL_OTP: ['message', 'consent.act.email'],
  LANDLINE: ['phone', 'consent.act.phone'],
  MOBILE: ['keys', 'consent.act.operator'],
  MOBILE_OTP: ['phone', 'consent.act.phone'],
  GIV: ['keys', 'consent.act.register'],
  ID_CLAIM: ['keys', 'consent.act.login'],
}
const COMPARE: Act = ['compare', 'consent.act.compare']

export function listActs(types: readonly ConsentType[]): readonly Act[] {
  const acts = new Map(types.map((type) => [ACT_OF[type][1], ACT_OF[type]]))
  if (types.includes('ID_DOCUMENT') && types.includes('PORTRAIT')) acts.set(COMPARE[1], COMPARE)
  return [...acts.values()]
}

type Words = { readonly t: Translate<'kiosk'>; readonly language: string }

/** Names each source that these consents permit to ask, with the values that it receives. */
export function listSentences(
  types: readonly ConsentType[],
  disclosures: ConsentStep['disclosures'],
  { t, language }: Words,
): readonly string[] {
  const format = new Intl.ListFormat(language, { style: 'long', type: 'conjunction' })
  const sources = types.flatMap((type) =>
    type === 'ADDRESS' || type === 'GIV' || type === 'MOBILE' || type === 'ID_CLAIM'
      ? (disclosures[type] ?? [])
      : [],
  )
  return sources.map(({ name, values }) =>
    // The manifests of these connectors limit the names to those that have a text.
    t('consent.sent', {
      source: name ?? t('consent.source.operator'),
      values: format.format(values.map((value) => t(`consent.value.${value}` as TextKey))),
    }),
  )
}

/** States who receives the data; any of the consents may let a source receive some. */
export function receiversSentence(
  disclosures: ConsentStep['disclosures'],
  organisation: string,
  { t }: Pick<Words, 't'>,
): string {
  const hasSources = Object.values(disclosures).some((sources) => sources.length > 0)
  return t(hasSources ? 'consent.receives.sources' : 'consent.receives', { organisation })
}

/** States how long this machine keeps the data. */
export function keptSentence(
  { hoursAfterHandover, hasCentre }: RetentionPromise,
  organisation: string,
  { t, language }: Words,
): string {
  if (hoursAfterHandover === null) return t('consent.kept.for-good', { organisation })
  if (hoursAfterHandover === 0)
    return t(hasCentre ? 'consent.kept.until-centre' : 'consent.kept.until', { organisation })
  const period = formatPeriod(hoursAfterHandover, language)
  return t(hasCentre ? 'consent.kept.after-centre' : 'consent.kept.after', { organisation, period })
}

/** Null: unfinished visits stay until staff delete them. */
export function unfinishedSentence(
  { unfinishedHours }: RetentionPromise,
  { t, language }: Words,
): string | null {
  return unfinishedHours === null
    ? null
    : t('consent.kept.unfinished', { period: formatPeriod(unfinishedHours, language) })
}

const DAY_HOURS = 24

/** "24 hours", "7 days": in days if there are several whole ones. */
function formatPeriod(hours: number, language: string): string {
  const inDays = hours > DAY_HOURS && hours % DAY_HOURS === 0
  const style = { style: 'unit', unit: inDays ? 'day' : 'hour', unitDisplay: 'long' } as const
  const format = new Intl.NumberFormat(language, { ...style, maximumFractionDigits: 1 })
  return format.format(inDays ? hours / DAY_HOURS : hours)
}

export const PICTURE_OF_OPTION: Partial<Readonly<Record<ConsentType, PictureName>>> = {
  PORTRAIT: 'nearer',
  EMAIL: 'keypad',
  EMAIL_OTP: 'keypad',
  LANDLINE: 'keypad',
  MOBILE: 'keypad',
  MOBILE_OTP: 'keypad',
  ID_CLAIM: 'scan',
}
