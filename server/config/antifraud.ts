/** Configuration of antifraud checks and of the device. Every default is a starting value with a reason. */
import { z } from 'zod'
import { ALLOW_HTTP, demandHttpsFor, HTTP_ADDRESS } from '../outgoing/service-address.ts'

const days = z.int().min(1).max(3650)

function limit(identities: number, hours: number, meaning: string) {
  return z
    .strictObject({
      identities: z.int().min(1).default(identities),
      hours: z.number().positive().max(87_600).default(hours),
    })
    .prefault({})
    .describe(meaning)
}

export const AntifraudConfig = z
  .strictObject({
    duplicateFace: z
      .strictObject({
        enabled: z.boolean().default(false).describe('the faces of all identities are compared'),
        retentionDays: days.default(90).describe('how long a face can be found at most'),
      })
      .prefault({}),
    duplicateDocument: z
      .strictObject({
        // Starting value: a year, so that returning applicants are recognised; others learn nothing from a keyed hash.
        retentionDays: days.default(365).describe('how long a document can be found again at most'),
      })
      .prefault({}),
    velocity: z
      .strictObject({
        // A proofing takes at least three minutes.
        device: limit(20, 1, 'identities from one device'),
        // An applicant who stops and starts again comes two or three times a day.
        document: limit(3, 24, 'identities with one document'),
        // A large household, or several flats with the same written address.
        address: limit(10, 720, 'identities with one address'),
      })
      .prefault({})
      .describe('More than so many identities within so many hours is a warning'),
    watchlist: z
      .strictObject({
        // Sanctions lists change several times a month.
        listDays: days.default(7).describe('an older list is not relied on'),
      })
      .prefault({}),
    documentStatus: z
      .strictObject({
        registerDays: days.default(7).describe('an older register is not relied on'),
        retryMinutes: z
          .number()
          .positive()
          .default(10)
          .describe('when a register that did not answer is asked again'),
        retries: z.int().min(0).default(12).describe('how often, before it is left at that'),
      })
      .prefault({}),
  })
  .prefault({})
  .describe('What is kept to recognise who comes twice, and what is looked up')

const usbId = z
  .string()
  .regex(/^[0-9a-fA-F]{4}$/)
  .describe('four hexadecimal digits, as lsusb shows them')

export const EnvironmentConfig = z
  .strictObject({
    camera: z
      .strictObject({ vendor: usbId, product: usbId, serial: z.string().min(1).max(100).optional() })
      .optional()
      .describe('the one camera whose pictures are believed without reserve'),
    inspection: z
      .strictObject({ everyDays: days.describe('days from one inspection to the next at most') })
      .optional()
      .describe('demands that somebody inspects the device and records it'),
    // A week, equal to the time that proofs may wait for the central service before a kiosk freezes
    // (sync.freeze.ageHours).
    offlineHours: z
      .number()
      .positive()
      .default(168)
      .describe('without contact to the central service, where the kiosk has joined one'),
  })
  .prefault({})
  .describe('When the device itself is doubted')

export const DocumentStatusConnector = z
  .strictObject({
    url: HTTP_ADDRESS,
    allowHttp: ALLOW_HTTP,
    tokenFile: z.string().optional().describe('file with the bearer token'),
    caFile: z.string().optional().describe('PEM of the certificate authority, if no public one'),
    timeoutMs: z.int().min(100).default(5_000),
    authoritative: z.boolean().default(false).describe('it speaks for the issuers of documents'),
    coversDeaths: z.boolean().default(false).describe('it knows holders who have died, and says so'),
  })
  .superRefine(demandHttpsFor('url'))
  .describe('Register of lost, stolen and revoked documents')
