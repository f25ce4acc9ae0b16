/** The registered providers, checked at start: lists every problem of the configuration. */
import type { Clock } from '../../clock.ts'
import { AppError, type FieldProblem } from '../../errors.ts'
import { createIdentityProvider, type IdentityProvider, type ProviderSettings } from './identity-provider.ts'

/** Keyed by the id that callers use (spec "idpIdentifier"). */
export type IdentityProviders = ReadonlyMap<string, IdentityProvider>

/** Throws `configuration_invalid`. Calls no provider before the first login. */
export function createIdentityProviders(
  providers: readonly ProviderSettings[],
  clock: Clock,
): IdentityProviders {
  const problems = providers.flatMap((settings, index) => findProviderProblems(settings, index, providers))
  if (problems.length > 0) throw new AppError('configuration_invalid', {}, { problems })
  return new Map(providers.map((settings) => [settings.id, createIdentityProvider(settings, clock)]))
}

function findProviderProblems(
  { id, scope }: ProviderSettings,
  index: number,
  all: readonly ProviderSettings[],
): readonly FieldProblem[] {
  const problem = (field: string, code: string, message: string): FieldProblem => ({
    code,
    message,
    field: `connectors.oidc.providers.${index}.${field}`,
  })
  return [
    ...(all.findIndex((other) => other.id === id) < index
      ? [problem('id', 'duplicate', 'another provider has this id')]
      : []),
    ...(scope.split(' ').includes('openid')
      ? []
      : [problem('scope', 'openid_missing', 'the scope must include openid')]),
  ]
}
