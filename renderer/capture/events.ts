/** What the capture elements tell the page that holds them. Types alone: no picture but the person's own still is in them. */
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
/** What the appliance says of the evidence: its id and a status, never a verdict that the person may read. */
export type CapturedEvidence = Extract<PortraitGuidance, { state: 'ENDED' }>['evidence']

/** In shares of the camera's picture, from its top left, not mirrored. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** Of a USB camera, from the name that the browser gives it. Told to the appliance, never proven. */
export interface CameraIdentity {
  readonly vendor: string
  readonly product: string
}

/**
 * refused: the browser or the person said no · absent: none is there · busy: another program has it · stopped: it was
 * there and is gone · wrong: there are cameras, and none of them is an allowed one.
 */
export type CameraProblem = 'refused' | 'absent' | 'busy' | 'stopped' | 'wrong'

export interface CameraChoice {
  readonly deviceId: string
  readonly label: string
  readonly identity: CameraIdentity | null
  /** It fits this element best by what its name says. */
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

export interface CameraProblemDetail {
  readonly problem: CameraProblem
  /** What the person can do, in the language of the element. */
  readonly text: string
  /** The element tries again by itself (when a camera is connected); else call `start()` once the person has acted. */
  readonly retries: boolean
}

export const DOCUMENT_GUIDANCE = [
  'NO_DOC',
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

/** What the icon beside the words shows: the movement that helps. Physical directions, as seen on the screen, in every language. */
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

/** One message at a time. Changes at most every 1.5 s. */
export interface GuidanceDetail<Code extends string = DocumentGuidanceCode | PortraitGuidanceCode> {
  readonly code: Code
  readonly text: string
  /** What speech says: the text, and where it helps a few words more. */
  readonly spoken: string
  readonly icon: GuidanceIcon
  /** do: something to do · good: keep it so · note: nothing to do. */
  readonly tone: 'do' | 'good' | 'note'
}

/** Of the document in the present picture, for a page that draws on it itself; comes up to four times a second. */
export interface OutlineDetail {
  readonly corners: readonly Point[] | null
  /** A patch of glare, with its radius in shares of the width. */
  readonly shinySpot: (Point & { readonly radius: number }) | null
}

/** searching: not ready yet · filling: ready, `share` grows to 1 · taken: a picture was taken · off: no automatic shutter now. */
export interface ShutterDetail {
  readonly state: 'searching' | 'filling' | 'taken' | 'off'
  readonly share: number
}

/**
 * How far help has gone (per side). 0: automatic alone · 1: after 12 s, highlight the manual shutter and show a tip · 2: after
 * 25 s, show the tips · 3: three automatic tries came to nothing, the manual shutter comes first.
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
  /** Of the picture that was taken; revoked when the element stops. */
  readonly stillUrl: string
  /** hard-to-read: the best of two was kept, and a person will look at it. */
  readonly quality: 'good' | 'hard-to-read' | 'unknown'
  readonly by: 'automatic' | 'manual' | 'file'
  /** The side that comes next; null: all are there. */
  readonly next: DocumentSide | null
  /** What it looks like; null: it cannot be told. */
  readonly documentType: DocumentType | null
}

/**
 * The person shows another kind than the one that was asked for. A page that calls `preventDefault()` asks the person, and calls
 * `decide`. Without it the first such picture is refused with an advice, and the next one is taken.
 */
export interface OtherKindDetail {
  readonly side: DocumentSide
  readonly documentType: DocumentType | null
  /** True: this document is used as it is. False: another one is shown. */
  readonly decide: (use: boolean) => void
}

export interface ProgressDetail {
  /** capturing: of a portrait's course · sending: bytes that went out · waiting: the line is down, sent again in `retryInMs`. */
  readonly phase: 'capturing' | 'sending' | 'waiting'
  readonly share: number
  readonly retryInMs: number | null
}

/** What is asked of the face. `screenSide` is where the dot is on the screen, mirrored and physical. */
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

/** Paint the whole screen with it at full brightness, faded in 150 ms; null: white again. */
export interface SurroundDetail {
  readonly name: ScreenColour | null
  readonly colour: string | null
}

export interface CapturedDetail {
  /** Null: the answer was lost on its way, and the appliance has the pictures: ask it what became of them. */
  readonly evidence: CapturedEvidence | null
}

/**
 * A photo that was not taken, so that its side is not done. UNCLEAR: the advice says what would make it better · FRONT_AGAIN,
 * BACK_AGAIN: this side is done, and the other one is wanted.
 */
export interface PhotoRefusedDetail {
  readonly why: 'UNCLEAR' | 'NOT_A_DOCUMENT' | 'FRONT_AGAIN' | 'BACK_AGAIN'
}

/**
 * ended: the time is over, or it was never open · lost: an answer got lost, and with it a portrait's course · refused: the
 * appliance does not take what was sent · left: the person gave up.
 */
export interface SessionOverDetail {
  readonly reason: 'ended' | 'lost' | 'refused' | 'left'
  /** Ask the relying service for another session and set it: nothing that was done is at fault. */
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
  /** A photo cannot be used; the guidance says why. */
  'photo-refused': CustomEvent<PhotoRefusedDetail>
  /** Cancelable. */
  'side-other': CustomEvent<OtherKindDetail>
  /** The next side is being looked for: show how to turn the document over. */
  'side-wanted': CustomEvent<{ readonly side: DocumentSide }>
}
export interface PortraitCaptureEvents extends SharedEvents {
  guidance: CustomEvent<GuidanceDetail<PortraitGuidanceCode>>
  prompt: CustomEvent<PromptDetail>
  surround: CustomEvent<SurroundDetail>
}
