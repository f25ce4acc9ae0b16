/** Describes a policy and its check in words. Reads no file. */
import type { PolicyWarning } from '../config/policy-warnings.ts'
import { describeCheck } from '../proofing/assurance/known-checks.ts'
import type { MarkRule, PieceRule, Policy, ScaleRule } from '../proofing/assurance/policy.ts'

export function listWords(policies: readonly Policy[]): string {
  const rows = policies.map(({ id, version, title, levels }) => {
    const labels = levels.slice(1).map(({ levelOfAssurance, label }) => `${levelOfAssurance} ${label}`)
    return `${id.padEnd(14)} ${version.padEnd(4)} ${title}: ${labels.join(', ')}`
  })
  return `${rows.join('\n')}\n`
}

/** A table: a row for each installation, a column for each policy. */
export function reachWords(
  policies: readonly Policy[],
  installations: readonly { readonly title: string; readonly levels: Readonly<Record<string, string>> }[],
): string {
  const first = Math.max(...installations.map(({ title }) => title.length))
  const width = Math.max(...policies.map(({ id }) => id.length))
  const row = (title: string, cells: readonly string[]) =>
    [title.padEnd(first), ...cells.map((cell) => cell.padEnd(width))].join('  ').trimEnd()
  const ids = policies.map(({ id }) => id)
  const rows = installations.map(({ title, levels }) =>
    row(
      title,
      ids.map((id) => levels[id] ?? ''),
    ),
  )
  return `${[row('', ids), ...rows].join('\n')}\n`
}

export function policyWords(policy: Policy): string {
  const { id, version, title, description, source, levels, profiles, marks, scales, caps, adjudication } =
    policy
  const byLevel = levels
    .slice(1)
    .flatMap(({ levelOfAssurance, label }) => [
      `  ${levelOfAssurance} (${label})`,
      ...profiles
        .filter((profile) => profile.levelOfAssurance === levelOfAssurance)
        .flatMap(({ name, pieces, scales = {} }) => [
          `    ${name}`,
          ...pieces.map((piece) => `      ${pieceWords(piece)}`),
          ...Object.entries(scales).map(([scale, value]) => `      ${scale} ${value}`),
        ]),
    ])
  const rules = [...profiles.flatMap(({ pieces }) => pieces), ...marks, ...scales]
  const checks = [...new Set(rules.flatMap(({ requires = [] }) => requires))]
  const capped = levels.flatMap(({ levelOfAssurance }) => {
    const names = Object.keys(caps).filter((indicator) => caps[indicator] === levelOfAssurance)
    return names.length === 0 ? [] : [`  ${levelOfAssurance} at most: ${names.sort().join(', ')}`]
  })
  return [
    `${title} (${id}, version ${version})`,
    description,
    `Source: ${source}`,
    '',
    'Any one of these profiles reaches its level:',
    ...byLevel,
    ...(marks.length + scales.length === 0 ? [] : ['', 'What gives which score:']),
    ...marks.map((rule) => `  ${rule.mark} ${rule.value}: ${ruleWords(rule)}`),
    ...scales.map((rule) => `  ${rule.scale} ${rule.value}: ${ruleWords(rule)}`),
    ...(checks.length === 0 ? [] : ['', 'Where:']),
    ...checks.sort().map((check) => `  ${check}: ${describeCheck(check)}`),
    '',
    'What holds evidence down, and of fraud checks the whole identity:',
    ...capped,
    '',
    `A person's word is worth ${adjudication.documentScore} for a document, ${adjudication.portraitScore} for a portrait${adjudication.fourEyes ? '; two people must accept' : ''}.`,
    '',
  ].join('\n')
}

export function pieceWords(piece: PieceRule): string {
  const { evidence, types = [], minimumScore, minimumStrength, marks = {}, requires = [] } = piece
  const parts = [
    ...(types.length > 0 ? [`of ${types.join(' or ')}`] : []),
    ...(minimumScore ? [`score ${minimumScore}`] : []),
    ...(minimumStrength ? [`strength ${minimumStrength}`] : []),
    ...Object.entries(marks).map(([mark, value]) => `${mark} ${value}`),
    ...requires,
  ]
  return `${evidence}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`
}

export function ruleWords(rule: MarkRule | ScaleRule): string {
  const { evidence, types = [], requires = [] } = rule
  const { issuers = [], minimumScore } = 'mark' in rule ? rule : {}
  const { marks = {}, heldForDays } = 'scale' in rule ? rule : {}
  const parts = [
    ...(types.length > 0 ? [`of ${types.join(' or ')}`] : []),
    ...(issuers.length > 0 ? [`issued by ${issuers.join(' ')}`] : []),
    ...(minimumScore ? [`score ${minimumScore}`] : []),
    ...Object.entries(marks).map(([mark, value]) => `${mark} ${value}`),
    ...(heldForDays === undefined ? [] : [`${heldForDays} days old`]),
    ...requires,
  ]
  return `${evidence}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`
}

const WARNINGS: Readonly<Record<PolicyWarning['code'], string>> = {
  OUT_OF_REACH: 'profiles that require a score which no rule gives, so no evidence meets them',
  NOT_OFFERED: 'profiles that no submission of the policy leads to, so no upgrade path does',
  EASIER: 'profiles that can be met by who meets none of the level below',
  NO_HARDER: 'profiles that are met whenever one of a lower level is met',
  NOT_PERFORMED: 'checks that this release does not perform, so rules that require them are never met yet',
}

/** The check that a connector performs and that an operator may take for this one. */
const PERFORMED_INSTEAD: Readonly<Record<string, string>> = {
  ATTRIBUTES_SOURCE: 'a configured bureau decides ID_CLAIM_SOURCE, about claims alone',
}

export function warningWords({ code, about }: PolicyWarning): string {
  const words = about.map((name) =>
    code === 'NOT_PERFORMED' && name in PERFORMED_INSTEAD ? `${name} (${PERFORMED_INSTEAD[name]})` : name,
  )
  return `  ${WARNINGS[code]}: ${words.join(', ')}`
}
