import { PORTRAIT_ADVICE } from '../../proofing/visit-words.ts'

/**
 * Advice to the applicant: light, distance, sharpness, another document. Never a verdict about document or
 * face. The codes of the document are those faults of server/proofing/document-fault.ts that the applicant
 * may be told.
 */
export const GUIDANCE_CODES = [
  'DOCUMENT_NOT_SEEN',
  'DOCUMENT_CUT',
  'DOCUMENT_LINES',
  'DOCUMENT_DARK',
  'DOCUMENT_BRIGHT',
  'DOCUMENT_GLARE',
  'DOCUMENT_TILTED',
  'DOCUMENT_BLUR',
  'DOCUMENT_NEAR',
  'DOCUMENT_FAR',
  'DOCUMENT_BARS',
  'DOCUMENT_SIDE',
  'DOCUMENT_OTHER',
  'DOCUMENT_ENDED',
  'DOCUMENT_NOT_TAKEN',
  'DOCUMENT_UNCLEAR',
  'DOCUMENT_NONE',
  'DOCUMENT_SEVERAL',
  'DOCUMENT_MIRRORED',
  'DOCUMENT_FIELD',
  'DOCUMENT_SPECIMEN',
  ...PORTRAIT_ADVICE,
  /** A fault of the machine, and the text says so. */
  'PORTRAIT_OURS',
  'FILE_UNREADABLE',
] as const
export type GuidanceCode = (typeof GUIDANCE_CODES)[number]
