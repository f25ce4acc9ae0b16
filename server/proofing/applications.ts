/**
 * Applications of a tenant: the built-in ones, and which application may see identities of which other. Pure; handles
 * names only.
 */

/**
 * Names under which the appliance calls itself. A key with such a name would act as the appliance, so none can be
 * created.
 */
export const BUILT_IN = { KIOSK: 'kiosk', COUNTER: 'counter' } as const
export const RESERVED_APPLICATIONS: readonly string[] = Object.values(BUILT_IN)

/** Cameras of kiosk and counter stand still; the camera of another application may be that of a phone. */
export function hasFixedCamera(application: string): boolean {
  return RESERVED_APPLICATIONS.includes(application)
}

/** Also true for lookalikes: other case, width or surrounding spaces. */
export function isReservedName(name: string): boolean {
  return RESERVED_APPLICATIONS.includes(name.normalize('NFKC').trim().toLowerCase())
}

/** READ: view, pictures, and the signed proof. ACT: everything the owner may do. */
export type Purpose = 'READ' | 'ACT'

/** `tenant.sharing` in config.json: `application` may see the identities of each application in `of`. */
export interface SharingRule {
  readonly application: string
  readonly of: readonly string[]
  readonly may: 'read' | 'act'
}

/** Applications whose identities this application may access for the purpose, its own name first. */
export function reachableNames(
  rules: readonly SharingRule[],
  application: string,
  purpose: Purpose,
): readonly string[] {
  const shared = rules
    .filter((rule) => rule.application === application && (purpose === 'READ' || rule.may === 'act'))
    .flatMap(({ of }) => of)
  return [...new Set([application, ...shared])]
}

interface SharingProblem {
  /** Index of the rule. */
  readonly rule: number
  readonly member: 'application' | 'of'
  readonly code: 'reserved' | 'own' | 'repeated'
  readonly message: string
}

/** All problems of a list of rules. Names of applications that do not exist yet are allowed. */
export function sharingProblems(rules: readonly SharingRule[]): readonly SharingProblem[] {
  return rules.flatMap(({ application, of }, rule): SharingProblem[] => {
    const before = rules.slice(0, rule).filter((other) => other.application === application)
    const given = before.flatMap((other) => other.of)
    const repeated = of.filter((name, at) => given.includes(name) || of.indexOf(name) < at)
    return [
      ...(isReservedName(application)
        ? [
            {
              rule,
              member: 'application' as const,
              code: 'reserved' as const,
              message: `'${application}' is a name of the appliance itself: no key can be made for it, so it can see nothing`,
            },
          ]
        : []),
      ...(of.includes(application)
        ? [
            {
              rule,
              member: 'of' as const,
              code: 'own' as const,
              message: 'names the application itself, which sees its own identities anyway',
            },
          ]
        : []),
      ...[...new Set(repeated)].map((name) => ({
        rule,
        member: 'of' as const,
        code: 'repeated' as const,
        message: `names '${name}' a second time for this application: use a single rule`,
      })),
    ]
  })
}

/** Names in the rules without an application: the rules have no effect until it is created. */
export function unknownNames(rules: readonly SharingRule[], known: readonly string[]): readonly string[] {
  const named = rules.flatMap(({ application, of }) => [application, ...of])
  return [...new Set(named)].filter((name) => !known.includes(name) && !RESERVED_APPLICATIONS.includes(name))
}
