/** Rules of capture sessions: what is asked for where the request says nothing, and what an empty end is called. */
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

/** A passport says all on one page; every other document may have something on its back. */
export function usualSides(type: DocumentType | undefined): readonly DocumentSide[] {
  return type === 'PASSPORT' ? ['FRONT'] : ['FRONT', 'BACK']
}

/** What the picture of one side shows, as far as it can be told before it is judged. */
export interface SideSight {
  /** False: no document is in the picture. */
  readonly isDocument: boolean
  readonly documentType: DocumentType | null
  /** Alpha-3. */
  readonly issuingCountry: string | null
  readonly shows: DocumentSide | null
}

/** What the request that opened the session says. */
export interface AskedDocument {
  readonly documentType?: DocumentType | undefined
  /** It names neither a kind nor sides: the kind that is seen decides which sides are awaited. */
  readonly sidesFollowKind?: boolean | undefined
  readonly sidesToCapture: readonly DocumentSide[]
}

/** The sides that are awaited once a picture has shown what document it is. */
export function sidesAfter(asked: AskedDocument, sight: SideSight): readonly DocumentSide[] {
  return asked.sidesFollowKind && sight.isDocument
    ? usualSides(sight.documentType ?? undefined)
    : asked.sidesToCapture
}

/** False: it is another kind than the one that was asked for. Null: none was, or it cannot be told. */
export function isAskedKind({ documentType }: AskedDocument, sight: SideSight): boolean | null {
  return documentType === undefined || sight.documentType === null
    ? null
    : documentType === sight.documentType
}

export interface LivenessRequest {
  readonly mode: CaptureMode
  /** Ours: LIVENESS_HIGH is an alias of LIVENESS_ACTIVE. */
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

/** The settings as the portrait's metadata shows them. */
export function livenessMetadata(settings: LivenessSettings): readonly KeyValue[] {
  const { livenessType, securityLevel, nbChallenge } = settings
  return [
    { key: 'livenessType', value: livenessType },
    { key: 'securityLevel', value: securityLevel },
    ...(nbChallenge === undefined ? [] : [{ key: 'nbChallenge', value: String(nbChallenge) }]),
  ]
}

/** Ended by the clock, by somebody's will, or by a fault of ours. */
export type EmptyEnd = 'EXPIRED' | 'CANCELLED' | 'FAILED'

/** Spec "Error codes": what the evidence says of a session that brought nothing, and what was thereby not checked. */
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

/** The parts that carry further pictures of a document's sides, moments apart; in the capture component's upload alone. */
export const FRAME_PARTS = { FRONT: 'FrontFrame', BACK: 'BackFrame' } as const
