/**
 * A mobile operator for tests and demonstrations: CAMARA's KYC Match and SIM Swap on a real socket, with contracts of fictitious
 * persons and faults by name. It issues tokens by client credentials and asks for one in each request.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { z } from 'zod'
import { closeServer, listen } from '../../http/http-server.ts'
import { OPERATOR_FIELDS, type OperatorField } from '../../proofing/phone-ownership.ts'
import { readSpecimenRecords } from './issuer.ts'

const Values = z.partialRecord(z.enum(OPERATOR_FIELDS), z.string())
export const Contract = z.object({
  phoneNumber: z.string(),
  values: Values,
  /** Hours since the SIM was changed; absent: never. */
  simChangedHours: z.number().optional(),
})
export type Contract = z.infer<typeof Contract>
const MatchQuestion = Values.and(z.object({ phoneNumber: z.string() }))
const SwapQuestion = z.object({ phoneNumber: z.string(), maxAge: z.number().int().min(1).max(2400) })

export const OPERATOR_FAULTS = [
  'silent',
  'slow',
  'error',
  'rate-limit',
  'refuse',
  'no-token',
  'half',
  'malformed',
  'unasked',
  'document-number',
] as const
type OperatorFault = (typeof OPERATOR_FAULTS)[number]

export interface OperatorSimulator {
  readonly url: string
  /** Requests in the order of their arrival, without those for tokens. */
  readonly requests: readonly { readonly path: string; readonly correlator: string; readonly body: string }[]
  /** Null: it answers correctly again. */
  setFault(fault: OperatorFault | null): void
  close(): Promise<void>
}

interface OperatorOptions {
  readonly port: number
  readonly contracts: readonly Contract[]
  readonly fault?: OperatorFault | null
}

const SLOW_MS = 3000
const TOKEN = 'token-of-the-simulator'
const ERROR_STATUS = { 400: 'INVALID_ARGUMENT', 401: 'UNAUTHENTICATED', 429: 'TOO_MANY_REQUESTS' } as const

export async function startOperator(options: OperatorOptions): Promise<OperatorSimulator> {
  const requests: { path: string; correlator: string; body: string }[] = []
  let fault = options.fault ?? null

  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const body = (await buffer(req)).toString('utf8')
    const send = (status: number, json: object): void =>
      void res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json))
    const refuse = (status: number, code: string): void => send(status, { status, code, message: code })
    if (req.url === '/token') {
      if (fault === 'no-token') return send(401, { error: 'invalid_client' })
      return send(200, { access_token: TOKEN, token_type: 'Bearer', expires_in: 600 })
    }
    const path = req.url ?? ''
    requests.push({ path, correlator: String(req.headers['x-correlator']), body })
    if (fault === 'silent') return
    if (fault === 'refuse' || req.headers.authorization !== `Bearer ${TOKEN}`)
      return refuse(401, ERROR_STATUS[401])
    if (fault === 'error') return refuse(500, 'INTERNAL')
    if (fault === 'rate-limit') return refuse(429, ERROR_STATUS[429])
    if (fault === 'malformed') return send(200, { givenNameMatch: 'perhaps', swapped: 'no' })
    if (fault === 'half') {
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 })
      res.write('{"swapped":')
      return void setTimeout(() => res.destroy(), 20)
    }
    if (fault === 'slow') await new Promise((resolve) => setTimeout(resolve, SLOW_MS))
    const isMatch = path.endsWith('/match')
    const question = (isMatch ? MatchQuestion : SwapQuestion).safeParse(JSON.parse(body)).data
    if (!question) return refuse(400, ERROR_STATUS[400])
    const contract = options.contracts.find(({ phoneNumber }) => phoneNumber === question.phoneNumber)
    if (!contract) return refuse(404, 'IDENTIFIER_NOT_FOUND')
    if ('maxAge' in question)
      return send(200, { swapped: (contract.simChangedHours ?? Infinity) <= Number(question.maxAge) })
    if (fault === 'document-number' && question.idDocument === undefined)
      return refuse(403, 'KNOW_YOUR_CUSTOMER.ID_DOCUMENT_REQUIRED')
    if (fault === 'document-number' && fold(question.idDocument) !== fold(contract.values.idDocument))
      return refuse(403, 'KNOW_YOUR_CUSTOMER.ID_DOCUMENT_MISMATCH')
    send(200, { ...compare(contract, question), ...(fault === 'unasked' ? { idDocumentMatch: 'true' } : {}) })
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

function compare({ values: kept }: Contract, asked: z.infer<typeof Values>): Record<string, string> {
  return Object.fromEntries(
    OPERATOR_FIELDS.filter((field) => asked[field] !== undefined).map((field) => [
      `${field}Match`,
      kept[field] === undefined ? 'not_available' : String(fold(asked[field]) === fold(kept[field])),
    ]),
  )
}

/** Removes accents, signs and case. */
function fold(text = ''): string {
  return text
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase()
}

/** A French number that is reserved for fiction: the specimen persons have +33639980001 and the following ones. */
const FICTITIOUS = 33_639_980_001

/** Contracts of the bundled specimen persons. */
export function readSpecimenContracts(): readonly Contract[] {
  return readSpecimenRecords().map(({ values }, index) => {
    const { givenName = '', middleNames = '', surname: familyName = '' } = values
    const given = `${givenName} ${middleNames}`.trim()
    const known: Readonly<Record<OperatorField, string | undefined>> = {
      idDocument: values.documentNumber,
      name: `${given} ${familyName}`,
      givenName: given,
      middleNames: undefined,
      familyName,
      birthdate: values.dateOfBirth,
    }
    const kept = Object.entries(known).filter(([, value]) => value !== undefined)
    return { phoneNumber: `+${FICTITIOUS + index}`, values: Object.fromEntries(kept) }
  })
}
