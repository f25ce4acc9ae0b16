/** The configuration of an appliance that asks a simulated register of addresses. */
import { generateKeyPairSync } from 'node:crypto'
import { startAddressRegister, type AddressEntry } from '../../server/tools/simulator/address-register.ts'

/** @param options further options of the register */
export async function connectAddressRegister(
  entries: readonly AddressEntry[],
  options: object = {},
  now?: () => Date,
) {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const publicKey = keys.publicKey.export({ type: 'spki', format: 'pem' }) as string
  const register = await startAddressRegister({ port: 0, publicKey, entries, ...(now ? { now } : {}) })
  const configured = {
    id: 'residents',
    name: 'Register of residents',
    url: register.url,
    allowHttp: true,
    timeoutMs: 5000,
    signingKeyFile: 'addresses.key',
    keyId: 'test',
    countries: ['UTO'],
    sends: ['streetLine1', 'postcode', 'city', 'givenNames', 'surname'],
    ...options,
  }
  return {
    register,
    config: { connectors: { addressRegisters: [configured] } },
    files: { 'addresses.key': keys.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string },
  }
}
