import { describe, expect, test } from 'vitest'
import {
  cameraState,
  cameraStateHere,
  judgeDeviceIntegrity,
  type DeviceFacts,
} from '../../../../server/proofing/antifraud/device-integrity.ts'

const SOUND: DeviceFacts = {
  clock: 'SYSTEM',
  cameras: ['SAME', 'SAME'],
  inspection: 'IN_DATE',
  tampered: false,
}
const judge = (over: Partial<DeviceFacts>) => judgeDeviceIntegrity({ ...SOUND, ...over })

describe('a device', () => {
  test('whose clock, camera, inspection and seals are all known and good is passed', () => {
    expect(judge({})).toEqual({
      status: 'VERIFIED',
      indicators: ['DEVICE_INTEGRITY_OK'],
      measured: { clock: 'SYSTEM', camera: 'SAME', inspection: 'IN_DATE', tampered: 0 },
    })
    expect(judge({ clock: 'CENTRE' }).status).toBe('VERIFIED')
  })

  test.each([
    ['the clock is in doubt', { clock: 'UNSURE' as const }],
    ['no camera is named in the configuration', { cameras: ['NOT_PINNED' as const] }],
    ['one picture does not say its camera', { cameras: ['SAME' as const, 'NOT_TOLD' as const] }],
    ['there is no picture', { cameras: [] }],
    ['no inspection is demanded', { inspection: 'NOT_DEMANDED' as const }],
    ['an inspection is overdue', { inspection: 'OVERDUE' as const }],
  ])('is not verified where %s, and nothing counts as tampering', (_name, over) => {
    expect(judge(over)).toMatchObject({
      status: 'NOT_VERIFIED',
      indicators: ['DEVICE_INTEGRITY_UNVERIFIED'],
      measured: { tampered: 0 },
    })
  })

  test('of which there is no picture does not say its camera', () => {
    expect(judge({ cameras: [] }).measured.camera).toBe('NOT_TOLD')
    expect(judge({ cameras: ['SAME', 'NOT_PINNED'] }).measured.camera).toBe('NOT_PINNED')
  })

  test('with another camera than its own is a question for a person', () => {
    expect(judge({ cameras: ['SAME', 'NOT_TOLD', 'OTHER'] })).toMatchObject({
      status: 'NOT_VERIFIED',
      indicators: ['DEVICE_INTEGRITY_WARNING'],
      measured: { camera: 'OTHER' },
    })
  })

  test('on which a program acts as a camera is a question for a person, whatever name the picture gave', () => {
    expect(judge({ cameras: ['SOFTWARE', 'SAME'] })).toMatchObject({
      status: 'NOT_VERIFIED',
      indicators: ['DEVICE_INTEGRITY_WARNING'],
      measured: { camera: 'SOFTWARE' },
    })
  })

  test('that was tampered with has failed, whatever else is known', () => {
    expect(judge({ tampered: true, cameras: ['OTHER'], clock: 'UNSURE' })).toEqual({
      status: 'INVALID',
      indicators: ['DEVICE_INTEGRITY_FAILED'],
      measured: { clock: 'UNSURE', camera: 'OTHER', inspection: 'IN_DATE', tampered: 1 },
    })
  })
})

describe('a camera', () => {
  const PINNED = { vendor: '046d', product: '082D' }
  test.each([
    ['without one in the configuration', undefined, { vendor: '046d', product: '082d' }, 'NOT_PINNED'],
    ['that was not stated', PINNED, undefined, 'NOT_TOLD'],
    ['of the same ids', PINNED, { vendor: '046D', product: '082d' }, 'SAME'],
    ['of the same ids, whatever its serial number', PINNED, { ...PINNED, serial: 'X' }, 'SAME'],
    ['of another vendor', PINNED, { vendor: '046e', product: '082d' }, 'OTHER'],
    ['of another product', PINNED, { vendor: '046d', product: '0821' }, 'OTHER'],
    ['of the serial number', { ...PINNED, serial: 'X' }, { ...PINNED, serial: 'X' }, 'SAME'],
    ['of another serial number', { ...PINNED, serial: 'X' }, { ...PINNED, serial: 'x' }, 'OTHER'],
    ['that tells no serial number', { ...PINNED, serial: 'X' }, PINNED, 'OTHER'],
  ] as const)('%s', (_name, pinned, told, state) => {
    expect(cameraState(pinned, told)).toBe(state)
  })
})

describe('a machine with several pinned cameras', () => {
  const face = { vendor: '32e4', product: '9230' }
  const desk = { vendor: '046d', product: '085e', serial: 'AB12' }
  const cameras = { face: { pin: face }, document: { pin: desk } }

  test('believes each of them, and no other one', () => {
    const pinned = { environment: { camera: face }, cameras }
    expect(cameraStateHere(pinned, face)).toBe('SAME')
    expect(cameraStateHere(pinned, desk)).toBe('SAME')
    expect(cameraStateHere(pinned, { ...desk, serial: 'other' })).toBe('OTHER')
    expect(cameraStateHere(pinned, undefined)).toBe('NOT_TOLD')
  })

  test('holds no picture against them until the environment names one', () => {
    expect(cameraStateHere({ environment: {}, cameras }, desk)).toBe('NOT_PINNED')
    expect(cameraStateHere({ environment: {}, cameras }, undefined)).toBe('NOT_PINNED')
  })
})
