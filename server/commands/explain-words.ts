/**
 * An explanation in plain words, for auditors and staff: ids of evidence, names of rules and checks, numbers. Never a value of
 * a person: none is in an explanation.
 */
import type { Explanation, Missing } from '../proofing/assurance/explain.ts'
import { wordsOf } from '../proofing/assurance/known-checks.ts'
import type { FaultRule } from '../proofing/assurance/faults.ts'
import type { Policy } from '../proofing/assurance/policy.ts'

const LEFT_OUT = {
  NOT_VERIFIED: 'it is not verified',
  CONSENT: 'a consent that it stands on is missing or taken back',
  DISAGREES: 'it says something else about the person than the evidence that counts',
} as const

type Profile = Explanation['profiles'][number]

/** @param claimed the level that the file itself tells; null: it tells none */
export function explanationWords(
  explanation: Explanation,
  policy: Policy,
  faults: readonly FaultRule[],
  claimed: string | null,
): string {
  const { assessment, evidences, profiles } = explanation
  return [
    `${policy.title} (${policy.id}, version ${policy.version})`,
    ...levelLines(explanation, policy, faults, claimed),
    '',
    'Evidence',
    ...(evidences.length === 0 ? ['  none'] : evidences.map(evidenceLine)),
    ...assessment.disagreements.map(
      ({ evidenceId, attributes }) =>
        `  ${evidenceId} disagrees with the name reference in: ${attributes.join(', ')}`,
    ),
    ...scaleLines(assessment.scales),
    '',
    'Profiles',
    ...profiles.flatMap((profile) => profileLines(profile, policy)),
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

function profileLines({ name, levelOfAssurance, met, missing }: Profile, policy: Policy): readonly string[] {
  const label = policy.levels.find((level) => level.levelOfAssurance === levelOfAssurance)?.label ?? ''
  const pieces = policy.profiles.find((profile) => profile.name === name)?.pieces ?? []
  const kindOf = (piece: number): string => pieces[piece]?.evidence ?? 'ANY'
  return [
    `  ${met ? '✓' : '✗'} ${levelOfAssurance} (${label}) ${name}${met ? ' is met' : ', missing:'}`,
    ...missing.map((item) => `      ${missingWords(item, kindOf)}`),
  ]
}

function missingWords(missing: Missing, kindOf: (piece: number) => string): string {
  const named = (piece: number): string => `piece ${piece + 1} (${nameOf(kindOf(piece))})`
  switch (missing.what) {
    case 'PIECE':
      return `${named(missing.piece)}: there is no evidence for it`
    case 'MARK':
      return `${named(missing.piece)}: ${missing.mark} is ${missing.reached}, ${missing.needed} is needed`
    case 'SCORE':
    case 'STRENGTH':
      return `${named(missing.piece)}: its ${missing.what.toLowerCase()} is ${missing.reached}, ${missing.needed} is needed`
    case 'CHECK':
      return `${named(missing.piece)}: it is not shown that ${wordsOf(missing.check)} (${missing.check})`
    case 'SCALE':
      return `${missing.scale} is ${missing.reached}, ${missing.needed} is needed`
    case 'CAP':
      return `${missing.indicator} leaves ${missing.maximum} at most`
  }
}

const nameOf = (kind: string): string =>
  kind === 'ANY' ? 'any kind of evidence' : kind.toLowerCase().replaceAll('_', ' ')
