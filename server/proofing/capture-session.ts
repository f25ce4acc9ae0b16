/** Rules of capture sessions: defaults for missing request members, and codes for sessions without a result. */
import { fieldProblem } from '../errors.ts'
import type { ResultCode } from './error-codes.ts'
import type {
  CaptureMode,
  DocumentSide,
  DocumentType,
  KeyValue,
  LivenessType,
  SecurityLevel,
} from './types.ts'

/** Spec "Liveness parameters". */
const DEFAULT_CHALLENGES = 2

/** A passport has all data on one page; other documents may have data on the back. */
export function usualSides(type: DocumentType | undefined): readonly DocumentSide[] {
  return type === 'PASSPORT' ? ['FRONT'] : ['FRONT', 'BACK']
}

/** Content of the picture of one side before it is judged. */
export interface SideSight {
  /** False if the picture shows no document. */
  readonly isDocument: boolean
  readonly documentType: DocumentType | null
  /** Alpha-3. */
  readonly issuingCountry: string | null
  readonly shows: DocumentSide | null
}

/** Members of the request that opened the session. */
interface AskedDocument {
  readonly documentType?: DocumentType | undefined
  /** The request names neither kind nor sides, so the detected kind determines the sides. */
  readonly sidesFollowKind?: boolean | undefined
  readonly sidesToCapture: readonly DocumentSide[]
}

/** Sides to capture after a picture has shown the kind of document. */
export function sidesAfter(asked: AskedDocument, sight: SideSight): readonly DocumentSide[] {
  return asked.sidesFollowKind && sight.isDocument
    ? usualSides(sight.documentType ?? undefined)
    : asked.sidesToCapture
}

/** False if the document is of another kind than requested. Null if no kind was requested or it is unknown. */
export function isAskedKind({ documentType }: AskedDocument, sight: SideSight): boolean | null {
  return documentType === undefined || sight.documentType === null
    ? null
    : documentType === sight.documentType
}

export interface LivenessRequest {
  readonly mode: CaptureMode
  /** LIVENESS_HIGH is our alias of LIVENESS_ACTIVE. */
  readonly type?: LivenessType | 'LIVENESS_HIGH' | undefined
  readonly nbChallenge?: number | undefined
  readonly securityLevel?: SecurityLevel | undefined
}

export interface LivenessSettings {
  readonly mode: CaptureMode
  readonly livenessType: LivenessType
  readonly securityLevel: SecurityLevel
  /** Only with LIVENESS_ACTIVE. */
  readonly nbChallenge?: number
}

/** Throws `validation_failed` for combined methods outside the native flow (spec "Liveness parameters"). */
export function livenessSettings(
  request: LivenessRequest,
  defaults: { readonly type: LivenessType; readonly securityLevel: SecurityLevel },
): LivenessSettings {
  const { mode, type = defaults.type, securityLevel = defaults.securityLevel } = request
  const livenessType = type === 'LIVENESS_HIGH' ? 'LIVENESS_ACTIVE' : type
  if (livenessType === 'LIVENESS_MLC' && mode !== 'nativeSDK') {
    throw fieldProblem('not_allowed', 'type', 'LIVENESS_MLC is for mode nativeSDK only')
  }
  const nbChallenge = request.nbChallenge ?? DEFAULT_CHALLENGES
  return { mode, livenessType, securityLevel, ...(livenessType === 'LIVENESS_ACTIVE' ? { nbChallenge } : {}) }
}

/** The settings in the portrait's metadata. */
export function livenessMetadata(settings: LivenessSettings): readonly KeyValue[] {
  const { livenessType, securityLevel, nbChallenge } = settings
  return [
    { key: 'livenessType', value: livenessType },
    { key: 'securityLevel', value: securityLevel },
    ...(nbChallenge === undefined ? [] : [{ key: 'nbChallenge', value: String(nbChallenge) }]),
  ]
}

/** Ended by time-out, by a person, or by a fault of the appliance. */
export type EmptyEnd = 'EXPIRED' | 'CANCELLED' | 'FAILED'

/** Spec "Error codes": codes of a session without a result, and the checks that were therefore not performed. */
export const EMPTY_ENDS = {
  DOCUMENT: {
    codes: { EXPIRED: '2401', CANCELLED: '2402', FAILED: '2403' },
    indicator: 'DOCUMENT_CAPTURE_UNVERIFIED',
  },
  PORTRAIT: {
    codes: { EXPIRED: '1609', CANCELLED: '1611', FAILED: '1610' },
    indicator: 'BIOMETRIC_LIVENESS_UNVERIFIED',
  },
} as const satisfies Readonly<
  Record<string, { codes: Readonly<Record<EmptyEnd, ResultCode>>; indicator: string }>
>

/** Multipart names of further pictures of a side, only in the capture component's upload. */
export const FRAME_PARTS = { FRONT: 'FrontFrame', BACK: 'BackFrame' } as const
