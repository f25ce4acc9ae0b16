/**
 * Compares two statements about a person. Names are compared in their MRZ spelling, because the reference document
 * usually states them that way.
 */
import type { NamedValue, PersonalAttributes } from './evidence.ts'
import { spellName, doesSpell, standardSpelling, type Spelling } from './name-spelling.ts'

const COMPARED = ['givenNames', 'surname', 'fullname', 'dateOfBirth', 'gender', 'nationality'] as const
type ComparedAttribute = (typeof COMPARED)[number]

/** `unclear`: the scripts have no unique transliteration. */
export type Comparison = 'same' | 'different' | 'unclear'

export interface Reference {
  readonly attributes: PersonalAttributes
  /** The MRZ has no room for the whole name (Doc 9303 part 3, section 4.6). */
  readonly namesMayBeCut: boolean
}

/** Attributes that both sides state. Eye colour and height are no evidence of a match. */
export function compareAttributes(
  stated: PersonalAttributes,
  reference: Reference,
): ReadonlyMap<ComparedAttribute, Comparison> {
  const compared = COMPARED.map((name) => [name, RULES[name](stated, reference)] as const)
  return new Map(compared.filter((entry): entry is [ComparedAttribute, Comparison] => entry[1] !== undefined))
}

type Rule = (stated: PersonalAttributes, reference: Reference) => Comparison | undefined

const RULES: Readonly<Record<ComparedAttribute, Rule>> = {
  // Further given names are often omitted (spec: "second entry is the middle name (optional)").
  givenNames: (stated, { attributes, namesMayBeCut }) =>
    compareNames(joined(stated.givenNames), joined(attributes.givenNames), (written, known) =>
      sameComponents(written, known, { cut: namesMayBeCut, mayOmit: true }),
    ),
  surname: (stated, { attributes, namesMayBeCut }) =>
    compareNames(stated.surname?.value, attributes.surname?.value, (written, known) =>
      sameComponents(written, known, { cut: namesMayBeCut, mayOmit: false }),
    ),
  fullname: compareFullName,
  dateOfBirth: (stated, { attributes }) => compareValues(stated.dateOfBirth, attributes.dateOfBirth),
  // An unspecified sex or nationality cannot be compared.
  gender: (stated, { attributes }) => compareValues(stated.gender, attributes.gender, 'X'),
  nationality: (stated, { attributes }) => compareValues(stated.nationality, attributes.nationality, 'XXX'),
}

function compareValues(
  stated: NamedValue | undefined,
  known: NamedValue | undefined,
  unspecified?: string,
): Comparison | undefined {
  if (!stated || !known || known.value === unspecified) return undefined
  return stated.value === known.value ? 'same' : 'different'
}

/** All or the first given names, before or after the surname. */
function compareFullName(stated: PersonalAttributes, reference: Reference): Comparison | undefined {
  const { givenNames, surname } = reference.attributes
  if (!surname) return undefined
  const given = joined(givenNames)
  return compareNames(stated.fullname?.value, `${given ?? ''} ${surname.value}`, (written) => {
    const last = spellName(surname.value) ?? []
    const first = spellName(given ?? '') ?? []
    const used = first.length === 0 ? [[]] : first.map((_, index) => first.slice(0, index + 1))
    return used
      .flatMap((names) => [
        [...names, ...last],
        [...last, ...names],
      ])
      .some((known) => sameComponents(written, known, { cut: reference.namesMayBeCut, mayOmit: false }))
  })
}

function compareNames(
  stated: string | undefined,
  known: string | undefined,
  same: (stated: readonly Spelling[], known: readonly Spelling[]) => boolean,
): Comparison | undefined {
  if (stated === undefined || known === undefined) return undefined
  const [written, expected] = [spellName(stated), spellName(known)]
  if (!written || !expected) return 'unclear'
  if (same(written, expected)) return 'same'
  return detectScript(stated) === detectScript(known) ? 'different' : 'unclear'
}

/** Component by component. If the MRZ may be truncated, each component must be a prefix and the last may be missing. */
function sameComponents(
  written: readonly Spelling[],
  known: readonly Spelling[],
  { cut, mayOmit }: { readonly cut: boolean; readonly mayOmit: boolean },
): boolean {
  if (written.length > known.length && !cut) return false
  if (written.length < known.length && !mayOmit) return false
  const both = known.slice(0, written.length)
  return both.length > 0 && both.every((component, index) => sameComponent(written[index], component, cut))
}

function sameComponent(written: Spelling, known: Spelling, cut: boolean): boolean {
  return doesSpell(written, standardSpelling(known), cut) || doesSpell(known, standardSpelling(written))
}

/** Names have many transliterations between scripts, so the absence of a known one proves nothing. */
function detectScript(text: string): 'Cyrillic' | 'Arabic' | 'other' {
  if (/\p{Script=Cyrillic}/u.test(text)) return 'Cyrillic'
  return /\p{Script=Arabic}/u.test(text) ? 'Arabic' : 'other'
}

function joined(names: readonly NamedValue[] | undefined): string | undefined {
  return names && names.length > 0 ? names.map(({ value }) => value).join(' ') : undefined
}
