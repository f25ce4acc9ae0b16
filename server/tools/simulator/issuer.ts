/**
 * An issuing source for tests and demonstrations: our protocol (server/connectors/issuer) on a real socket, with records of
 * fictitious persons and faults by name. It checks the signature of each request.
 */
import { createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { flattenedVerify } from 'jose'
import { z } from 'zod'
import { RESOURCES_DIR } from '../../config/resources.ts'
import { closeServer, listen } from '../../http/http-server.ts'
import { ISSUER_FIELDS, type FieldMatch, type IssuerField } from '../../proofing/issuer-answer.ts'

const Values = z.partialRecord(z.enum(ISSUER_FIELDS), z.string())
const Question = z.object({
  requestId: z.string(),
  documentType: z.string(),
  issuingCountry: z.string(),
  values: Values,
})
export const IssuerRecord = z.object({ documentType: z.string(), issuingCountry: z.string(), values: Values })
export type IssuerRecord = z.infer<typeof IssuerRecord>

export const ISSUER_FAULTS = [
  'silent',
  'slow',
  'error',
  'rate-limit',
  'refuse',
  'half',
  'malformed',
  'other-request',
  'unasked',
] as const
export type IssuerFault = (typeof ISSUER_FAULTS)[number]

export interface IssuerSimulator {
  readonly url: string
  /** Requests in the order of their arrival. */
  readonly requests: readonly { readonly idempotencyKey: string; readonly body: string }[]
  /** Null: it answers correctly again. */
  setFault(fault: IssuerFault | null): void
  close(): Promise<void>
}

interface IssuerOptions {
  readonly port: number
  /** PEM of the public key that the requests are signed with. */
  readonly publicKey: string
  readonly records: readonly IssuerRecord[]
  readonly fault?: IssuerFault | null
  /** Default: the system's clock. */
  readonly now?: () => Date
}

const SLOW_MS = 3000
const MAX_SIGNATURE_AGE_SECONDS = 300

export async function startIssuer(options: IssuerOptions): Promise<IssuerSimulator> {
  const requests: { idempotencyKey: string; body: string }[] = []
  let fault = options.fault ?? null
  const key = createPublicKey(options.publicKey)
  const now = options.now ?? (() => new Date())

  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const body = await buffer(req)
    const send = (status: number, json: object): void =>
      void res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
    if (req.method !== 'POST' || req.url !== '/document-comparisons') return send(404, {})
    requests.push({ idempotencyKey: String(req.headers['idempotency-key']), body: body.toString('utf8') })
    if (fault === 'refuse' || !(await isSigned(body, String(req.headers['request-signature']))))
      return send(401, {})
    if (fault === 'silent') return
    if (fault === 'error') return send(500, {})
    if (fault === 'rate-limit') return send(429, {})
    if (fault === 'malformed') return send(200, { record: 'PERHAPS' })
    const question = Question.safeParse(JSON.parse(body.toString('utf8')))
    if (!question.success) return send(400, {})
    const { requestId, values } = question.data
    const compared = compare(options.records, question.data)
    if (fault === 'half') {
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 })
      res.write('{"requestId":')
      return void setTimeout(() => res.destroy(), 20)
    }
    if (fault === 'slow') await new Promise((resolve) => setTimeout(resolve, SLOW_MS))
    const unasked = ISSUER_FIELDS.find((field) => values[field] === undefined)
    send(200, {
      requestId: fault === 'other-request' ? 'another' : requestId,
      ...compared,
      ...(fault === 'unasked' && unasked ? { matches: { ...compared.matches, [unasked]: 'MATCH' } } : {}),
    })
  }
  const isSigned = async (body: Buffer, signature: string): Promise<boolean> => {
    const [header = '', , value = ''] = signature.split('.')
    const payload = body.toString('base64url')
    try {
      const { protectedHeader } = await flattenedVerify({ protected: header, payload, signature: value }, key)
      const age = now().getTime() / 1000 - Number(protectedHeader?.iat)
      return protectedHeader?.typ === 'issuer-request' && Math.abs(age) < MAX_SIGNATURE_AGE_SECONDS
    } catch {
      return false
    }
  }
  const server = createServer((req, res) => void answer(req, res).catch(() => res.destroy()))
  const url = await listen(server, '127.0.0.1', options.port)
  return {
    url,
    requests,
    setFault: (next) => {
      fault = next
    },
    close: () => {
      server.closeAllConnections()
      return closeServer(server)
    },
  }
}

function compare(
  records: readonly IssuerRecord[],
  {
    documentType,
    issuingCountry,
    values,
  }: Pick<z.infer<typeof Question>, 'documentType' | 'issuingCountry' | 'values'>,
): { record: string; matches: Partial<Record<IssuerField, FieldMatch>> } {
  const kept = records.filter(
    (record) => record.documentType === documentType && record.issuingCountry === issuingCountry,
  )
  if (kept.length === 0) return { record: 'NOT_COVERED', matches: {} }
  const found = kept.find((record) => fold(record.values.documentNumber) === fold(values.documentNumber))
  if (!found) return { record: 'NOT_FOUND', matches: {} }
  const matches = Object.fromEntries(
    Object.entries(values).map(([field, value]) => [
      field,
      matchValue(field as IssuerField, value, found.values[field as IssuerField]),
    ]),
  )
  return { record: 'FOUND', matches }
}

const NAMES: readonly IssuerField[] = ['surname', 'givenName', 'middleNames']

function matchValue(field: IssuerField, asked: string, kept: string | undefined): FieldMatch {
  if (kept === undefined) return 'NOT_COMPARED'
  if (!NAMES.includes(field)) return fold(asked) === fold(kept) ? 'MATCH' : 'NO_MATCH'
  if (asked.toUpperCase() === kept.toUpperCase()) return 'MATCH'
  return fold(asked) === fold(kept) ? 'SIMILAR' : 'NO_MATCH'
}

/** Removes accents, signs and case. */
function fold(text = ''): string {
  return text
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase()
}

const Truth = z.object({
  fields: z.object({
    issuingState: z.string(),
    documentNumber: z.string(),
    surname: z.string(),
    givenNames: z.string(),
    birthDate: z.string(),
    expiryDate: z.string(),
  }),
})
const Index = z.object({ persons: z.array(z.object({ truth: z.string() })) })

/** The passports of the bundled specimen persons. */
export function readSpecimenRecords(): readonly IssuerRecord[] {
  const folder = join(RESOURCES_DIR, 'specimens')
  const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'))
  return Index.parse(read('index.json')).persons.map(({ truth }) => {
    const { fields } = Truth.parse(read(truth))
    const [givenName, ...middleNames] = fields.givenNames.split(' ')
    const { documentNumber, surname, birthDate: dateOfBirth, expiryDate } = fields
    return {
      documentType: 'PASSPORT',
      issuingCountry: fields.issuingState,
      values: {
        documentNumber,
        surname,
        givenName,
        middleNames: middleNames.join(' '),
        dateOfBirth,
        expiryDate,
      },
    }
  })
}
