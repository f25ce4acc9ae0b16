/** The configuration of an appliance that asks a simulated issuing source about licences, and a licence that it knows. */
import { generateKeyPairSync } from 'node:crypto'
import { readSpecimenRecords, startIssuer, type IssuerRecord } from '../../server/tools/simulator/issuer.ts'
import type { QuestionSimulator } from '../../server/tools/simulator/question-simulator.ts'
import { SHARING_TENANT } from './app.ts'

const value = (text: string) => ({ value: text })
export const LICENCE = {
  idDocumentType: 'DRIVING_LICENSE',
  idDocumentNumber: '12 345 678',
  issuingCountry: 'AUS',
  issuingState: 'VIC',
  expiryDate: '2030-01-31',
  cardNumber: 'P1234567',
  personalAttributes: {
    dateOfBirth: value('1974-08-12'),
    givenNames: [value('Anna'), value('Maria')],
    surname: value('Zaphodovaquix'),
    fullname: value('Anna Maria Zaphodovaquix'),
  },
}
/** A value of the licence in a log, an event or an error. */
export const OF_LICENCE = /Zaphodovaquix|12 ?345 ?678|1974-08-12/i

const RECORD: IssuerRecord = {
  documentType: 'DRIVING_LICENSE',
  issuingCountry: 'AUS',
  values: {
    documentNumber: '12345678',
    cardNumber: 'P1234567',
    surname: 'ZAPHODOVAQUIX',
    givenName: 'ANNA',
    dateOfBirth: '1974-08-12',
    expiryDate: '2030-01-31',
  },
}

/** A passport whose record has one number more, which the picture does not show. */
export const NUMBERED = {
  documentType: 'PASSPORT',
  issuingCountry: 'UTO',
  values: {
    documentNumber: 'DETAIL001',
    cardNumber: 'P1234567',
    surname: 'ERIKSSON',
    givenName: 'ANNA',
    dateOfBirth: '1974-08-12',
  },
} as const satisfies IssuerRecord

export interface ConnectedIssuer {
  readonly issuer: QuestionSimulator
  readonly config: { readonly tenant: object; readonly connectors: object }
  /** Files of the data folder. */
  readonly files: Readonly<Record<string, string>>
}

/** @param more further options of the source */
export async function connectIssuer(more: object = {}, now?: () => Date): Promise<ConnectedIssuer> {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const issuer = await startIssuer({
    port: 0,
    publicKey: keys.publicKey.export({ type: 'spki', format: 'pem' }) as string,
    records: [RECORD, NUMBERED, ...readSpecimenRecords()],
    ...(now ? { now } : {}),
  })
  const source = {
    id: 'licences',
    name: 'Licence office',
    url: issuer.url,
    allowHttp: true,
    timeoutMs: 500,
    signingKeyFile: 'issuer.key',
    keyId: 'test',
    covers: [{ documentTypes: ['DRIVING_LICENSE', 'PASSPORT'], countries: ['AUS', 'UTO'] }],
    sends: ['documentNumber', 'surname', 'givenName', 'dateOfBirth'],
    ...more,
  }
  return {
    issuer,
    config: {
      tenant: { ...SHARING_TENANT, features: { issuerVerification: true } },
      connectors: { issuers: [source] },
    },
    files: { 'issuer.key': keys.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string },
  }
}
