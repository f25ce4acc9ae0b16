/**
 * Describes an explanation in plain words, for auditors and officers: ids of evidence, names of rules and
 * checks, numbers. An explanation contains no personal data.
 */
import type { Explanation, Missing } from '../proofing/assurance/explain.ts'
import { describeCheck } from '../proofing/assurance/known-checks.ts'
import type { FaultRule } from '../proofing/assurance/faults.ts'
import type { MarkRule, Policy, ScaleRule } from '../proofing/assurance/policy.ts'
import { pieceWords, ruleWords } from './policy-words.ts'

const LEFT_OUT = {
  NOT_VERIFIED: 'it is not verified',
  CONSENT: 'a required consent is missing or was withdrawn',
  DISAGREES: 'it says something else about the person than the evidence that counts',
} as const

type Profile = Explanation['profiles'][number]

/** @param claimed the level in the file itself; null: none */
export function explanationWords(
  explanation: Explanation,
  policy: Policy,
  faults: readonly FaultRule[],
  claimed: string | null,
): string {
  const { assessment, evidences, profiles } = explanation
  const types = new Map(evidences.map(({ id, type }) => [id, type]))
  return [
    `${policy.title} (${policy.id}, version ${policy.version})`,
    ...levelLines(explanation, policy, faults, claimed),
    '',
    'Evidence',
    ...(evidences.length === 0 ? ['  none'] : evidences.map(evidenceLine)),
    ...assessment.disagreements.map(
      ({ evidenceId, attributes }) =>
        `  ${evidenceId} disagrees with what counts in: ${attributes.join(', ')}`,
    ),
    ...scaleLines(assessment.scales),
    '',
    'Profiles',
    ...profiles.flatMap((profile) => profileLines(profile, policy, types)),
    ...givenFor(
      profiles.flatMap(({ missing }) => missing),
      policy,
    ),
    '',
  ].join('\n')
}

function levelLines(
  { assessment }: Explanation,
  policy: Policy,
  faults: readonly FaultRule[],
  claimed: string | null,
): readonly string[] {
  const { levelOfAssurance, profile, heldDownBy } = assessment
  const label = policy.levels.find((level) => level.levelOfAssurance === levelOfAssurance)?.label ?? ''
  const by = profile === null ? 'no profile is met' : `by the profile ${profile}`
  const isOther = claimed !== null && claimed !== levelOfAssurance
  return [
    `${levelOfAssurance} (${label}): ${by}`,
    ...(isOther
      ? [`The file itself says ${claimed}: given by another policy, or by evidence that it does not show.`]
      : []),
    ...heldDownBy.map((indicator) => {
      const meaning = faults.find((rule) => rule.indicator === indicator)?.meaning
      return `Held down by ${indicator} (${policy.caps[indicator]} at most). ${meaning ?? ''}`.trim()
    }),
  ]
}

function evidenceLine({ id, type, marks, counted, leftOut }: Explanation['evidences'][number]): string {
  const scores = Object.entries(marks).map(([mark, value]) => `${mark} ${value}`)
  const standing = counted
    ? 'counts'
    : `does not count: ${leftOut ? LEFT_OUT[leftOut] : 'an indicator that it carries'}`
  return `  ${type} ${id} ${[standing, ...scores].join(', ')}`
}

function scaleLines(scales: Readonly<Record<string, number>>): readonly string[] {
  const reached = Object.entries(scales).map(([scale, value]) => `${scale} ${value}`)
  return reached.length === 0 ? [] : ['', `The identity as a whole: ${reached.join(', ')}`]
}

function profileLines(
  profile: Profile,
  policy: Policy,
  types: ReadonlyMap<string, string>,
): readonly string[] {
  const { name, levelOfAssurance, met, missing } = profile
  const label = policy.levels.find((level) => level.levelOfAssurance === levelOfAssurance)?.label ?? ''
  return [
    `  ${met ? '✓' : '✗'} ${levelOfAssurance} (${label}) ${name}${met ? ' is met' : ', missing:'}`,
    ...missing.map((item) => `      ${missingWords(item, profile, policy, types)}`),
  ]
}

function missingWords(
  missing: Missing,
  { name, pieces }: Profile,
  policy: Policy,
  types: ReadonlyMap<string, string>,
): string {
  const asked = policy.profiles.find((profile) => profile.name === name)?.pieces ?? []
  const named = (piece: number): string => {
    const id = pieces[piece] ?? null
    const is =
      id === null ? nameKind(asked[piece]?.evidence ?? 'ANY') : `${types.get(id) ?? 'evidence'} ${id}`
    return `piece ${piece + 1} (${is})`
  }
  switch (missing.what) {
    case 'PIECE': {
      const rule = asked[missing.piece]
      return `${named(missing.piece)}: nothing that is there could be it${rule ? `; asked for is ${pieceWords(rule)}` : ''}`
    }
    case 'MARK':
      return `${named(missing.piece)}: ${missing.mark} is ${missing.reached}, ${missing.needed} is needed`
    case 'SCORE':
    case 'STRENGTH':
      return `${named(missing.piece)}: its ${missing.what.toLowerCase()} is ${missing.reached}, ${missing.needed} is needed`
    case 'CHECK':
      return `${named(missing.piece)}: it is not shown that ${describeCheck(missing.check)} (${missing.check})`
    case 'SCALE':
      return `${missing.scale} is ${missing.reached}, ${missing.needed} is needed`
    case 'CAP':
      return `${missing.indicator} leaves ${missing.maximum} at most`
  }
}

type Rule = MarkRule | ScaleRule

/** Lists the evidence that would earn the missing scores, from the lowest useful one; each once. */
function givenFor(missing: readonly Missing[], { marks, scales }: Policy): readonly string[] {
  const needed = new Map<string, number[]>()
  for (const item of missing) {
    if (item.what !== 'MARK' && item.what !== 'SCALE') continue
    const name = item.what === 'MARK' ? item.mark : item.scale
    needed.set(name, [...(needed.get(name) ?? []), item.needed])
  }
  const named = (name: string): readonly Rule[] => [
    ...marks.filter(({ mark }) => mark === name),
    ...scales.filter(({ scale }) => scale === name),
  ]
  const told = [...needed].sort().flatMap(([name, values]) => scoreLines(name, values, named(name)))
  return told.length === 0
    ? []
    : ['', 'Sources of the missing scores (a higher score is also accepted):', ...told]
}

function scoreLines(name: string, needed: readonly number[], rules: readonly Rule[]): readonly string[] {
  const highest = Math.max(0, ...rules.map(({ value }) => value))
  const given = [...new Set(rules.map(({ value }) => value))].filter((value) => value >= Math.min(...needed))
  const outOfReach = [...new Set(needed)].filter((value) => value > highest)
  return [
    ...given
      .sort()
      .flatMap((value) =>
        rules.filter((rule) => rule.value === value).map((rule) => `  ${name} ${value}: ${ruleWords(rule)}`),
      ),
    ...outOfReach.sort().map((value) => `  ${name} ${value}: no check of this appliance gives it`),
  ]
}

const nameKind = (kind: string): string =>
  kind === 'ANY' ? 'any kind of evidence' : kind.toLowerCase().replaceAll('_', ' ')
