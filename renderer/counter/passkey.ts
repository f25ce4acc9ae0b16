/**
 * Uses and creates passkeys through the browser. If the officer closes the browser's dialog, there is no
 * passkey and no error.
 */
import { browserSupportsWebAuthn, startAuthentication, startRegistration } from '@simplewebauthn/browser'
import type { PasskeyOptions, SessionView } from '../../server/counter/contract/staff.ts'
import type { Client } from './api/client.ts'

type Options = PasskeyOptions['options']

export const passkeysWork = (): boolean => browserSupportsWebAuthn()

/** Null if the officer closes the browser's dialog. */
export async function signInByPasskey(client: Client): Promise<SessionView | null> {
  type Asked = Parameters<typeof startAuthentication>[0]['optionsJSON']
  const { options } = await client.send<PasskeyOptions>('POST', 'session/passkey/options')
  const optionsJSON = options as unknown as Asked
  const credential = await startAuthentication({ optionsJSON }).catch(() => null)
  return credential && client.send<SessionView>('POST', 'session/passkey', { body: { credential } })
}

export async function makePasskey(options: Options): Promise<object | null> {
  type Asked = Parameters<typeof startRegistration>[0]['optionsJSON']
  return startRegistration({ optionsJSON: options as unknown as Asked }).catch(() => null)
}
