/** Health of this machine's cameras from connected devices, the last picture and the last test. Pure. */
import type { CameraIdentity } from '../../proofing/antifraud/device-integrity.ts'
import type { CameraTest } from '../../proofing/camera-test.ts'
import { chooseCamera, isPinned, type CameraFault, type CameraWish } from './choose.ts'
import type { CameraDevice } from './devices.ts'

/** A component of the health report, without path or serial number. */
export interface CameraHealth {
  readonly status: 'UP' | 'DEGRADED' | 'DOWN'
  readonly detail: string
  /** Absent if a camera could work; otherwise no camera is connected. */
  readonly standing?: 'NOT_KNOWN'
}

interface CameraKnowledge {
  /** Null if this machine reads no camera itself. */
  readonly wish: CameraWish | null
  readonly facePin: CameraIdentity | undefined
  readonly present: readonly CameraDevice[]
  readonly lastFault: CameraFault | null
  readonly lastTest: { readonly test: CameraTest; readonly at: string } | null
}

const WORDS: Readonly<Record<CameraFault, string>> = {
  NOT_CONFIGURED: 'not configured',
  CAMERA_MISSING: 'not connected',
  WRONG_CAMERA: 'the connected camera is not the pinned one',
  SEVERAL_CAMERAS: 'several cameras match the pin: add its serial number',
  CAMERA_BUSY: 'in use by another program',
  NOT_ALLOWED: 'may not be opened: the server is not in the group video',
  TIMED_OUT: 'gave no picture in time',
  NO_PICTURE: 'gave no usable picture',
  PROGRAM_MISSING: 'fswebcam is not installed',
}

const FINDINGS: Readonly<Record<CameraTest['findings'][number], string>> = {
  NOT_MEASURED: 'its picture could not be measured',
  BLACK: 'its picture is black: lens covered, or no light',
  WHITE: 'its picture is white: too much light',
  FROZEN: 'its picture never changes',
  BLURRED: 'its picture is blurred: clean the lens, set the focus',
  TOO_SMALL: 'its picture is smaller than configured',
  EMPTY: 'its picture shows nothing',
}

/** A failing document camera affects the counter's pictures but not the kiosk; a wrong camera is worse than none. */
export function cameraHealth(known: CameraKnowledge): CameraHealth {
  const parts = [documentPart(known), facePart(known), softwarePart(known)].filter((part) => part !== null)
  if (parts.length === 0) {
    return known.present.some(({ captures }) => captures)
      ? { status: 'UP', detail: 'seen by the screens alone, which report them to the applicant' }
      : { status: 'UP', detail: 'no camera is connected to this machine', standing: 'NOT_KNOWN' }
  }
  const worst = (['DOWN', 'DEGRADED'] as const).find((status) => parts.some((part) => part.status === status))
  return { status: worst ?? 'UP', detail: parts.map(({ detail }) => detail).join('; ') }
}

function documentPart({ wish, present, lastFault, lastTest }: CameraKnowledge): CameraHealth | null {
  if (!wish) return null
  const choice = chooseCamera(wish, present)
  const fault = choice.kind === 'fault' ? choice.fault : lastFault
  if (fault)
    return {
      status: fault === 'WRONG_CAMERA' ? 'DOWN' : 'DEGRADED',
      detail: `document camera: ${WORDS[fault]}`,
    }
  if (!lastTest) return { status: 'UP', detail: 'document camera: connected, not tested yet' }
  const { test, at } = lastTest
  const found = test.findings.map((finding) => FINDINGS[finding]).join(', ')
  return test.passed
    ? { status: 'UP', detail: `document camera: tested ${at} UTC` }
    : { status: 'DEGRADED', detail: `document camera: ${found} (tested ${at} UTC)` }
}

/** A browser may choose such a camera, and its name may be that of the pinned one. */
function softwarePart({ present }: CameraKnowledge): CameraHealth | null {
  return present.some(({ captures, isSoftware }) => captures && isSoftware)
    ? {
        status: 'DOWN',
        detail: 'a program of this machine acts as a camera: remove it (npm run cameras -- list shows which)',
      }
    : null
}

/** The browser uses it, so only its presence can be checked. */
function facePart({ facePin, present }: CameraKnowledge): CameraHealth | null {
  if (!facePin) return null
  if (present.some((camera) => isPinned(facePin, camera)))
    return { status: 'UP', detail: 'face camera: connected' }
  const others = present.some(({ captures }) => captures)
  const detail = others ? 'the pinned camera is missing, but another is connected' : 'not connected'
  return { status: 'DOWN', detail: `face camera: ${detail}` }
}
