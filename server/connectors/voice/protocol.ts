/** The callback that README.md of this folder specifies. */
import { z } from 'zod'

/** Events of other types are ignored. */
export const CALL_ENDED = 'call.ended'

export const CallEnded = z
  .object({
    type: z.literal(CALL_ENDED).describe('Other types are taken and passed over'),
    data: z
      .object({
        requestId: z.uuid().toLowerCase().describe('The idempotency-key of the request'),
        result: z
          .enum(['ANSWERED', 'NOT_ANSWERED'])
          .describe('ANSWERED: the call was taken and the whole text was spoken'),
      })
      .describe('The call'),
  })
  .describe('Told by a voice gateway: a call has ended')
export type CallEnded = z.infer<typeof CallEnded>
