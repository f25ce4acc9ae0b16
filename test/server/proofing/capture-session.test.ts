import { describe, expect, test } from 'vitest'
import { AppError } from '../../../server/errors.ts'
import {
  EMPTY_ENDS,
  FRAME_PARTS,
  livenessMetadata,
  livenessSettings,
  usualSides,
} from '../../../server/proofing/capture-session.ts'

const DEFAULTS = { type: 'LIVENESS_PASSIVE', securityLevel: 'HIGH' } as const

describe('the sides that are asked for where a request names none', () => {
  test('are the front alone of a passport, and both of everything else, known or not', () => {
    expect(usualSides('PASSPORT')).toEqual(['FRONT'])
    expect(usualSides('IDENTITY_CARD')).toEqual(['FRONT', 'BACK'])
    expect(usualSides('DRIVING_LICENSE')).toEqual(['FRONT', 'BACK'])
    expect(usualSides(undefined)).toEqual(['FRONT', 'BACK'])
  })

  test('may each come with further pictures, in parts of their own', () => {
    expect(FRAME_PARTS).toEqual({ FRONT: 'FrontFrame', BACK: 'BackFrame' })
  })
})

describe('the settings of a liveness session', () => {
  test('are the tenant’s where the request says nothing', () => {
    expect(livenessSettings({ mode: 'webSDK' }, DEFAULTS)).toEqual({
      mode: 'webSDK',
      livenessType: 'LIVENESS_PASSIVE',
      securityLevel: 'HIGH',
    })
  })

  test('have two challenges in an active session, unless the request says how many', () => {
    const active = { mode: 'webSDK', type: 'LIVENESS_ACTIVE', securityLevel: 'MEDIUM' } as const
    expect(livenessSettings(active, DEFAULTS)).toEqual({
      mode: 'webSDK',
      livenessType: 'LIVENESS_ACTIVE',
      securityLevel: 'MEDIUM',
      nbChallenge: 2,
    })
    expect(livenessSettings({ ...active, nbChallenge: 5 }, DEFAULTS).nbChallenge).toBe(5)
  })

  test('know the high level as another name of the active one', () => {
    expect(livenessSettings({ mode: 'webSDK', type: 'LIVENESS_HIGH' }, DEFAULTS).livenessType).toBe(
      'LIVENESS_ACTIVE',
    )
  })

  test('have no challenges where nothing is asked of the person', () => {
    const settings = livenessSettings({ mode: 'webSDK', nbChallenge: 3 }, DEFAULTS)
    expect(settings).not.toHaveProperty('nbChallenge')
  })

  test('combine methods in the native flow alone', () => {
    const combined = { type: 'LIVENESS_MLC' } as const
    expect(livenessSettings({ mode: 'nativeSDK', ...combined }, DEFAULTS).livenessType).toBe('LIVENESS_MLC')
    const refused = () => livenessSettings({ mode: 'webSDK', ...combined }, DEFAULTS)
    expect(refused).toThrow(AppError)
    try {
      refused()
    } catch (error) {
      const [problem] = (error as AppError).problems
      expect(problem).toMatchObject({ code: 'not_allowed', field: 'type' })
      expect(problem.message).not.toBe('')
    }
  })

  test('are shown in the portrait’s metadata, the challenges only where there are some', () => {
    const settings = { mode: 'webSDK', livenessType: 'LIVENESS_ACTIVE', securityLevel: 'LOW' } as const
    const shown = [
      { key: 'livenessType', value: 'LIVENESS_ACTIVE' },
      { key: 'securityLevel', value: 'LOW' },
    ]
    expect(livenessMetadata(settings)).toEqual(shown)
    expect(livenessMetadata({ ...settings, nbChallenge: 2 })).toEqual([
      ...shown,
      { key: 'nbChallenge', value: '2' },
    ])
  })
})

test('a session that brought nothing says why, and which check was thereby not performed', () => {
  expect(EMPTY_ENDS).toEqual({
    DOCUMENT: {
      codes: { EXPIRED: '2401', CANCELLED: '2402', FAILED: '2403' },
      indicator: 'DOCUMENT_CAPTURE_UNVERIFIED',
    },
    PORTRAIT: {
      codes: { EXPIRED: '1609', CANCELLED: '1611', FAILED: '1610' },
      indicator: 'BIOMETRIC_LIVENESS_UNVERIFIED',
    },
  })
})
