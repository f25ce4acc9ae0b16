/**
 * A register of addresses for tests and demonstrations: our protocol (server/connectors/address-register) on a real socket, with
 * addresses and residents of fictitious persons.
 */
import { z } from 'zod'
import { ADDRESS_VALUES } from '../../proofing/address-form.ts'
import { REGISTER_FIELDS, type AddressAnswer, type RegisterField } from '../../proofing/address-register.ts'
import type { FieldMatch } from '../../proofing/issuer-answer.ts'
import { readSpecimenRecords } from './issuer.ts'
import { foldText, type QuestionSimulator } from './question-simulator.ts'
import { startSignedSimulator, type SignedSimulatorOptions } from './signed-simulator.ts'

const Values = z.partialRecord(z.enum(REGISTER_FIELDS), z.string())
const Question = z.object({ requestId: z.string(), country: z.string(), values: Values })
/** An address with one resident; further residents have entries of their own. Without a name: the register knows no residents. */
export const AddressEntry = z.object({ country: z.string(), values: Values })
export type AddressEntry = z.infer<typeof AddressEntry>

export function startAddressRegister(
  options: SignedSimulatorOptions & { readonly entries: readonly AddressEntry[] },
): Promise<QuestionSimulator> {
  return startSignedSimulator(options, {
    path: '/address-comparisons',
    type: 'address-request',
    read: (json) => Question.safeParse(json).data ?? null,
    answer: (question) => compare(options.entries, question),
    answerUnasked: ({ values }) => {
      const unasked = REGISTER_FIELDS.find((field) => values[field] === undefined)
      return { record: 'FOUND', matches: unasked ? { [unasked]: 'MATCH' } : {} }
    },
  })
}

type Asked = z.infer<typeof Values>

function compare(
  entries: readonly AddressEntry[],
  { country, values: asked }: Pick<z.infer<typeof Question>, 'country' | 'values'>,
): Pick<AddressAnswer, 'record' | 'matches'> {
  const living = entries.filter(({ country: own, values }) => own === country && isAtAddress(values, asked))
  if (living.length === 0) return { record: 'NOT_FOUND', matches: {} }
  const named = living.filter(({ values }) => values.surname !== undefined)
  // The resident who agrees most.
  const agreeing = ({ values }: AddressEntry): number =>
    NAMES.filter((field) => foldText(values[field]) === foldText(asked[field])).length
  const [best] = [...(named.length > 0 ? named : living)].sort((a, b) => agreeing(b) - agreeing(a))
  const matches = Object.entries(asked).map(([field, value]): [string, FieldMatch] => {
    const known = best.values[field as RegisterField]
    if (known === undefined) return [field, 'NOT_COMPARED']
    if (known.toUpperCase() === value.toUpperCase()) return [field, 'MATCH']
    return [field, foldText(known) === foldText(value) ? 'SIMILAR' : 'NO_MATCH']
  })
  return { record: 'FOUND', matches: Object.fromEntries(matches) }
}

const NAMES = ['surname', 'givenNames', 'dateOfBirth'] as const

/** Every part of the address that both sides have is the same. */
function isAtAddress(known: Asked, asked: Asked): boolean {
  const both = ADDRESS_VALUES.filter((value) => known[value] !== undefined && asked[value] !== undefined)
  return both.length > 0 && both.every((value) => foldText(known[value]) === foldText(asked[value]))
}

/** The specimen persons, who all live at one address. */
export function readSpecimenAddresses(): readonly AddressEntry[] {
  return readSpecimenRecords().map(({ issuingCountry: country, values }) => ({
    country,
    values: {
      ...SPECIMEN_HOME,
      ...(values.surname === undefined ? {} : { surname: values.surname }),
      givenNames: [values.givenName, values.middleNames].filter(Boolean).join(' '),
      ...(values.dateOfBirth === undefined ? {} : { dateOfBirth: values.dateOfBirth }),
    },
  }))
}

const SPECIMEN_HOME = {
  streetLine1: '1 EXAMPLE ST',
  city: 'UTOPIA CITY',
  postcode: '1000',
  address: '1 EXAMPLE ST, 1000 UTOPIA CITY',
} as const
