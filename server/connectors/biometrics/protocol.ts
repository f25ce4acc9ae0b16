/** Messages of the protocol in README.md of this folder. Incoming data is untrusted until parsed. */
import { z } from 'zod'
import { LIVENESS_TYPES, SECURITY_LEVELS } from '../../proofing/types.ts'

const TheirSessionId = z.uuid({ version: 'v4' }).toLowerCase()
/** A word chosen by the server that enters the proof; too short for a sentence. */
const Word = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9 ._+-]{0,63}$/)

/** Request body of POST /sessions. */
export const SessionOrder = z
  .object({
    type: z.enum(LIVENESS_TYPES).describe('How liveness is to be proven'),
    securityLevel: z.enum(SECURITY_LEVELS).describe('How strictly'),
    nbChallenge: z.int().optional().describe('Directions to ask for'),
    lifetimeSeconds: z.int().describe('How long the session may last'),
    reference: z.uuid().describe('Random; the same reference is the same session'),
    callbackUrl: z.url().describe('Where to tell that the session has ended'),
  })
  .describe('What a biometric server is asked to carry out')

export const SessionOpened = z
  .object({ sessionId: TheirSessionId.describe('Id for the capture component of the server') })
  .describe('Answer of a biometric server to an order')

export const SessionResult = z
  .object({
    sessionId: z.uuid().toLowerCase().describe('Of the order'),
    type: z.enum(LIVENESS_TYPES).describe('Of the order'),
    outcome: z
      .enum(['passed', 'failed', 'inconclusive', 'timeout', 'technical'])
      .describe('What became of it'),
    score: z.number().nullish().describe('At or above the threshold it has passed'),
    threshold: z.number().nullish().describe('Of the score'),
    service: Word.describe('Name of the service, for the proof'),
    version: Word.describe('Version of the service, for the proof'),
  })
  // A contradictory result counts as no decision.
  .refine(
    ({ outcome, score, threshold }) =>
      outcome !== 'passed' ||
      typeof score !== 'number' ||
      typeof threshold !== 'number' ||
      score >= threshold,
  )
  .describe('How a session of a biometric server went')

/** Events of other types are ignored. */
export const SESSION_COMPLETED = 'session.completed'

/** The callback. */
export const SessionCompleted = z
  .object({
    type: z.string().describe('`session.completed`; other types are taken and passed over'),
    data: z
      .object({
        sessionId: z.uuid().toLowerCase().describe('Session that has ended'),
        state: z.string().optional().describe('Word of the server; the result is fetched whatever it says'),
      })
      .describe('What has ended'),
  })
  .describe('Told by a biometric server: a session has ended')
