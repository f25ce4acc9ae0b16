/** A registered OpenID provider that tells the appliance who the applicant is. */
import type { Clock } from '../../clock.ts'
import {
  createCodeFlow,
  type CodeFlow,
  type FlowResult,
  type FlowSettings,
  type LoginFailure,
  type LoginSecrets,
} from '../../openid/code-flow.ts'
import { parseSharedAttributes, type SharedAttributes } from './shared-attributes.ts'

export interface ProviderSettings extends FlowSettings {
  readonly id: string
}

/** A `cause` is only for the log's `describeError`, because its message may quote received data. */
export type LoginResult =
  | { readonly outcome: 'shared'; readonly attributes: SharedAttributes }
  /** Authenticated, but no attribute with a name is available. */
  | { readonly outcome: 'not-shared'; readonly cause?: unknown }
  /** Authenticated at another level than requested. */
  | { readonly outcome: 'other-level' }
  | { readonly outcome: LoginFailure; readonly cause: unknown }

export interface IdentityProvider {
  /** Throws `authorization_server_unavailable`. */
  readonly startLogin: CodeFlow['start']
  finishLogin(login: LoginSecrets, query: Readonly<Record<string, string>>): Promise<LoginResult>
}

export function createIdentityProvider(settings: ProviderSettings, clock: Clock): IdentityProvider {
  const flow = createCodeFlow(settings, clock, { details: { idpIdentifier: settings.id } })
  return {
    startLogin: (request) => flow.start(request),
    finishLogin: async (login, query) => {
      const result = await flow.finish(login, query)
      return result.outcome === 'authenticated' ? shareAttributes(result) : result
    },
  }
}

async function shareAttributes({
  readClaims,
}: Extract<FlowResult, { outcome: 'authenticated' }>): Promise<LoginResult> {
  try {
    const attributes = parseSharedAttributes(await readClaims())
    return attributes ? { outcome: 'shared', attributes } : { outcome: 'not-shared' }
  } catch (cause) {
    return { outcome: 'not-shared', cause }
  }
}
