/**
 * Operations outside the route table, as data for the description: the calls of capture components and external services.
 * server/capture mounts them; a test compares both.
 */
import type { ErrorCode } from '../errors.ts'
import type { OperationNote } from './operation-notes.ts'
import type { Access, Route } from './route.ts'

/**
 * `session`: the credential is the id of a capture session in the path. `signature`: the calling service signs the
 * request (Standard Webhooks).
 */
type DescribedAccess = Access | 'session' | 'signature'

export interface DescribedRoute extends Omit<Route, 'access'> {
  readonly operation: string
  readonly access: DescribedAccess
  readonly note: OperationNote
}

const SESSION = '/capture/sessions/{sessionId}'
const OF_OPEN: readonly ErrorCode[] = ['not_found', 'identity_closed', 'identity_paused']
const OF_UPLOAD: readonly ErrorCode[] = [
  'validation_failed',
  'malformed_body',
  'request_timeout',
  'upload_too_large',
  'upload_budget_exceeded',
]
const OF_PICTURE: readonly ErrorCode[] = ['unsupported_image', 'unreadable_image', 'vision_unavailable']

const SIGNED =
  'Signed by the service that calls: HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, base64.'

export const OTHER_ROUTES: readonly DescribedRoute[] = [
  {
    operation: 'getCaptureSession',
    method: 'get',
    path: SESSION,
    access: 'session',
    summary: 'Task and end of the capture session',
    answer: { kind: 'json', schema: 'CaptureSessionView' },
    note: { chapter: 'Capture', codes: ['not_found'] },
  },
  {
    operation: 'abandonCaptureSession',
    method: 'delete',
    path: SESSION,
    access: 'session',
    summary: 'Abandon the capture session',
    answer: { kind: 'none' },
    note: {
      chapter: 'Capture',
      text: 'The evidence ends with 2402 (document) or 1611 (portrait).',
      codes: [...OF_OPEN, 'revision_conflict'],
    },
  },
  {
    operation: 'guideCapture',
    method: 'post',
    path: `${SESSION}/frame`,
    access: 'session',
    summary: 'Advice on a live picture of the document',
    body: { kind: 'multipart', parts: [{ name: 'Frame', content: 'frame', required: true }] },
    answer: { kind: 'json', schema: 'CaptureGuidance' },
    note: {
      chapter: 'Capture',
      text: 'For document sessions. Two at a time, 300 a minute, 2 MB each. Nothing is kept.',
      codes: [...OF_OPEN, ...OF_UPLOAD, ...OF_PICTURE],
    },
  },
  {
    operation: 'recogniseSide',
    method: 'post',
    path: `${SESSION}/side`,
    access: 'session',
    summary: 'The recognised content of a picture of one side',
    body: { kind: 'multipart', parts: [{ name: 'Side', content: 'image', required: true }] },
    answer: { kind: 'json', schema: 'RecognisedSide' },
    note: {
      chapter: 'Capture',
      text:
        'For document sessions, before the photographs are handed in: tells a picture without a document, another kind than the ' +
        'one asked for, and, where the session was opened without kind and sides, whether a back is awaited. 12 a minute.',
      codes: [...OF_OPEN, ...OF_UPLOAD, ...OF_PICTURE],
    },
  },
  {
    operation: 'captureDocument',
    method: 'post',
    path: `${SESSION}/document`,
    access: 'session',
    summary: 'Submit the photographs of the document; ends the session',
    body: {
      kind: 'multipart',
      parts: [
        { name: 'DocumentFront', content: 'image', required: false },
        { name: 'DocumentBack', content: 'image', required: false },
        { name: 'FrontFrame', content: 'frame', required: false, most: 4 },
        { name: 'BackFrame', content: 'frame', required: false, most: 4 },
        { name: 'CaptureDetails', content: 'CaptureDetails', required: false },
        { name: 'Barcode', content: 'text', required: false },
      ],
    },
    answer: { kind: 'json', schema: 'SingleStatus' },
    note: {
      chapter: 'Capture',
      text:
        'The sides that the session asks for, no others. `FrontFrame` and `BackFrame` are further pictures of the same side, ' +
        '2 MB each; `Barcode` is what a barcode scanner typed, 4096 bytes at most.',
      codes: [
        ...OF_OPEN,
        ...OF_UPLOAD,
        ...OF_PICTURE,
        'sides_mismatch',
        'revision_conflict',
        'quota_reached',
      ],
    },
  },
  {
    operation: 'beginPortrait',
    method: 'post',
    path: `${SESSION}/portrait/begin`,
    access: 'session',
    summary: 'Begin a portrait; its time starts',
    body: { kind: 'json', schema: 'BeginPortrait' },
    answer: { kind: 'json', schema: 'PortraitGuidance' },
    note: { chapter: 'Capture', codes: [...OF_OPEN, ...OF_UPLOAD, 'revision_conflict'] },
  },
  {
    operation: 'addPortraitFrame',
    method: 'post',
    path: `${SESSION}/portrait/frame`,
    access: 'session',
    summary: 'Submit the next signed frame; the answer contains the next prompt',
    body: {
      kind: 'multipart',
      parts: [
        { name: 'Frame', content: 'frame', required: true },
        { name: 'FrameSignature', content: 'FrameSignature', required: true },
      ],
    },
    answer: { kind: 'json', schema: 'PortraitGuidance' },
    note: {
      chapter: 'Capture',
      text: 'One after the other, 1200 a minute, 2 MB each. After 400, 413 and 429 the same number is due.',
      codes: [...OF_OPEN, ...OF_UPLOAD, ...OF_PICTURE, 'revision_conflict'],
    },
  },
  {
    operation: 'captureVideo',
    method: 'post',
    path: `${SESSION}/video`,
    access: 'session',
    summary: 'Submit a video of the session, stored for the proof and not judged',
    body: {
      kind: 'multipart',
      parts: [
        { name: 'Video', content: 'video', required: true },
        { name: 'CaptureDetails', content: 'CaptureDetails', required: false },
      ],
    },
    answer: { kind: 'json', schema: 'SingleStatus' },
    note: {
      chapter: 'Capture',
      codes: [...OF_OPEN, ...OF_UPLOAD, 'unsupported_image', 'revision_conflict', 'quota_reached'],
    },
  },
  {
    operation: 'getCaptureScript',
    method: 'get',
    path: '/capture/component.js',
    access: 'public',
    summary: 'Capture component for any web page',
    answer: { kind: 'file', mediaType: 'text/javascript' },
    note: {
      chapter: 'Capture',
      text: 'Elements `<document-capture>` and `<portrait-capture>`.',
      codes: ['not_found'],
    },
  },
  {
    operation: 'getCaptureStyle',
    method: 'get',
    path: '/capture/component.css',
    access: 'public',
    summary: 'Style sheet of the capture component',
    answer: { kind: 'file', mediaType: 'text/css' },
    note: { chapter: 'Capture', codes: ['not_found'] },
  },
  {
    operation: 'biometricSessionCompleted',
    method: 'post',
    path: '/capture/callbacks/biometrics',
    access: 'signature',
    summary: 'Callback of a biometric server at the end of a session',
    body: { kind: 'json', schema: 'BiometricSessionCompleted' },
    answer: { kind: 'none' },
    note: {
      chapter: 'Callbacks',
      text: `${SIGNED} Answered under the host of \`connectors.biometrics.publicUrl\` alone. The result is fetched then (callbacks of POST …/capture-session).`,
      codes: [...OF_UPLOAD, 'callback_refused', 'not_found'],
    },
  },
  {
    operation: 'adjudicationAnswered',
    method: 'post',
    path: '/capture/callbacks/adjudication',
    access: 'signature',
    summary: 'Answer of an adjudication service to a request',
    body: { kind: 'json', schema: 'AdjudicationAnswered' },
    answer: { kind: 'none' },
    note: {
      chapter: 'Callbacks',
      text: `${SIGNED} Answered under the host of \`connectors.adjudication.publicUrl\` alone. The service is told of requests by the webhook \`adjudication.requested\`.`,
      codes: [
        ...OF_UPLOAD,
        'callback_refused',
        'not_found',
        'adjudicator_captured',
        'adjudicator_decided',
        'adjudication_claimed',
        'adjudication_ended',
        'callback_repeated',
        'decision_refused',
        'identity_closed',
        'revision_conflict',
      ],
    },
  },
  {
    operation: 'callEnded',
    method: 'post',
    path: '/capture/callbacks/voice',
    access: 'signature',
    summary: 'Report of a voice gateway about a call to a landline',
    body: { kind: 'json', schema: 'CallEnded' },
    answer: { kind: 'none' },
    note: {
      chapter: 'Callbacks',
      text: `${SIGNED} Answered under the host of \`connectors.voice.publicUrl\` alone. A report about an unknown or ended call changes nothing.`,
      codes: [...OF_UPLOAD, 'callback_refused', 'not_found'],
    },
  },
]
