/**
 * Events of the capture elements for their page. Types only: the only picture in them is the applicant's own
 * still.
 */
import type {
  CaptureSessionView,
  PortraitGuidance,
  RecognisedSide,
} from '../../server/api/contract/capture.ts'

export type DocumentSide = Extract<CaptureSessionView, { kind: 'DOCUMENT' }>['sidesToCapture'][number]
export type DocumentType = NonNullable<RecognisedSide['documentType']>
type Capturing = Extract<PortraitGuidance, { state: 'CAPTURING' }>
export type PromptKind = Capturing['prompt']['kind']
export type ScreenColour = NonNullable<Capturing['prompt']['colour']>
/** The appliance's answer about the evidence: its id and a status, without a verdict. */
export type CapturedEvidence = Extract<PortraitGuidance, { state: 'ENDED' }>['evidence']

/** Shares of the camera's picture, from its top left, not mirrored. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** Ids of a USB camera, from the name that the browser gives it. Reported to the appliance, not proven. */
export interface CameraIdentity {
  readonly vendor: string
  readonly product: string
}

/**
 * refused: the browser or the applicant denied access · absent: there is no camera · busy: another program
 * uses it · stopped: it was lost · wrong: there are cameras, but none is permitted.
 */
export type CameraProblem = 'refused' | 'absent' | 'busy' | 'stopped' | 'wrong'

export interface CameraChoice {
  readonly deviceId: string
  readonly label: string
  readonly identity: CameraIdentity | null
  /** Its name fits the purpose of this element. */
  readonly suits: boolean
  readonly inUse: boolean
}

export interface CameraReadyDetail {
  readonly deviceId: string
  readonly label: string
  readonly identity: CameraIdentity | null
  readonly widthPx: number
  readonly heightPx: number
}

interface CameraProblemDetail {
  readonly problem: CameraProblem
  /** Advice for the applicant, in the language of the element. */
  readonly text: string
  /**
   * The element retries by itself (when a camera is connected); otherwise call `start()` once the applicant
   * has acted.
   */
  readonly retries: boolean
}

export const DOCUMENT_GUIDANCE = [
  'NO_DOC',
  'FACE',
  'FILE_UNREADABLE',
  'WRONG_SIDE',
  'DARK',
  'BRIGHT',
  'NEAR',
  'CUT',
  'KEYSTONE',
  'FAR',
  'GLARE',
  'TILT_SLOWLY',
  'MOVING',
  'BLUR',
  'READY',
  'TAKEN',
  'HARD_TO_READ',
  'LOOKING',
  'NOT_A_DOCUMENT',
  'CHANGE',
  'FRONT_AGAIN',
  'BACK_AGAIN',
  'OTHER_KIND',
  'SENDING',
  'OFFLINE',
] as const
export type DocumentGuidanceCode = (typeof DOCUMENT_GUIDANCE)[number]

export const PORTRAIT_GUIDANCE = [
  'NO_FACE',
  'SEVERAL',
  'FAR',
  'NEAR',
  'OFF',
  'DARK',
  'BRIGHT',
  'UNEVEN',
  'LOOK',
  'ROLL',
  'COVER',
  'EYES',
  'MOUTH',
  'MOVE',
  'COME_CLOSER',
  'TURN_TO_DOT',
  'HOLD_THERE',
  'COLOURS',
  'STRAIGHT',
  'READY',
] as const
export type PortraitGuidanceCode = (typeof PORTRAIT_GUIDANCE)[number]

/**
 * The icon beside the text: the movement that helps. Physical directions, as seen on the screen, in every
 * language.
 */
export const GUIDANCE_ICONS = [
  'show',
  'turn-over',
  'light',
  'less-light',
  'nearer',
  'farther',
  'left',
  'right',
  'up',
  'down',
  'corners',
  'flat',
  'tilt',
  'still',
  'face',
  'one-person',
  'straight',
  'uncover',
  'eyes',
  'mouth',
  'colours',
  'good',
  'attention',
  'wait',
] as const
export type GuidanceIcon = (typeof GUIDANCE_ICONS)[number]

/** Only one message at a time. It changes at most every 1.5 s. */
export interface GuidanceDetail<Code extends string = DocumentGuidanceCode | PortraitGuidanceCode> {
  readonly code: Code
  readonly text: string
  /** The spoken text: the shown one, with a few more words if they help. */
  readonly spoken: string
  readonly icon: GuidanceIcon
  /** do: an action is needed · good: keep it so · note: no action is needed. */
  readonly tone: 'do' | 'good' | 'note'
}

/**
 * The outline of the document in the present picture, for a page that draws it; up to four times a second.
 */
export interface OutlineDetail {
  readonly corners: readonly Point[] | null
  /** A patch of glare. Its radius is a share of the width. */
  readonly shinySpot: (Point & { readonly radius: number }) | null
}

/**
 * searching: not ready yet · filling: ready, `share` grows to 1 · taken: a picture was captured · off: no
 * automatic shutter now.
 */
export interface ShutterDetail {
  readonly state: 'searching' | 'filling' | 'taken' | 'off'
  readonly share: number
}

/**
 * The level of help (per side). 0: automatic only · 1: after 12 s, highlight the manual shutter and show a
 * tip · 2: after 25 s, show the tips · 3: three automatic tries failed, the manual shutter comes first.
 */
export interface LadderDetail {
  readonly side: DocumentSide
  readonly rung: 0 | 1 | 2 | 3
  readonly manualHighlighted: boolean
  readonly showTips: boolean
  readonly manualFirst: boolean
  readonly automaticTries: number
  readonly manualTries: number
}

export interface SideCapturedDetail {
  readonly side: DocumentSide
  /** URL of the captured picture; revoked when the element stops. */
  readonly stillUrl: string
  /** hard-to-read: the best of the tries was kept, and an officer will examine it. */
  readonly quality: 'good' | 'hard-to-read' | 'unknown'
  readonly by: 'automatic' | 'manual' | 'file'
  /** The next side; null: all sides are captured. */
  readonly next: DocumentSide | null
  /** The recognised kind; null: not recognised. */
  readonly documentType: DocumentType | null
}

/**
 * The document is of another kind than the requested one. A page that calls `preventDefault()` asks the
 * applicant and calls `decide`. Otherwise the first such picture is refused with an advice, and the next one
 * is accepted.
 */
export interface OtherKindDetail {
  readonly side: DocumentSide
  readonly documentType: DocumentType | null
  /** True: use this document. False: the applicant shows another one. */
  readonly decide: (use: boolean) => void
}

export interface ProgressDetail {
  /**
   * capturing: progress of a portrait session · sending: bytes sent · waiting: the network is down, next try
   * in `retryInMs`.
   */
  readonly phase: 'capturing' | 'sending' | 'waiting'
  readonly share: number
  readonly retryInMs: number | null
}

/** The prompt to the applicant. `screenSide` is the place of the dot on the mirrored screen. */
export interface PromptDetail {
  readonly kind: PromptKind
  readonly text: string
  readonly screenSide: 'left' | 'right' | 'up' | 'down' | null
  readonly colour: ScreenColour | null
  readonly index: number
  readonly of: number
  readonly isHolding: boolean
  readonly attempt: number
}

/** Fill the whole screen with this colour at full brightness, faded in 150 ms; null: white again. */
export interface SurroundDetail {
  readonly name: ScreenColour | null
  readonly colour: string | null
}

export interface CapturedDetail {
  /** Null: the answer was lost, and the appliance has the pictures: ask it for the result. */
  readonly evidence: CapturedEvidence | null
}

/**
 * A photo that was refused, so that its side is not done. UNCLEAR: the advice says how to improve it ·
 * FRONT_AGAIN, BACK_AGAIN: this side is done, and the other one is wanted.
 */
export interface PhotoRefusedDetail {
  readonly why: 'UNCLEAR' | 'NOT_A_DOCUMENT' | 'FRONT_AGAIN' | 'BACK_AGAIN'
}

/**
 * ended: the time is over, or the session was never open · lost: an answer was lost, which ends a portrait
 * session · refused: the appliance refuses the data · left: the applicant gave up.
 */
export interface SessionOverDetail {
  readonly reason: 'ended' | 'lost' | 'refused' | 'left'
  /** Ask the relying service for another session and set it: the applicant's pictures are not the cause. */
  readonly mayRetry: boolean
}

interface SharedEvents {
  'camera-ready': CustomEvent<CameraReadyDetail>
  'camera-problem': CustomEvent<CameraProblemDetail>
  progress: CustomEvent<ProgressDetail>
  captured: CustomEvent<CapturedDetail>
  'session-over': CustomEvent<SessionOverDetail>
}
export interface DocumentCaptureEvents extends SharedEvents {
  guidance: CustomEvent<GuidanceDetail<DocumentGuidanceCode>>
  outline: CustomEvent<OutlineDetail>
  shutter: CustomEvent<ShutterDetail>
  ladder: CustomEvent<LadderDetail>
  'side-captured': CustomEvent<SideCapturedDetail>
  /** A photo cannot be used; the guidance gives the reason. */
  'photo-refused': CustomEvent<PhotoRefusedDetail>
  /** Cancelable. */
  'side-other': CustomEvent<OtherKindDetail>
  /** The next side is wanted: show how to turn the document over. */
  'side-wanted': CustomEvent<{ readonly side: DocumentSide }>
}
export interface PortraitCaptureEvents extends SharedEvents {
  guidance: CustomEvent<GuidanceDetail<PortraitGuidanceCode>>
  prompt: CustomEvent<PromptDetail>
  surround: CustomEvent<SurroundDetail>
}
