/** Sessions for the capture components. */
import { CAPTURE_MODES } from '../../proofing/types.ts'
import { BACK_END, BOTH, type Parameter, type Route } from '../route.ts'
import { OFFICER } from './parameters.ts'

const SESSION_MODE: Parameter = {
  name: 'mode',
  in: 'query',
  required: false,
  type: 'string',
  values: CAPTURE_MODES,
  description: 'Kind of the capture component (default: webSDK).',
}

export const CAPTURE_SESSIONS = {
  openDocumentSession: {
    method: 'post',
    path: '/v1/identities/{id}/id-documents/live-capture-session',
    access: BACK_END,
    summary: 'Open a capture session for a document',
    parameters: [OFFICER],
    body: { kind: 'json', schema: 'DocumentSessionRequest', optional: true },
    answer: { kind: 'json', schema: 'DocumentSessionAnswer' },
    failures: [404, 413],
  },
  openPortraitSession: {
    method: 'post',
    path: '/v1/identities/{id}/attributes/portrait/capture-session',
    access: BOTH,
    summary: 'Open a capture session for a portrait',
    parameters: [SESSION_MODE, OFFICER],
    body: { kind: 'json', schema: 'LivenessRequest', optional: true },
    answer: { kind: 'json', schema: 'PortraitSessionAnswer' },
    failures: [404, 413],
  },
  openPortraitSessionByOldName: {
    method: 'post',
    path: '/v1/identities/{id}/attributes/portrait/live-capture-session',
    access: BOTH,
    summary: 'Open a portrait capture session (deprecated: use capture-session)',
    parameters: [SESSION_MODE, OFFICER],
    body: { kind: 'json', schema: 'LivenessRequest', optional: true },
    answer: { kind: 'json', schema: 'PortraitSessionAnswer' },
    failures: [404, 413],
    deprecated: {
      since: '2026-01-01T00:00:00Z',
      successor: '/v1/identities/{id}/attributes/portrait/capture-session',
    },
  },
  cancelPortraitSession: {
    method: 'delete',
    path: '/v1/identities/{id}/attributes/portrait/live-capture-session/{sessionId}',
    access: BOTH,
    summary: 'End a portrait capture session that is not finished',
    answer: { kind: 'none' },
    failures: [404],
  },
} as const satisfies Record<string, Route>
