/** Configuration of antifraud checks and of the device. Every default is a starting value with a reason. */
import { z } from 'zod'
import { ALLOW_HTTP, demandHttpsFor, HTTP_ADDRESS } from '../outgoing/service-address.ts'
import { LIST_FORMATS, LIST_NAME } from '../proofing/watchlist/list-formats.ts'
import { EVEN_WITH_PROBLEMS } from './even-with-problems.ts'
import { serviceSchema, serviceOptions } from './service-options.ts'
import { textLike, USB_ID } from './text-forms.ts'

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

const ListSourceConfig = z
  .strictObject({
    name: textLike(
      LIST_NAME,
      'must be 1 to 40 small letters, digits, dots, hyphens and underscores',
    ).describe('Name of the list that it replaces, such as eu-consolidated'),
    url: HTTP_ADDRESS.optional().describe("The publisher's address of the list"),
    allowHttp: ALLOW_HTTP,
    caFile: z
      .string()
      .optional()
      .describe("PEM file of the publisher's certificate authority, if it is not a public one"),
    file: z.string().min(1).optional().describe('A file that something else keeps up to date'),
    format: z
      .enum(['auto', ...LIST_FORMATS])
      .default('auto')
      .describe('Layout of the list; auto recognises it'),
    // Most publishers change their lists at most once a day.
    everyHours: z.number().min(1).max(720).default(24).describe('Hours between two updates'),
    // Publishers answer within a second or two; a person who runs the update by hand waits no longer.
    silenceSeconds: z
      .number()
      .min(1)
      .max(300)
      .default(10)
      .describe('Seconds without a byte of the list after which a download ends'),
  })
  .superRefine((source, ctx) => {
    demandHttpsFor('url')(source, ctx)
    if ((source.url === undefined) === (source.file === undefined))
      ctx.addIssue({ code: 'custom', path: ['url'], message: 'give either url or file' })
  }, EVEN_WITH_PROBLEMS)
  .describe('Source of a watchlist')

export const AntifraudConfig = z
  .strictObject({
    duplicateFace: z
      .strictObject({
        enabled: z.boolean().default(false).describe('Compares the faces of all identities'),
        retentionDays: days.default(90).describe('Days for which a face can be found'),
      })
      .prefault({}),
    duplicateDocument: z
      .strictObject({
        // Starting value: a year, so that returning applicants are recognised; others learn nothing from a keyed hash.
        retentionDays: days.default(365).describe('Days for which a document can be found again'),
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
      .describe('A warning if there are more identities than this within these hours'),
    watchlist: z
      .strictObject({
        // Sanctions lists change several times a month.
        listDays: days.default(7).describe('Days after which a list is outdated'),
        sources: z
          .array(ListSourceConfig)
          .max(50)
          .default([])
          .superRefine((sources, ctx) => {
            const names = sources.map(({ name }) => name)
            names.forEach((name, at) => {
              if (name && names.indexOf(name) !== at)
                ctx.addIssue({ code: 'custom', path: [at, 'name'], message: 'is used by another source' })
            })
          }, EVEN_WITH_PROBLEMS)
          .describe('Where lists are fetched from by themselves'),
      })
      .prefault({}),
    documentStatus: z
      .strictObject({
        registerDays: days.default(7).describe('Days after which a register is outdated'),
        retryMinutes: z
          .number()
          .positive()
          .default(10)
          .describe('Minutes until a register that did not answer is asked again'),
        retries: z.int().min(0).default(12).describe('Number of further tries'),
      })
      .prefault({}),
  })
  .prefault({})
  .describe('Antifraud checks: stored traces, and look-ups')

export const EnvironmentConfig = z
  .strictObject({
    camera: z
      .strictObject({ vendor: USB_ID, product: USB_ID, serial: z.string().min(1).max(100).optional() })
      .optional()
      .describe('The trusted camera of the kiosk'),
    inspection: z
      .strictObject({ everyDays: days.describe('Maximum number of days between two inspections') })
      .optional()
      .describe('Requires recorded inspections of the device'),
    // A week, equal to the time that proofs may wait for the central service before a kiosk freezes
    // (sync.freeze.ageHours).
    offlineHours: z
      .number()
      .positive()
      .default(168)
      .describe('Hours without contact to the central service, once the kiosk has joined one'),
  })
  .prefault({})
  .describe('Limits beyond which a fault of the device is in force')

export const DocumentStatusConnector = serviceSchema({
  ...serviceOptions(5_000),
  authoritative: z
    .boolean()
    .default(false)
    .describe('The register is authorised by the issuers of documents'),
  coversDeaths: z.boolean().default(false).describe('The register covers deceased holders and reports them'),
}).describe('Register of lost, stolen and revoked documents')

export const FraudRegisterConnector = serviceSchema({
  ...serviceOptions(5_000),
  coversDeaths: z.boolean().default(false).describe('The register covers deceased persons and reports them'),
}).describe('Register of known fraud, asked about documents and persons')
