/**
 * Uses and creates passkeys through the browser. If the officer closes the browser's dialog, there is no
 * passkey and no error.
 */
import { browserSupportsWebAuthn, startAuthentication, startRegistration } from '@simplewebauthn/browser'
import type { PasskeyOptions } from '../../server/counter/contract/staff.ts'

type Options = PasskeyOptions['options']

export const passkeysWork = (): boolean => browserSupportsWebAuthn()

export async function askPasskey(options: Options): Promise<object | null> {
  type Asked = Parameters<typeof startAuthentication>[0]['optionsJSON']
  return startAuthentication({ optionsJSON: options as unknown as Asked }).catch(() => null)
}

export async function makePasskey(options: Options): Promise<object | null> {
  type Asked = Parameters<typeof startRegistration>[0]['optionsJSON']
  return startRegistration({ optionsJSON: options as unknown as Asked }).catch(() => null)
}
