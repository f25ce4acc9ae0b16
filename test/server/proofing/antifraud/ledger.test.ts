import { describe, expect, test } from 'vitest'
import {
  deviceState,
  inspectionState,
  type LedgerEntry,
} from '../../../../server/proofing/antifraud/ledger.ts'

const at = (day: number): Date => new Date(Date.UTC(2026, 2, day))
const inspected = (day: number, outcome: 'PASSED' | 'FAILED' = 'PASSED'): LedgerEntry => ({
  id: `i${day}`,
  at: at(day),
  entry: 'INSPECTED',
  outcome,
})
const tampered = (day: number): LedgerEntry => ({
  id: `t${day}`,
  at: at(day),
  entry: 'TAMPERED',
  kind: 'CASE_OPENED',
})
const cleared = (day: number, inspectionId: string): LedgerEntry => ({
  id: `c${day}`,
  at: at(day),
  entry: 'CLEARED',
  inspectionId,
})

describe('the ledger of a device', () => {
  test('says nothing before anything was written', () => {
    expect(deviceState([])).toEqual({ lastPassedAt: null, open: [], clearableBy: null })
  })
  test('knows the last inspection that was passed', () => {
    expect(deviceState([inspected(1), inspected(5)])).toEqual({
      lastPassedAt: at(5),
      open: [],
      clearableBy: 'i5',
    })
  })
  test('takes a pass back when a later inspection is failed', () => {
    expect(deviceState([inspected(1), inspected(5, 'FAILED')])).toEqual({
      lastPassedAt: null,
      open: [],
      clearableBy: null,
    })
  })
  test('keeps every tampering open, and an inspection from before clears none of it', () => {
    expect(deviceState([inspected(1), tampered(2), tampered(3)])).toEqual({
      lastPassedAt: at(1),
      open: ['CASE_OPENED', 'CASE_OPENED'],
      clearableBy: null,
    })
  })
  test('lets a later inspection clear it, which does not happen by itself', () => {
    expect(deviceState([tampered(2), inspected(3)])).toMatchObject({
      open: ['CASE_OPENED'],
      clearableBy: 'i3',
    })
    expect(deviceState([tampered(2), inspected(3), cleared(4, 'i3')])).toMatchObject({
      open: [],
      lastPassedAt: at(3),
    })
  })
  test('opens again what happens after it was cleared', () => {
    const entries = [tampered(2), inspected(3), cleared(4, 'i3'), tampered(5)]
    expect(deviceState(entries)).toMatchObject({ open: ['CASE_OPENED'], clearableBy: null })
  })
})

describe('an inspection', () => {
  test('is due only where the configuration demands it', () => {
    expect(inspectionState({ lastPassedAt: null }, undefined, at(9))).toBe('NOT_DEMANDED')
    expect(inspectionState({ lastPassedAt: null }, 7, at(9))).toBe('OVERDUE')
  })
  test('is in date to the last moment, and overdue after it', () => {
    expect(inspectionState({ lastPassedAt: at(2) }, 7, at(9))).toBe('IN_DATE')
    expect(inspectionState({ lastPassedAt: at(2) }, 7, new Date(at(9).getTime() + 1))).toBe('OVERDUE')
  })
})
