/** Australian and US documents of the specimen persons, for simulators. Numbers are invented; their check digits are valid. */
import type { IssuerField } from '../../proofing/issuer-answer.ts'
import type { IssuerRecord } from './issuer.ts'
import { readSpecimenRecords } from './issuer.ts'

type Values = Readonly<Partial<Record<IssuerField, string>>>

/** The n-th person has the numbers that end with n. */
function listPersons(): readonly { readonly values: Values; readonly digit: number }[] {
  return readSpecimenRecords().map(({ values }, index) => {
    const { surname, givenName, middleNames, dateOfBirth } = values
    return { values: { surname, givenName, middleNames, dateOfBirth }, digit: index + 1 }
  })
}

/** Passport, licence of New South Wales, ImmiCard, visa and green Medicare card of each person. */
export function readAustralianRecords(): readonly IssuerRecord[] {
  return listPersons().flatMap(({ values: person, digit }) => {
    const { dateOfBirth, givenName, surname } = person
    const record = (documentType: string, values: Values, issuingState?: string): IssuerRecord => ({
      documentType,
      issuingCountry: 'AUS',
      ...(issuingState ? { issuingState } : {}),
      values,
    })
    return [
      record('PASSPORT', { ...person, documentNumber: `PA100000${digit}` }),
      record(
        'DRIVING_LICENSE',
        { ...person, documentNumber: `1234567${digit}`, cardNumber: `201234567${digit}` },
        'NSW',
      ),
      record('RESIDENT_CARD', { ...person, documentNumber: `ABC10000${digit}` }),
      record('VISA', { ...person, documentNumber: `N100000${digit}` }),
      record('MEDICARE', {
        documentNumber: writeMedicareNumber(`2123456${digit}`),
        fullName: `${givenName} ${surname}`,
        dateOfBirth,
        expiryDate: '2031-08-01',
        medicareColour: 'G',
        medicareReference: '1',
      }),
    ]
  })
}

/** Eight digits, their check digit (proofing/medicare.ts) and the issue number 1. */
function writeMedicareNumber(base: string): string {
  const sum = [1, 3, 7, 9, 1, 3, 7, 9].reduce(
    (total, weight, index) => total + weight * Number(base[index]),
    0,
  )
  return `${base}${sum % 10}1`
}

/** Driving licence and identity card of Texas of each person. */
export function readUnitedStatesRecords(): readonly IssuerRecord[] {
  return listPersons().flatMap(({ values, digit }) =>
    (['DRIVING_LICENSE', 'IDENTITY_CARD'] as const).map((documentType, kind) => ({
      documentType,
      issuingCountry: 'USA',
      issuingState: 'TX',
      values: {
        ...values,
        documentNumber: `${kind}234567${digit}`,
        issueDate: '2024-05-01',
        expiryDate: '2032-05-01',
        city: 'Austin',
        addressState: 'TX',
        postcode: '78701',
      },
    })),
  )
}
