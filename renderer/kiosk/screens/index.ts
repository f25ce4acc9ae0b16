/** Maps each screen to the module that draws it. */
import type { Screen, ScreenName } from '../screen-context.ts'
import { check } from './check.ts'
import { consent } from './consent.ts'
import { documentStep } from './document.ts'
import { goodbye } from './goodbye.ts'
import { drawLater, fetchScreen } from './later.ts'
import { portrait } from './portrait.ts'
import { resting } from './resting.ts'
import { result } from './result.ts'
import { starting } from './starting.ts'
import { trustedLogin } from './trusted-login.ts'
import { waiting } from './waiting.ts'
import { welcome } from './welcome.ts'

/** Screens that come late in a visit, so that the first one is there at once. */
const phone = () => import('./phone.ts').then((module) => module.phone)
const chip = () => import('./chip.ts').then((module) => module.chip)
const details = () => import('./details.ts').then((module) => module.details)

/** Fetches all other screens, so that they work when the server is unreachable later. */
export async function fetchScreens(): Promise<void> {
  await Promise.all([phone, chip, details].map(fetchScreen))
}

export const SCREENS: Readonly<Record<ScreenName, Screen>> = {
  starting,
  resting,
  welcome,
  consent,
  'trusted-login': trustedLogin,
  phone: drawLater(phone),
  document: documentStep,
  check,
  chip: drawLater(chip),
  details: drawLater(details),
  portrait,
  waiting,
  result,
  goodbye,
}
