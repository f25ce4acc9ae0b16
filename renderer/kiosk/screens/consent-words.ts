/** Each kind of consent as an act that a person understands; what belongs together is one act. */
import type { ConsentStep } from '../../../server/kiosk/contract/index.ts'
import type { IconName, PictureName } from '../../design/art.ts'
import type { TextKey } from '../../locales/index.ts'

type ConsentType = ConsentStep['required'][number]
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
  MOBILE: ['phone', 'consent.act.phone'],
  MOBILE_OTP: ['phone', 'consent.act.phone'],
  GIV: ['keys', 'consent.act.register'],
  ID_CLAIM: ['keys', 'consent.act.login'],
}
const COMPARE: Act = ['compare', 'consent.act.compare']

export function actsOf(types: readonly ConsentType[]): readonly Act[] {
  const acts = new Map(types.map((type) => [ACT_OF[type][1], ACT_OF[type]]))
  if (types.includes('ID_DOCUMENT') && types.includes('PORTRAIT')) acts.set(COMPARE[1], COMPARE)
  return [...acts.values()]
}

export const PICTURE_OF_OPTION: Partial<Readonly<Record<ConsentType, PictureName>>> = {
  PORTRAIT: 'alone',
  EMAIL: 'keypad',
  EMAIL_OTP: 'keypad',
  LANDLINE: 'keypad',
  MOBILE: 'keypad',
  MOBILE_OTP: 'keypad',
  ID_CLAIM: 'scan',
}
