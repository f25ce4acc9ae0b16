import { expect, test } from 'vitest'
import {
  isAustralianState,
  isUnitedStatesPostal,
  isUnitedStatesState,
} from '../../../server/proofing/issuing-states.ts'

test('the states, the District of Columbia and the territories of the USA issue documents', () => {
  for (const code of ['AL', 'CA', 'DC', 'NY', 'OR', 'PA', 'WY', 'AS', 'GU', 'MP', 'PR', 'VI'])
    expect(isUnitedStatesState(code), code).toBe(true)
})

test('the states and territories of Australia issue documents', () => {
  for (const code of ['ACT', 'NSW', 'NT', 'QLD', 'SA', 'TAS', 'VIC', 'WA'])
    expect(isAustralianState(code), code).toBe(true)
})

test('a state of one country is none of the other, and parts of a code are none at all', () => {
  expect(['NSW', 'ON', 'A', '', 'al', 'ORPA'].filter(isUnitedStatesState)).toEqual([])
  expect(['CA', 'A', '', 'nsw'].filter(isAustralianState)).toEqual([])
})

test('military abbreviations are states of an address, and issue no documents', () => {
  for (const code of ['AA', 'AE', 'AP'])
    expect([isUnitedStatesPostal(code), isUnitedStatesState(code)]).toEqual([true, false])
  expect([isUnitedStatesPostal('TX'), isUnitedStatesPostal('ON')]).toEqual([true, false])
})
