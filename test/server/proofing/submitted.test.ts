import { describe, expect, test } from 'vitest'
import type { PersonalAttributes } from '../../../server/proofing/evidence.ts'
import {
  markUnverified,
  unverifiedAddress,
  unverifiedAttributes,
} from '../../../server/proofing/submitted.ts'

describe('data that the applicant typed is kept as not verified', () => {
  test('a value, whatever the caller claims of it', () => {
    expect(markUnverified({ value: 'Eriksson' })).toEqual({ value: 'Eriksson', verified: false })
    expect(markUnverified({ value: 'Eriksson', verified: true })).toEqual({
      value: 'Eriksson',
      verified: false,
    })
  })

  test('each attribute, and each of a list; one that is missing stays missing', () => {
    const marked = unverifiedAttributes<PersonalAttributes>({
      surname: { value: 'Eriksson' },
      givenNames: [{ value: 'Anna' }, { value: 'Maria' }],
      dateOfBirth: undefined,
    })
    expect(marked).toEqual({
      surname: { value: 'Eriksson', verified: false },
      givenNames: [
        { value: 'Anna', verified: false },
        { value: 'Maria', verified: false },
      ],
    })
    expect(marked).not.toHaveProperty('dateOfBirth')
    expect(unverifiedAttributes<PersonalAttributes>({ givenNames: [] })).toEqual({ givenNames: [] })
    expect(unverifiedAttributes<PersonalAttributes>({})).toEqual({})
  })

  test('an address and the details of its street, where there are any', () => {
    expect(unverifiedAddress({ city: 'Umeå', postcode: '90325' })).toEqual({
      city: 'Umeå',
      postcode: '90325',
      verified: false,
    })
    expect(unverifiedAddress({ city: 'Umeå' })).not.toHaveProperty('streetDetails')
    expect(unverifiedAddress({ city: 'Umeå', streetDetails: { streetLines: ['Storgatan 1'] } })).toEqual({
      city: 'Umeå',
      verified: false,
      streetDetails: { streetLines: ['Storgatan 1'], verified: false },
    })
  })
})
