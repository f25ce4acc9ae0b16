/**
 * Rules about the packages of a package-lock.json: licences, integrity hashes, origin, deprecation, known advisories.
 * Pure: reads no file and calls no registry.
 */
import satisfies from 'spdx-satisfies'
import { z } from 'zod'

/** Licences that a package may have. Each allows redistribution with an Apache-2.0 product. */
export const ACCEPTED_LICENCES: readonly string[] = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  // MIT without the duty to repeat the notice, of nodemailer.
  'MIT-0',
  'Unlicense',
  // Permissive, of argparse: below openapi-typescript, a development tool.
  'Python-2.0',
  // Fonts: may be bundled with software, not sold by themselves.
  'OFL-1.1',
  // Copyleft by file: the package is used unchanged.
  'MPL-2.0',
  // libvips inside sharp, libheif as WebAssembly: each a file of its own, used unchanged, which the owner of the machine can replace.
  'LGPL-3.0-or-later',
  // Data tables of build tools (browser versions, licence names): used unchanged, with attribution in the package.
  'CC-BY-3.0',
  'CC-BY-4.0',
]

/** Packages that state their licence in the form of old (`licenses: [{type}]`), which npm leaves out of the lockfile. */
const LICENCES_STATED_ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['busboy', 'MIT'], // package.json and LICENSE of 1.6.0
  ['streamsearch', 'MIT'], // package.json and LICENSE of 1.1.0
])

/** Packages whose deprecation is known, with the reason why they stay. */
export const ACCEPTED_DEPRECATIONS: ReadonlyMap<string, string> = new Map()

const Lockfile = z.object({
  lockfileVersion: z.literal(3),
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      license: z.string().optional(),
      integrity: z.string().optional(),
      resolved: z.string().optional(),
      deprecated: z.string().optional(),
      link: z.boolean().default(false),
    }),
  ),
})

export interface LockedPackage {
  readonly name: string
  readonly version: string
  /** SPDX expression; null where the package states none. */
  readonly licence: string | null
  readonly integrity: string | null
  /** Download address; null where npm derives it from the configured registry. */
  readonly resolved: string | null
  readonly deprecated: string | null
}

export interface Finding {
  readonly package: string
  readonly problem: string
}

/** Throws ZodError for a file that is no lockfile of version 3. The root package itself is not in the list. */
export function parseLockfile(value: unknown): readonly LockedPackage[] {
  return Object.entries(Lockfile.parse(value).packages).flatMap(([path, entry]) => {
    if (path === '' || entry.link) return []
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
    return [
      {
        name,
        version: entry.version ?? 'unknown',
        licence: entry.license ?? LICENCES_STATED_ELSEWHERE.get(name) ?? null,
        integrity: entry.integrity ?? null,
        resolved: entry.resolved ?? null,
        deprecated: entry.deprecated ?? null,
      },
    ]
  })
}

/** @param deprecations package name → reason to keep it. */
export function findPackageProblems(
  packages: readonly LockedPackage[],
  deprecations: ReadonlyMap<string, string> = ACCEPTED_DEPRECATIONS,
): readonly Finding[] {
  return packages.flatMap((locked) => {
    const problems = [
      findLicenceProblem(locked),
      /^sha512-/.test(locked.integrity ?? '') ? null : 'has no SHA-512 integrity hash in the lockfile',
      isFromRegistry(locked.resolved) ? null : 'is not downloaded from the npm registry',
      locked.deprecated !== null && !deprecations.has(locked.name)
        ? `is deprecated by its author: ${locked.deprecated}`
        : null,
    ]
    return problems
      .filter((problem) => problem !== null)
      .map((problem) => ({ package: `${locked.name}@${locked.version}`, problem }))
  })
}

function findLicenceProblem({ licence }: LockedPackage): string | null {
  if (licence === null) return 'states no licence'
  try {
    return satisfies(licence, [...ACCEPTED_LICENCES])
      ? null
      : `has the licence ${licence}, which is not in the list of accepted licences`
  } catch {
    return `has the licence ${licence}, which is no SPDX expression`
  }
}

function isFromRegistry(resolved: string | null): boolean {
  return resolved === null || resolved.startsWith('https://registry.npmjs.org/')
}

const SEVERITIES = ['info', 'low', 'moderate', 'high', 'critical'] as const
export type Severity = (typeof SEVERITIES)[number]

const AuditAnswer = z.union([
  z.object({
    vulnerabilities: z.record(z.string(), z.object({ severity: z.enum(SEVERITIES), range: z.string() })),
  }),
  z.object({ message: z.string() }),
])

export type Advisories =
  | { readonly asked: true; readonly findings: readonly (Finding & { readonly severity: Severity })[] }
  /** The registry did not answer: the packages are neither known to be affected nor known to be free of advisories. */
  | { readonly asked: false; readonly reason: string }

/** Reads the output of `npm audit --json`. Output that is something else counts as "not asked". */
export function parseAudit(output: string): Advisories {
  let value: unknown
  try {
    value = JSON.parse(output)
  } catch {
    return { asked: false, reason: 'npm audit printed no JSON' }
  }
  const parsed = AuditAnswer.safeParse(value)
  if (!parsed.success) return { asked: false, reason: 'npm audit printed an unknown form of answer' }
  if ('message' in parsed.data) return { asked: false, reason: parsed.data.message }
  return {
    asked: true,
    findings: Object.entries(parsed.data.vulnerabilities).map(([name, { severity, range }]) => ({
      package: `${name} ${range}`,
      problem: `has a known advisory of severity ${severity}`,
      severity,
    })),
  }
}

/** An advisory of this severity fails the check; a lesser one is printed. */
export function isSevere(severity: Severity): boolean {
  return SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf('high')
}
