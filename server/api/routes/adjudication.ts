/** Cases for people to decide, and the checks for fraud. */
import { ADJUDICATION_STATUSES, EVIDENCE_TYPES } from '../../proofing/types.ts'
import { BACK_END, type Parameter, type Route } from '../route.ts'

const filterByStatus = (description: string): Parameter => ({
  name: 'status',
  in: 'query',
  required: false,
  type: 'string',
  values: ADJUDICATION_STATUSES,
  description,
})

const DESK_FILTERS: readonly Parameter[] = [
  filterByStatus('Only requests in this status; without it those that are awaited.'),
  {
    name: 'type',
    in: 'query',
    required: false,
    type: 'string',
    values: EVIDENCE_TYPES,
    description: 'Only requests about this kind of evidence.',
  },
  {
    name: 'after',
    in: 'query',
    required: false,
    type: 'string',
    description: '`next` of the previous page.',
  },
  {
    name: 'limit',
    in: 'query',
    required: false,
    type: 'string',
    description: 'Number of requests on a page, 1 to 200 (default: 50).',
  },
]

export const ADJUDICATION = {
  listAdjudications: {
    method: 'get',
    path: '/v1/identities/{id}/adjudications',
    access: BACK_END,
    summary: 'The adjudication requests of the identity',
    parameters: [filterByStatus('Only requests in this status; another value answers 404.')],
    answer: { kind: 'json', schema: 'AdjudicationList' },
    failures: [404],
  },
  getAdjudication: {
    method: 'get',
    path: '/v1/identities/{id}/adjudications/{evidenceId}',
    access: BACK_END,
    summary: 'The adjudication request of one evidence',
    answer: { kind: 'json', schema: 'AdjudicationAnswer' },
    failures: [404],
  },
  requestAdjudication: {
    method: 'post',
    path: '/v1/identities/{id}/adjudications/{evidenceId}',
    access: BACK_END,
    summary: 'Request adjudication of a document or a portrait',
    answer: { kind: 'json', schema: 'AdjudicationAnswer' },
    failures: [404],
  },
  listDesk: {
    method: 'get',
    path: '/v1/adjudications',
    access: BACK_END,
    summary: 'The queue of adjudicators',
    parameters: DESK_FILTERS,
    answer: { kind: 'json', schema: 'DeskList' },
  },
  getDesk: {
    method: 'get',
    path: '/v1/adjudications/{adjudicationId}',
    access: BACK_END,
    summary: 'One adjudication request with all data for its adjudicator',
    answer: { kind: 'json', schema: 'DeskCase' },
    failures: [404],
  },
  claimAdjudication: {
    method: 'post',
    path: '/v1/adjudications/{adjudicationId}/claim',
    access: BACK_END,
    summary: 'Claim an adjudication request for a limited time',
    body: { kind: 'json', schema: 'ClaimRequestByAdjudicator' },
    answer: { kind: 'json', schema: 'DeskCase' },
    failures: [404, 409, 413],
  },
  releaseAdjudication: {
    method: 'post',
    path: '/v1/adjudications/{adjudicationId}/release',
    access: BACK_END,
    summary: 'Release a claimed adjudication request',
    body: { kind: 'json', schema: 'ClaimRequestByAdjudicator' },
    answer: { kind: 'json', schema: 'DeskCase' },
    failures: [404, 409, 413],
  },
  decideAdjudication: {
    method: 'post',
    path: '/v1/adjudications/{adjudicationId}/decision',
    access: BACK_END,
    summary: 'Decide about a claimed adjudication request',
    body: { kind: 'json', schema: 'DecisionRequest' },
    answer: { kind: 'json', schema: 'DecisionAnswer' },
    failures: [404, 409, 413],
  },
  getFraudChecks: {
    method: 'get',
    path: '/v1/identities/{id}/antifraud',
    access: BACK_END,
    summary: 'The antifraud checks of the identity',
    answer: { kind: 'json', schema: 'FraudCheckAnswer' },
    failures: [404],
  },
  requestFraudChecks: {
    method: 'post',
    path: '/v1/identities/{id}/antifraud',
    access: BACK_END,
    summary: 'Request antifraud checks',
    body: { kind: 'json', schema: 'FraudChecksRequest' },
    answer: { kind: 'json', schema: 'FraudCheckAnswer' },
    failures: [404, 413],
  },
} as const satisfies Record<string, Route>
