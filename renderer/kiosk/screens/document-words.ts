/** Kinds of documents: a common word and a picture each. */
import type { DocumentChoice } from '../../../server/kiosk/contract/index.ts'
import type { IconName } from '../../design/art.ts'
import type { TextKey } from '../../locales/index.ts'

export type DocumentType = DocumentChoice['documentType']

/** The four most common kinds; the others are behind "Something else". */
export const USUAL_TYPES = ['PASSPORT', 'IDENTITY_CARD', 'DRIVING_LICENSE', 'RESIDENT_CARD'] as const
export const RARE_TYPES = ['TAX_CARD', 'VOTER_CARD'] as const

export const ICON_OF_TYPE: Readonly<Record<DocumentType, IconName>> = {
  PASSPORT: 'passport',
  IDENTITY_CARD: 'card',
  DRIVING_LICENSE: 'licence',
  RESIDENT_CARD: 'residence',
  TAX_CARD: 'other',
  VOTER_CARD: 'other',
}

export function nameOfType(type: DocumentType): TextKey {
  return `document.type.${type}`
}
