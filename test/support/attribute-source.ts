/** The configuration of an appliance that asks a simulated bureau about claims, and a claim that two of its records confirm. */
import { generateKeyPairSync } from 'node:crypto'
import { startBureau, type BureauFile } from '../../server/tools/simulator/bureau.ts'
import type { QuestionSimulator } from '../../server/tools/simulator/question-simulator.ts'
import { SHARING_TENANT } from './app.ts'

const NAMED = { givenNames: 'ANNA MARIA', surname: 'ZAPHODOVAQUIX' }
const FILES: readonly BureauFile[] = [
  { origin: 'lender', country: 'FRA', values: { ...NAMED, dateOfBirth: '1974-08-12' } },
  { origin: 'electoral-roll', country: 'FRA', values: { ...NAMED, address: '12, Paris' } },
]
const value = (text: string) => ({ value: text })
export const CLAIM = {
  attributesData: {
    givenNames: [value('Anna'), value('Maria')],
    surname: value('Zaphodovaquix'),
    dateOfBirth: value('1974-08-12'),
  },
  addressesData: { houseNumber: '12', city: 'Paris', country: 'FRA' },
}

/** @param sources one for each: further options. Each has a simulator and files of its own, or those of the claim. */
export async function connectBureaus(
  sources: readonly { readonly files?: readonly BureauFile[]; readonly options?: object }[],
  now?: () => Date,
) {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const publicKey = keys.publicKey.export({ type: 'spki', format: 'pem' }) as string
  const simulators = await Promise.all(
    sources.map(({ files = FILES }) => startBureau({ port: 0, publicKey, files, ...(now ? { now } : {}) })),
  )
  const bureaus = sources.map(({ options }, index) => ({
    id: `bureau-${index}`,
    name: `Bureau ${index}`,
    url: simulators[index].url,
    allowHttp: true,
    timeoutMs: 500,
    signingKeyFile: 'bureau.key',
    keyId: 'test',
    countries: ['FRA'],
    sends: ['givenNames', 'surname', 'dateOfBirth', 'address'],
    ...options,
  }))
  return {
    bureaus: simulators as readonly QuestionSimulator[],
    config: { tenant: SHARING_TENANT, connectors: { bureaus } },
    files: { 'bureau.key': keys.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string },
  }
}
