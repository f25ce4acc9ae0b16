/** The operator's options of the head-office side; every option has a safe default. */
import { z } from 'zod'

export const HeadOfficeOptionsSchema = z.strictObject({
  /** Calls per minute and key, on all instances together. */
  callsPerMinute: z.int().min(1).default(600),
  /** Calls per minute and address without a valid key, for example sign-in attempts and the verify page. */
  openCallsPerMinute: z.int().min(1).default(60),
  /** /metrics requires it as `Authorization: Bearer`; without a token there are no metrics. */
  metricsToken: z.string().min(16).nullable().default(null),
  /** A kiosk without a status for this time is shown as late; the alarm has its own, longer time. */
  notSeenAfterMinutes: z.number().min(0.01).default(30),
  /** A kiosk is late when a proof has waited on it for this long. */
  backlogLateAfterHours: z.number().min(0.01).default(24),
  webhooks: z
    .strictObject({
      /** Plain http; only for tests. */
      allowHttp: z.boolean().default(false),
      /** Addresses of this machine and of private networks. */
      allowPrivateAddresses: z.boolean().default(false),
      /** Time limit for an answer. */
      timeoutMs: z.int().min(100).max(30_000).default(15_000),
      /** First pause; it doubles with each try. */
      firstPauseMs: z.int().min(10).default(5_000),
      /** After this time without success a delivery is parked. */
      giveUpAfterHours: z.number().min(0.001).default(24),
      /** How often an idle instance looks for deliveries of which no call told it. */
      pollMs: z.int().min(10).default(30_000),
      /** Parallel deliveries of one instance. */
      concurrency: z.int().min(1).max(200).default(16),
    })
    .prefault({}),
  /** Largest body of POST /verify. */
  verifyMaxBytes: z
    .int()
    .min(1024)
    .default(64 * 1024 * 1024),
  /**
   * Bytes of bodies of POST /verify held at once, separately for anonymous callers and consumers; one caller
   * gets half of it.
   */
  verifyArrivingBytes: z
    .int()
    .min(1024)
    .default(256 * 1024 * 1024),
  /** Time limit for the verification of one archive. */
  verifyTimeoutMs: z.int().min(100).default(10_000),
})
export type HeadOfficeOptions = z.infer<typeof HeadOfficeOptionsSchema>
