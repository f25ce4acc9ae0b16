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
          .describe('Maximum number of jobs that wait or run; about an hour of work on a small machine'),
        identities: z.int().min(1).default(20_000),
        pieces: z.int().min(1).default(100_000).describe('Maximum number of pieces of evidence'),
        megabytes: z
          .int()
          .min(1)
          .default(20_000)
          .describe('Maximum size of pictures, videos, files and texts in megabytes'),
      })
      .prefault({})
      .describe('Limits of an application with keys; visits at a kiosk or counter do not count'),
    perIdentity: z
      .strictObject({
        openJobs: z.int().min(1).default(20).describe('Maximum number of jobs that wait or run'),
        pieces: z
          .int()
          .min(50)
          .default(100)
          .describe(
            'Maximum number of pieces of evidence, including deleted ones; a visit with every retry has about 30',
          ),
        megabytes: z
          .int()
          .min(100)
          .max(700)
          .default(500)
          .describe(
            'Maximum size of pictures, videos, files and texts in megabytes; a verifier reads proofs of at most 1 GiB',
          ),
      })
      .prefault({}),
  })
  .prefault({})
  .describe('Limits beyond which submissions are refused: 429 for open jobs, 403 for stored data')
