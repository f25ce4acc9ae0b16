import { PORTRAIT_ADVICE } from '../../proofing/visit-course.ts'

/**
 * What the person can do better: light, distance, sharpness, another document. Never a verdict about document or face. Those of
 * the document are the faults of server/proofing/document-fault.ts that whoever shows it may be told.
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
  /** A fault of ours, said as that. */
  'PORTRAIT_OURS',
  'FILE_UNREADABLE',
] as const
export type GuidanceCode = (typeof GUIDANCE_CODES)[number]
