/** Limits on jobs and stored data per application and per identity. */
import { z } from 'zod'

export const QuotasConfig = z
  .strictObject({
    perApplication: z
      .strictObject({
        openJobs: z
          .int()
          .min(1)
          .default(200)
          .describe('jobs that wait or run; an hour of work on a small unit'),
        identities: z.int().min(1).default(20_000),
        pieces: z.int().min(1).default(100_000).describe('of evidence'),
        megabytes: z.int().min(1).default(20_000).describe('of pictures, videos, files and texts'),
      })
      .prefault({})
      .describe('Of an application with keys. A visit at a kiosk or a counter is not counted'),
    perIdentity: z
      .strictObject({
        openJobs: z.int().min(1).default(20).describe('jobs that wait or run'),
        pieces: z
          .int()
          .min(50)
          .default(100)
          .describe('of evidence, deleted ones included; a visit with every retry comes to about 30'),
        megabytes: z
          .int()
          .min(100)
          .max(700)
          .default(500)
          .describe('of pictures, videos, files and texts; a verifier reads proofs of at most 1 GiB'),
      })
      .prefault({}),
  })
  .prefault({})
  .describe('Beyond these, submissions are refused: 429 for open jobs, 403 for what is kept')
