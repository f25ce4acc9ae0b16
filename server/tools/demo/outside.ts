/** The services outside that `npm run demo -- --all` asks: every simulator, and the configuration that connects them. */
import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { writeFileWhole } from '../../files/write-file.ts'
import { readSpecimenAddresses, startAddressRegister } from '../simulator/address-register.ts'
import { readSpecimenAccounts, startCardOwnership } from '../simulator/card-ownership.ts'
import { readSpecimenFiles, startBureau } from '../simulator/bureau.ts'
import { readSpecimenRecords, startIssuer, type IssuerRecord } from '../simulator/issuer.ts'
import { LEVELS, readSpecimenAccount, startIdentityProvider, walkLogin } from '../simulator/oidc.ts'
import { readSpecimenContracts, startOperator } from '../simulator/operator.ts'
import { startRegister } from '../simulator/register.ts'
import { startSmsGateway } from '../simulator/sms.ts'
import { startSmtp } from '../simulator/smtp.ts'
import { startVoice } from '../simulator/voice.ts'
import type { ContactKind } from '../../proofing/contact-kinds.ts'

const CLIENT_ID = 'counterproof'
const SECRET = 'a secret of the demonstration'

export interface Outside {
  /** Members of config.json. */
  readonly config: object
  /** Writes the keys and secrets that the configuration names into the data folder. */
  writeSecrets(dataDir: string): void
  /** The code of the last message or call. */
  lastCode(kind: ContactKind): string
  /** Lets the person log in at the identity provider, and returns the address to which the browser is sent back. */
  login(authorizeUrl: string): Promise<URL>
  /** Tells the identity provider where the appliance listens. */
  serve(applianceUrl: string): void
  close(): Promise<void>
}

/** The person of the demonstration, as issuer, operator, bureau and identity provider know the person. */
export const HOLDER: IssuerRecord = readSpecimenRecords()[0]
export const HOLDER_PHONE = readSpecimenContracts()[0].phoneNumber

export async function startOutside(): Promise<Outside> {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const publicKey = keys.publicKey.export({ type: 'spki', format: 'pem' }) as string
  const issuer = await startIssuer({ port: 0, publicKey, records: readSpecimenRecords() })
  const bureau = await startBureau({ port: 0, publicKey, files: readSpecimenFiles() })
  const addresses = await startAddressRegister({ port: 0, publicKey, entries: readSpecimenAddresses() })
  const cards = await startCardOwnership({ port: 0, publicKey, accounts: readSpecimenAccounts() })
  const operator = await startOperator({ port: 0, contracts: readSpecimenContracts() })
  const documents = await startRegister({ coversDeaths: true })
  const fraud = await startRegister({ coversDeaths: true })
  const sms = await startSmsGateway()
  const smtp = await startSmtp({ port: 0 })
  const voice = await startVoice({ port: 0 })
  const provider = await startIdentityProvider({
    clients: { [CLIENT_ID]: SECRET },
    account: readSpecimenAccount(),
  })
  const signed = { allowHttp: true, signingKeyFile: 'keys/demo.key', keyId: 'demo' }
  const register = (url: string) => ({ url, allowHttp: true, coversDeaths: true })
  return {
    config: {
      connectors: {
        issuers: [
          {
            ...signed,
            id: 'passports',
            name: 'Passport office',
            url: issuer.url,
            covers: [{ documentTypes: [HOLDER.documentType], countries: [HOLDER.issuingCountry] }],
            sends: ['documentNumber', 'surname', 'givenName', 'middleNames', 'dateOfBirth', 'expiryDate'],
          },
        ],
        bureaus: [
          {
            ...signed,
            id: 'credit',
            name: 'Credit bureau',
            url: bureau.url,
            countries: [HOLDER.issuingCountry],
            sends: ['givenNames', 'surname', 'dateOfBirth', 'address'],
          },
        ],
        addressRegisters: [
          {
            ...signed,
            id: 'residents',
            name: 'Register of residents',
            url: addresses.url,
            countries: [HOLDER.issuingCountry],
            sends: ['streetLine1', 'postcode', 'city', 'givenNames', 'surname', 'dateOfBirth'],
            authoritative: true,
          },
        ],
        cardOwnership: { ...signed, name: 'Card scheme', url: cards.url },
        operator: {
          url: operator.url,
          allowHttp: true,
          oauth: {
            tokenUrl: `${operator.url}/token`,
            clientId: CLIENT_ID,
            clientSecretFile: 'keys/demo.secret',
          },
        },
        sms: { url: sms.url, allowHttp: true },
        smtp: { url: smtp.url, allowPlain: true, from: 'no-reply@bank.example' },
        voice: { url: voice.url, allowHttp: true },
        documentStatus: { ...register(documents.url), authoritative: true },
        fraudRegister: register(fraud.url),
        oidc: {
          allowHttp: true,
          providers: [
            {
              id: 'bank',
              issuer: provider.issuer,
              clientId: CLIENT_ID,
              clientSecretFile: 'keys/demo.secret',
              acrValues: LEVELS.high,
              score: 'LEVEL3',
            },
          ],
        },
      },
    },
    writeSecrets: (dataDir) => {
      mkdirSync(join(dataDir, 'keys'), { recursive: true, mode: 0o700 })
      const key = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
      writeFileWhole(join(dataDir, 'keys', 'demo.key'), key)
      writeFileWhole(join(dataDir, 'keys', 'demo.secret'), SECRET)
    },
    lastCode: (kind) => ({ mobile: sms, email: smtp, landline: voice })[kind].lastCode(),
    login: (authorizeUrl) => walkLogin(authorizeUrl),
    serve: (applianceUrl) => provider.serve(`${applianceUrl}/oidc/callback`),
    close: async () => {
      await provider.goDown()
      const simulators = [issuer, bureau, addresses, cards, operator, documents, fraud, sms, smtp, voice]
      for (const simulator of simulators) await simulator.close()
    },
  }
}
