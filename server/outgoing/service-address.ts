/**
 * Requires https for an address that an operator configures. Plain http needs the setting `allowHttp` and then
 * reaches only this machine, because other machines on a network could read a token, a passcode or a person's data.
 */
import { z } from 'zod'

export const HTTP_ADDRESS = z.url({ protocol: /^https?$/ })
export const ALLOW_HTTP = z
  .boolean()
  .default(false)
  .describe('Permits http:// for addresses of this machine (127.0.0.1, [::1], localhost)')

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** @param address an absolute http or https address. */
export function isLoopbackAddress(address: string): boolean {
  return LOOPBACK_HOST.test(new URL(address).hostname)
}

/** False for text that is no address. */
export const isPlainHttp = (address: string): boolean =>
  URL.canParse(address) && new URL(address).protocol === 'http:'

interface ConfiguredAddress {
  /** Path relative to the object that has `allowHttp`. */
  readonly path: readonly (string | number)[]
  readonly address: string
}

/**
 * A zod refinement of an object with the member `allowHttp`.
 * @param listAddresses every address that the object configures.
 */
export function requireHttps<T extends { readonly allowHttp: boolean }>(
  listAddresses: (settings: T) => readonly ConfiguredAddress[],
) {
  return (settings: T, ctx: z.core.$RefinementCtx<T>): void => {
    for (const { path, address } of listAddresses(settings)) {
      const message = httpProblem(address, settings.allowHttp)
      if (message !== null) ctx.addIssue({ code: 'custom', path: [...path], message, input: undefined })
    }
  }
}

/** Applies the rule to members of the object that are addresses or not set, which is the common case. */
export function demandHttpsFor<K extends string>(...names: readonly K[]) {
  return requireHttps<{ readonly allowHttp: boolean } & Readonly<Partial<Record<K, string | undefined>>>>(
    (settings) =>
      names.flatMap((name) => {
        const address: string | undefined = settings[name]
        return address === undefined ? [] : [{ path: [name], address }]
      }),
  )
}

function httpProblem(address: string, allowHttp: boolean): string | null {
  // The schema reports what is no address.
  if (!isPlainHttp(address)) return null
  if (!isLoopbackAddress(address)) return 'plain http would send data readable over the network; use https'
  return allowHttp ? null : 'plain http is refused; use https, or set allowHttp for a service on this machine'
}
