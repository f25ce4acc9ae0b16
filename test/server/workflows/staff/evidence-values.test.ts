/** Every value of an evidence as staff read it, by its field. */
import { describe, expect, test } from 'vitest'
import type { Evidence } from '../../../../server/proofing/evidence.ts'
import { listValues } from '../../../../server/workflows/staff/evidence-values.ts'

describe('the values of an evidence', () => {
  const NUMBER = '+15555550100'
  const named = (value: string, verified = false) => ({ value, verified })
  const values = (content: object) =>
    listValues({ content: content } as Evidence).map(
      ({ field, value, verified }) => `${field}=${value}${verified ? ' (verified)' : ''}`,
    )

  test.each<[string, object, string[]]>([
    ['nothing', {}, []],
    [
      'a person, part by part',
      {
        attributes: {
          fullname: named('Anna Maria Eriksson', true),
          givenNames: [named('Anna', true), named('Maria', true)],
          surname: named('Eriksson'),
          dateOfBirth: named('1974-08-12', true),
          gender: named('F'),
          nationality: named('UTO'),
          height: named('170'),
          eyeColor: named('BRO'),
        },
      },
      [
        'name=Anna Maria Eriksson (verified)',
        'givenNames=Anna Maria (verified)',
        'familyName=Eriksson',
        'birthDate=1974-08-12 (verified)',
        'sex=F',
        'nationality=UTO',
        'height=170',
        'eyeColor=BRO',
      ],
    ],
    [
      'given names of which one is not verified',
      { attributes: { givenNames: [named('Anna', true), named('Maria')] } },
      ['givenNames=Anna Maria'],
    ],
    ['no given names at all', { attributes: { givenNames: [] } }, []],
    [
      'a document',
      {
        document: {
          personalAttributes: {},
          idDocumentNumber: 'L1',
          cardNumber: 'C2',
          issuingCountry: 'AUS',
          issuingState: 'NSW',
          issuingDate: '2020-01-01',
          expiryDate: '2030-01-01',
          address: { fullAddress: '1 High St', verified: true },
        },
      },
      [
        'documentNumber=L1',
        'cardNumber=C2',
        'issuingCountry=AUS',
        'issuingState=NSW',
        'issuingDate=2020-01-01',
        'expiryDate=2030-01-01',
        'address=1 High St (verified)',
      ],
    ],
    [
      'an address, line by line',
      {
        address: {
          streetDetails: { streetLines: ['1 High St', 'Flat 2'], verified: true },
          postcode: '2000',
          city: 'Sydney',
          state: 'NSW',
          country: 'AUS',
          verified: false,
        },
      },
      ['address=1 High St\nFlat 2\n2000 Sydney\nNSW\nAUS'],
    ],
    ['an address without a place', { address: { country: 'AUS', verified: false } }, ['address=AUS']],
    ['an empty address', { address: { verified: true } }, []],
    [
      'what a provider shared and what was claimed',
      {
        trustedClaim: { shared: { personalAttributes: { surname: named('Shared') } } },
        claim: { attributesData: { surname: named('Claimed') } },
      },
      ['familyName=Shared', 'familyName=Claimed'],
    ],
    ['a trusted claim that shared nothing', { trustedClaim: { shared: {} } }, []],
    ['a phone', { mobile: named(NUMBER, true) }, [`mobile=${NUMBER} (verified)`]],
    ['a mailbox', { email: named('anna@mail.example') }, ['email=anna@mail.example']],
    ['a landline', { landline: named(NUMBER) }, [`landline=${NUMBER}`]],
  ])('are of %s', (_, content, wanted) => {
    expect(values(content)).toEqual(wanted)
  })
})
