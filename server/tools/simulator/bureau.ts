/**
 * A bureau for tests and demonstrations: our protocol (server/connectors/bureau) on a real socket, with files of fictitious
 * persons at a lender and on an electoral roll.
 */
import { z } from 'zod'
import { CLAIM_FIELDS, type ClaimField, type ClaimRecord } from '../../proofing/claim-source.ts'
import type { FieldMatch } from '../../proofing/issuer-answer.ts'
import { readSpecimenRecords } from './issuer.ts'
import { foldText, type QuestionSimulator } from './question-simulator.ts'
import { startSignedSimulator, type SignedSimulatorOptions } from './signed-simulator.ts'

const Values = z.partialRecord(z.enum(CLAIM_FIELDS), z.string())
const Question = z.object({ requestId: z.string(), country: z.string(), values: Values })
export const BureauFile = z.object({ origin: z.string(), country: z.string(), values: Values })
export type BureauFile = z.infer<typeof BureauFile>

export function startBureau(
  options: SignedSimulatorOptions & { readonly files: readonly BureauFile[] },
): Promise<QuestionSimulator> {
  const search = ({ country, values }: z.infer<typeof Question>): ClaimRecord[] =>
    findFiles(options.files, country, values).map((file) => compareFile(file, values))
  return startSignedSimulator(options, {
    path: '/claim-comparisons',
    type: 'claim-request',
    read: (json) => Question.safeParse(json).data ?? null,
    answer: (question) => ({ records: search(question) }),
    answerUnasked: (question) => {
      const unasked = CLAIM_FIELDS.find((field) => question.values[field] === undefined)
      const matches = unasked ? { [unasked]: 'MATCH' } : {}
      return { records: [{ origin: 'lender', record: 'FOUND', matches }] }
    },
  })
}

type Asked = z.infer<typeof Values>

/** One entry per origin: the file of the same personal number, else of the same name. */
function findFiles(files: readonly BureauFile[], country: string, asked: Asked): BureauFile[] {
  const kept = files.filter((file) => file.country === country)
  const isSame = (field: ClaimField) => (file: BureauFile) =>
    asked[field] !== undefined && foldText(file.values[field]) === foldText(asked[field])
  return [...new Set(kept.map(({ origin }) => origin))].map((origin) => {
    const own = kept.filter((file) => file.origin === origin)
    const named = own.filter(isSame('surname')).filter(isSame('givenNames'))
    const found = own.find(isSame('personalNumber')) ?? named.find(isSame('dateOfBirth')) ?? named.at(0)
    return found ?? { origin, country, values: {} }
  })
}

function compareFile({ origin, values }: BureauFile, asked: Asked): ClaimRecord {
  if (Object.keys(values).length === 0) return { origin, record: 'NOT_FOUND', matches: {} }
  const matches = Object.entries(asked).map(([field, value]): [string, FieldMatch] => {
    const known = values[field as ClaimField]
    if (known === undefined) return [field, 'NOT_COMPARED']
    if (known.toUpperCase() === value.toUpperCase()) return [field, 'MATCH']
    return [field, foldText(known) === foldText(value) ? 'SIMILAR' : 'NO_MATCH']
  })
  return { origin, record: 'FOUND', matches: Object.fromEntries(matches) }
}

/** The specimen persons: at a lender with their birth dates, on an electoral roll with an address. */
export function readSpecimenFiles(): readonly BureauFile[] {
  return readSpecimenRecords().flatMap(({ issuingCountry: country, values }) => {
    const { surname, givenName, middleNames, dateOfBirth } = values
    const named = { surname, givenNames: [givenName, middleNames].filter(Boolean).join(' ') }
    return [
      { origin: 'lender', country, values: { ...named, dateOfBirth } },
      { origin: 'electoral-roll', country, values: { ...named, address: SPECIMEN_ADDRESS } },
    ]
  })
}

/** The address of all specimen persons. */
const SPECIMEN_ADDRESS = '1, Example Street, 1000, Utopia City'
