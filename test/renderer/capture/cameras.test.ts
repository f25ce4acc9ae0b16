/** Which camera is which, by the names browsers give them. */
import { describe, expect, test } from 'vitest'
import {
  parseIdentity,
  isAllowed,
  isPretended,
  isVirtual,
  parseAllow,
  rankCameras,
} from '../../../renderer/capture/camera/identity.ts'

const camera = (label: string, deviceId = label) => ({ label, deviceId })
const WEBCAM = camera('Integrated Webcam (0C45:6366)', 'web')
const DESK = camera('IPEVO V4K (1778:d002)', 'desk')
const VIRTUAL = camera('OBS Virtual Camera', 'obs')
const idsOf = (cameras: readonly { deviceId: string }[]) => cameras.map(({ deviceId }) => deviceId)

describe('a camera', () => {
  test('tells vendor and product at the end of its name, in small letters', () => {
    expect(parseIdentity(WEBCAM.label)).toEqual({ vendor: '0c45', product: '6366' })
    expect(parseIdentity('FaceTime HD Camera')).toBeNull()
    expect(parseIdentity('Camera (046d:082d) of the desk')).toBeNull()
  })
  test('for documents is the document camera, and for faces the other one', () => {
    const all = [VIRTUAL, WEBCAM, DESK]
    expect(idsOf(rankCameras(all, 'document', null))).toEqual(['desk', 'web', 'obs'])
    expect(idsOf(rankCameras(all, 'face', null))).toEqual(['web', 'desk', 'obs'])
  })
  test('that was chosen before comes first, even one that pretends', () => {
    expect(idsOf(rankCameras([WEBCAM, DESK, VIRTUAL], 'face', 'obs'))[0]).toBe('obs')
  })
  test('of the browser’s own order stays there when nothing tells them apart', () => {
    expect(idsOf(rankCameras([camera('a'), camera('b')], 'face', null))).toEqual(['a', 'b'])
  })
  test('may be used when its id or a part of its name is on the list, or there is no list', () => {
    const list = parseAllow(' 0c45:6366, ipevo ,')
    expect([WEBCAM, DESK, VIRTUAL].map(({ label }) => isAllowed(label, list))).toEqual([true, true, false])
    expect(isAllowed(VIRTUAL.label, parseAllow(null))).toBe(true)
    expect(isAllowed('Other (0c45:9999)', ['0c45:6366'])).toBe(false)
  })
  test('that the browser only pretends to be is known by the names that Chromium gives those', () => {
    const pretended = ['fake_device_0', 'fake_device_12', '/srv/films/passport.mjpeg', '/tmp/face.Y4M']
    expect(pretended.map(isPretended)).toEqual(pretended.map(() => true))
    const real = [WEBCAM.label, DESK.label, VIRTUAL.label, 'my fake_device_0', 'mjpeg webcam', '']
    expect(real.map(isPretended)).toEqual(real.map(() => false))
  })
  test('that is a program is known by its name', () => {
    expect([VIRTUAL, WEBCAM, camera('Observatory 2')].map(({ label }) => isVirtual(label))).toEqual([true, false, false]) // oxfmt-ignore
  })
})
