/** Journeys, visits and a scripted server for the tests of the page's machine. */
import type { JourneyView, StepView, VisitView } from '../../../server/kiosk/contract/index.ts'
import { CallFailedError } from '../../../renderer/kiosk/api.ts'
import type { CallFailure, KioskApi } from '../../../renderer/kiosk/api.ts'

export const JOURNEY: JourneyView = {
  id: 'test',
  version: 1,
  organisation: 'Example Bank',
  brand: null,
  languages: ['en', 'fr'],
  texts: {},
  receipt: { print: true },
  idleSeconds: { welcome: 30, reading: 90, capture: 120, result: 60, goodbye: 8, warning: 30 },
  mode: 'test',
  display: { diagonalInch: 27, camera: { edge: 'top', atPercent: 50 } },
  kiosk: 'Kiosk 1',
  minutes: 5,
  ownWindow: false,
}

export const STEPS = {
  consent: {
    kind: 'consent',
    required: ['PORTRAIT'],
    optional: [],
    disclosures: {},
    retention: { hoursAfterHandover: null, hasCentre: false, unfinishedHours: null },
  },
  choose: {
    kind: 'document',
    state: 'CHOOSE',
    choice: null,
    guidance: [],
    guidanceField: null,
    left: 3,
    uploadAllowed: true,
    fileWanted: 'FRONT',
  },
  capture: {
    kind: 'document',
    state: 'CAPTURE',
    choice: null,
    guidance: [],
    guidanceField: null,
    left: 3,
    uploadAllowed: true,
    fileWanted: 'FRONT',
  },
  checking: {
    kind: 'document',
    state: 'CHECKING',
    choice: null,
    guidance: [],
    guidanceField: null,
    left: 2,
    uploadAllowed: true,
    fileWanted: 'FRONT',
  },
  portrait: {
    kind: 'portrait',
    state: 'READY',
    guidance: [],
    left: 3,
    livenessType: 'LIVENESS_ACTIVE',
    wish: { withoutColours: false, withoutTurning: false },
    withoutColours: 'HERE',
    withoutTurning: 'HERE',
    uploadAllowed: false,
    tipsFirst: false,
  },
  waiting: { kind: 'waiting', ready: false, rows: [], mayLeave: false },
  ready: { kind: 'waiting', ready: true, rows: [], mayLeave: false },
  result: {
    kind: 'result',
    outcome: 'CONFIRMED',
    receipt: {
      reference: '7K4P-2M9X',
      code: '00000-00000-00000',
      qr: { rows: [] },
      issuedAt: '2026-11-21T10:00',
    },
    isCaptured: true,
    offline: false,
  },
  loggingIn: {
    kind: 'trusted-login',
    state: 'WAITING',
    providers: [],
    login: { qr: { rows: [] }, expiresAt: '2026-11-21T10:00:00.000Z' },
  },
} as const satisfies Record<string, StepView>

export function visitAt(step: keyof typeof STEPS, more: Partial<VisitView> = {}): VisitView {
  return {
    reference: '7K4P-2M9X',
    language: 'en',
    position: { steps: ['consent', 'document', 'portrait', 'result'], index: 0, undone: [] },
    step: STEPS[step],
    notice: null,
    help: { asked: false, seen: true, answer: null, minutes: null },
    takenOver: false,
    ...more,
  }
}

export const failed = (failure: CallFailure) => Promise.reject(new CallFailedError(failure))

/** Answers what it is told to; every call is written down. Unscripted calls get no answer, as from a server that is gone. */
export function scriptedApi(script: Partial<KioskApi>): { api: KioskApi; calls: string[] } {
  const calls: string[] = []
  const api = new Proxy({} as KioskApi, {
    get: (_, name: keyof KioskApi) => {
      return (...parameters: never[]) => {
        calls.push(name)
        const answer = script[name] as ((...parameters: never[]) => unknown) | undefined
        return answer ? answer(...parameters) : failed('offline')
      }
    },
  })
  return { api, calls }
}
