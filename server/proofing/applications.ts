/**
 * Applications of a tenant: those that the appliance has for itself, and which application may see which other's
 * identities. Pure; names alone.
 */

/** The appliance calls as these itself. A key of such a name would be the appliance's own, so there is none. */
export const BUILT_IN = { KIOSK: 'kiosk', COUNTER: 'counter' } as const
export const RESERVED_APPLICATIONS: readonly string[] = Object.values(BUILT_IN)

/** True too for what people would take for a reserved name: other letters' case, width or spaces around it. */
export function isReservedName(name: string): boolean {
  return RESERVED_APPLICATIONS.includes(name.normalize('NFKC').trim().toLowerCase())
}

/** READ: look, pictures, the proof once it was sealed. ACT: everything that the owner may do. */
export type Purpose = 'READ' | 'ACT'

/** `tenant.sharing` of config.json: `application` may see the identities of each application in `of`. */
export interface SharingRule {
  readonly application: string
  readonly of: readonly string[]
  readonly may: 'read' | 'act'
}

/** Names of the applications whose identities this application may have for this purpose, its own name first. */
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

export interface SharingProblem {
  /** Place of the rule in the list. */
  readonly rule: number
  readonly member: 'application' | 'of'
  readonly code: 'reserved' | 'own' | 'repeated'
  readonly message: string
}

/** What makes a list of rules unusable: every problem of it. Names of applications that are not there yet are none. */
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
        message: `names '${name}' a second time for this application: one rule says what it may`,
      })),
    ]
  })
}

/** Names in the rules that no application has yet: nothing is shared with them or of them until one is made. */
export function unknownNames(rules: readonly SharingRule[], known: readonly string[]): readonly string[] {
  const named = rules.flatMap(({ application, of }) => [application, ...of])
  return [...new Set(named)].filter((name) => !known.includes(name) && !RESERVED_APPLICATIONS.includes(name))
}
