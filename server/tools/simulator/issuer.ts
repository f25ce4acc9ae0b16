/**
 * An issuing source for tests and demonstrations: our protocol (server/connectors/issuer) on a real socket, with records of
 * fictitious persons and faults by name. It checks the signature of each request.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { RESOURCES_DIR } from '../../config/resources.ts'
import { ISSUER_FIELDS, type FieldMatch, type IssuerField } from '../../proofing/issuer-answer.ts'
import { foldText, type QuestionSimulator } from './question-simulator.ts'
import { startSignedSimulator, type SignedSimulatorOptions } from './signed-simulator.ts'

const Values = z.partialRecord(z.enum(ISSUER_FIELDS), z.string())
const Question = z.object({
  requestId: z.string(),
  documentType: z.string(),
  issuingCountry: z.string(),
  values: Values,
})
export const IssuerRecord = z.object({
  documentType: z.string(),
  issuingCountry: z.string(),
  issuingState: z.string().optional(),
  values: Values,
})
export type IssuerRecord = z.infer<typeof IssuerRecord>

export async function startIssuer(
  options: SignedSimulatorOptions & { readonly records: readonly IssuerRecord[] },
): Promise<QuestionSimulator> {
  return startSignedSimulator(options, {
    path: '/document-comparisons',
    type: 'issuer-request',
    read: (json) => Question.safeParse(json).data ?? null,
    answer: (question) => compare(options.records, question),
    answerUnasked: (question) => {
      const compared = compare(options.records, question)
      const unasked = ISSUER_FIELDS.find((field) => question.values[field] === undefined)
      return unasked ? { ...compared, matches: { ...compared.matches, [unasked]: 'MATCH' } } : compared
    },
  })
}

function compare(
  records: readonly IssuerRecord[],
  {
    documentType,
    issuingCountry,
    values,
  }: Pick<z.infer<typeof Question>, 'documentType' | 'issuingCountry' | 'values'>,
): { record: string; matches: Partial<Record<IssuerField, FieldMatch>> } {
  const kept = records.filter(
    (record) => record.documentType === documentType && record.issuingCountry === issuingCountry,
  )
  if (kept.length === 0) return { record: 'NOT_COVERED', matches: {} }
  const found = kept.find(
    (record) => foldText(record.values.documentNumber) === foldText(values.documentNumber),
  )
  if (!found) return { record: 'NOT_FOUND', matches: {} }
  const matches = Object.fromEntries(
    Object.entries(values).map(([field, value]) => [
      field,
      matchValue(field as IssuerField, value, found.values[field as IssuerField]),
    ]),
  )
  return { record: 'FOUND', matches }
}

const NAMES: readonly IssuerField[] = ['surname', 'givenName', 'middleNames']

function matchValue(field: IssuerField, asked: string, kept: string | undefined): FieldMatch {
  if (kept === undefined) return 'NOT_COMPARED'
  if (!NAMES.includes(field)) return foldText(asked) === foldText(kept) ? 'MATCH' : 'NO_MATCH'
  if (asked.toUpperCase() === kept.toUpperCase()) return 'MATCH'
  return foldText(asked) === foldText(kept) ? 'SIMILAR' : 'NO_MATCH'
}

const Truth = z.object({
  fields: z.object({
    issuingState: z.string(),
    documentNumber: z.string(),
    surname: z.string(),
    givenNames: z.string(),
    birthDate: z.string(),
    expiryDate: z.string(),
  }),
})
const Index = z.object({ persons: z.array(z.object({ truth: z.string() })) })

/** The passports of the bundled specimen persons. */
export function readSpecimenRecords(): readonly IssuerRecord[] {
  const folder = join(RESOURCES_DIR, 'specimens')
  const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'))
  return Index.parse(read('index.json')).persons.map(({ truth }) => {
    const { fields } = Truth.parse(read(truth))
    const [givenName, ...middleNames] = fields.givenNames.split(' ')
    const { documentNumber, surname, birthDate: dateOfBirth, expiryDate } = fields
    return {
      documentType: 'PASSPORT',
      issuingCountry: fields.issuingState,
      values: {
        documentNumber,
        surname,
        givenName,
        middleNames: middleNames.join(' '),
        dateOfBirth,
        expiryDate,
      },
    }
  })
}
